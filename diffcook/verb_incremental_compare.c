/*
 * The incremental cook goes into the project's store, as `cook incremental` does; the full one
 * into a store beside it, made new each time, so that nothing which the first one believes can
 * reach the second. Both stay on disk.
 */
#include "verb_incremental_compare.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "child.h"
#include "cook/base/fs.h"
#include "cook/cli/cli.h"
#include "cook/cli/recording.h"
#include "recook.h"
#include "report.h"

#define DEFAULT_LIMIT 1000

struct verb {
    struct cook_cli cli;
    const char *const *argv;
    struct cook_project project;
    const char *second; /* name of the full cook's store */
    struct diff_operand operands[2];
    struct diff_comparison comparison;
    struct diff_recooks recooks;
    struct diff_report_outcome outcome;
    int64_t started_ns;
    struct cook_recording record;
    int stat;
    char *pictures;
    int record_callstacks; /* passed on to both cooks, as all that is not its own */
    int limit;
};

/* ---- the two cooks ---- */

static enum cook_status cook(struct verb *verb, const char *kind, const char *store_name,
                             struct cook_error *error)
{
    static const char *const own[] = { "--stat", "--pictures=", "--limit=", "--json=", "--trace=", NULL };
    struct diff_child child = { kind, store_name, own, verb->argv, verb->cli.out, verb->cli.out_fd };
    int exit_status;
    enum cook_status status = diff_child_run(&exit_status, &child, error);
    if (status != COOK_OK)
        return status;
    if (exit_status == COOK_EXIT_CLEAN)
        return COOK_OK;
    if (exit_status == COOK_EXIT_FAILED_PACKAGES) { /* the others can be compared */
        verb->cli.statuses[COOK_EXIT_FAILED_PACKAGES] = true;
        return COOK_OK;
    }
    return cook_error_set(error, exit_status == COOK_EXIT_USAGE ? COOK_E_USAGE : COOK_E_FAILED,
                          "the %s cook ended with exit status %d: nothing was compared", kind,
                          exit_status);
}

/* Remove the store of the comparison before, unless another one is using it now. */
static enum cook_status clear_second(struct verb *verb, struct cook_error *error)
{
    const char *path = cook_arena_printf(&verb->cli.arena, "Saved/Cook/%s", verb->second);
    const char *lock = path ? cook_arena_printf(&verb->cli.arena, "%s/lock", path) : NULL;
    if (!lock)
        return cook_error_no_memory(error);
    int fd = openat(verb->project.fd, lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return cook_error_set(error, COOK_E_LOCKED, "another comparison is using %s", path);
    }
    enum cook_status status = cook_fs_remove_tree(verb->project.fd, path, error);
    if (fd >= 0)
        close(fd);
    return status;
}

static enum cook_status cook_both(struct verb *verb, struct cook_error *error)
{
    enum cook_status status = cook_project_open(&verb->project, &verb->cli.run.project, error);
    if (status != COOK_OK)
        return status;
    verb->second = cook_arena_printf(&verb->cli.arena, "%s.compare", verb->project.target);
    if (!verb->second)
        return cook_error_no_memory(error);
    status = cook_fs_now(&verb->started_ns, verb->project.fd, error);
    if (status == COOK_OK)
        status = cook(verb, "incremental", NULL, error);
    if (status == COOK_OK)
        status = clear_second(verb, error);
    if (status == COOK_OK)
        status = cook(verb, "full", verb->second, error);
    return status;
}

/* ---- comparing ---- */

static enum cook_status compare(struct verb *verb, struct cook_error *error)
{
    enum cook_status status = diff_operand_open_store(&verb->operands[0], verb->project.fd,
                                                      verb->project.target, error);
    if (status == COOK_OK)
        status =
            diff_operand_open_store(&verb->operands[1], verb->project.fd, verb->second, error);
    if (status == COOK_OK)
        status = diff_compare_operands(&verb->comparison, &verb->operands[0],
                                       &verb->operands[1], error);
    if (status != COOK_OK || verb->stat || !verb->comparison.modified)
        return status;
    struct cook_run_options options = verb->cli.run;
    options.mode = COOK_STORE_READ;
    options.trace_path = NULL;
    options.store_name = verb->second;
    return diff_recooks_run(&verb->recooks, &verb->comparison, (size_t)verb->limit, &options,
                            error);
}

static cJSON *start_document(const struct verb *verb)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/incremental-compare/1");
    cJSON_AddStringToObject(document, "project", verb->project.name);
    cJSON_AddStringToObject(document, "target", verb->project.target);
    cJSON_AddStringToObject(document, "old", verb->operands[0].text);
    cJSON_AddStringToObject(document, "new", verb->operands[1].text);
    return document;
}

static enum cook_status report(struct verb *verb, cJSON *document, struct cook_error *error)
{
    struct diff_report_options options = { .out = verb->cli.out,
                                           .quiet = verb->cli.quiet != 0,
                                           .stat = verb->stat != 0,
                                           .pictures = verb->pictures,
                                           .limit = (size_t)verb->limit,
                                           .noun = "package",
                                           .recooked = diff_recooks_version,
                                           .user = &verb->recooks,
                                           .symbolizer = verb->recooks.symbolizer };
    if (!verb->cli.quiet)
        fprintf(verb->cli.out, "Incremental compare: %s for %s\nold: %s\nnew: %s\n",
                verb->project.name, verb->project.target, verb->operands[0].text,
                verb->operands[1].text);
    enum cook_status status =
        diff_report_write(&verb->outcome, &verb->comparison, &options, document, error);
    verb->cli.statuses[COOK_EXIT_FINDINGS] = diff_report_has_findings(&verb->comparison);
    verb->cli.statuses[COOK_EXIT_ENVIRONMENT] = verb->outcome.problems != 0;
    cook_cli_add_statuses(&verb->cli, document);
    return status;
}

/* The code is that which the incremental cook ran, as it recorded itself. */
static void find_code(struct cook_recording *record)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_history *history;
    struct cook_history_run *runs;
    const struct cook_history_filter filter = { "incremental", record->project->target, 0, 1 };
    size_t count = 0;
    if (cook_history_open(&history, record->project->fd, NULL) != COOK_OK)
        return;
    if (cook_history_runs(history, &runs, &count, &filter, &arena, NULL) == COOK_OK && count)
        (void)snprintf(record->code_revision, sizeof(record->code_revision), "%s",
                       runs[0].code_revision);
    cook_history_close(history);
    cook_arena_finish(&arena);
}

static enum cook_status begin_record(struct verb *verb, cJSON *document,
                                     struct cook_error *error)
{
    int64_t now_ns;
    enum cook_status status = cook_fs_now(&now_ns, verb->project.fd, error);
    if (status != COOK_OK)
        return status;
    verb->record = (struct cook_recording){ .cli = &verb->cli,
                                         .project = &verb->project,
                                         .cook_id = verb->operands[0].cook,
                                         .started_ns = verb->started_ns,
                                         .seconds = (double)(now_ns - verb->started_ns) / 1e9 };
    find_code(&verb->record);
    cook_recording_begin(&verb->record, NULL, cook_recording_patience_ms(verb->record.seconds));
    cook_recording_stamp(&verb->record, document);
    return COOK_OK;
}

static enum cook_status run(struct verb *verb, struct cook_error *error)
{
    if (verb->cli.arguments && verb->cli.arguments[0])
        return cook_error_set(error, COOK_E_USAGE, "unexpected argument '%s'",
                              verb->cli.arguments[0]);
    if (verb->limit < 0)
        return cook_error_set(error, COOK_E_USAGE, "--limit takes 0 (all) or more, not %d",
                              verb->limit);
    enum cook_status status = cook_both(verb, error);
    if (status == COOK_OK)
        status = compare(verb, error);
    if (status != COOK_OK)
        return status;
    cJSON *document = start_document(verb);
    status = begin_record(verb, document, error);
    if (status == COOK_OK)
        status = report(verb, document, error);
    if (status == COOK_OK)
        status = cook_cli_write_json(&verb->cli, document, error);
    if (status == COOK_OK)
        status = cook_recording_end(&verb->record, document, error);
    cJSON_Delete(document);
    return status;
}

int diff_verb_incremental_compare(int argc, const char **argv)
{
    struct verb verb = { .argv = argv,
                         .project = { .fd = -1 },
                         .operands = { DIFF_OPERAND_INIT, DIFF_OPERAND_INIT },
                         .limit = DEFAULT_LIMIT };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "stat", 0, POPT_ARG_NONE, &verb.stat, 0, "print only counts", NULL },
        { "record-callstacks", 0, POPT_ARG_NONE, &verb.record_callstacks, 0,
          "have both cooks keep the callstack of each write", NULL },
        { "pictures", 0, POPT_ARG_STRING, &verb.pictures, 0,
          "write pictures of textures that differ: old, new and a heat map", "DIR" },
        { "limit", 0, POPT_ARG_INT, &verb.limit, 0,
          "work out the differences of so many packages at most (default 1000; 0: all)", "N" },
        POPT_TABLEEND
    };
    int exit_status = cook_cli_begin(&verb.cli, "incremental-compare", "[OPTION...]",
                                     COOK_CLI_PROJECT | COOK_CLI_COOKING, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&verb.cli, run(&verb, &error), &error);
    diff_recooks_finish(&verb.recooks);
    diff_comparison_finish(&verb.comparison);
    diff_operand_finish(&verb.operands[0]);
    diff_operand_finish(&verb.operands[1]);
    cook_project_finish(&verb.project);
    free(verb.pictures); /* popt allocates it */
    cook_cli_end(&verb.cli);
    return exit_status;
}
