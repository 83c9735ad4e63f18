/* Skip or cook, and why. */
#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/deps/value.h"
#include "cook/plan/run.h"

const char *cook_reason_text(enum cook_reason reason)
{
    switch (reason) {
    case COOK_REASON_SKIP:
        return "unchanged";
    case COOK_REASON_NEW:
        return "not cooked before";
    case COOK_REASON_KEY_CHANGED:
        return "key changed";
    case COOK_REASON_OPTED_OUT:
        return "opted-out class";
    case COOK_REASON_FAILED:
        return "failed last time";
    case COOK_REASON_FORCED:
        return "forced";
    case COOK_REASON_FULL:
        return "full cook";
    case COOK_REASON_BROKEN:
        return "broken source";
    case COOK_REASON_UNKNOWN:
        break;
    }
    return "unknown";
}

enum cook_reason cook_run_decide(const struct cook_run *run, uint32_t package)
{
    const struct cook_state_package *row = &run->state->packages[package];
    if (row->flags & (COOK_PACKAGE_SCAN_FAILED | COOK_PACKAGE_DUPLICATE))
        return COOK_REASON_BROKEN;
    if (row->flags & COOK_PACKAGE_FAILED)
        return COOK_REASON_FAILED;
    if (!(row->flags & COOK_PACKAGE_HAS_RESULT) || row->bundle >= run->key_count)
        return COOK_REASON_NEW;
    if (row->flags & COOK_PACKAGE_FORCED)
        return COOK_REASON_FORCED;
    if (!cook_hash_equal(row->key, run->keys[row->bundle]))
        return COOK_REASON_KEY_CHANGED;
    if (row->flags & COOK_PACKAGE_OPTED_OUT)
        return COOK_REASON_OPTED_OUT;
    return COOK_REASON_SKIP;
}

/* ---- what changed ---- */

static int compare_ids(const void *a, const void *b)
{
    const uint32_t *x = a;
    const uint32_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* All dependency ids of a bundle, ascending, each once; owned by the caller. */
static uint32_t *flatten(const struct cook_state *state, uint32_t bundle, size_t *count)
{
    size_t total = 0;
    const struct cook_state_bundle *b = &state->bundles[bundle];
    for (uint32_t i = 0; i < b->count; i++)
        total += state->sets[state->ids[b->first + i]].count;
    uint32_t *ids = cook_malloc((total + 1) * sizeof(*ids));
    *count = 0;
    if (!ids)
        return NULL;
    for (uint32_t i = 0; i < b->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[b->first + i]];
        for (uint32_t k = 0; k < set->count; k++)
            ids[(*count)++] = state->ids[set->first + k];
    }
    qsort(ids, *count, sizeof(*ids), compare_ids);
    size_t unique = 0;
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || ids[i] != ids[i - 1])
            ids[unique++] = ids[i];
    *count = unique;
    return ids;
}

const char *cook_dep_value_text(uint32_t kind, struct cook_hash value, const char *text,
                                struct cook_arena *arena)
{
    char hex[COOK_HASH_TEXT_SIZE];
    bool is_text = kind == COOK_DEP_CONFIG || kind == COOK_DEP_CVAR || kind == COOK_DEP_CMDLINE ||
                   kind == COOK_DEP_ENV;
    if (cook_hash_is_zero(value))
        return "absent";
    if (cook_dep_has_place(kind) && text)
        text = cook_value_alone(text, arena);
    if (text && *text)
        return cook_arena_strdup(arena, text);
    if (is_text)
        return "(empty)";
    cook_hash_to_text(value, hex);
    return cook_arena_strdup(arena, hex);
}

static int compare_changes(const void *a, const void *b)
{
    const struct cook_changed_dep *x = a;
    const struct cook_changed_dep *y = b;
    int order = strcmp(x->kind, y->kind);
    return order ? order : strcmp(x->args, y->args);
}

enum cook_status cook_run_changed_deps(struct cook_run *run, uint32_t package,
                                       struct cook_changed_dep **deps, size_t *count,
                                       struct cook_arena *arena, struct cook_error *error)
{
    const struct cook_state *state = run->state;
    size_t id_count;
    uint32_t *ids = flatten(state, state->packages[package].bundle, &id_count);
    *count = 0;
    *deps = cook_arena_alloc(arena, (id_count + 1) * sizeof(**deps));
    enum cook_status status = ids && *deps ? COOK_OK : COOK_E_NO_MEMORY;
    uint32_t cook = state->results[package].cook;
    for (size_t i = 0; status == COOK_OK && i < id_count; i++) {
        const struct cook_state_dep *dep = &state->deps[ids[i]];
        struct cook_hash old = { 0, 0 };
        char *old_text = NULL;
        status = cook_store_dep_value_at(run->store, &old, &old_text, ids[i], cook, arena, error);
        if (status == COOK_E_NOT_FOUND)
            status = COOK_OK; /* recorded later than that cook, or older than what is kept */
        if (status != COOK_OK || cook_hash_equal(old, dep->value))
            continue;
        (*deps)[(*count)++] = (struct cook_changed_dep){
            .kind = cook_dep_kind_text(dep->kind),
            .args = cook_arena_strdup(arena, cook_state_text(state, dep->args)),
            .old_text = cook_dep_value_text(dep->kind, old, old_text, arena),
            .new_text = cook_dep_value_text(dep->kind, dep->value,
                                            cook_state_text(state, dep->text), arena),
        };
    }
    qsort(*deps, *count, sizeof(**deps), compare_changes);
    cook_free(ids);
    return status;
}
