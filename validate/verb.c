#include "validate/verb.h"

#include <stdlib.h>

#include "validate/replay.h"
#include "validate/report.h"
#include "validate/select.h"

struct verb {
    struct cook_cli cli;
    struct cook_run run;
    struct validate validate;
    int allow_write;
    int lint_inputs;
    int no_trace;
    struct validate_selection selection;
    char *shard;
    char *after;
    char *pictures; /* --pictures: a folder for them */
    char *finding; /* --finding: replay this one instead */
    char **packages;
};

static enum cook_status check_packages(struct verb *verb, struct validate_options *options,
                                       struct cook_error *error)
{
    while (verb->packages && verb->packages[options->package_count]) {
        const char *name = verb->packages[options->package_count++];
        if (cook_state_find_package(verb->run.state, name) == COOK_ID_NONE)
            return cook_error_set(error, COOK_E_USAGE, "no package is named %s", name);
    }
    char **packages = verb->packages;
    options->packages = (const char *const *)packages;
    return COOK_OK;
}

static enum cook_status read_selection(struct verb *verb, struct cook_error *error)
{
    struct validate_selection *selection = &verb->selection;
    enum cook_status status = COOK_OK;
    selection->after = verb->after;
    if (verb->shard)
        status = validate_read_shard(selection, verb->shard, error);
    if (status == COOK_OK && (selection->seconds < 0 || (verb->after && selection->seconds <= 0)))
        return cook_error_set(error, COOK_E_USAGE, "--after goes with --time-limit SECONDS");
    if (status == COOK_OK && validate_selects(selection) && verb->allow_write)
        return cook_error_set(error, COOK_E_USAGE,
                              "--allow-write keeps all results, so it takes no --shard or --time-limit");
    return status;
}

static enum cook_status validate_all(struct verb *verb, struct cook_error *error)
{
    struct cook_cli *cli = &verb->cli;
    if (verb->finding && (verb->allow_write || verb->packages || verb->lint_inputs || verb->pictures))
        return cook_error_set(error, COOK_E_USAGE,
                              "--finding replays one finding: it goes with no --allow-write, "
                              "--package, --lint-inputs or --pictures");
    if (verb->finding)
        return replay_finding(cli, verb->finding, error);
    struct validate_options options = { .allow_write = verb->allow_write != 0,
                                        .lint_inputs = verb->lint_inputs != 0,
                                        .on_progress = cook_cli_progress,
                                        .user = cli };
    enum cook_status status = read_selection(verb, error);
    if (status != COOK_OK)
        return status;
    if (validate_selects(&verb->selection))
        options.selection = &verb->selection;
    if (verb->lint_inputs && verb->no_trace)
        return cook_error_set(error, COOK_E_USAGE,
                              "--lint-inputs needs what --no-trace switches off");
    cli->run.tracing = verb->no_trace ? COOK_TRACING_OFF : COOK_TRACING_ON;
    cli->run.mode = verb->allow_write ? COOK_STORE_WRITE : COOK_STORE_READ;
    status = cook_cli_open_run(cli, &verb->run, "Incremental validate", "validate", error);
    if (status == COOK_OK)
        status = check_packages(verb, &options, error);
    if (status == COOK_OK)
        status = validate_run(&verb->validate, &verb->run, &options, error);
    cook_cli_progress_done(cli);
    if (status == COOK_OK && verb->pictures)
        status = validate_write_pictures(&verb->validate, verb->pictures, error);
    if (status != COOK_OK)
        return status;
    if (cook_pool_traced(verb->run.pool))
        status = cook_cli_lint(&verb->validate.lint, &verb->run, error);
    if (status != COOK_OK)
        return status;
    verb->cli.statuses[COOK_EXIT_FINDINGS] =
        verb->validate.finding_count != 0 ||
        (verb->lint_inputs && verb->validate.lint.finding_count != 0);
    verb->cli.statuses[COOK_EXIT_USAGE] = verb->validate.roots.missing_count != 0;
    verb->cli.statuses[COOK_EXIT_FAILED_PACKAGES] = verb->validate.failed_count != 0;
    status = validate_record(&verb->validate, cli, error);
    if (status == COOK_OK)
        status = validate_print(&verb->validate, cli, error);
    if (status == COOK_OK)
        status = cook_run_write_trace(&verb->run, error);
    return status;
}

static enum cook_status run(struct verb *verb, struct cook_error *error)
{
    enum cook_status status = validate_all(verb, error);
    cook_progress_end(&verb->run.progress, status == COOK_OK ? NULL : error->message);
    return status;
}

int validate_verb(int argc, const char **argv)
{
    struct verb verb = { 0 };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "allow-write", 0, POPT_ARG_NONE, &verb.allow_write, 0,
          "keep the new results, and recook what is modified", NULL },
        COOK_CLI_LINT_OPTION(&verb.lint_inputs),
        { "no-trace", 0, POPT_ARG_NONE, &verb.no_trace, 0,
          "do not watch what class code reads undeclared", NULL },
        { "finding", 0, POPT_ARG_STRING, &verb.finding, 0,
          "replay what caused this finding, and say whether it is gone", "ID" },
        { "shard", 0, POPT_ARG_STRING, &verb.shard, 0,
          "validate one of N shares of equal cost; see cook report merge", "I/N" },
        { "time-limit", 0, POPT_ARG_DOUBLE, &verb.selection.seconds, 0,
          "validate as many packages as fit, by how long they took to cook", "SECONDS" },
        { "after", 0, POPT_ARG_STRING, &verb.after, 0,
          "with --time-limit: go on behind this package, as \"next\" of the last document says",
          "PACKAGE" },
        { "pictures", 0, POPT_ARG_STRING, &verb.pictures, 0,
          "write pictures of textures that differ: kept, new and a heat map", "DIR" },
        { "package", 0, POPT_ARG_ARGV, &verb.packages, 0, "validate only this package", "PACKAGE" },
        POPT_TABLEEND
    };
    int exit_status = cook_cli_begin(&verb.cli, "incremental-validate", "[OPTION...]",
                                     COOK_CLI_PROJECT | COOK_CLI_COOKING, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_no_arguments(&verb.cli);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&verb.cli, run(&verb, &error), &error);
    validate_finish(&verb.validate);
    cook_run_close(&verb.run);
    cook_cli_free_texts(verb.packages);
    free(verb.shard);
    free(verb.after);
    free(verb.pictures);
    free(verb.finding);
    cook_cli_end(&verb.cli);
    return exit_status;
}
