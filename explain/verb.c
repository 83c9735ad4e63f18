#include <string.h>

#include "explain/explain.h"

static const struct {
    const char *name;
    enum cook_status (*run)(struct explain *explain, const char *const *operands,
                            struct cook_error *error);
} commands[] = {
    { "deps", explain_deps },
    { "rdeps", explain_rdeps },
    { "why", explain_why },
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static enum cook_status open_run(struct explain *explain, struct cook_error *error)
{
    struct cook_run_options *options = &explain->cli.run;
    options->mode = COOK_STORE_READ;
    options->workers = 1;
    enum cook_status status = cook_run_open(&explain->run, options, error);
    if (status == COOK_E_NOT_FOUND && explain->run.project.config && !explain->run.store)
        return cook_error_set(error, COOK_E_USAGE,
                              "there is no cook of target %s to explain; run: cook full",
                              explain->run.project.target);
    if (status == COOK_OK)
        status = cook_run_refresh(&explain->run, error);
    if (status == COOK_OK)
        status = cook_run_evaluate(&explain->run, error);
    return status;
}

static enum cook_status run(struct explain *explain, struct cook_error *error)
{
    static const char *const none[] = { NULL };
    const char *const *arguments = explain->cli.arguments ? explain->cli.arguments : none;
    size_t i = 0;
    while (i < COMMAND_COUNT && (!arguments[0] || strcmp(commands[i].name, arguments[0]) != 0))
        i++;
    if (i == COMMAND_COUNT)
        return cook_error_set(error, COOK_E_USAGE, "cook explain takes deps, rdeps or why");
    enum cook_status status = open_run(explain, error);
    if (status != COOK_OK)
        return status;
    for (size_t k = 0; k < explain->run.warning_count; k++)
        cook_cli_message(&explain->cli, "warning", "", explain->run.warnings[k]);
    char *schema =
        cook_arena_printf(&explain->arena, "cookproof/explain-%s/1", commands[i].name);
    explain->document = cJSON_CreateObject();
    if (!schema || !explain->document)
        return cook_error_no_memory(error);
    cJSON_AddStringToObject(explain->document, "schema", schema);
    cJSON_AddStringToObject(explain->document, "project", explain->run.project.name);
    cJSON_AddStringToObject(explain->document, "target", explain->run.project.target);
    status = commands[i].run(explain, arguments + 1, error);
    if (status == COOK_OK)
        status = cook_cli_write_json(&explain->cli, explain->document, error);
    return status;
}

int explain_verb(int argc, const char **argv)
{
    struct explain explain = { 0 };
    struct cook_error error = COOK_ERROR_INIT;
    int exit_status = cook_cli_begin(&explain.cli, "explain",
                                     "deps PACKAGE|rdeps [KIND] KEY|why PACKAGE",
                                     COOK_CLI_PROJECT, NULL, argc, argv);
    if (exit_status < 0) {
        enum cook_status status = run(&explain, &error);
        error.status = status;
        exit_status =
            status == COOK_OK ? COOK_EXIT_CLEAN : cook_cli_error(&explain.cli, &error);
    }
    cJSON_Delete(explain.document);
    cook_run_close(&explain.run);
    cook_arena_finish(&explain.arena);
    cook_cli_end(&explain.cli);
    return exit_status;
}
