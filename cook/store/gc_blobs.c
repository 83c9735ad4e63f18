/* Blobs that nothing names, and segments that are mostly holes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/store/details.h"
#include "cook/store/gc_private.h"
#include "cook/store/outputs.h"

/* A segment of which less than half is live is copied and deleted: what it holds is read once for at most
 * as many bytes as are freed. */
#define LIVE_SHARE 2

/* ---- live blobs ---- */

static enum cook_status add_live(void *user, struct cook_hash hash, struct cook_error *error)
{
    struct cook_gc *gc = user;
    if (cook_hash_is_zero(hash))
        return COOK_OK;
    if (!cook_grow(&gc->live, &gc->live_capacity, gc->live_count + 1, sizeof(*gc->live)))
        return cook_error_no_memory(error);
    gc->live[gc->live_count++] = hash;
    return COOK_OK;
}

static enum cook_status add_result(struct cook_gc *gc, uint32_t package, struct cook_error *error)
{
    const struct cook_state_result *result = &gc->store->state.results[package];
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_details details;
    enum cook_status status = cook_details_of(&details, &gc->store->state, package, &arena);
    if (status != COOK_OK) {
        cook_arena_finish(&arena);
        return cook_error_set(error, COOK_E_DAMAGED,
                              "the details of a result are malformed; run: cook store verify");
    }
    status = add_live(gc, result->bytes, error);
    if (status == COOK_OK)
        status = add_live(gc, result->tokens, error);
    if (status == COOK_OK)
        status = add_live(gc, details.parts, error);
    for (size_t i = 0; status == COOK_OK && i < details.file_count; i++)
        status = add_live(gc, details.files[i].hash, error);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status add_outputs(struct cook_gc *gc, struct cook_hash hash,
                                    struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_outputs outputs;
    enum cook_status status = cook_store_outputs(gc->store, &outputs, hash, &arena, error);
    if (status == COOK_OK)
        status = add_live(gc, hash, error);
    for (size_t i = 0; status == COOK_OK && i < COOK_OUTPUT_GROUPS; i++)
        status = add_live(gc, outputs.index[i], error);
    for (size_t i = 0; status == COOK_OK && i < outputs.artifact_count; i++) {
        status = add_live(gc, outputs.artifacts[i].state, error);
        for (size_t k = 0; status == COOK_OK && k < outputs.artifacts[i].file_count; k++)
            status = add_live(gc, outputs.artifacts[i].files[k].hash, error);
    }
    cook_arena_finish(&arena);
    return status;
}

/* All that a kept cook names; whoever gives cooks another blob adds it here. */
static enum cook_status add_cook(struct cook_gc *gc, const struct cook_store_cook *cook,
                                 struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    if (!cook_hash_is_zero(cook->manifest))
        status = cook_store_manifest_blobs(gc->store, cook->manifest, add_live, gc, error);
    if (status == COOK_OK && !cook_hash_is_zero(cook->outputs))
        status = add_outputs(gc, cook->outputs, error);
    if (status == COOK_OK)
        status = add_live(gc, cook->explanation, error);
    if (status != COOK_OK)
        cook_error_prefix(error, "cook %u", cook->id);
    return status;
}

/* What manifests name beside what is kept now: the bytes of packages as they were. */
static enum cook_status add_past_results(struct cook_gc *gc, const struct cook_store_cook *cook,
                                         struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_manifest_entry *entries;
    size_t count;
    if (cook_hash_is_zero(cook->manifest))
        return COOK_OK;
    enum cook_status status =
        cook_store_manifest(gc->store, &entries, &count, cook->id, &arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        status = add_live(gc, entries[i].bytes, error);
        if (status == COOK_OK)
            status = add_live(gc, entries[i].tokens, error);
    }
    cook_arena_finish(&arena);
    return status;
}

static int compare_hashes(const void *a, const void *b)
{
    return cook_hash_compare(*(const struct cook_hash *)a, *(const struct cook_hash *)b);
}

static void sort_live(struct cook_gc *gc)
{
    size_t kept = 0;
    if (gc->live_count)
        qsort(gc->live, gc->live_count, sizeof(*gc->live), compare_hashes);
    for (size_t i = 0; i < gc->live_count; i++)
        if (i == 0 || !cook_hash_equal(gc->live[i], gc->live[kept - 1]))
            gc->live[kept++] = gc->live[i];
    gc->live_count = kept;
}

static enum cook_status list_dead(struct cook_gc *gc, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    enum cook_status status = cook_store_query(&query, gc->store, COOK_QUERY_BLOBS, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    while (status == COOK_OK && row) {
        struct cook_hash hash = cook_sql_hash(query);
        if (!gc->live_count ||
            !bsearch(&hash, gc->live, gc->live_count, sizeof(hash), compare_hashes)) {
            if (!cook_grow(&gc->dead, &gc->dead_capacity, gc->dead_count + 1, sizeof(*gc->dead))) {
                cook_sql_reset(query);
                return cook_error_no_memory(error);
            }
            gc->dead[gc->dead_count++] = hash;
            (void)cook_sql_u32(query);
            (void)cook_sql_i64(query);
            (void)cook_sql_i64(query);
            gc->result->blob_bytes += (uint64_t)cook_sql_i64(query);
        }
        status = cook_sql_step(&row, query, error);
    }
    gc->result->blobs = gc->dead_count;
    return status;
}

static bool seen_manifest(const struct cook_gc *gc, size_t upto)
{
    for (size_t i = 0; i < upto; i++)
        if (cook_hash_equal(gc->cooks[i].manifest, gc->cooks[upto].manifest))
            return true;
    return false;
}

enum cook_status cook_gc_find_blobs(struct cook_gc *gc, struct cook_error *error)
{
    const struct cook_state *state = &gc->store->state;
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < state->packages_count; i++)
        if ((state->packages[i].flags & COOK_PACKAGE_HAS_RESULT) && !gc->drop[i])
            status = add_result(gc, i, error);
    for (size_t i = 0; status == COOK_OK && i < gc->cook_count; i++) {
        status = add_cook(gc, &gc->cooks[i], error);
        if (status == COOK_OK && !seen_manifest(gc, i))
            status = add_past_results(gc, &gc->cooks[i], error);
        if (gc->live_count > (1u << 20))
            sort_live(gc); /* cooks share nearly all */
    }
    sort_live(gc);
    return status == COOK_OK ? list_dead(gc, error) : status;
}

/* ---- segments ---- */

struct segment {
    uint32_t number;
    uint64_t bytes, live_bytes;
};

/* Segments to be emptied, in `*list`. */
static enum cook_status list_sparse(struct segment **list, size_t *count, struct cook_gc *gc,
                                    struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    size_t capacity = 0;
    *list = NULL;
    *count = 0;
    enum cook_status status = cook_store_query(&query, gc->store, COOK_QUERY_GC_SEGMENTS, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    while (status == COOK_OK && row) {
        struct segment segment = { .number = cook_sql_u32(query) };
        segment.bytes = (uint64_t)cook_sql_i64(query);
        segment.live_bytes = (uint64_t)cook_sql_i64(query);
        if (segment.live_bytes * LIVE_SHARE < segment.bytes) {
            if (!cook_grow(list, &capacity, *count + 1, sizeof(**list))) {
                cook_sql_reset(query);
                return cook_error_no_memory(error);
            }
            (*list)[(*count)++] = segment;
        }
        status = cook_sql_step(&row, query, error);
    }
    return status;
}

static enum cook_status move_segment(struct cook_gc *gc, uint32_t number, struct cook_error *error)
{
    struct cook_sql_query *query;
    struct cook_hash *hashes = NULL;
    size_t count = 0, capacity = 0;
    bool row = false;
    enum cook_status status = cook_store_query(&query, gc->store, COOK_QUERY_GC_BLOBS_OF, error);
    if (status == COOK_OK) {
        cook_sql_bind_i64(query, number);
        status = cook_sql_step(&row, query, error);
    }
    while (status == COOK_OK && row) {
        if (!cook_grow(&hashes, &capacity, count + 1, sizeof(*hashes))) {
            cook_sql_reset(query);
            status = cook_error_no_memory(error);
            break;
        }
        hashes[count++] = cook_sql_hash(query);
        status = cook_sql_step(&row, query, error);
    }
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = cook_store_move_blob(gc->store, hashes[i], error);
    cook_free(hashes);
    return status;
}

enum cook_status cook_gc_move_blobs(struct cook_gc *gc, struct cook_error *error)
{
    struct segment *list;
    size_t count;
    enum cook_status status = list_sparse(&list, &count, gc, error);
    if (status == COOK_OK && count)
        status = cook_store_open_segments(gc->store, error);
    if (status == COOK_OK && count)
        cook_segments_rotate(gc->store->segments); /* the last one may be among them */
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = move_segment(gc, list[i].number, error);
    if (status == COOK_OK && count)
        status = cook_store_commit(gc->store, error);
    /* Emptied: forget them. A cook killed here leaves files that the next collection deletes. */
    if (status == COOK_OK)
        status = cook_sql_begin(gc->store->sql, true, error);
    if (status == COOK_OK) {
        status = cook_sql_exec(gc->store->sql,
                               "DELETE FROM segments WHERE id NOT IN (SELECT segment FROM blobs) "
                               "AND id < (SELECT max(id) FROM segments)", error);
        if (status == COOK_OK)
            status = cook_sql_commit(gc->store->sql, error);
        else
            cook_sql_rollback(gc->store->sql);
    }
    cook_free(list);
    return status;
}

static enum cook_status list_named(uint32_t **numbers, size_t *count, struct cook_gc *gc,
                                   struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    size_t capacity = 0;
    *numbers = NULL;
    *count = 0;
    enum cook_status status = cook_store_query(&query, gc->store, COOK_QUERY_GC_SEGMENT_IDS, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    while (status == COOK_OK && row) {
        if (!cook_grow(numbers, &capacity, *count + 1, sizeof(**numbers))) {
            cook_sql_reset(query);
            return cook_error_no_memory(error);
        }
        (*numbers)[(*count)++] = cook_sql_u32(query);
        status = cook_sql_step(&row, query, error);
    }
    return status;
}

/* Delete segment files that no row names. Those above the last are a writer's own affair. */
enum cook_status cook_gc_delete_files(struct cook_gc *gc, struct cook_error *error)
{
    uint32_t *numbers;
    size_t count;
    enum cook_status status = list_named(&numbers, &count, gc, error);
    uint32_t last = count ? numbers[count - 1] : 0;
    size_t at = 0;
    for (uint32_t number = 1; status == COOK_OK && number < last; number++) {
        char name[COOK_SEGMENT_NAME_BYTES];
        struct stat stat;
        if (numbers[at] == number) {
            at++;
            continue;
        }
        cook_segments_name(name, number);
        if (fstatat(gc->store->folder_fd, name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (unlinkat(gc->store->folder_fd, name, 0) != 0)
            status = cook_error_set_errno(error, "cannot delete '%s'", name);
        gc->result->segments++;
    }
    cook_free(numbers);
    return status;
}
