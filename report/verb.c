#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/base/text.h"
#include "report/report.h"

/* The forms that are made of the model. */
static const struct {
    const char *name;
    enum cook_status (*write)(struct report *report, const cJSON *model, struct cook_error *error);
    bool page; /* not for reading in a terminal */
} forms[] = {
    { "html", report_html, true },
    { "markdown", report_markdown, false },
    { "junit", report_junit, false },
    { "sarif", report_sarif, false },
};
#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

/* What else the verb does. */
static const struct {
    const char *name;
    enum cook_status (*run)(struct report *report, const char *const *operands,
                            struct cook_error *error);
} subcommands[] = {
    { "show", report_show },
    { "bundle", report_bundle },
    { "merge", report_merge },
};
#define SUBCOMMAND_COUNT (sizeof(subcommands) / sizeof(subcommands[0]))

enum cook_status report_write(struct report *report, const void *bytes, size_t size,
                              struct cook_error *error)
{
    if (!report->output || strcmp(report->output, "-") == 0)
        return cook_fs_write_all(STDOUT_FILENO, bytes, size, error);
    enum cook_status status = cook_fs_write_output(report->output, bytes, size, error);
    if (status == COOK_OK && !report->cli.quiet)
        fprintf(report->cli.err, "wrote %s\n", report->output);
    return status;
}

enum cook_status report_write_json(struct report *report, cJSON *document, struct cook_error *error)
{
    char *text = cJSON_Print(document);
    cJSON_Delete(document);
    if (!text)
        return cook_error_no_memory(error);
    struct cook_buf out = COOK_BUF_INIT;
    cook_text_put_json(&out, text);
    cook_buf_put_u8(&out, '\n');
    cJSON_free(text);
    enum cook_status status =
        out.failed ? cook_error_no_memory(error) : report_write(report, out.data, out.size, error);
    cook_buf_finish(&out);
    return status;
}

enum cook_status report_open_project(struct report *report, struct cook_error *error)
{
    enum cook_status status = cook_project_open(&report->project, &report->cli.run.project, error);
    report->has_project = status == COOK_OK;
    if (status == COOK_OK)
        status = cook_owners_load(&report->owners, report->project.fd, error);
    return status;
}

static enum cook_status write_form(struct report *report, size_t form,
                                   const char *const *operands, struct cook_error *error)
{
    cJSON *model = NULL;
    if (forms[form].page && !report->output && isatty(STDOUT_FILENO))
        return cook_error_set(error, COOK_E_USAGE,
                              "the report is a page: name a file, as in cook report html --output "
                              "report.html");
    enum cook_status status = report_open_project(report, error);
    /* Documents speak for themselves; a project beside them only adds owners and source lines. */
    if (status != COOK_OK && operands[0] && !report->cli.folder)
        status = COOK_OK;
    if (status == COOK_OK)
        status = report_load(report, operands, error);
    if (status == COOK_OK)
        status = report_model(&model, report, error);
    if (status == COOK_OK && forms[form].page)
        report_add_pictures(cJSON_GetObjectItemCaseSensitive(model, "findings"));
    if (status == COOK_OK)
        status = forms[form].write(report, model, error);
    if (status == COOK_OK)
        status = cook_cli_write_json(&report->cli, model, error);
    cJSON_Delete(model);
    return status;
}

static enum cook_status run(struct report *report, struct cook_error *error)
{
    static const char *const none[] = { NULL };
    const char *const *arguments = report->cli.arguments ? report->cli.arguments : none;
    for (size_t i = 0; arguments[0] && i < FORM_COUNT; i++)
        if (strcmp(forms[i].name, arguments[0]) == 0)
            return write_form(report, i, arguments + 1, error);
    for (size_t i = 0; arguments[0] && i < SUBCOMMAND_COUNT; i++)
        if (strcmp(subcommands[i].name, arguments[0]) == 0)
            return subcommands[i].run(report, arguments + 1, error);
    return cook_error_set(error, COOK_E_USAGE,
                          "cook report takes html, markdown, junit or sarif; show or bundle, and the id of a "
                          "finding; or merge, and the documents of all shards");
}

int report_verb(int argc, const char **argv)
{
    struct report report = { .project = { .fd = -1 } };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "output", 'o', POPT_ARG_STRING, &report.output, 0, "write to this file", "FILE" },
        { "run", 0, POPT_ARG_INT, &report.run_id, 0,
          "report this validation of the history, not the newest", "N" },
        { "source", 0, POPT_ARG_ARGV, &report.sources, 0,
          "look up the source files of callstacks here too", "DIR" },
        { "limit", 0, POPT_ARG_INT, &report.limit, 0, "findings in the report (default 10000)", "N" },
        { "megabytes", 0, POPT_ARG_INT, &report.megabytes, 0,
          "how much goes into a bundle, unpacked (default 256)", "N" },
        POPT_TABLEEND
    };
    int exit_status = cook_cli_begin(&report.cli, "report", "html|markdown|junit|sarif [DOCUMENT...] | show|bundle ID | merge DOCUMENT...",
                                     COOK_CLI_PROJECT, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&report.cli, run(&report, &error), &error);
    cJSON_Delete(report.validation);
    cJSON_Delete(report.cook);
    cJSON_Delete(report.modified);
    cJSON_Delete(report.trend);
    cook_owners_finish(&report.owners);
    cook_project_finish(&report.project);
    cook_cli_free_texts(report.sources);
    free(report.output);
    cook_arena_finish(&report.arena);
    cook_cli_end(&report.cli);
    return exit_status;
}
