/* Reading the oplog, and figures of the whole store. */
#include <sys/stat.h>

#include "cook/base/alloc.h"
#include "cook/store/store_private.h"

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the oplog");
}

static enum cook_status read_op(struct cook_store_op *op, struct cook_store *store,
                                struct cook_sql_query *query, struct cook_arena *arena,
                                struct cook_error *error)
{
    const struct cook_state *state = &store->state;
    op->sequence = cook_sql_u32(query);
    op->cook = cook_sql_u32(query);
    uint32_t kind = cook_sql_u32(query);
    uint32_t package = cook_sql_id(query);
    op->key = cook_sql_hash(query);
    op->bytes = cook_sql_hash(query);
    op->op = kind <= COOK_OP_COLLECTED ? (enum cook_op)kind : COOK_OP_UNKNOWN;
    /* A reader may see records of packages that were added after it opened the store. */
    const char *name = package < state->packages_count
                           ? cook_state_text(state, state->packages[package].name)
                           : "";
    op->package = cook_arena_strdup(arena, name);
    return op->package ? COOK_OK : no_memory(error);
}

enum cook_status cook_store_log(struct cook_store *store, struct cook_store_op **ops,
                                size_t *count, size_t limit, struct cook_arena *arena,
                                struct cook_error *error)
{
    struct cook_store_op *rows = NULL;
    size_t capacity = 0;
    struct cook_sql_query *query = NULL;
    bool row = false;
    *ops = NULL;
    *count = 0;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_LOG, error);
    if (status == COOK_OK) {
        cook_sql_bind_i64(query, limit > INT32_MAX ? -1 : (int64_t)limit);
        status = cook_sql_step(&row, query, error);
    }
    while (status == COOK_OK && row) {
        if (!cook_grow(&rows, &capacity, *count + 1, sizeof(*rows)))
            status = no_memory(error);
        if (status == COOK_OK)
            status = read_op(&rows[(*count)++], store, query, arena, error);
        if (status == COOK_OK)
            status = cook_sql_step(&row, query, error);
    }
    cook_sql_reset(query);
    if (status == COOK_OK) {
        *ops = cook_arena_dup(arena, rows, *count * sizeof(*rows));
        if (!*ops)
            status = no_memory(error);
    }
    if (status != COOK_OK)
        *count = 0;
    cook_free(rows);
    return status;
}

static uint64_t file_bytes(const struct cook_store *store, const char *name)
{
    struct stat facts;
    return fstatat(store->folder_fd, name, &facts, 0) == 0 ? (uint64_t)facts.st_size : 0;
}

static void count_state(struct cook_store_stats *stats, const struct cook_state *state)
{
    stats->packages = state->packages_count;
    stats->files = state->files_count;
    stats->folders = state->folders_count;
    stats->deps = state->deps_count;
    stats->sets = state->sets_count;
    stats->bundles = state->bundles_count;
    for (uint32_t i = 0; i < state->packages_count; i++)
        stats->results += (state->packages[i].flags & COOK_PACKAGE_HAS_RESULT) != 0;
}

enum cook_status cook_store_stats(struct cook_store *store, struct cook_store_stats *stats,
                                  struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *stats = (struct cook_store_stats){ 0 };
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_STATS, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    if (status != COOK_OK || !row)
        return status;
    stats->cooks = (uint64_t)cook_sql_i64(query);
    stats->ops = (uint64_t)cook_sql_i64(query);
    stats->blobs = (uint64_t)cook_sql_i64(query);
    stats->blob_bytes = (uint64_t)cook_sql_i64(query);
    stats->segments = (uint64_t)cook_sql_i64(query);
    stats->segment_bytes = (uint64_t)cook_sql_i64(query);
    count_state(stats, &store->state);
    stats->db_bytes = file_bytes(store, "cook.db") + file_bytes(store, "cook.db-wal");
    stats->index_bytes = file_bytes(store, COOK_INDEX_FILE);
    return cook_sql_run(query, error);
}
