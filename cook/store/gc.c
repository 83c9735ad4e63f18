#include "cook/store/gc.h"

#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/gc_private.h"

#define COOKS 100000

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum cook_status name_packages(struct cook_gc *gc, struct cook_error *error)
{
    const struct cook_state *state = &gc->store->state;
    struct cook_store_gc_result *result = gc->result;
    size_t count = 0;
    result->packages =
        cook_arena_alloc(gc->arena, (result->package_count + 1) * sizeof(*result->packages));
    for (uint32_t i = 0; result->packages && i < state->packages_count; i++) {
        if (!gc->drop[i])
            continue;
        const char *name = cook_state_text(state, state->packages[i].name);
        result->packages[count] = cook_arena_strdup(gc->arena, name);
        if (!result->packages[count++])
            return cook_error_no_memory(error);
    }
    if (!result->packages)
        return cook_error_no_memory(error);
    if (count)
        qsort(result->packages, count, sizeof(*result->packages), compare_names);
    return COOK_OK;
}

static enum cook_status find(struct cook_gc *gc, struct cook_error *error)
{
    enum cook_status status =
        cook_store_cooks(gc->store, &gc->cooks, &gc->cook_count, COOKS, gc->arena, error);
    if (status == COOK_OK)
        status = cook_gc_find_unreached(gc, error);
    if (status == COOK_OK)
        status = name_packages(gc, error);
    if (status == COOK_OK)
        status = cook_gc_map_rows(gc, error);
    return status == COOK_OK ? cook_gc_find_blobs(gc, error) : status;
}

/* By how much all segments became smaller is what people want to know. */
static enum cook_status segment_bytes(uint64_t *bytes, struct cook_gc *gc, struct cook_error *error)
{
    struct cook_store_stats stats;
    enum cook_status status = cook_store_stats(gc->store, &stats, error);
    *bytes = status == COOK_OK ? stats.segment_bytes : 0;
    return status;
}

static enum cook_status collect(struct cook_gc *gc, struct cook_error *error)
{
    uint64_t before, after;
    enum cook_status status = segment_bytes(&before, gc, error);
    if (status == COOK_OK)
        status = cook_gc_take_out(gc, error);
    if (status == COOK_OK) {
        gc->store->gc = gc;
        status = cook_store_commit(gc->store, error);
        gc->store->gc = NULL;
    }
    if (status == COOK_OK)
        status = cook_gc_move_blobs(gc, error);
    if (status == COOK_OK)
        status = cook_gc_delete_files(gc, error);
    if (status == COOK_OK)
        status = cook_sql_exec(gc->store->sql, "VACUUM", error);
    if (status == COOK_OK)
        status = segment_bytes(&after, gc, error);
    if (status == COOK_OK && after < before)
        gc->result->freed_bytes = before - after;
    gc->store->pool_base = 0; /* have the index written compact */
    return status == COOK_OK ? cook_store_write_index(gc->store, error) : status;
}

enum cook_status cook_store_gc(struct cook_store *store, struct cook_store_gc_result *result,
                               const struct cook_store_gc_options *options,
                               struct cook_arena *arena, struct cook_error *error)
{
    struct cook_gc gc = { .store = store, .result = result, .options = options, .arena = arena };
    *result = (struct cook_store_gc_result){ 0 };
    enum cook_status status = COOK_OK;
    if (!options->dry_run)
        status = cook_store_check_writable(store, error);
    if (status == COOK_OK)
        status = find(&gc, error);
    if (status == COOK_OK && !options->dry_run)
        status = collect(&gc, error);
    if (status == COOK_E_NOT_FOUND) /* a kept cook names what is not there */
        status = cook_error_set(error, COOK_E_DAMAGED, "%s",
                                error && *error->message ? error->message : "a blob is missing");
    cook_free(gc.drop);
    cook_free(gc.since_ns);
    cook_free(gc.maps.deps);
    cook_free(gc.maps.sets);
    cook_free(gc.maps.bundles);
    cook_free(gc.live);
    cook_free(gc.dead);
    return status;
}
