#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/artifacts.h"
#include "cook/worker/session.h"
#include "validate/select.h"


static const char *name_of(const struct validate *validate, uint32_t package)
{
    const struct cook_state *state = validate->run->state;
    return cook_state_text(state, state->packages[package].name);
}

/* ---- messages of failures ---- */

static enum cook_status add_message(struct validate *validate, uint32_t package, const char *text,
                                    struct cook_error *error)
{
    char *copy = cook_arena_strdup(&validate->arena, text);
    if (!copy || !cook_grow(&validate->messages, &validate->message_capacity,
                            validate->message_count + 1, sizeof(*validate->messages)))
        return cook_error_no_memory(error);
    validate->messages[validate->message_count] = (struct cook_outcome_message){
        package, COOK_SEVERITY_ERROR, false, copy, (uint32_t)validate->message_count
    };
    validate->message_count++;
    return COOK_OK;
}

static enum cook_status take_failure(struct validate *validate, uint32_t package,
                                     const struct cook_result *result, struct cook_error *error)
{
    struct cook_messages messages = { 0 };
    struct cook_reader_buf in = cook_read_init(result->messages, result->messages_size);
    enum cook_status status = cook_messages_decode(&messages, &in);
    validate->failed_count++;
    for (size_t i = 0; status == COOK_OK && i < messages.count; i++)
        if (messages.items[i].severity == COOK_SEVERITY_ERROR)
            status = add_message(validate, package, messages.items[i].text, error);
    cook_messages_finish(&messages);
    return status;
}

/* ---- findings ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void collect_classes(struct validate *validate, struct validate_finding *finding)
{
    const struct cook_state *state = validate->run->state;
    struct cook_facts facts = { 0 };
    size_t size;
    const uint8_t *blob = cook_state_blob(state, state->results[finding->package].facts, &size);
    if (cook_facts_decode(&facts, blob, size, &validate->arena, NULL) != COOK_OK)
        return;
    finding->classes =
        cook_arena_alloc(&validate->arena, (facts.object_count + 1) * sizeof(char *));
    for (size_t i = 0; finding->classes && i < facts.object_count; i++)
        finding->classes[i] = facts.objects[i].class_name;
    if (!finding->classes)
        return;
    qsort(finding->classes, facts.object_count, sizeof(char *), compare_texts);
    for (size_t i = 0; i < facts.object_count; i++)
        if (i == 0 || strcmp(finding->classes[i], finding->classes[i - 1]) != 0)
            finding->classes[finding->class_count++] = finding->classes[i];
}

struct validate_kept validate_kept_of(const struct cook_state *state, uint32_t package)
{
    return (struct validate_kept){ state->packages[package], state->results[package] };
}

static enum cook_status add_finding(struct validate *validate, uint32_t package, uint32_t parts,
                                    const char *detail, struct cook_error *error)
{
    struct validate_finding *finding = cook_arena_alloc(&validate->arena, sizeof(*finding));
    if (!finding || !cook_grow(&validate->findings, &validate->finding_capacity,
                               validate->finding_count + 1, sizeof(finding)))
        return cook_error_no_memory(error);
    *finding = (struct validate_finding){ .package = package,
                                          .kept = validate_kept_of(validate->run->state, package),
                                          .parts = parts,
                                          .detail = detail ? detail : "",
                                          .notes = "" };
    cook_token_map_init(&finding->old_tokens);
    cook_token_map_init(&finding->new_tokens);
    collect_classes(validate, finding);
    validate->findings[validate->finding_count++] = finding;
    return COOK_OK;
}

static enum cook_status keep(struct validate *validate, uint32_t package,
                             const struct cook_result *result, uint32_t bundle,
                             struct cook_hash key, enum cook_op op, struct cook_error *error)
{
    if (!validate->options.allow_write)
        return COOK_OK;
    return cook_intake_keep(&validate->intake, package, validate->cook_id, result, bundle, key, op,
                            error);
}

/* ---- who cooked what, in which order ---- */

static enum cook_status new_lane(struct validate *validate, unsigned worker,
                                 struct cook_error *error)
{
    size_t before = validate->lane_capacity;
    if (!cook_grow(&validate->lanes, &validate->lane_capacity, validate->lane_count + 1,
                   sizeof(*validate->lanes)))
        return cook_error_no_memory(error);
    for (size_t i = before; i < validate->lane_capacity; i++)
        validate->lanes[i] = (struct validate_lane){ 0 };
    validate->lane_of[worker] = (uint32_t)validate->lane_count++;
    return COOK_OK;
}

static enum cook_status note_lane(struct validate *validate, unsigned worker, uint32_t package,
                                  struct cook_error *error)
{
    struct validate_lane *lane = &validate->lanes[validate->lane_of[worker]];
    if (!cook_grow(&lane->packages, &lane->capacity, lane->count + 1, sizeof(uint32_t)))
        return cook_error_no_memory(error);
    lane->packages[lane->count++] = package;
    return COOK_OK;
}

static void place(const struct validate *validate, struct validate_finding *finding,
                  unsigned worker)
{
    finding->lane = validate->lane_of[worker];
    finding->position = (uint32_t)validate->lanes[finding->lane].count - 1;
}

static enum cook_status judge(struct validate *validate, unsigned worker, uint32_t package,
                              const struct cook_result *result, uint32_t bundle,
                              struct cook_hash key, struct cook_error *error)
{
    struct validate_kept kept = validate_kept_of(validate->run->state, package);
    const char *detail;
    uint32_t parts = validate_compare_parts(validate, &kept, result, bundle, &detail);
    if (result->size != kept.result.size_bytes ||
        !cook_hash_equal(cook_hash_bytes(result->bytes, result->size), kept.result.bytes))
        parts |= VALIDATE_BYTES;
    if (parts == 0) {
        validate->validated_count++;
        validate->validated[package] = 1;
        return COOK_OK;
    }
    enum cook_status status = add_finding(validate, package, parts, detail, error);
    if (status == COOK_OK) {
        struct validate_finding *finding = validate->findings[validate->finding_count - 1];
        finding->first_bytes = cook_hash_bytes(result->bytes, result->size);
        place(validate, finding, worker);
    }
    return status == COOK_OK
               ? keep(validate, package, result, bundle, key, COOK_OP_HEALED, error)
               : status;
}

/* ---- the search ---- */

static bool selected(const struct validate *validate, uint32_t package)
{
    const char *name = name_of(validate, package);
    for (size_t i = 0; i < validate->options.package_count; i++)
        if (strcmp(validate->options.packages[i], name) == 0)
            return true;
    return validate->options.package_count == 0;
}

static enum cook_status visit(struct validate *validate, uint32_t package, struct cook_error *error)
{
    uint32_t flags = validate->run->state->packages[package].flags;
    bool broken = flags & (COOK_PACKAGE_SCAN_FAILED | COOK_PACKAGE_DUPLICATE);
    bool skippable = !broken && cook_run_decide(validate->run, package) == COOK_REASON_SKIP;
    validate->package_count++;
    validate->skippable_count += skippable;
    validate->modified_count += !skippable;
    validate->modified[package] = !skippable;
    bool recook = skippable ? selected(validate, package)
                            : validate->options.allow_write && !broken &&
                                  validate->options.package_count == 0;
    enum cook_status status = COOK_OK;
    if (recook && validate->options.selection) {
        if (!cook_grow(&validate->candidates, &validate->candidate_capacity,
                       validate->candidate_count + 1, sizeof(*validate->candidates)))
            return cook_error_no_memory(error);
        validate->candidates[validate->candidate_count++] = package;
    } else if (recook) {
        validate->left++;
        status = cook_dispatch_add(validate->dispatch, package, error);
    }
    /* What is recooked for good leads where its new result leads; see take_modified. */
    if (status == COOK_OK && (skippable || !recook))
        status = cook_search_push_edges(&validate->search, package, error);
    return status;
}

static enum cook_status visit_all(struct validate *validate, struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    uint32_t package;
    while (status == COOK_OK && cook_search_pop(&validate->search, &package))
        status = visit(validate, package, error);
    return status;
}

/* ---- results of the first pass ---- */

static enum cook_status take_modified(struct validate *validate, uint32_t package,
                                      const struct cook_result *result, uint32_t bundle,
                                      struct cook_hash key, struct cook_error *error)
{
    enum cook_status status = keep(validate, package, result, bundle, key, COOK_OP_COOKED, error);
    if (status == COOK_OK)
        status = cook_search_push_edges(&validate->search, package, error);
    return status == COOK_OK ? visit_all(validate, error) : status;
}

static enum cook_status on_result(struct validate *validate, unsigned worker, uint32_t package,
                                  const struct cook_result *result, struct cook_error *error)
{
    if (!result->ok) {
        enum cook_status status = take_failure(validate, package, result, error);
        if (status == COOK_OK && validate->options.allow_write)
            status = cook_intake_fail(&validate->intake, package, error);
        return status;
    }
    uint32_t bundle;
    struct cook_hash key;
    enum cook_status status =
        cook_intake_result(&validate->intake, worker, result, &bundle, &key, error);
    if (status != COOK_OK)
        return status;
    return validate->modified[package]
               ? take_modified(validate, package, result, bundle, key, error)
               : judge(validate, worker, package, result, bundle, key, error);
}

static enum cook_status on_frame(void *user, unsigned worker, uint32_t package,
                                 enum cook_frame_type type, const struct cook_buf *payload,
                                 struct cook_error *error)
{
    struct validate *validate = user;
    if (type == COOK_FRAME_LOAD_SET)
        return cook_intake_load_set(&validate->intake, worker, payload, error);
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_result result;
    enum cook_status status =
        cook_dispatch_result(&result, validate->run, package, payload, &arena, error);
    validate->left--;
    if (status == COOK_OK)
        status = note_lane(validate, worker, package, error);
    if (status == COOK_OK)
        status = on_result(validate, worker, package, &result, error);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status on_lost(void *user, uint32_t package, const char *reason,
                                struct cook_error *error)
{
    struct validate *validate = user;
    validate->failed_count++;
    validate->left--;
    enum cook_status status = add_message(validate, package, reason, error);
    if (status == COOK_OK && validate->options.allow_write)
        status = cook_intake_fail(&validate->intake, package, error);
    return status;
}

static void on_worker_gone(void *user, unsigned worker)
{
    struct validate *validate = user;
    cook_intake_forget_worker(&validate->intake, worker);
    /* Without a lane of its own its findings have more before them than there was: no harm. */
    (void)!new_lane(validate, worker, NULL);
}

static enum cook_status on_tick(void *user, struct cook_error *error)
{
    struct validate *validate = user;
    struct cook_progress_figures figures = { .reached = validate->package_count,
                                             .cooked = validate->validated_count +
                                                       validate->finding_count,
                                             .failed = validate->failed_count,
                                             .left = validate->left };
    (void)error;
    cook_progress_figures(&validate->run->progress, &figures, NULL, 0);
    if (validate->options.on_progress)
        validate->options.on_progress(validate->options.user, &figures, NULL, 0);
    return COOK_OK;
}

/* ---- the whole ---- */

static enum cook_status begin(struct validate *validate, struct cook_error *error)
{
    struct cook_run *run = validate->run;
    struct cook_dispatch_operations operations = { .type = COOK_FRAME_COOK,
                                                   .on_frame = on_frame,
                                                   .on_lost = on_lost,
                                                   .on_worker_gone = on_worker_gone,
                                                   .on_tick = on_tick,
                                                   .user = validate };
    enum cook_status status = cook_owners_load(&validate->owners, run->project.fd, error);
    if (status == COOK_OK)
        status = cook_run_roots(run, &validate->roots, error);
    unsigned workers = cook_pool_count(run->pool);
    validate->modified = cook_calloc((size_t)run->state->packages_count + 1, 1);
    validate->validated = cook_calloc((size_t)run->state->packages_count + 1, 1);
    validate->lane_of = cook_calloc(workers, sizeof(*validate->lane_of));
    if (status == COOK_OK && (!validate->modified || !validate->validated || !validate->lane_of))
        status = cook_error_no_memory(error);
    for (unsigned i = 0; status == COOK_OK && i < workers; i++)
        status = new_lane(validate, i, error);
    if (status == COOK_OK)
        status = cook_search_init(&validate->search, run, error);
    if (status == COOK_OK)
        status = cook_intake_init(&validate->intake, run, error);
    if (status == COOK_OK)
        status = cook_dispatch_create(&validate->dispatch, run, &operations, error);
    if (status == COOK_OK && validate->options.allow_write) {
        const char *facts = cook_run_facts_json(run);
        cook_run_keep_libraries(run);
        status = cook_store_begin_cook(run->store, &validate->cook_id, "incremental-validate",
                                       facts ? facts : "{}", error);
    }
    return status;
}

static int compare_findings(const void *a, const void *b, void *user)
{
    const struct validate_finding *const *x = a;
    const struct validate_finding *const *y = b;
    return strcmp(name_of(user, (*x)->package), name_of(user, (*y)->package));
}

static int compare_failures(const void *a, const void *b, void *user)
{
    const struct cook_outcome_message *x = a;
    const struct cook_outcome_message *y = b;
    int order = strcmp(name_of(user, x->package), name_of(user, y->package));
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* With --allow-write the reached packages that have a sound result are the cook's manifest. */
static enum cook_status end_cook(struct validate *validate, struct cook_error *error)
{
    struct cook_state *state = validate->run->state;
    enum cook_status status = cook_intake_finalize(&validate->intake, error);
    if (status == COOK_OK)
        status = cook_state_sort(state, error);
    uint32_t *packages = cook_malloc(((size_t)state->packages_count + 1) * sizeof(*packages));
    if (status == COOK_OK && !packages)
        status = cook_error_no_memory(error);
    struct cook_store_end end = { .packages = packages,
                                  .summary_json = "{}",
                                  .keep_cooks = cook_run_keep_cooks(validate->run) };
    for (uint32_t i = 0; status == COOK_OK && i < state->order_packages; i++) {
        uint32_t package = state->package_order[i];
        uint32_t flags = state->packages[package].flags;
        if (package < validate->search.package_count && validate->search.visited[package] &&
            (flags & COOK_PACKAGE_HAS_RESULT) &&
            !(flags & (COOK_PACKAGE_FAILED | COOK_PACKAGE_OMITTED)))
            packages[end.package_count++] = package;
    }
    size_t failed_artifacts;
    if (status == COOK_OK)
        status = cook_store_commit(validate->run->store, error); /* gives sequences */
    if (status == COOK_OK)
        status = cook_artifacts_update(validate->run, packages, end.package_count, &end.outputs,
                                       &failed_artifacts, error);
    if (status == COOK_OK)
        status = cook_store_end_cook(validate->run->store, validate->cook_id, &end, error);
    cook_free(packages);
    return status;
}

static enum cook_status judge_all(struct validate *validate, struct cook_error *error)
{
    enum cook_status status = validate_shake(validate, error);
    for (size_t i = 0; i < validate->finding_count; i++) {
        validate_judge(validate->findings[i]);
        validate->verdicts[validate->findings[i]->verdict]++;
    }
    return status == COOK_OK ? validate_find_causes(validate, error) : status;
}

bool validate_is_whole(const struct validate *validate)
{
    return validate->options.package_count == 0 && !validate->options.selection &&
           (validate->modified_count == 0 || validate->options.allow_write);
}

enum cook_status validate_run(struct validate *validate, struct cook_run *run,
                              const struct validate_options *options, struct cook_error *error)
{
    *validate = (struct validate){ .run = run, .options = *options };
    cook_progress_phase(&run->progress, "plan");
    enum cook_status status = begin(validate, error);
    if (status == COOK_OK)
        status = cook_search_push_roots(&validate->search, &validate->roots, error);
    if (status == COOK_OK)
        status = visit_all(validate, error);
    if (status == COOK_OK && options->selection)
        status = validate_select(validate, error);
    if (status == COOK_OK && validate->left)
        status = cook_run_share_registry(run, error);
    cook_progress_phase(&run->progress, "validate");
    if (status == COOK_OK && validate->left)
        status = cook_dispatch_run(validate->dispatch, error);
    if (status != COOK_OK)
        return status;
    if (validate->finding_count) /* qsort takes no NULL, not even for nothing */
        qsort_r(validate->findings, validate->finding_count, sizeof(*validate->findings),
                compare_findings, validate);
    if (validate->message_count)
        qsort_r(validate->messages, validate->message_count, sizeof(*validate->messages),
                compare_failures, validate);
    /* What is recooked otherwise, on purpose, must not be taken for what it reads as it is. */
    if (cook_pool_traced(run->pool))
        status = cook_pool_trace(run->pool, false, error);
    if (status == COOK_OK)
        status = validate_explain(validate, error);
    /* Committed first: what is recooked from here on is no part of the record. */
    if (status == COOK_OK && options->allow_write)
        status = end_cook(validate, error);
    cook_progress_phase(&run->progress, "judge");
    if (status == COOK_OK)
        status = judge_all(validate, error);
    validate->seconds = cook_run_seconds(run);
    return status;
}

void validate_finish(struct validate *validate)
{
    cook_lint_finish(&validate->lint);
    validate_select_finish(validate);
    cook_owners_finish(&validate->owners);
    for (size_t i = 0; i < validate->finding_count; i++) {
        struct validate_finding *finding = validate->findings[i];
        cook_free(finding->old_bytes);
        cook_free(finding->new_bytes);
        cook_free(finding->old_stacks);
        cook_token_map_finish(&finding->old_tokens);
        cook_token_map_finish(&finding->new_tokens);
        cook_intern_finish(&finding->unstable);
        cook_intern_finish(&finding->pictures);
        validate_causes_finish(finding);
    }
    for (size_t i = 0; i < validate->lane_count; i++)
        cook_free(validate->lanes[i].packages);
    cook_free(validate->lanes);
    cook_free(validate->lane_of);
    cook_dispatch_destroy(validate->dispatch);
    cook_intake_finish(&validate->intake);
    cook_search_finish(&validate->search);
    cook_free(validate->modified);
    cook_free(validate->validated);
    cook_free(validate->findings);
    cook_free(validate->messages);
    cook_arena_finish(&validate->arena);
    *validate = (struct validate){ 0 };
}
