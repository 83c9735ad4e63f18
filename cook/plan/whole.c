/*
 * A dependency on a whole package has that package's key for its value, which may hang on further
 * packages. The strongly connected components of that graph are found by Tarjan's algorithm (Depth-
 * First Search and Linear Graph Algorithms, 1972), which closes a component after those it leads to;
 * with a stack of our own, as a chain may be as long as there are packages.
 */
#include "cook/plan/whole.h"

#include "cook/deps/dep.h"

struct frame {
    uint32_t package;
    uint32_t set; /* the next dependency to look at: set of the bundle, dependency of the set */
    uint32_t dep;
};

struct whole {
    struct cook_run *run;
    struct cook_hash *deps;
    /* by package */
    uint32_t *order; /* of discovery, from 1; 0: not met */
    uint32_t *low;
    uint32_t *component; /* from 1; 0 while it is open */
    struct cook_hash *values;
    struct frame *frames;
    size_t frame_count, frame_capacity;
    uint32_t *open;
    size_t open_count, open_capacity;
    uint32_t met, components;
};

/* The package that a dependency speaks of, where it has a key; else COOK_ID_NONE. */
static uint32_t target_of(const struct cook_state *state, uint32_t dep)
{
    uint32_t target = state->deps[dep].target;
    bool cooked = target != COOK_ID_NONE && state->packages[target].bundle != COOK_ID_NONE;
    return cooked ? target : COOK_ID_NONE;
}

static const struct cook_state_set *set_of(const struct cook_state *state, uint32_t package,
                                           uint32_t number)
{
    const struct cook_state_bundle *bundle = &state->bundles[state->packages[package].bundle];
    return number < bundle->count ? &state->sets[state->ids[bundle->first + number]] : NULL;
}

/* ---- the search ---- */

static bool open_package(struct whole *whole, uint32_t package)
{
    if (!cook_grow(&whole->frames, &whole->frame_capacity, whole->frame_count + 1,
                   sizeof(*whole->frames)) ||
        !cook_grow(&whole->open, &whole->open_capacity, whole->open_count + 1,
                   sizeof(*whole->open)))
        return false;
    whole->frames[whole->frame_count++] = (struct frame){ package, 0, 0 };
    whole->open[whole->open_count++] = package;
    whole->order[package] = whole->low[package] = ++whole->met;
    return true;
}

/* The next package that the frame's package depends on whole. */
static bool next_target(const struct whole *whole, struct frame *frame, uint32_t *target)
{
    const struct cook_state *state = whole->run->state;
    const struct cook_state_set *set;
    while ((set = set_of(state, frame->package, frame->set)) != NULL) {
        while (frame->dep < set->count) {
            uint32_t dep = state->ids[set->first + frame->dep++];
            if (state->deps[dep].kind == COOK_DEP_PACKAGE &&
                (*target = target_of(state, dep)) != COOK_ID_NONE)
                return true;
        }
        frame->set++;
        frame->dep = 0;
    }
    return false;
}

static struct cook_hash package_dep_hash(const struct whole *whole, uint32_t dep)
{
    const struct cook_state *state = whole->run->state;
    uint32_t target = target_of(state, dep);
    struct cook_hash absent = { 0, 0 };
    return cook_dep_hash(COOK_DEP_PACKAGE, cook_state_text(state, state->deps[dep].args),
                         target == COOK_ID_NONE ? absent : whole->values[target]);
}

/* The key of a package, but for what it depends on within its component (`*inner` then). */
static struct cook_hash outer_key(const struct whole *whole, uint32_t package, bool *inner)
{
    const struct cook_state *state = whole->run->state;
    const struct cook_state_set *set;
    struct cook_hash sum = { 0, 0 };
    for (uint32_t i = 0; (set = set_of(state, package, i)) != NULL; i++) {
        struct cook_hash set_sum = { 0, 0 };
        for (uint32_t k = 0; k < set->count; k++) {
            uint32_t dep = state->ids[set->first + k];
            bool whole_package = state->deps[dep].kind == COOK_DEP_PACKAGE;
            uint32_t target = whole_package ? target_of(state, dep) : COOK_ID_NONE;
            if (target != COOK_ID_NONE && whole->component[target] == whole->component[package])
                *inner = true;
            else
                set_sum = cook_key_sum(set_sum, whole_package ? package_dep_hash(whole, dep)
                                                              : whole->deps[dep]);
        }
        sum = cook_key_sum(sum, cook_key_finish(set_sum));
    }
    return cook_key_finish(sum);
}

static struct cook_hash named(const struct whole *whole, uint32_t package, struct cook_hash value)
{
    const struct cook_state *state = whole->run->state;
    return cook_dep_hash(COOK_DEP_PACKAGE, cook_state_text(state, state->packages[package].name),
                         value);
}

/* All packages from `first` on in the open ones are one component. */
static void close_component(struct whole *whole, uint32_t first)
{
    size_t start = whole->open_count;
    bool ring = false;
    struct cook_hash sum = { 0, 0 };
    whole->components++;
    do
        whole->component[whole->open[--start]] = whole->components;
    while (whole->open[start] != first);
    for (size_t i = start; i < whole->open_count; i++) {
        uint32_t package = whole->open[i];
        whole->values[package] = outer_key(whole, package, &ring);
        sum = cook_key_sum(sum, named(whole, package, whole->values[package]));
    }
    for (size_t i = start; ring && i < whole->open_count; i++)
        whole->values[whole->open[i]] = named(whole, whole->open[i], cook_key_finish(sum));
    whole->open_count = start;
}

static void lower(struct whole *whole, uint32_t package, uint32_t to)
{
    if (to < whole->low[package])
        whole->low[package] = to;
}

static bool search(struct whole *whole, uint32_t root)
{
    bool ok = open_package(whole, root);
    while (ok && whole->frame_count) {
        struct frame *frame = &whole->frames[whole->frame_count - 1];
        uint32_t package = frame->package;
        uint32_t target;
        if (next_target(whole, frame, &target)) {
            if (!whole->order[target])
                ok = open_package(whole, target);
            else if (!whole->component[target])
                lower(whole, package, whole->order[target]);
            continue;
        }
        whole->frame_count--;
        if (whole->low[package] == whole->order[package])
            close_component(whole, package);
        if (whole->frame_count)
            lower(whole, whole->frames[whole->frame_count - 1].package, whole->low[package]);
    }
    return ok;
}

/* ---- evaluation ---- */

/* A package that did not exist when the dependency was recorded may exist now. */
static void find_target(struct cook_state *state, uint32_t dep)
{
    if (state->deps[dep].target != COOK_ID_NONE)
        return;
    uint32_t target =
        cook_state_find_package(state, cook_state_text(state, state->deps[dep].args));
    if (target == COOK_ID_NONE)
        return;
    cook_state_touch(state, COOK_TABLE_deps, dep);
    state->deps[dep].target = target;
}

static void take_value(const struct whole *whole, uint32_t dep)
{
    struct cook_state *state = whole->run->state;
    uint32_t target = target_of(state, dep);
    struct cook_hash value = { 0, 0 };
    if (target != COOK_ID_NONE)
        value = whole->values[target];
    whole->deps[dep] = package_dep_hash(whole, dep);
    if (cook_hash_equal(value, state->deps[dep].value))
        return;
    cook_state_touch(state, COOK_TABLE_deps, dep);
    state->deps[dep].value = value;
    whole->run->index_stale = true;
    if (whole->run->dep_changed && dep < whole->run->dep_count)
        whole->run->dep_changed[dep] = 1;
}

static bool evaluate(struct whole *whole, uint32_t first)
{
    struct cook_state *state = whole->run->state;
    size_t count = (size_t)state->packages_count + 1;
    whole->order = cook_calloc(count, sizeof(*whole->order));
    whole->low = cook_calloc(count, sizeof(*whole->low));
    whole->component = cook_calloc(count, sizeof(*whole->component));
    whole->values = cook_calloc(count, sizeof(*whole->values));
    bool ok = whole->order && whole->low && whole->component && whole->values;
    for (uint32_t i = first; ok && i < state->deps_count; i++)
        if (state->deps[i].kind == COOK_DEP_PACKAGE)
            find_target(state, i);
    for (uint32_t i = first; ok && i < state->deps_count; i++) {
        uint32_t target =
            state->deps[i].kind == COOK_DEP_PACKAGE ? target_of(state, i) : COOK_ID_NONE;
        if (target != COOK_ID_NONE && !whole->order[target])
            ok = search(whole, target);
    }
    for (uint32_t i = first; ok && i < state->deps_count; i++)
        if (state->deps[i].kind == COOK_DEP_PACKAGE)
            take_value(whole, i);
    return ok;
}

enum cook_status cook_whole_evaluate(struct cook_run *run, struct cook_hash *deps,
                                     struct cook_error *error)
{
    struct whole whole = { .run = run, .deps = deps };
    uint32_t first = 0;
    while (first < run->state->deps_count && run->state->deps[first].kind != COOK_DEP_PACKAGE)
        first++;
    bool ok = first == run->state->deps_count || evaluate(&whole, first);
    cook_free(whole.order);
    cook_free(whole.low);
    cook_free(whole.component);
    cook_free(whole.values);
    cook_free(whole.frames);
    cook_free(whole.open);
    return ok ? COOK_OK : cook_error_no_memory(error);
}
