/*
 * Keys from values: a set's hash from those of its dependencies, a bundle's key from those of its
 * sets. A package dependency's value is another bundle's key, so this walks from bundle to bundle;
 * a ring of them is cut where it closes, at the same place each time, since ids are walked in order.
 */
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/run.h"

#define MAX_DEPTH 2000 /* of packages that depend on packages whole; deeper counts as a ring */

enum stage { STAGE_NONE = 0, STAGE_OPEN, STAGE_DONE };

struct walk {
    struct cook_run *run;
    struct cook_hash *deps; /* dependency hashes */
    uint8_t *dep_done;      /* of package dependencies */
    uint8_t *sets_done;
    uint8_t *bundles_done;
};

static struct cook_hash bundle_key(struct walk *walk, uint32_t bundle, unsigned depth);

static void package_value(struct walk *walk, uint32_t dep, unsigned depth)
{
    struct cook_run *run = walk->run;
    struct cook_state *state = run->state;
    struct cook_hash value = { 0, 0 };
    if (walk->dep_done[dep])
        return;
    walk->dep_done[dep] = 1;
    uint32_t target = state->deps[dep].target;
    if (target != COOK_ID_NONE && state->packages[target].bundle != COOK_ID_NONE)
        value = bundle_key(walk, state->packages[target].bundle, depth + 1);
    if (!cook_hash_equal(value, state->deps[dep].value)) {
        cook_state_touch(state, COOK_TABLE_deps, dep);
        state->deps[dep].value = value;
        run->index_stale = true;
    }
    walk->deps[dep] =
        cook_dep_hash(COOK_DEP_PACKAGE, cook_state_text(state, state->deps[dep].args), value);
}

static struct cook_hash set_hash(struct walk *walk, uint32_t set, unsigned depth)
{
    const struct cook_state *state = walk->run->state;
    struct cook_hash sum = { 0, 0 };
    if (walk->sets_done[set])
        return walk->run->set_hashes[set];
    for (uint32_t k = 0; k < state->sets[set].count; k++) {
        uint32_t dep = state->ids[state->sets[set].first + k];
        if (state->deps[dep].kind == COOK_DEP_PACKAGE)
            package_value(walk, dep, depth);
        sum = cook_key_sum(sum, walk->deps[dep]);
    }
    walk->sets_done[set] = STAGE_DONE;
    return walk->run->set_hashes[set] = cook_key_finish(sum);
}

static struct cook_hash bundle_key(struct walk *walk, uint32_t bundle, unsigned depth)
{
    const struct cook_state *state = walk->run->state;
    struct cook_hash sum = { 0, 0 };
    if (walk->bundles_done[bundle] == STAGE_DONE)
        return walk->run->keys[bundle];
    if (walk->bundles_done[bundle] == STAGE_OPEN || depth > MAX_DEPTH)
        return sum; /* a ring */
    walk->bundles_done[bundle] = STAGE_OPEN;
    for (uint32_t k = 0; k < state->bundles[bundle].count; k++)
        sum = cook_key_sum(
            sum, set_hash(walk, walk->run->state->ids[state->bundles[bundle].first + k], depth));
    walk->bundles_done[bundle] = STAGE_DONE;
    return walk->run->keys[bundle] = cook_key_finish(sum);
}

static void hash_deps(struct walk *walk)
{
    const struct cook_state *state = walk->run->state;
    for (uint32_t i = 0; i < state->deps_count; i++)
        if (state->deps[i].kind != COOK_DEP_PACKAGE)
            walk->deps[i] = cook_dep_hash(state->deps[i].kind,
                                          cook_state_text(state, state->deps[i].args),
                                          state->deps[i].value);
}

enum cook_status cook_run_evaluate_keys(struct cook_run *run, struct cook_error *error)
{
    const struct cook_state *state = run->state;
    struct walk walk = {
        .run = run,
        .deps = cook_calloc((size_t)state->deps_count + 1, sizeof(struct cook_hash)),
        .dep_done = cook_calloc((size_t)state->deps_count + 1, 1),
        .sets_done = cook_calloc((size_t)state->sets_count + 1, 1),
        .bundles_done = cook_calloc((size_t)state->bundles_count + 1, 1),
    };
    cook_free(run->keys);
    cook_free(run->set_hashes);
    run->key_count = state->bundles_count;
    run->set_count = state->sets_count;
    run->keys = cook_malloc(((size_t)run->key_count + 1) * sizeof(*run->keys));
    run->set_hashes = cook_malloc(((size_t)run->set_count + 1) * sizeof(*run->set_hashes));
    enum cook_status status = COOK_OK;
    if (!walk.deps || !walk.dep_done || !walk.sets_done || !walk.bundles_done || !run->keys ||
        !run->set_hashes)
        status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    if (status == COOK_OK) {
        hash_deps(&walk);
        for (uint32_t i = 0; i < run->key_count; i++)
            (void)bundle_key(&walk, i, 0);
    }
    cook_free(walk.deps);
    cook_free(walk.dep_done);
    cook_free(walk.sets_done);
    cook_free(walk.bundles_done);
    return status;
}
