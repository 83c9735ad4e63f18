/* The end of a cook: its outcomes in order, its manifest, artifacts and summary, and the store's end. */
#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/artifacts.h"
#include "cook/plan/cook_private.h"
#include "cook/plan/write_maps.h"

static int compare_names(const struct cook_state *state, uint32_t a, uint32_t b)
{
    return strcmp(cook_state_text(state, state->packages[a].name),
                  cook_state_text(state, state->packages[b].name));
}

static int compare_packages(const void *a, const void *b, void *user)
{
    const struct cook_outcome_package *x = a;
    const struct cook_outcome_package *y = b;
    return compare_names(user, x->package, y->package);
}

static int compare_messages(const void *a, const void *b, void *user)
{
    const struct cook_outcome_message *x = a;
    const struct cook_outcome_message *y = b;
    int order = compare_names(user, x->package, y->package);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* By walking the state's own order: no sort of a hundred thousand. */
enum cook_status cook_cook_sort_packages(struct cook_cook *cook, struct cook_error *error)
{
    const struct cook_state *state = cook->run->state;
    struct cook_outcome_package *sorted =
        cook_malloc((cook->package_count + 1) * sizeof(*sorted));
    if (!sorted)
        return cook_error_no_memory(error);
    size_t n = 0;
    for (uint32_t i = 0; i < state->order_packages; i++) {
        uint32_t package = state->package_order[i];
        if (package < cook->search.package_count && cook->entry_of[package] != COOK_ID_NONE)
            sorted[n++] = cook->packages[cook->entry_of[package]];
    }
    if (n == cook->package_count && n)
        memcpy(cook->packages, sorted, n * sizeof(*sorted));
    else if (cook->package_count)
        qsort_r(cook->packages, cook->package_count, sizeof(*cook->packages), compare_packages,
                cook->run->state);
    cook_free(sorted);
    for (size_t i = 0; i < cook->package_count; i++)
        cook->entry_of[cook->packages[i].package] = (uint32_t)i;
    return COOK_OK;
}

void cook_cook_sort_messages(struct cook_cook *cook)
{
    if (cook->message_count) /* qsort takes no NULL, not even for nothing */
        qsort_r(cook->messages, cook->message_count, sizeof(*cook->messages), compare_messages,
                cook->run->state);
}

static bool in_manifest(const struct cook_outcome_package *entry)
{
    return entry->kind == COOK_OUTCOME_SKIPPED || entry->kind == COOK_OUTCOME_NEW ||
           entry->kind == COOK_OUTCOME_RECOOKED;
}

/* Whether the manifest equals the last one is known by a hash of which results are in it. */
static enum cook_status manifest_mark(struct cook_cook *cook, const uint32_t *packages,
                                      size_t count, bool *unchanged, struct cook_error *error)
{
    struct cook_hasher hasher;
    bool changed = true;
    cook_hasher_init(&hasher);
    for (size_t i = 0; i < count; i++) {
        uint32_t words[2] = { packages[i], cook->run->state->results[packages[i]].sequence };
        cook_hasher_update(&hasher, words, sizeof(words));
    }
    enum cook_status status = cook_run_note_policy(cook->run, "manifest",
                                                   cook_hasher_digest(&hasher), &changed, error);
    *unchanged = !changed;
    return status;
}

void cook_forget_manifest(struct cook_state *state)
{
    uint32_t dep = cook_state_find_dep(state, COOK_DEP_POLICY, "manifest");
    if (dep == COOK_ID_NONE)
        return;
    cook_state_touch(state, COOK_TABLE_deps, dep);
    state->deps[dep].value = (struct cook_hash){ 0, 0 };
}

char *cook_cook_summary_json(struct cook_cook *cook)
{
    return cook_arena_printf(
        &cook->arena,
        "{\"packages\":%zu,\"cooked\":%zu,\"new\":%zu,\"recooked\":%zu,\"skipped\":%zu,"
        "\"failed\":%zu,\"seconds\":%.3f}",
        cook->package_count, cook->new_count + cook->recooked_count, cook->new_count,
        cook->recooked_count, cook->skipped_count, cook->failed_count, cook->seconds);
}

enum cook_status cook_cook_end(struct cook_cook *cook, struct cook_error *error)
{
    struct cook_run *run = cook->run;
    uint32_t *packages = cook_malloc((cook->package_count + 1) * sizeof(*packages));
    if (!packages)
        return cook_error_no_memory(error);
    size_t count = 0;
    for (size_t i = 0; i < cook->package_count; i++)
        if (in_manifest(&cook->packages[i]))
            packages[count++] = cook->packages[i].package;
    struct cook_store_end end = {
        .packages = packages,
        .package_count = (uint32_t)count,
        .keep_cooks = cook_run_keep_cooks(run),
    };
    enum cook_status status = cook_intake_finalize(&cook->intake, error);
    if (status == COOK_OK)
        status = cook_store_commit(run->store, error); /* gives sequences */
    if (status == COOK_OK)
        status = manifest_mark(cook, packages, count, &end.manifest_unchanged, error);
    cook_cook_enter_phase(cook, "artifacts");
    if (status == COOK_OK)
        status = cook_artifacts_update(run, packages, (uint32_t)count, &end.outputs,
                                       &cook->failed_artifacts, error);
    cook_progress_phase(&run->progress, "finish");
    if (status == COOK_OK && cook->options.incremental)
        status = cook_explaining_put(&cook->explaining, &end.explanation, error);
    cook->seconds = cook_run_seconds(run);
    end.summary_json = cook_cook_summary_json(cook);
    if (status == COOK_OK && !end.summary_json)
        status = cook_error_no_memory(error);
    if (status == COOK_OK)
        status = cook_write_maps_end(run, error);
    if (status == COOK_OK)
        status = cook_store_end_cook(run->store, cook->cook_id, &end, error);
    cook_free(packages);
    return status;
}
