#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

static const struct {
    const char *name;
    enum cook_status (*run)(struct explain *explain, const char *const *operands,
                            struct cook_error *error);
    bool store_only; /* what cooks recorded, whatever the project is now */
} commands[] = {
    { "modified", explain_modified, true }, { "audit", explain_audit, true },
    { "why", explain_why, false },          { "deps", explain_deps, false },
    { "rdeps", explain_rdeps, false },      { "chain", explain_chain, false },
    { "not-cooked", explain_not_cooked, false },
    { "impact", explain_impact, false },    { "graph", explain_graph, false },
    { "size", explain_size, false },        { "class", explain_class, false },
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static enum cook_status open_run(struct explain *explain, struct cook_error *error)
{
    struct cook_run_options *options = &explain->cli.run;
    options->mode = COOK_STORE_READ;
    options->workers = 1;
    enum cook_status status =
        cook_cli_open_run(&explain->cli, &explain->run, NULL, "explain", error);
    for (size_t i = 0; status == COOK_OK && i < explain->run.warning_count; i++)
        cook_cli_message(&explain->cli, "warning", "", explain->run.warnings[i]);
    return status;
}

static enum cook_status open_store(struct explain *explain, struct cook_error *error)
{
    struct cook_project *project = &explain->project;
    enum cook_status status = cook_project_open(project, &explain->cli.run.project, error);
    if (status != COOK_OK)
        return status;
    status = cook_store_open(&explain->store, project->fd, project->target, COOK_STORE_READ, error);
    return status == COOK_E_NOT_FOUND ? cook_cli_no_cook(project->target, "explain", error) : status;
}

static enum cook_status run(struct explain *explain, struct cook_error *error)
{
    static const char *const none[] = { NULL };
    const char *const *arguments = explain->cli.arguments ? explain->cli.arguments : none;
    size_t i = 0;
    while (i < COMMAND_COUNT && (!arguments[0] || strcmp(commands[i].name, arguments[0]) != 0))
        i++;
    if (i == COMMAND_COUNT)
        return cook_error_set(error, COOK_E_USAGE,
                              "cook explain takes modified, audit, why, deps, rdeps, chain, "
                              "not-cooked, impact, graph, size or class");
    enum cook_status status =
        commands[i].store_only ? open_store(explain, error) : open_run(explain, error);
    if (status != COOK_OK)
        return status;
    const struct cook_project *project =
        commands[i].store_only ? &explain->project : &explain->run.project;
    char *schema =
        cook_arena_printf(&explain->arena, "cookproof/explain-%s/1", commands[i].name);
    explain->document = cJSON_CreateObject();
    if (!schema || !explain->document)
        return cook_error_no_memory(error);
    cJSON_AddStringToObject(explain->document, "schema", schema);
    cJSON_AddStringToObject(explain->document, "project", project->name);
    cJSON_AddStringToObject(explain->document, "target", project->target);
    status = commands[i].run(explain, arguments + 1, error);
    if (status == COOK_OK)
        status = cook_cli_write_json(&explain->cli, explain->document, error);
    return status;
}

int explain_verb(int argc, const char **argv)
{
    struct explain explain = { .project = { .fd = -1 } };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "against", 0, POPT_ARG_STRING, &explain.against, 0,
          "modified: why keys are others than in this store", "DIR" },
        { "cooks", 0, POPT_ARG_INT, &explain.cooks, 0,
          "audit: over the newest incremental cooks, not all that are kept", "N" },
        POPT_TABLEEND
    };
    int exit_status = cook_cli_begin(&explain.cli, "explain",
                                     "modified [COOK]|audit|why PACKAGE|deps PACKAGE|rdeps [KIND] KEY|"
                                     "chain FROM TO|not-cooked PACKAGE|impact KEY...|graph [dot|svg]|"
                                     "size PACKAGE|class CLASS",
                                     COOK_CLI_PROJECT, own, argc, argv);
    if (exit_status < 0) {
        enum cook_status status = run(&explain, &error);
        error.status = status;
        exit_status =
            status == COOK_OK ? COOK_EXIT_CLEAN : cook_cli_error(&explain.cli, &error);
    }
    cJSON_Delete(explain.document);
    cook_run_close(&explain.run);
    cook_store_close(explain.store);
    cook_project_finish(&explain.project);
    cook_arena_finish(&explain.arena);
    free(explain.against);
    cook_cli_end(&explain.cli);
    return exit_status;
}
