/*
 * Commits. The order is what keeps the store whole: blobs reach the disk, then one transaction
 * names them beside the rows, then the index is replaced; each step can be the last one.
 *
 * A commit that names results waits for the disk (synchronous=FULL), as hours of cooking may
 * hang on it. One that only says that a cook began or found nothing to do does not: losing that
 * record with the power loses nothing, and waiting would cost a null cook more than its work.
 */
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "cook/base/alloc.h"
#include "cook/store/gc_private.h"
#include "cook/store/state_private.h"
#include "cook/store/store_private.h"

#define POOL_SLACK_BYTES (1u << 20)

enum cook_status cook_store_append_op(struct cook_store *store, uint32_t package,
                                      enum cook_op op, struct cook_error *error)
{
    enum cook_status status = cook_store_check_writable(store, error);
    if (status == COOK_OK)
        status = cook_state_thaw(&store->state, error);
    if (status != COOK_OK)
        return status;
    if (package >= store->state.packages_count)
        return cook_error_set(error, COOK_E_INVALID, "package row %u does not exist", package);
    if (!store->next_sequence) {
        uint32_t last;
        status = cook_store_query_u32(&last, store, COOK_QUERY_LAST_SEQUENCE, error);
        if (status != COOK_OK)
            return status;
        if (last >= COOK_STATE_MAX_ROWS)
            return cook_error_set(error, COOK_E_LIMIT, "the oplog is full; %s", store->advice);
        store->next_sequence = last + 1;
    }
    if (!cook_grow(&store->ops, &store->op_capacity, store->op_count + 1, sizeof(*store->ops)))
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the oplog");
    struct cook_state_result *result = &store->state.results[package];
    result->sequence = store->next_sequence++;
    cook_state_touch(&store->state, COOK_TABLE_packages, package);
    store->ops[store->op_count++] = (struct cook_pending_op){
        .cook = store->cook ? store->cook : result->cook,
        .package = package,
        .op = op,
        .row = store->state.packages[package],
        .result = *result,
    };
    return COOK_OK;
}

/* Rows changed: whoever has an index of the old ones must see that it is old. */
static enum cook_status save_stamp(struct cook_store *store, struct cook_index_stamp *stamp,
                                   struct cook_error *error)
{
    struct cook_sql_query *query;
    uint64_t token;
    struct timespec now;
    if (getrandom(&token, sizeof(token), GRND_NONBLOCK) != (ssize_t)sizeof(token)) {
        clock_gettime(CLOCK_REALTIME, &now);
        token = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    }
    stamp->generation = store->stamp.generation + 1;
    stamp->token = token;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_SET_STAMP, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, (int64_t)stamp->generation);
    cook_sql_bind_i64(query, (int64_t)stamp->token);
    return cook_sql_run(query, error);
}

static enum cook_status save_all(struct cook_store *store, struct cook_index_stamp *stamp,
                                 const struct cook_store_ending *ending,
                                 struct cook_error *error)
{
    bool changed = false;
    *stamp = store->stamp;
    enum cook_status status = store->gc ? cook_gc_save(store->gc, error) : COOK_OK;
    if (status == COOK_OK)
        status = cook_store_save_state(&changed, store, error);
    if (status == COOK_OK && changed)
        status = save_stamp(store, stamp, error);
    if (status == COOK_OK)
        status = cook_store_save_ops(store, error);
    if (status == COOK_OK)
        status = cook_store_save_blobs(store, error);
    if (status == COOK_OK)
        status = cook_store_save_stacks(store, error);
    if (status == COOK_OK && ending)
        status = cook_store_save_ending(store, ending, error);
    return status;
}

static void committed(struct cook_store *store, const struct cook_index_stamp *stamp)
{
    store->stamp = *stamp;
    store->saved_deps = store->state.deps_count;
    store->op_count = 0;
    cook_state_clear_dirty(&store->state);
    cook_store_clear_blobs(store);
    cook_store_stacks_saved(store);
}

enum cook_status cook_store_commit_with(struct cook_store *store,
                                        const struct cook_store_ending *ending,
                                        struct cook_error *error)
{
    struct cook_index_stamp stamp;
    enum cook_status status = cook_store_check_writable(store, error);
    if (status != COOK_OK)
        return status;
    if (store->state.failed != COOK_OK)
        return cook_error_set(error, store->state.failed, "the store's state is incomplete: %s",
                              cook_status_text(store->state.failed));
    bool matters = store->gc || store->op_count || store->blob_count ||
                   cook_store_stacks_wait(store) || cook_state_is_dirty(&store->state);
    if (!matters && !ending)
        return COOK_OK;
    if (store->segments)
        status = cook_segments_sync(store->segments, error);
    if (status == COOK_OK)
        status = cook_sql_begin(store->sql, matters, error);
    if (status != COOK_OK)
        return status;
    status = save_all(store, &stamp, ending, error);
    if (status == COOK_OK)
        status = cook_sql_commit(store->sql, error);
    if (status == COOK_OK)
        committed(store, &stamp);
    else
        cook_sql_rollback(store->sql);
    return status;
}

enum cook_status cook_store_commit(struct cook_store *store, struct cook_error *error)
{
    return cook_store_commit_with(store, NULL, error);
}

static bool same_stamp(const struct cook_index_stamp *a, const struct cook_index_stamp *b)
{
    return a->generation == b->generation && a->token == b->token;
}

/*
 * Texts that rows no longer refer to stay in the pool until it has doubled; then the file gets
 * a compact copy. The pool in memory stays, as the process may hold offsets into it.
 */
static enum cook_status write_index(struct cook_store *store, struct cook_error *error)
{
    const struct cook_state *state = &store->state;
    if (state->pool_count / 2 <= store->pool_base ||
        state->pool_count - store->pool_base <= POOL_SLACK_BYTES)
        return cook_index_write(state, store->folder_fd, &store->stamp, store->pool_base,
                                error);
    struct cook_state compact;
    enum cook_status status = cook_state_compact(&compact, state, error);
    if (status != COOK_OK)
        return status;
    status =
        cook_index_write(&compact, store->folder_fd, &store->stamp, compact.pool_count, error);
    cook_state_finish(&compact);
    return status;
}

enum cook_status cook_store_refresh_index(struct cook_store *store, struct cook_error *error)
{
    if (store->has_index && same_stamp(&store->index_stamp, &store->stamp))
        return COOK_OK;
    enum cook_status status = cook_state_sort(&store->state, error);
    if (status == COOK_OK)
        status = write_index(store, error);
    if (status != COOK_OK)
        return status;
    store->has_index = true;
    store->index_stamp = store->stamp;
    /* Rows changed, so the log has something to fold in; the next open need not replay it. */
    cook_sql_checkpoint(store->sql);
    return COOK_OK;
}

enum cook_status cook_store_write_index(struct cook_store *store, struct cook_error *error)
{
    enum cook_status status = cook_store_commit(store, error);
    return status == COOK_OK ? cook_store_refresh_index(store, error) : status;
}
