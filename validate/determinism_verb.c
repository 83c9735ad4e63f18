/* The verb cook-determinism. */
#include <stdlib.h>

#include "cook/cli/cli.h"
#include "validate/determinism.h"

struct verb {
    struct cook_cli cli;
    struct cook_run run;
    struct determinism determinism;
    char **packages, **classes, **varies;
    int rounds, against_store, list;
};

/* popt's list, and how many it holds. */
static const char *const *texts_of(char **texts, size_t *count)
{
    *count = 0;
    while (texts && texts[*count])
        (*count)++;
    return (const char *const *)texts;
}

static int print_list(FILE *out)
{
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++)
        fprintf(out, "%-12s %s\n", determinism_vary_text((enum determinism_vary)i),
                determinism_vary_does((enum determinism_vary)i));
    return COOK_EXIT_CLEAN;
}

static enum cook_status read_options(struct verb *verb, struct determinism_options *options,
                                     struct cook_error *error)
{
    size_t count;
    const char *const *lists = texts_of(verb->varies, &count);
    options->packages = texts_of(verb->packages, &options->package_count);
    options->classes = texts_of(verb->classes, &options->class_count);
    options->against_store = verb->against_store != 0;
    options->vary_given = count != 0;
    if (verb->rounds < 0 || verb->rounds > 10000)
        return cook_error_set(error, COOK_E_USAGE, "--rounds takes 1 to 10000");
    options->rounds = (unsigned)verb->rounds;
    return determinism_parse_vary(&options->vary, lists, count, error);
}

static enum cook_status run(struct verb *verb, struct cook_error *error)
{
    struct cook_cli *cli = &verb->cli;
    struct determinism_options options = { 0 };
    enum cook_status status = read_options(verb, &options, error);
    if (status != COOK_OK)
        return status;
    cli->run.mode = verb->against_store ? COOK_STORE_READ : COOK_STORE_READ_OR_EMPTY;
    status = cook_cli_open_run(cli, &verb->run, "Determinism", "compare with", error);
    if (status == COOK_OK)
        status = determinism_run(&verb->determinism, &verb->run, &options, error);
    if (status != COOK_OK)
        return status;
    verb->cli.statuses[COOK_EXIT_FINDINGS] = verb->determinism.finding_count != 0;
    verb->cli.statuses[COOK_EXIT_USAGE] = verb->determinism.roots.missing_count != 0;
    verb->cli.statuses[COOK_EXIT_FAILED_PACKAGES] = verb->determinism.failed_count != 0;
    status = determinism_print_text(&verb->determinism, cli, error);
    if (status == COOK_OK)
        status = determinism_record(&verb->determinism, cli, error);
    return status == COOK_OK ? cook_run_write_trace(&verb->run, error) : status;
}

static void end(struct verb *verb)
{
    determinism_finish(&verb->determinism);
    cook_run_close(&verb->run);
    cook_cli_free_texts(verb->packages);
    cook_cli_free_texts(verb->classes);
    cook_cli_free_texts(verb->varies);
    cook_cli_end(&verb->cli);
}

int determinism_verb(int argc, const char **argv)
{
    struct verb verb = { 0 };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "package", 0, POPT_ARG_ARGV, &verb.packages, 0, "check only this package",
          "PACKAGE" },
        { "class", 0, POPT_ARG_ARGV, &verb.classes, 0,
          "check only packages with an object of this class", "CLASS" },
        { "rounds", 0, POPT_ARG_INT, &verb.rounds, 0,
          "perturbed rounds, over and over the sets (default: each set once)", "N" },
        { "vary", 0, POPT_ARG_ARGV, &verb.varies, 0,
          "only these perturbations; all but these with '-' before the name", "NAME,..." },
        { "against-store", 0, POPT_ARG_NONE, &verb.against_store, 0,
          "compare with the kept cook too", NULL },
        { "list", 0, POPT_ARG_NONE, &verb.list, 0, "list the perturbations", NULL },
        POPT_TABLEEND
    };
    int exit_status = cook_cli_begin(&verb.cli, "determinism", "[OPTION...]",
                                     COOK_CLI_PROJECT | COOK_CLI_COOKING, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_no_arguments(&verb.cli);
    if (exit_status < 0 && verb.list)
        exit_status = print_list(verb.cli.out);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&verb.cli, run(&verb, &error), &error);
    end(&verb);
    return exit_status;
}
