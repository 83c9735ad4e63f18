/* cook full, cook incremental. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cook/base/child.h"
#include "cook/cli/lint.h"
#include "cook/cli/recording.h"
#include "cook/plan/cook.h"

struct verb {
    struct cook_cli cli;
    struct cook_run run;
    struct cook_cook cook;
    struct cook_recording record;
    bool incremental;
    int dry_run;
    char *diagnostic_file; /* of --diagnostic-modified; NULL: print */
    int lint_inputs;
    int record_callstacks;
    struct cook_lint lint;
    cJSON *document; /* for --json; written when all targets are cooked */
};

static const char *package_name(const struct verb *verb, uint32_t package)
{
    return cook_state_text(verb->run.state, verb->run.state->packages[package].name);
}

static const char *reason_text(struct verb *verb, const struct cook_outcome_package *entry)
{
    if (entry->reason != COOK_REASON_OPTED_OUT)
        return cook_reason_text(entry->reason);
    const char *class_name =
        cook_run_opted_out_class(&verb->run, entry->package, &verb->cook.arena);
    return cook_arena_printf(&verb->cook.arena, "opted-out class %s",
                             class_name ? class_name : "");
}

/* ---- text ---- */

static void print_messages(const struct verb *verb)
{
    const struct cook_cook *cook = &verb->cook;
    for (size_t i = 0; i < verb->run.warning_count; i++)
        cook_cli_message(&verb->cli, "warning", "", verb->run.warnings[i]);
    for (size_t i = 0; i < cook->message_count; i++) {
        const struct cook_outcome_message *message = &cook->messages[i];
        const char *severity = message->severity == COOK_SEVERITY_ERROR     ? "error"
                               : message->severity == COOK_SEVERITY_WARNING ? "warning"
                                                                            : "info";
        if (message->severity == COOK_SEVERITY_INFO && !verb->cli.verbose)
            continue;
        struct cook_buf text = COOK_BUF_INIT;
        cook_buf_printf(&text, "%s%s", message->replayed ? "[incremental replay] " : "",
                        message->text);
        cook_cli_message(&verb->cli, severity, package_name(verb, message->package),
                         cook_buf_text(&text));
        cook_buf_finish(&text);
    }
    for (size_t i = 0; i < cook->roots.missing_count; i++)
        fprintf(verb->cli.err, "cook: %s\n", cook->roots.missing[i]);
    if (cook->roots.count == 0 && cook->roots.missing_count == 0)
        cook_cli_message(&verb->cli, "warning", "",
                         "the root set is empty: Map, Startup and AlwaysCook in [Cook] of cook.ini "
                         "name no package that is there");
}

static enum cook_status print_plan(struct verb *verb, struct cook_error *error)
{
    FILE *out = verb->cli.out;
    for (size_t i = 0; i < verb->cook.package_count; i++) {
        const struct cook_outcome_package *entry = &verb->cook.packages[i];
        if (entry->kind != COOK_OUTCOME_PLANNED)
            continue;
        fprintf(out, "would cook %s: %s\n", package_name(verb, entry->package),
                reason_text(verb, entry));
        if (entry->reason != COOK_REASON_KEY_CHANGED)
            continue;
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_changed_dep *deps;
        size_t count;
        enum cook_status status =
            cook_run_changed_deps(&verb->run, entry->package, &deps, &count, &arena, error);
        for (size_t k = 0; status == COOK_OK && k < count; k++)
            fprintf(out, "    %s %s: %s -> %s\n", deps[k].kind, deps[k].args, deps[k].old_text,
                    deps[k].new_text);
        cook_arena_finish(&arena);
        if (status != COOK_OK)
            return status;
    }
    fprintf(out, "would cook %zu, skip %zu\n", verb->cook.planned_count, verb->cook.skipped_count);
    return COOK_OK;
}

#define TOP_CAUSES 3

static void print_causes(const struct verb *verb)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_cause top[TOP_CAUSES];
    size_t count = cook_causes_top(&verb->cook.causes, &verb->run, top, TOP_CAUSES, &arena);
    for (size_t i = 0; i < count; i++)
        fprintf(verb->cli.out, "%s %u package%s: %s\n", i ? "       " : "because", top[i].packages,
                top[i].packages == 1 ? "" : "s", top[i].text);
    if (count && !verb->dry_run)
        fprintf(verb->cli.out, "        every recook, with values: cook explain modified\n");
    cook_arena_finish(&arena);
}

static void print_summary(const struct verb *verb)
{
    const struct cook_cook *cook = &verb->cook;
    if (verb->cli.quiet)
        return;
    if (verb->incremental)
        print_causes(verb);
    fprintf(verb->cli.out, "cooked %zu (new %zu, recooked %zu), skipped %zu, failed %zu\n",
            cook->new_count + cook->recooked_count, cook->new_count, cook->recooked_count,
            cook->skipped_count, cook->failed_count);
}

/* ---- document ---- */

static cJSON *package_json(struct verb *verb, const struct cook_outcome_package *entry)
{
    const struct cook_state *state = verb->run.state;
    const struct cook_state_result *result = &state->results[entry->package];
    bool kept = entry->kind != COOK_OUTCOME_FAILED && entry->kind != COOK_OUTCOME_PLANNED &&
                entry->kind != COOK_OUTCOME_OMITTED;
    char key[COOK_HASH_TEXT_SIZE] = "";
    if (kept)
        cook_hash_to_text(state->packages[entry->package].key, key);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", package_name(verb, entry->package));
    cJSON_AddStringToObject(json, "result", cook_outcome_text(entry->kind));
    cJSON_AddStringToObject(json, "reason", reason_text(verb, entry));
    cJSON_AddStringToObject(json, "key", key);
    cJSON_AddNumberToObject(json, "bytes", kept ? (double)result->size_bytes : 0);
    bool cooked = entry->kind == COOK_OUTCOME_NEW || entry->kind == COOK_OUTCOME_RECOOKED;
    cJSON_AddNumberToObject(json, "seconds", cooked ? (double)result->duration_us / 1e6 : 0);
    if (cooked && entry->worker) {
        cJSON_AddNumberToObject(json, "worker", entry->worker);
        cJSON_AddNumberToObject(json, "start", entry->start);
    }
    return json;
}

#define LISTED_CAUSES 100

static cJSON *causes_json(const struct verb *verb)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_cause top[LISTED_CAUSES];
    size_t count = cook_causes_top(&verb->cook.causes, &verb->run, top, LISTED_CAUSES, &arena);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *cause = cJSON_CreateObject();
        cJSON_AddStringToObject(cause, "what", top[i].text);
        cJSON_AddNumberToObject(cause, "packages", top[i].packages);
        cJSON_AddItemToArray(list, cause);
    }
    cook_arena_finish(&arena);
    return list;
}

static bool was_skipped(const struct cook_outcome_package *entry)
{
    return entry->kind == COOK_OUTCOME_SKIPPED ||
           (entry->kind == COOK_OUTCOME_OMITTED && entry->worker == 0);
}

/* The history is asked what was cooked: failures first, then what took longest. */
static int compare_worth(const void *a, const void *b, void *user)
{
    const struct verb *verb = user;
    const struct cook_outcome_package *const *x = a;
    const struct cook_outcome_package *const *y = b;
    const struct cook_state_result *results = verb->run.state->results;
    bool x_failed = (*x)->kind == COOK_OUTCOME_FAILED;
    bool y_failed = (*y)->kind == COOK_OUTCOME_FAILED;
    uint64_t x_us = results[(*x)->package].duration_us;
    uint64_t y_us = results[(*y)->package].duration_us;
    if (x_failed != y_failed)
        return x_failed ? -1 : 1;
    if (x_us != y_us)
        return x_us > y_us ? -1 : 1;
    return *x < *y ? -1 : *x > *y; /* as in the list: by name */
}

static int compare_places(const void *a, const void *b)
{
    const struct cook_outcome_package *const *x = a;
    const struct cook_outcome_package *const *y = b;
    return *x < *y ? -1 : *x > *y;
}

#define MAX_RECORDED 10000 /* packages of a cook in the history */

/* Packages for the history: what was skipped stands in the store, and is too much to write down with
 * each cook. */
static enum cook_status add_recorded_packages(struct verb *verb, cJSON *document,
                                              struct cook_error *error)
{
    const struct cook_cook *cook = &verb->cook;
    const struct cook_outcome_package **list =
        cook_malloc((cook->package_count + 1) * sizeof(struct cook_outcome_package *));
    size_t count = 0;
    if (!list)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < cook->package_count; i++)
        if (!was_skipped(&cook->packages[i]))
            list[count++] = &cook->packages[i];
    if (count > MAX_RECORDED) {
        qsort_r(list, count, sizeof(list[0]), compare_worth, verb);
        count = MAX_RECORDED;
        qsort(list, count, sizeof(list[0]), compare_places);
    }
    cJSON *packages = cJSON_AddArrayToObject(document, "packages");
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(packages, package_json(verb, list[i]));
    cJSON_AddNumberToObject(document, "left_out", (double)(cook->package_count - count));
    cook_free(list);
    return COOK_OK;
}

static const char *schema_text(const struct verb *verb)
{
    return verb->incremental ? "cookproof/incremental/1" : "cookproof/full/1";
}

static cJSON *start_document(struct verb *verb)
{
    const struct cook_cook *cook = &verb->cook;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", schema_text(verb));
    cJSON_AddStringToObject(document, "project", verb->run.project.name);
    cJSON_AddStringToObject(document, "target", verb->run.project.target);
    cJSON_AddBoolToObject(document, "dry_run", verb->dry_run);
    if (!verb->dry_run)
        cook_recording_stamp(&verb->record, document);
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON_AddNumberToObject(summary, "packages", (double)cook->package_count);
    cJSON_AddNumberToObject(summary, "cooked", (double)(cook->new_count + cook->recooked_count));
    cJSON_AddNumberToObject(summary, "new", (double)cook->new_count);
    cJSON_AddNumberToObject(summary, "recooked", (double)cook->recooked_count);
    cJSON_AddNumberToObject(summary, "skipped", (double)cook->skipped_count);
    cJSON_AddNumberToObject(summary, "failed", (double)cook->failed_count);
    cJSON_AddNumberToObject(summary, "omitted", (double)cook->omitted_count);
    cJSON_AddNumberToObject(summary, "loads", (double)cook->intake.load_count);
    cJSON_AddNumberToObject(summary, "seconds", cook->seconds);
    cook_cli_add_statuses(&verb->cli, document);
    if (verb->incremental)
        cJSON_AddItemToObject(document, "causes", causes_json(verb));
    if (verb->lint_inputs)
        cook_cli_add_lint(document, &verb->lint, &verb->run, !verb->incremental);
    return document;
}

static void make_document(struct verb *verb)
{
    const struct cook_cook *cook = &verb->cook;
    if (!verb->cli.json_path)
        return;
    verb->document = start_document(verb);
    cJSON *packages = cJSON_AddArrayToObject(verb->document, "packages");
    for (size_t i = 0; i < cook->package_count; i++)
        cJSON_AddItemToArray(packages, package_json(verb, &cook->packages[i]));
}

/* ---- history ---- */

static void begin_record(struct verb *verb)
{
    const struct cook_cook *cook = &verb->cook;
    verb->record = (struct cook_recording){ .cli = &verb->cli,
                                         .project = &verb->run.project,
                                         .cook_id = cook->cook_id,
                                         .started_ns = verb->run.started_ns,
                                         .seconds = cook->seconds };
    /* A cook that found nothing to do must not take longer for being asked about its files. */
    bool idle = cook->new_count + cook->recooked_count + cook->failed_count == 0;
    cook_recording_begin(&verb->record, verb->run.pool,
                      idle ? 0 : cook_recording_patience_ms(cook->seconds));
}

static enum cook_status end_record(struct verb *verb, struct cook_error *error)
{
    cJSON *document = start_document(verb);
    enum cook_status status = add_recorded_packages(verb, document, error);
    if (status == COOK_OK)
        status = cook_history_open(&verb->record.history, verb->run.project.fd, error);
    if (status == COOK_OK)
        status = cook_recording_end(&verb->record, document, error);
    if (status == COOK_OK && cook_pool_traced(verb->run.pool))
        status = cook_cli_record_lint(&verb->lint, &verb->run, verb->record.history,
                                      verb->record.run_id, error);
    cook_history_close(verb->record.history);
    cJSON_Delete(document);
    return status;
}

static enum cook_status lint(struct verb *verb, struct cook_error *error)
{
    enum cook_status status = cook_cli_lint(&verb->lint, &verb->run, error);
    if (status != COOK_OK)
        return status;
    if (!verb->lint_inputs) /* [Trace] Always: for later validations only */
        return COOK_OK;
    verb->cli.statuses[COOK_EXIT_FINDINGS] |= verb->lint.finding_count != 0;
    cook_cli_print_lint(&verb->cli, &verb->lint, &verb->run, !verb->incremental);
    return COOK_OK;
}

/* ---- the verb ---- */

#define DIAGNOSTIC_OPTION 'M'

static enum cook_status cook_steps(struct verb *verb, struct cook_error *error)
{
    if (verb->dry_run && verb->cli.seen[DIAGNOSTIC_OPTION])
        return cook_error_set(error, COOK_E_USAGE,
                              "--diagnostic-modified explains what was cooked; --dry-run explains itself");
    if (verb->dry_run && verb->lint_inputs)
        return cook_error_set(error, COOK_E_USAGE,
                              "--lint-inputs sees what is cooked; --dry-run cooks nothing");
    verb->cli.run.tracing =
        verb->lint_inputs ? COOK_TRACING_ON
        : verb->dry_run   ? COOK_TRACING_OFF
                          : COOK_TRACING_IF_CONFIGURED;
    verb->cli.run.record_callstacks = verb->record_callstacks != 0;
    verb->cli.run.mode = verb->dry_run ? COOK_STORE_READ : COOK_STORE_WRITE;
    enum cook_status status =
        cook_cli_open_run(&verb->cli, &verb->run,
                          verb->incremental ? "Incremental cook" : "Full cook", "plan from", error);
    if (status != COOK_OK)
        return status;
    struct cook_cook_options options = { .incremental = verb->incremental,
                                         .dry_run = verb->dry_run != 0,
                                         .on_progress = cook_cli_progress,
                                         .user = &verb->cli };
    status = cook_cook_run(&verb->cook, &verb->run, &options, error);
    cook_cli_progress_done(&verb->cli);
    print_messages(verb);
    if (status != COOK_OK)
        return status;
    verb->cli.statuses[COOK_EXIT_FAILED_PACKAGES] |= verb->cook.failed_count != 0 ||
                                                 verb->cook.failed_artifacts != 0;
    verb->cli.statuses[COOK_EXIT_USAGE] |= verb->cook.roots.missing_count != 0;
    if (verb->dry_run)
        status = print_plan(verb, error);
    else
        begin_record(verb);
    if (!verb->dry_run)
        print_summary(verb);
    if (status == COOK_OK && cook_pool_traced(verb->run.pool))
        status = lint(verb, error);
    if (status == COOK_OK)
        make_document(verb);
    if (status == COOK_OK)
        status = cook_run_write_trace(&verb->run, error);
    if (status == COOK_OK && !verb->dry_run)
        status = end_record(verb, error);
    return status;
}

static enum cook_status cook_all(struct verb *verb, struct cook_error *error)
{
    enum cook_status status = cook_steps(verb, error);
    cook_progress_end(&verb->run.progress, status == COOK_OK ? NULL : error->message);
    return status;
}

/* Only the tool that explains knows how: it is started, as a person would. */
static enum cook_status explain_modified(struct verb *verb, struct cook_error *error)
{
    struct cook_arena *arena = &verb->cook.arena;
    char cook[16];
    int exit_status;
    (void)snprintf(cook, sizeof(cook), "%u", verb->cook.cook_id);
    const char *file = verb->diagnostic_file;
    const char *const words[] = { "cook-explain", "modified", cook, "-C", verb->cli.run.project.folder,
                                  "--target", verb->run.project.target, file ? "--json" : NULL, file,
                                  NULL };
    struct cook_child child = COOK_CHILD_INIT;
    child.program = cook_child_verb_path("explain", arena);
    child.argv = words;
    child.out_fd = file ? -1 : verb->cli.out_fd;
    child.err_fd = STDERR_FILENO;
    if (!child.program)
        return cook_error_no_memory(error);
    (void)fflush(verb->cli.out);
    enum cook_status status = cook_child_run(&exit_status, &child, error);
    if (status == COOK_OK && exit_status != 0)
        status = cook_error_set(error, COOK_E_FAILED, "cook explain modified ended with %d", exit_status);
    if (status == COOK_OK && file && !verb->cli.quiet)
        fprintf(verb->cli.out, "the explanation is in %s\n", file);
    return status;
}

static void finish(struct verb *verb)
{
    cJSON_Delete(verb->document);
    cook_lint_finish(&verb->lint);
    cook_cook_finish(&verb->cook);
    cook_run_close(&verb->run);
}

/* The sum of each figure over all targets. */
static cJSON *sum_summaries(const cJSON *documents)
{
    cJSON *sum = cJSON_CreateObject();
    const cJSON *document, *figure;
    cJSON_ArrayForEach(document, documents)
        cJSON_ArrayForEach(figure, cJSON_GetObjectItemCaseSensitive(document, "summary")) {
            cJSON *total = cJSON_GetObjectItemCaseSensitive(sum, figure->string);
            if (total)
                cJSON_SetNumberValue(total, total->valuedouble + figure->valuedouble);
            else
                cJSON_AddNumberToObject(sum, figure->string, figure->valuedouble);
        }
    return sum;
}

/* A target that could not be cooked: it is told at once, and does not keep the others from being cooked. */
static void fail_target(struct verb *verb, enum cook_status status, struct cook_error *error)
{
    cook_error_prefix(error, "target %s", verb->cli.target);
    (void)cook_cli_finish(&verb->cli, status, error);
    cJSON_Delete(verb->document);
    verb->document = cJSON_CreateObject();
    cJSON_AddStringToObject(verb->document, "schema", schema_text(verb));
    cJSON_AddStringToObject(verb->document, "target", verb->cli.target);
    cJSON_AddStringToObject(verb->document, "error", error->message);
}

/*
 * One target after the other, as each uses all workers; a target whose store is new takes over what the one
 * before knows of the project's files. `*verb` has the options, and keeps the statuses of all.
 */
static enum cook_status cook_targets(struct verb *verb, size_t count, struct cook_error *error)
{
    struct verb before = { 0 };
    cJSON *documents = cJSON_CreateArray();
    enum cook_status status = COOK_OK;
    if (verb->cli.trace_path)
        status = cook_error_set(error, COOK_E_USAGE, "--trace takes one --target");
    /* A wrong command line is wrong for all of them. */
    for (size_t i = 0; status != COOK_E_USAGE && i < count; i++) {
        struct verb one = *verb;
        one.cli.target = one.cli.run.project.target = verb->cli.targets[i];
        one.cli.run.registry = before.run.state;
        *error = (struct cook_error)COOK_ERROR_INIT;
        status = cook_all(&one, error);
        if (status == COOK_OK && one.cli.seen[DIAGNOSTIC_OPTION])
            status = explain_modified(&one, error);
        bool failed = status != COOK_OK && status != COOK_E_USAGE;
        if (failed)
            fail_target(&one, status, error);
        if (one.document)
            cJSON_AddItemToArray(documents, one.document);
        one.document = NULL;
        memcpy(verb->cli.statuses, one.cli.statuses, sizeof(verb->cli.statuses));
        finish(failed ? &one : &before);
        if (!failed)
            before = one;
    }
    finish(&before);
    if (status != COOK_E_USAGE)
        status = COOK_OK; /* failures of targets are told, and in the exit statuses */
    if (status == COOK_OK && verb->cli.json_path) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddStringToObject(document, "schema", schema_text(verb));
        cook_cli_add_statuses(&verb->cli, document);
        cJSON_AddItemToObject(document, "summary", sum_summaries(documents));
        cJSON_AddItemToObject(document, "targets", documents);
        documents = NULL;
        status = cook_cli_write_json(&verb->cli, document, error);
        cJSON_Delete(document);
    }
    cJSON_Delete(documents);
    return status;
}

static enum cook_status cook_one_or_more(struct verb *verb, struct cook_error *error)
{
    size_t count = 0;
    while (verb->cli.targets && verb->cli.targets[count])
        count++;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(verb->cli.targets[i], verb->cli.targets[k]) == 0)
                return cook_error_set(error, COOK_E_USAGE, "--target %s is named twice",
                                      verb->cli.targets[i]);
    if (count > 1)
        return cook_targets(verb, count, error);
    enum cook_status status = cook_all(verb, error);
    if (status == COOK_OK && verb->document)
        status = cook_cli_write_json(&verb->cli, verb->document, error);
    if (status == COOK_OK && verb->cli.seen[DIAGNOSTIC_OPTION])
        status = explain_modified(verb, error);
    return status;
}

int cook_verb_cook(int argc, const char **argv, bool incremental)
{
    struct verb verb = { .incremental = incremental };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        COOK_CLI_LINT_OPTION(&verb.lint_inputs),
        { "record-callstacks", 0, POPT_ARG_NONE, &verb.record_callstacks, 0,
          "keep the callstack of each write, for later comparisons", NULL },
        { "dry-run", 0, POPT_ARG_NONE, &verb.dry_run, 0, "say what would be cooked, and why", NULL },
        { "diagnostic-modified", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, &verb.diagnostic_file,
          DIAGNOSTIC_OPTION, "explain every recook: on standard output, or as JSON in a file", "FILE" },
        POPT_TABLEEND
    };
    if (!incremental)
        own[2] = (struct poptOption)POPT_TABLEEND;
    int exit_status = cook_cli_begin(&verb.cli, incremental ? "incremental" : "full", "[OPTION...]",
                                     COOK_CLI_PROJECT | COOK_CLI_COOKING | COOK_CLI_TARGETS, own,
                                     argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_no_arguments(&verb.cli);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&verb.cli, cook_one_or_more(&verb, &error), &error);
    finish(&verb);
    free(verb.diagnostic_file);
    cook_cli_end(&verb.cli);
    return exit_status;
}
