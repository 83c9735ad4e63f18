/* Rows that nothing names: dependencies, sets and bundles get new ids without holes. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/deps/dep.h"
#include "cook/store/gc_private.h"
#include "cook/store/state_private.h"

/* ---- maps ---- */

static uint32_t *make_map(uint32_t count)
{
    uint32_t *map = cook_malloc(((size_t)count + 1) * sizeof(*map));
    for (uint32_t i = 0; map && i < count; i++)
        map[i] = COOK_ID_NONE;
    return map;
}

/* Marked rows get ids in their old order; the number of them. */
static uint32_t number_rows(uint32_t *map, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        if (map[i] != COOK_ID_NONE)
            map[i] = next++;
    return next;
}

static void mark_members(uint32_t *map, const struct cook_state *state, uint32_t first,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        map[state->ids[first + i]] = 0;
}

enum cook_status cook_gc_map_rows(struct cook_gc *gc, struct cook_error *error)
{
    const struct cook_state *state = &gc->store->state;
    struct cook_gc_maps *maps = &gc->maps;
    maps->deps = make_map(state->deps_count);
    maps->sets = make_map(state->sets_count);
    maps->bundles = make_map(state->bundles_count);
    if (!maps->deps || !maps->sets || !maps->bundles)
        return cook_error_no_memory(error);
    for (uint32_t i = 0; i < state->packages_count; i++)
        if (!gc->drop[i] && state->packages[i].bundle < state->bundles_count)
            maps->bundles[state->packages[i].bundle] = 0;
    for (uint32_t i = 0; i < state->bundles_count; i++)
        if (maps->bundles[i] != COOK_ID_NONE)
            mark_members(maps->sets, state, state->bundles[i].first, state->bundles[i].count);
    for (uint32_t i = 0; i < state->sets_count; i++)
        if (maps->sets[i] != COOK_ID_NONE)
            mark_members(maps->deps, state, state->sets[i].first, state->sets[i].count);
    /* What decides about packages in general stands in no set. */
    for (uint32_t i = 0; i < state->deps_count; i++)
        if (state->deps[i].kind == COOK_DEP_POLICY)
            maps->deps[i] = 0;
    maps->dep_count = number_rows(maps->deps, state->deps_count);
    maps->set_count = number_rows(maps->sets, state->sets_count);
    maps->bundle_count = number_rows(maps->bundles, state->bundles_count);
    gc->result->deps = state->deps_count - maps->dep_count;
    gc->result->sets = state->sets_count - maps->set_count;
    gc->result->bundles = state->bundles_count - maps->bundle_count;
    return COOK_OK;
}

/* ---- the state ---- */

/* Members of a row that stays, with their new ids, which ascend as the old ones did. */
static void move_members(uint32_t *ids, uint32_t *next, uint32_t *first, uint32_t count,
                         const struct cook_state *state, const uint32_t *map)
{
    uint32_t from = *first;
    *first = *next;
    for (uint32_t i = 0; i < count; i++)
        ids[(*next)++] = map[state->ids[from + i]];
}

static bool move_rows(struct cook_state *state, const struct cook_gc_maps *maps)
{
    uint32_t *ids = cook_malloc(((size_t)state->ids_count + 1) * sizeof(*ids));
    uint32_t next = 0;
    if (!ids)
        return false;
    for (uint32_t i = 0; i < state->sets_count; i++) {
        struct cook_state_set row = state->sets[i];
        if (maps->sets[i] == COOK_ID_NONE)
            continue;
        move_members(ids, &next, &row.first, row.count, state, maps->deps);
        state->sets[maps->sets[i]] = row;
    }
    for (uint32_t i = 0; i < state->bundles_count; i++) {
        struct cook_state_bundle row = state->bundles[i];
        if (maps->bundles[i] == COOK_ID_NONE)
            continue;
        move_members(ids, &next, &row.first, row.count, state, maps->sets);
        state->bundles[maps->bundles[i]] = row;
    }
    for (uint32_t i = 0; i < state->deps_count; i++)
        if (maps->deps[i] != COOK_ID_NONE)
            state->deps[maps->deps[i]] = state->deps[i];
    memcpy(state->ids, ids, (size_t)next * sizeof(*ids));
    state->ids_count = next;
    cook_free(ids);
    return true;
}

/* Files that were read as dependencies, and are not any more, need not be looked at by each cook. */
static void untrack_files(struct cook_state *state)
{
    uint8_t *wanted = cook_calloc((size_t)state->files_count + 1, 1);
    if (!wanted)
        return; /* they are looked at for nothing, as before */
    for (uint32_t i = 0; i < state->deps_count; i++)
        if ((state->deps[i].kind == COOK_DEP_FILE) && state->deps[i].target < state->files_count)
            wanted[state->deps[i].target] = 1;
    for (uint32_t i = 0; i < state->packages_count; i++)
        if (state->packages[i].side_file < state->files_count)
            wanted[state->packages[i].side_file] = 1;
    for (uint32_t i = 0; i < state->files_count; i++)
        if ((state->files[i].flags & COOK_FILE_TRACKED) && state->files[i].package == COOK_ID_NONE &&
            !wanted[i]) {
            cook_state_touch(state, COOK_TABLE_files, i);
            state->files[i].flags &= ~(uint32_t)COOK_FILE_TRACKED;
        }
    cook_free(wanted);
}

static enum cook_status drop_result(struct cook_gc *gc, uint32_t package, struct cook_error *error)
{
    struct cook_state *state = &gc->store->state;
    enum cook_status status =
        cook_store_append_op(gc->store, package, COOK_OP_COLLECTED, error);
    if (status != COOK_OK)
        return status;
    struct cook_state_package *row = &state->packages[package];
    struct cook_state_result *result = &state->results[package];
    row->flags &= ~(uint32_t)(COOK_PACKAGE_HAS_RESULT | COOK_PACKAGE_FAILED | COOK_PACKAGE_FORCED |
                              COOK_PACKAGE_HAS_MESSAGES | COOK_PACKAGE_OMITTED);
    row->bundle = COOK_ID_NONE;
    row->edges = 0;
    row->key = (struct cook_hash){ 0, 0 };
    result->bytes = result->tokens = row->key;
    result->size_bytes = 0;
    result->messages = result->details = 0;
    result->duration_us = 0;
    return COOK_OK;
}

enum cook_status cook_gc_take_out(struct cook_gc *gc, struct cook_error *error)
{
    struct cook_state *state = &gc->store->state;
    enum cook_status status = cook_state_thaw(state, error);
    for (uint32_t i = 0; status == COOK_OK && i < state->packages_count; i++)
        if (gc->drop[i])
            status = drop_result(gc, i, error);
    if (status != COOK_OK)
        return status;
    if (!move_rows(state, &gc->maps))
        return cook_error_no_memory(error);
    for (uint32_t i = 0; i < state->packages_count; i++) {
        uint32_t bundle = state->packages[i].bundle;
        if (bundle == COOK_ID_NONE || gc->maps.bundles[bundle] == bundle)
            continue;
        cook_state_touch(state, COOK_TABLE_packages, i);
        state->packages[i].bundle = gc->maps.bundles[bundle];
    }
    state->deps_count = gc->maps.dep_count;
    state->sets_count = gc->maps.set_count;
    state->bundles_count = gc->maps.bundle_count;
    cook_state_lookup_finish(state->lookup); /* it knows rows by their old ids */
    state->lookup = NULL;
    for (uint32_t i = 0; i < state->sets_count; i++)
        cook_state_touch(state, COOK_TABLE_sets, i);
    for (uint32_t i = 0; i < state->bundles_count; i++)
        cook_state_touch(state, COOK_TABLE_bundles, i);
    untrack_files(state);
    return state->failed == COOK_OK ? COOK_OK : cook_error_no_memory(error);
}

/* ---- the database ---- */

static enum cook_status run_pair(struct cook_gc *gc, enum cook_store_query number, int64_t first,
                                 int64_t second, struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_store_query(&query, gc->store, number, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, first);
    cook_sql_bind_i64(query, second);
    return cook_sql_run(query, error);
}

static enum cook_status run_one(struct cook_gc *gc, enum cook_store_query number, int64_t value,
                                struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_store_query(&query, gc->store, number, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, value);
    return cook_sql_run(query, error);
}

/* Ascending, so that a row moves to an id that is free by then. Values of the past move along. */
static enum cook_status move_deps(struct cook_gc *gc, struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < gc->store->saved_deps; i++) {
        uint32_t to = gc->maps.deps[i];
        if (to == COOK_ID_NONE) {
            status = run_one(gc, COOK_QUERY_GC_DROP_DEP, i, error);
            if (status == COOK_OK)
                status = run_one(gc, COOK_QUERY_GC_DROP_DEP_VALUES, i, error);
        } else if (to != i) {
            status = run_pair(gc, COOK_QUERY_GC_MOVE_DEP, i, to, error);
            if (status == COOK_OK)
                status = run_pair(gc, COOK_QUERY_GC_MOVE_DEP_VALUES, i, to, error);
        }
    }
    return status;
}

static enum cook_status save_marks(struct cook_gc *gc, struct cook_error *error)
{
    enum cook_status status = cook_sql_exec(gc->store->sql, "DELETE FROM unreached", error);
    for (uint32_t i = 0; status == COOK_OK && i < gc->store->state.packages_count; i++)
        if (gc->since_ns[i] && !gc->drop[i])
            status = run_pair(gc, COOK_QUERY_GC_PUT_MARK, i, gc->since_ns[i], error);
    return status;
}

enum cook_status cook_gc_save(struct cook_gc *gc, struct cook_error *error)
{
    /* Records of the oplog keep what happened; which rows it happened with is of no use any more. */
    enum cook_status status = cook_sql_exec(gc->store->sql,
                                            "DELETE FROM sets; DELETE FROM bundles;"
                                            "UPDATE ops SET bundle = NULL WHERE bundle NOT NULL",
                                            error);
    if (status == COOK_OK)
        status = move_deps(gc, error);
    if (status == COOK_OK)
        status = save_marks(gc, error);
    for (size_t i = 0; status == COOK_OK && i < gc->dead_count; i++) {
        struct cook_sql_query *query;
        status = cook_store_query(&query, gc->store, COOK_QUERY_DROP_BLOB, error);
        if (status == COOK_OK) {
            cook_sql_bind_hash(query, gc->dead[i]);
            status = cook_sql_run(query, error);
        }
    }
    if (status == COOK_OK)
        gc->store->saved_deps = gc->maps.dep_count;
    return status;
}
