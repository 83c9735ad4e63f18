/* The cook from its roots to its last package; cook_end.c ends it. */
#include "cook/plan/cook_private.h"

#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/rules.h"
#include "cook/worker/session.h"

#define DEFAULT_COMMIT_PACKAGES 512 /* [Store] CommitPackages: a killed cook loses at most so many */
#define COMMIT_SECONDS 2.0

const char *cook_outcome_text(enum cook_outcome_kind kind)
{
    switch (kind) {
    case COOK_OUTCOME_SKIPPED:
        return "skipped";
    case COOK_OUTCOME_NEW:
        return "new";
    case COOK_OUTCOME_RECOOKED:
        return "recooked";
    case COOK_OUTCOME_OMITTED:
        return "omitted";
    case COOK_OUTCOME_FAILED:
        return "failed";
    case COOK_OUTCOME_PLANNED:
        return "would cook";
    case COOK_OUTCOME_UNKNOWN:
        break;
    }
    return "unknown";
}

/* ---- outcome lists ---- */

static enum cook_status add_outcome(struct cook_cook *cook, uint32_t package,
                                    enum cook_outcome_kind kind, enum cook_reason reason,
                                    struct cook_error *error)
{
    if (!cook_grow(&cook->packages, &cook->package_capacity, cook->package_count + 1,
                   sizeof(*cook->packages)))
        return cook_error_no_memory(error);
    cook->entry_of[package] = (uint32_t)cook->package_count;
    cook->packages[cook->package_count++] = (struct cook_outcome_package){
        .package = package, .kind = kind, .reason = reason
    };
    return COOK_OK;
}

static enum cook_status add_message(struct cook_cook *cook, uint32_t package,
                                    enum cook_severity severity, bool replayed, const char *text,
                                    struct cook_error *error)
{
    char *copy = cook_arena_strdup(&cook->arena, text);
    if (!copy || !cook_grow(&cook->messages, &cook->message_capacity, cook->message_count + 1,
                            sizeof(*cook->messages)))
        return cook_error_no_memory(error);
    cook->messages[cook->message_count] = (struct cook_outcome_message){
        package, severity, replayed, copy, (uint32_t)cook->message_count
    };
    cook->message_count++;
    return COOK_OK;
}

static enum cook_status add_messages(struct cook_cook *cook, uint32_t package, bool replayed,
                                     const void *bytes, size_t size, struct cook_error *error)
{
    struct cook_messages messages = { 0 };
    struct cook_reader_buf in = cook_read_init(bytes, size);
    enum cook_status status = cook_messages_decode(&messages, &in);
    if (status != COOK_OK)
        (void)cook_error_set(error, status, "malformed messages of a package");
    for (size_t i = 0; status == COOK_OK && i < messages.count; i++)
        status = add_message(cook, package, messages.items[i].severity, replayed,
                             messages.items[i].text, error);
    cook_messages_finish(&messages);
    return status;
}

static enum cook_status replay(struct cook_cook *cook, uint32_t package, struct cook_error *error)
{
    const struct cook_state *state = cook->run->state;
    if (!(state->packages[package].flags & COOK_PACKAGE_HAS_MESSAGES))
        return COOK_OK;
    size_t size;
    const uint8_t *bytes = cook_state_blob(state, state->results[package].messages, &size);
    return add_messages(cook, package, true, bytes, size, error);
}

/* Once, whatever kinds of edges lead there, and also when it is cooked after all. */
static enum cook_status on_never(void *user, uint32_t package, uint32_t target,
                                 struct cook_error *error)
{
    struct cook_cook *cook = user;
    struct cook_run *run = cook->run;
    const char *name = cook_state_text(run->state, run->state->packages[target].name);
    const char *why = cook_rules_never_why(run, target);
    const char *text =
        cook_arena_printf(&cook->arena, "refers to %s, which is never cooked: %s", name, why);
    if (!text)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < cook->message_count; i++)
        if (cook->messages[i].package == package && strcmp(cook->messages[i].text, text) == 0)
            return COOK_OK;
    return add_message(cook, package, COOK_SEVERITY_WARNING, false, text, error);
}

/* ---- failing ---- */

static enum cook_status fail_package(struct cook_cook *cook, uint32_t package,
                                     struct cook_error *error)
{
    cook->failed_count++;
    cook->packages[cook->entry_of[package]].kind = COOK_OUTCOME_FAILED;
    cook->uncommitted++;
    return cook_intake_fail(&cook->intake, package, error);
}

/* A package that cannot even be tried: its file is broken, or claimed twice. */
static enum cook_status fail_scanned(struct cook_cook *cook, uint32_t package,
                                     struct cook_error *error)
{
    const struct cook_state *state = cook->run->state;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_facts facts = { 0 };
    size_t size;
    const uint8_t *blob = cook_state_blob(state, state->results[package].facts, &size);
    const char *fault = "its registry facts are missing";
    if (size && cook_facts_decode(&facts, blob, size, &arena, NULL) == COOK_OK && facts.fault)
        fault = facts.fault;
    enum cook_status status =
        add_message(cook, package, COOK_SEVERITY_ERROR, false, fault, error);
    cook_arena_finish(&arena);
    return status == COOK_OK ? fail_package(cook, package, error) : status;
}

/* ---- the search ---- */

static enum cook_reason decide(const struct cook_cook *cook, uint32_t package)
{
    enum cook_reason reason = cook_run_decide(cook->run, package);
    if (cook->options.incremental)
        return reason;
    return reason == COOK_REASON_NEW || reason == COOK_REASON_BROKEN ? reason : COOK_REASON_FULL;
}

static enum cook_status visit(struct cook_cook *cook, uint32_t package, struct cook_error *error)
{
    enum cook_reason reason = decide(cook, package);
    enum cook_outcome_kind kind = reason == COOK_REASON_SKIP ? COOK_OUTCOME_SKIPPED
                                                             : COOK_OUTCOME_PLANNED;
    enum cook_status status = add_outcome(cook, package, kind, reason, error);
    if (status != COOK_OK)
        return status;
    if (reason == COOK_REASON_BROKEN && !cook->options.dry_run)
        return fail_scanned(cook, package, error);
    if (kind == COOK_OUTCOME_SKIPPED) {
        bool omitted = cook->run->state->packages[package].flags & COOK_PACKAGE_OMITTED;
        cook->skipped_count += !omitted;
        cook->omitted_count += omitted;
        if (omitted)
            cook->packages[cook->entry_of[package]].kind = COOK_OUTCOME_OMITTED;
        status = replay(cook, package, error);
        return status == COOK_OK ? cook_search_push_edges(&cook->search, package, error) : status;
    }
    cook->planned_count++;
    if (cook->options.incremental)
        cook_causes_add(&cook->causes, cook->run, package, reason);
    if (cook->options.incremental && !cook->options.dry_run)
        status = cook_explaining_add(&cook->explaining, package, reason, error);
    if (status != COOK_OK)
        return status;
    if (cook->options.dry_run) /* what it leads to now is what its last cook led to */
        return cook_search_push_edges(&cook->search, package, error);
    cook->queued++;
    return cook_dispatch_add(cook->dispatch, package, error);
}

static enum cook_status visit_all(struct cook_cook *cook, struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    uint32_t package;
    while (status == COOK_OK && cook_search_pop(&cook->search, &package))
        status = visit(cook, package, error);
    return status;
}

/* ---- results ---- */

static enum cook_status commit_if_due(struct cook_cook *cook, struct cook_error *error)
{
    double now = cook_trace_now();
    if (cook->uncommitted == 0 ||
        (cook->uncommitted < cook->commit_packages && now - cook->last_commit < COMMIT_SECONDS))
        return COOK_OK;
    cook->uncommitted = 0;
    enum cook_status status = cook_store_commit(cook->run->store, error);
    cook->last_commit = cook_trace_now();
    return status;
}

static enum cook_status keep(struct cook_cook *cook, unsigned worker, uint32_t package,
                             const struct cook_result *result, struct cook_error *error)
{
    uint32_t bundle;
    struct cook_hash key;
    bool known = cook->run->state->packages[package].flags & COOK_PACKAGE_HAS_RESULT;
    enum cook_status status = cook_intake_result(&cook->intake, worker, result, &bundle, &key, error);
    struct cook_hash before = { 0, 0 };
    if (cook->options.incremental)
        before = cook_explaining_result(cook->run->state, package);
    if (status == COOK_OK)
        status = cook_intake_keep(&cook->intake, package, cook->cook_id, result, bundle, key,
                                  COOK_OP_COOKED, error);
    if (status != COOK_OK)
        return status;
    if (cook->options.incremental)
        cook_explaining_cooked(&cook->explaining, package, before);
    enum cook_outcome_kind kind = known ? COOK_OUTCOME_RECOOKED : COOK_OUTCOME_NEW;
    if (result->omitted)
        kind = COOK_OUTCOME_OMITTED;
    cook->new_count += kind == COOK_OUTCOME_NEW;
    cook->recooked_count += kind == COOK_OUTCOME_RECOOKED;
    cook->omitted_count += kind == COOK_OUTCOME_OMITTED;
    cook->packages[cook->entry_of[package]].kind = kind;
    cook->uncommitted++;
    status = cook_search_push_edges(&cook->search, package, error);
    return status == COOK_OK ? visit_all(cook, error) : status;
}

/* A worker says how long a package took, and says so when it is done with it. */
static void note_time(struct cook_cook *cook, unsigned worker, uint32_t package,
                      const struct cook_result *result)
{
    struct cook_outcome_package *entry = &cook->packages[cook->entry_of[package]];
    double start = cook_run_seconds(cook->run) - (double)result->duration_us / 1e6;
    entry->worker = worker + 1;
    entry->start = start > 0 ? start : 0;
}

static enum cook_status on_frame(void *user, unsigned worker, uint32_t package,
                                 enum cook_frame_type type, const struct cook_buf *payload,
                                 struct cook_error *error)
{
    struct cook_cook *cook = user;
    if (type == COOK_FRAME_LOAD_SET)
        return cook_intake_load_set(&cook->intake, worker, payload, error);
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_result result;
    enum cook_status status =
        cook_dispatch_result(&result, cook->run, package, payload, &arena, error);
    if (status == COOK_OK)
        note_time(cook, worker, package, &result);
    if (status == COOK_OK)
        status = add_messages(cook, package, false, result.messages, result.messages_size, error);
    if (status == COOK_OK)
        status = result.ok ? keep(cook, worker, package, &result, error)
                           : fail_package(cook, package, error);
    cook_arena_finish(&arena);
    return status == COOK_OK ? commit_if_due(cook, error) : status;
}

static enum cook_status on_lost(void *user, uint32_t package, const char *reason,
                                struct cook_error *error)
{
    struct cook_cook *cook = user;
    enum cook_status status =
        add_message(cook, package, COOK_SEVERITY_ERROR, false, reason, error);
    return status == COOK_OK ? fail_package(cook, package, error) : status;
}

static void on_worker_gone(void *user, unsigned worker)
{
    struct cook_cook *cook = user;
    cook_intake_forget_worker(&cook->intake, worker);
}

static struct cook_progress_figures figures_of(const struct cook_cook *cook)
{
    size_t cooked = cook->new_count + cook->recooked_count;
    return (struct cook_progress_figures){ .reached = cook->package_count,
                                           .cooked = cooked,
                                           .skipped = cook->skipped_count,
                                           .failed = cook->failed_count,
                                           .left = cook->package_count - cooked -
                                                   cook->skipped_count - cook->failed_count -
                                                   cook->omitted_count };
}

void cook_cook_enter_phase(struct cook_cook *cook, const char *phase)
{
    cook->run->progress.figures = figures_of(cook);
    cook_progress_phase(&cook->run->progress, phase);
}

static enum cook_status on_tick(void *user, struct cook_error *error)
{
    struct cook_cook *cook = user;
    const char *slowest = NULL;
    double longest = 0;
    for (unsigned i = 0; i < cook_pool_count(cook->run->pool); i++) {
        double seconds;
        uint32_t package = cook_dispatch_current(cook->dispatch, i, &seconds);
        if (package != COOK_ID_NONE && seconds >= longest) {
            longest = seconds;
            slowest = cook_state_text(cook->run->state, cook->run->state->packages[package].name);
        }
    }
    const struct cook_progress_figures figures = figures_of(cook);
    cook_progress_figures(&cook->run->progress, &figures, slowest, longest);
    if (cook->options.on_progress)
        cook->options.on_progress(cook->options.user, &figures, slowest, longest);
    return commit_if_due(cook, error);
}

/* ---- second thoughts ---- */

static bool has_package_deps(const struct cook_state *state)
{
    for (uint32_t i = 0; i < state->deps_count; i++)
        if (state->deps[i].kind == COOK_DEP_PACKAGE)
            return true;
    return false;
}

static enum cook_status cook_after_all(struct cook_cook *cook, struct cook_outcome_package *entry,
                                       struct cook_error *error)
{
    cook->skipped_count -= entry->kind == COOK_OUTCOME_SKIPPED;
    cook->omitted_count -= entry->kind == COOK_OUTCOME_OMITTED;
    entry->kind = COOK_OUTCOME_PLANNED;
    entry->reason = COOK_REASON_KEY_CHANGED;
    enum cook_status status = cook_explaining_add(&cook->explaining, entry->package, entry->reason,
                                                  error);
    if (status != COOK_OK)
        return status;
    cook->planned_count++;
    cook->queued++;
    return cook_dispatch_add(cook->dispatch, entry->package, error);
}

/*
 * Skipping was decided by the keys at the start. A package that depends on the whole key of one that
 * had none then, and was cooked since, would be found changed by the next cook: cook it in this one.
 */
static enum cook_status settle(struct cook_cook *cook, struct cook_error *error)
{
    const struct cook_run *run = cook->run;
    bool moved = cook->new_count + cook->omitted_count != 0 && has_package_deps(run->state);
    enum cook_status status = COOK_OK;
    while (moved && status == COOK_OK) {
        moved = false;
        status = cook_run_evaluate_keys(cook->run, error);
        for (size_t i = 0; status == COOK_OK && i < cook->package_count; i++) {
            const struct cook_state_package *row = &run->state->packages[cook->packages[i].package];
            if (cook->packages[i].reason != COOK_REASON_SKIP || /* also of what is omitted */
                cook_hash_equal(row->key, run->keys[row->bundle]))
                continue;
            moved = true;
            status = cook_after_all(cook, &cook->packages[i], error);
        }
        if (status == COOK_OK && moved)
            status = cook_dispatch_run(cook->dispatch, error);
    }
    return status;
}

/* What was replayed of a package that was then cooked after all is not said of it again. */
static void drop_outdated_messages(struct cook_cook *cook)
{
    size_t kept = 0;
    for (size_t i = 0; i < cook->message_count; i++) {
        const struct cook_outcome_message *message = &cook->messages[i];
        if (!message->replayed ||
            cook->packages[cook->entry_of[message->package]].reason == COOK_REASON_SKIP)
            cook->messages[kept++] = *message;
    }
    cook->message_count = kept;
}

/* ---- the whole ---- */

static enum cook_status begin(struct cook_cook *cook, struct cook_error *error)
{
    struct cook_run *run = cook->run;
    enum cook_status status = cook_search_init(&cook->search, run, error);
    cook->search.on_never = on_never;
    cook->search.user = cook;
    uint32_t count = cook->search.package_count;
    cook->entry_of = cook_malloc(((size_t)count + 1) * sizeof(uint32_t));
    if (status != COOK_OK || !cook->entry_of)
        return cook_error_no_memory(error);
    for (uint32_t i = 0; i < count; i++)
        cook->entry_of[i] = COOK_ID_NONE;
    struct cook_dispatch_operations operations = { .type = COOK_FRAME_COOK,
                                                   .capture = run->options.record_callstacks,
                                                   .on_frame = on_frame,
                                                   .on_lost = on_lost,
                                                   .on_worker_gone = on_worker_gone,
                                                   .on_tick = on_tick,
                                                   .user = cook };
    status = cook_intake_init(&cook->intake, run, error);
    if (status == COOK_OK)
        status = cook_causes_init(&cook->causes, run, error);
    if (status == COOK_OK)
        status = cook_explaining_init(&cook->explaining, run, error);
    if (status == COOK_OK)
        status = cook_dispatch_create(&cook->dispatch, run, &operations, error);
    if (status == COOK_OK && !cook->options.dry_run) {
        const char *facts = cook_run_facts_json(run);
        cook_run_keep_libraries(run);
        status = cook_store_begin_cook(run->store, &cook->cook_id,
                                       cook->options.incremental ? "incremental" : "full",
                                       facts ? facts : "{}", error);
    }
    return status;
}

/* Related packages to one worker: those planned so far, and all that they may lead to. */
static enum cook_status arrange(struct cook_cook *cook, struct cook_error *error)
{
    uint32_t *packages = cook_malloc((cook->package_count + 1) * sizeof(*packages));
    size_t count = 0;
    if (!packages)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < cook->package_count; i++)
        if (cook->packages[i].kind == COOK_OUTCOME_PLANNED)
            packages[count++] = cook->packages[i].package;
    double begun = cook_trace_now();
    enum cook_status status = cook_dispatch_arrange(cook->dispatch, packages, count,
                                                    !cook->options.incremental, error);
    cook_trace_add(cook->run->trace, 0, "phase", "arrange", begun);
    cook_free(packages);
    return status;
}

enum cook_status cook_cook_run(struct cook_cook *cook, struct cook_run *run,
                               const struct cook_cook_options *options, struct cook_error *error)
{
    *cook = (struct cook_cook){ .run = run, .options = *options };
    cook_progress_phase(&run->progress, "plan");
    enum cook_status status = cook_run_roots(run, &cook->roots, error);
    if (status == COOK_OK)
        status = begin(cook, error);
    if (status == COOK_OK)
        status = cook_search_push_roots(&cook->search, &cook->roots, error);
    if (status == COOK_OK)
        status = visit_all(cook, error);
    if (status == COOK_OK && cook->queued)
        status = cook_run_share_registry(run, error);
    cook->last_commit = cook_trace_now();
    cook->commit_packages = (size_t)cook_config_i64(run->project.config, "Store", "CommitPackages",
                                                    DEFAULT_COMMIT_PACKAGES);
    if (status == COOK_OK && cook->queued)
        status = arrange(cook, error);
    if (cook->queued)
        cook_cook_enter_phase(cook, "cook");
    if (status == COOK_OK && cook->queued)
        status = cook_dispatch_run(cook->dispatch, error);
    if (status == COOK_OK)
        status = settle(cook, error);
    drop_outdated_messages(cook);
    if (status == COOK_OK)
        status = cook_state_sort(run->state, error);
    if (status == COOK_OK)
        status = cook_cook_sort_packages(cook, error);
    cook_cook_sort_messages(cook);
    cook->seconds = cook_run_seconds(run);
    double ending = cook_trace_now();
    if (status == COOK_OK && !options->dry_run)
        status = cook_cook_end(cook, error);
    cook_trace_add(run->trace, 0, "phase", "end", ending);
    return status;
}

void cook_cook_finish(struct cook_cook *cook)
{
    cook_dispatch_destroy(cook->dispatch);
    cook_intake_finish(&cook->intake);
    cook_causes_finish(&cook->causes);
    cook_explaining_finish(&cook->explaining);
    cook_search_finish(&cook->search);
    cook_free(cook->entry_of);
    cook_free(cook->packages);
    cook_free(cook->messages);
    cook_arena_finish(&cook->arena);
    *cook = (struct cook_cook){ 0 };
}
