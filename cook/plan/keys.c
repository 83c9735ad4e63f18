/*
 * Keys from values: a set's hash from those of its dependencies, a bundle's key from those of its
 * sets. Dependencies on whole packages get their values first (whole.c): those are keys too.
 */
#include "cook/deps/dep.h"
#include "cook/plan/run.h"
#include "cook/plan/whole.h"

static void hash_deps(const struct cook_state *state, struct cook_hash *deps)
{
    for (uint32_t i = 0; i < state->deps_count; i++)
        if (state->deps[i].kind != COOK_DEP_PACKAGE)
            deps[i] = cook_dep_hash(state->deps[i].kind, cook_state_text(state, state->deps[i].args),
                                    state->deps[i].value);
}

static void hash_sets(struct cook_run *run, const struct cook_hash *deps)
{
    const struct cook_state *state = run->state;
    for (uint32_t i = 0; i < run->set_count; i++) {
        struct cook_hash sum = { 0, 0 };
        for (uint32_t k = 0; k < state->sets[i].count; k++)
            sum = cook_key_sum(sum, deps[state->ids[state->sets[i].first + k]]);
        run->set_hashes[i] = cook_key_finish(sum);
    }
}

static void hash_bundles(struct cook_run *run)
{
    const struct cook_state *state = run->state;
    for (uint32_t i = 0; i < run->key_count; i++) {
        struct cook_hash sum = { 0, 0 };
        for (uint32_t k = 0; k < state->bundles[i].count; k++)
            sum = cook_key_sum(sum, run->set_hashes[state->ids[state->bundles[i].first + k]]);
        run->keys[i] = cook_key_finish(sum);
    }
}

enum cook_status cook_run_evaluate_keys(struct cook_run *run, struct cook_error *error)
{
    const struct cook_state *state = run->state;
    struct cook_hash *deps = cook_calloc((size_t)state->deps_count + 1, sizeof(*deps));
    cook_free(run->keys);
    cook_free(run->set_hashes);
    run->key_count = state->bundles_count;
    run->set_count = state->sets_count;
    run->keys = cook_malloc(((size_t)run->key_count + 1) * sizeof(*run->keys));
    run->set_hashes = cook_malloc(((size_t)run->set_count + 1) * sizeof(*run->set_hashes));
    enum cook_status status = COOK_OK;
    if (!deps || !run->keys || !run->set_hashes)
        status = cook_error_no_memory(error);
    if (status == COOK_OK) {
        hash_deps(state, deps);
        status = cook_whole_evaluate(run, deps, error);
    }
    if (status == COOK_OK) {
        hash_sets(run, deps);
        hash_bundles(run);
    }
    cook_free(deps);
    return status;
}
