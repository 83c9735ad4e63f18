/* Which packages no kept cook reached, and since when. */
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/gc_private.h"

/* A result that may go when it is unreached. A failed package that is still there is tried again by each
 * cook that reaches it, and one of which nothing is saved is in no manifest: both are left alone. */
static bool may_go(const struct cook_state_package *row)
{
    uint32_t flags = row->flags;
    if (!(flags & COOK_PACKAGE_HAS_RESULT))
        return false;
    return !(flags & COOK_PACKAGE_PRESENT) || !(flags & (COOK_PACKAGE_FAILED | COOK_PACKAGE_OMITTED));
}

/* Note that a cook reached what its manifest lists: the newest cook of each package counts. */
static enum cook_status note_manifest(struct cook_gc *gc, const struct cook_store_cook *cook,
                                      bool newest, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_manifest_entry *entries;
    size_t count;
    enum cook_status status =
        cook_store_manifest(gc->store, &entries, &count, cook->id, &arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        uint32_t package = cook_state_find_package(&gc->store->state, entries[i].package);
        if (package == COOK_ID_NONE || gc->since_ns[package])
            continue;
        gc->since_ns[package] = newest ? INT64_MAX : cook->ended_ns;
    }
    cook_arena_finish(&arena);
    return status;
}

/* Cooks that are nearly equal have the same manifest: each is read once. */
static bool seen_before(const struct cook_gc *gc, size_t upto)
{
    for (size_t i = 0; i < upto; i++)
        if (cook_hash_equal(gc->cooks[i].manifest, gc->cooks[upto].manifest))
            return true;
    return false;
}

/* Marks of earlier collections, for packages that are in no kept manifest. */
static enum cook_status note_marks(struct cook_gc *gc, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    enum cook_status status = cook_store_query(&query, gc->store, COOK_QUERY_UNREACHED, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    while (status == COOK_OK && row) {
        uint32_t package = cook_sql_u32(query);
        int64_t since_ns = cook_sql_i64(query);
        if (package < gc->store->state.packages_count && !gc->since_ns[package])
            gc->since_ns[package] = since_ns;
        status = cook_sql_step(&row, query, error);
    }
    return status;
}

enum cook_status cook_gc_find_unreached(struct cook_gc *gc, struct cook_error *error)
{
    const struct cook_state *state = &gc->store->state;
    enum cook_status status = COOK_OK;
    bool newest = true;
    int64_t oldest_ns = 0;
    gc->drop = cook_calloc((size_t)state->packages_count + 1, sizeof(*gc->drop));
    gc->since_ns = cook_calloc((size_t)state->packages_count + 1, sizeof(*gc->since_ns));
    if (!gc->drop || !gc->since_ns)
        return cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < gc->cook_count; i++) {
        if (cook_hash_is_zero(gc->cooks[i].manifest))
            continue;
        oldest_ns = gc->cooks[i].started_ns;
        if (!seen_before(gc, i))
            status = note_manifest(gc, &gc->cooks[i], newest, error);
        newest = false;
    }
    if (status == COOK_OK)
        status = note_marks(gc, error);
    /* Without a finished cook nothing says what is reached. */
    for (uint32_t i = 0; status == COOK_OK && i < state->packages_count; i++) {
        if (newest || gc->since_ns[i] == INT64_MAX || !may_go(&state->packages[i])) {
            gc->since_ns[i] = 0;
            continue;
        }
        if (!gc->since_ns[i])
            gc->since_ns[i] = oldest_ns; /* it was reached before that cook, if ever */
        gc->drop[i] = gc->options->now_ns - gc->since_ns[i] > gc->options->keep_ns;
        gc->result->waiting += !gc->drop[i];
        gc->result->package_count += gc->drop[i];
    }
    return status;
}
