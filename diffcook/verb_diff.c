#include "verb_diff.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "cook/cli/cli.h"
#include "report.h"

#define DEFAULT_LIMIT 1000

struct verb {
    struct cook_cli cli;
    struct diff_operand operands[2];
    struct diff_comparison comparison;
    struct diff_report_outcome outcome;
    int stat;
    char *pictures;
    int limit;
};

static enum cook_status check_arguments(struct verb *verb, struct cook_error *error)
{
    const char **arguments = verb->cli.arguments;
    if (!arguments || !arguments[0] || !arguments[1])
        return cook_error_set(error, COOK_E_USAGE,
                              "two operands are needed: projects, stores, PROJECT:COOK or "
                              "folders of files; see: cook diff --help");
    if (arguments[2])
        return cook_error_set(error, COOK_E_USAGE, "unexpected argument '%s'", arguments[2]);
    if (verb->limit < 0)
        return cook_error_set(error, COOK_E_USAGE, "--limit takes 0 (all) or more, not %d",
                              verb->limit);
    return COOK_OK;
}

static cJSON *start_document(const struct verb *verb)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/diff/1");
    cJSON_AddStringToObject(document, "old", verb->operands[0].text);
    cJSON_AddStringToObject(document, "new", verb->operands[1].text);
    return document;
}

static enum cook_status report(struct verb *verb, struct cook_error *error)
{
    bool cooks = verb->operands[0].kind == DIFF_OPERAND_COOK;
    struct diff_report_options options = { .out = verb->cli.out,
                                           .quiet = verb->cli.quiet != 0,
                                           .stat = verb->stat != 0,
                                           .pictures = verb->pictures,
                                           .limit = (size_t)verb->limit,
                                           .noun = cooks ? "package" : "file" };
    if (!verb->cli.quiet)
        fprintf(verb->cli.out, "old: %s\nnew: %s\n", verb->operands[0].text,
                verb->operands[1].text);
    cJSON *document = verb->cli.json_path ? start_document(verb) : NULL;
    enum cook_status status =
        diff_report_write(&verb->outcome, &verb->comparison, &options, document, error);
    verb->cli.statuses[COOK_EXIT_FINDINGS] = diff_report_has_findings(&verb->comparison);
    verb->cli.statuses[COOK_EXIT_ENVIRONMENT] = verb->outcome.problems != 0;
    if (document)
        cook_cli_add_statuses(&verb->cli, document);
    if (status == COOK_OK)
        status = cook_cli_write_json(&verb->cli, document, error);
    cJSON_Delete(document);
    return status;
}

static enum cook_status run(struct verb *verb, struct cook_error *error)
{
    enum cook_status status = check_arguments(verb, error);
    for (unsigned i = 0; status == COOK_OK && i < 2; i++)
        status = diff_operand_open(&verb->operands[i], verb->cli.arguments[i],
                                   &verb->cli.run.project, error);
    if (status == COOK_OK)
        status = diff_compare_operands(&verb->comparison, &verb->operands[0],
                                       &verb->operands[1], error);
    return status == COOK_OK ? report(verb, error) : status;
}

int diff_verb(int argc, const char **argv)
{
    struct verb verb = { .operands = { DIFF_OPERAND_INIT, DIFF_OPERAND_INIT },
                         .limit = DEFAULT_LIMIT };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "stat", 0, POPT_ARG_NONE, &verb.stat, 0, "print only counts", NULL },
        { "pictures", 0, POPT_ARG_STRING, &verb.pictures, 0,
          "write pictures of textures that differ: old, new and a heat map", "DIR" },
        { "limit", 0, POPT_ARG_INT, &verb.limit, 0,
          "work out the differences of so many packages at most (default 1000; 0: all)", "N" },
        POPT_TABLEEND
    };
    int exit_status =
        cook_cli_begin(&verb.cli, "diff", "[OPTION...] A B", COOK_CLI_PROJECT, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&verb.cli, run(&verb, &error), &error);
    diff_comparison_finish(&verb.comparison);
    diff_operand_finish(&verb.operands[0]);
    diff_operand_finish(&verb.operands[1]);
    free(verb.pictures); /* popt allocates it */
    cook_cli_end(&verb.cli);
    return exit_status;
}
