/* Cooks: their rows, retention, and the values of dependencies as of a past one. */
#include <stdio.h>
#include <time.h>

#include "cook/base/alloc.h"
#include "cook/store/store_private.h"

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

enum cook_status cook_store_begin_cook(struct cook_store *store, uint32_t *id, const char *kind,
                                       const char *facts_json, struct cook_error *error)
{
    struct cook_sql_query *query;
    *id = 0;
    enum cook_status status = cook_store_check_writable(store, error);
    if (status == COOK_OK)
        status = cook_sql_begin(store->sql, false, error);
    if (status != COOK_OK)
        return status;
    status = cook_store_query(&query, store, COOK_QUERY_BEGIN_COOK, error);
    if (status == COOK_OK) {
        cook_sql_bind_text(query, kind);
        cook_sql_bind_i64(query, now_ns());
        cook_sql_bind_text(query, facts_json ? facts_json : "");
        status = cook_sql_run(query, error);
    }
    if (status == COOK_OK)
        status = cook_sql_commit(store->sql, error);
    if (status != COOK_OK) {
        cook_sql_rollback(store->sql);
        return status;
    }
    store->cook = (uint32_t)cook_sql_last_row(store->sql);
    *id = store->cook;
    return COOK_OK;
}

enum cook_status cook_store_value_cook(uint32_t *cook, struct cook_store *store,
                                       struct cook_error *error)
{
    *cook = store->cook;
    if (*cook)
        return COOK_OK;
    enum cook_status status = cook_store_query_u32(cook, store, COOK_QUERY_LAST_COOK, error);
    ++*cook;
    return status;
}

/* ---- the end of a cook ---- */

static enum cook_status run_with(struct cook_store *store, enum cook_store_query number,
                                 uint32_t first, struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_store_query(&query, store, number, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, first);
    return cook_sql_run(query, error);
}

static enum cook_status drop_manifests(struct cook_store *store, uint32_t first, uint32_t end,
                                       struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_DROP_MANIFESTS, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, first);
    cook_sql_bind_i64(query, end);
    return cook_sql_run(query, error);
}

/* The oldest of the last `keep` cooks that ended; 0 while there are fewer. */
static enum cook_status find_oldest_kept(uint32_t *oldest, struct cook_store *store,
                                         uint32_t keep, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *oldest = 0;
    if (!keep)
        return COOK_OK;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_OLDEST_KEPT, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, keep - 1);
    status = cook_sql_step(&row, query, error);
    if (status == COOK_OK && row) {
        *oldest = cook_sql_u32(query);
        status = cook_sql_run(query, error);
    }
    return status;
}

/* A value that held until the oldest kept cook began is of no kept one. */
static enum cook_status retain(struct cook_store *store, uint32_t keep,
                               struct cook_error *error)
{
    uint32_t oldest;
    enum cook_status status = find_oldest_kept(&oldest, store, keep, error);
    if (status != COOK_OK || oldest <= store->kept_since)
        return status;
    status = drop_manifests(store, store->kept_since, oldest, error);
    if (status == COOK_OK)
        status = run_with(store, COOK_QUERY_DROP_VALUES, oldest, error);
    if (status == COOK_OK)
        status = run_with(store, COOK_QUERY_SET_KEPT, oldest, error);
    return status;
}

enum cook_status cook_store_save_ending(struct cook_store *store,
                                        const struct cook_store_ending *ending,
                                        struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_END_COOK, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, ending->cook);
    cook_sql_bind_i64(query, now_ns());
    cook_sql_bind_hash(query, ending->manifest);
    cook_sql_bind_hash(query, ending->outputs);
    cook_sql_bind_text(query, ending->summary_json ? ending->summary_json : "");
    cook_sql_bind_hash(query, ending->explanation);
    status = cook_sql_run(query, error);
    return status == COOK_OK ? retain(store, ending->keep_cooks, error) : status;
}

static enum cook_status last_hash(struct cook_hash *hash, struct cook_store *store,
                                  enum cook_store_query number, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *hash = (struct cook_hash){ 0, 0 };
    enum cook_status status = cook_store_query(&query, store, number, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    if (status != COOK_OK || !row)
        return status;
    *hash = cook_sql_hash(query);
    return cook_sql_run(query, error);
}

enum cook_status cook_store_last_outputs(struct cook_store *store, struct cook_hash *outputs,
                                         struct cook_error *error)
{
    return last_hash(outputs, store, COOK_QUERY_LAST_OUTPUTS, error);
}

enum cook_status cook_store_end_cook(struct cook_store *store, uint32_t id,
                                     const struct cook_store_end *end, struct cook_error *error)
{
    struct cook_store_ending ending = {
        .cook = id,
        .summary_json = end->summary_json,
        .outputs = end->outputs,
        .explanation = end->explanation,
        .keep_cooks = end->keep_cooks,
    };
    if (!id || id != store->cook)
        return cook_error_set(error, COOK_E_INVALID, "cook %u has not begun", id);
    enum cook_status status = COOK_OK;
    if (end->manifest_unchanged)
        status = last_hash(&ending.manifest, store, COOK_QUERY_LAST_MANIFEST, error);
    if (status == COOK_OK && cook_hash_is_zero(ending.manifest))
        status = cook_store_put_manifest(&ending.manifest, store, end, error);
    if (status == COOK_OK)
        status = cook_store_commit_with(store, &ending, error);
    if (status != COOK_OK)
        return status;
    store->cook = 0;
    /* Retention may have moved it; what was written is what counts. */
    status = cook_store_read_meta(store, error);
    return status == COOK_OK ? cook_store_refresh_index(store, error) : status;
}

/* ---- reading ---- */

static void read_cook(struct cook_store_cook *cook, struct cook_sql_query *query,
                      struct cook_arena *arena)
{
    cook->id = cook_sql_u32(query);
    cook->kind = cook_arena_strdup(arena, cook_sql_text(query));
    cook->started_ns = cook_sql_i64(query);
    cook->ended_ns = cook_sql_i64(query);
    cook->manifest = cook_sql_hash(query);
    cook->outputs = cook_sql_hash(query);
    cook->facts_json = cook_arena_strdup(arena, cook_sql_text(query));
    cook->summary_json = cook_arena_strdup(arena, cook_sql_text(query));
    cook->explanation = cook_sql_hash(query);
}

/* Rows of unknown number are gathered on the heap and end in the arena. */
enum cook_status cook_store_cooks(struct cook_store *store, struct cook_store_cook **cooks,
                                  size_t *count, size_t limit, struct cook_arena *arena,
                                  struct cook_error *error)
{
    struct cook_store_cook *rows = NULL;
    size_t capacity = 0;
    struct cook_sql_query *query = NULL;
    bool row = false;
    *cooks = NULL;
    *count = 0;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_COOKS, error);
    if (status == COOK_OK) {
        cook_sql_bind_i64(query, limit > INT32_MAX ? -1 : (int64_t)limit);
        status = cook_sql_step(&row, query, error);
    }
    while (status == COOK_OK && row) {
        bool room = cook_grow(&rows, &capacity, *count + 1, sizeof(*rows));
        if (room)
            read_cook(&rows[*count], query, arena);
        if (!room || !rows[*count].kind || !rows[*count].facts_json ||
            !rows[*count].summary_json)
            status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the cooks");
        ++*count;
        if (status == COOK_OK)
            status = cook_sql_step(&row, query, error);
    }
    cook_sql_reset(query);
    if (status == COOK_OK) {
        *cooks = cook_arena_dup(arena, rows, *count * sizeof(*rows));
        if (!*cooks)
            status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the cooks");
    }
    if (status != COOK_OK)
        *count = 0;
    cook_free(rows);
    return status;
}

/* The first row of a query with one or two parameters as text and hash; false without a row. */
static enum cook_status read_value(bool *found, struct cook_sql_query *query, char **text,
                                   struct cook_hash *value, uint32_t *since,
                                   struct cook_arena *arena, struct cook_error *error)
{
    enum cook_status status = cook_sql_step(found, query, error);
    if (status != COOK_OK || !*found)
        return status;
    *text = cook_arena_strdup(arena, cook_sql_text(query));
    *value = cook_sql_hash(query);
    if (since)
        *since = cook_sql_u32(query);
    if (!*text) {
        cook_sql_reset(query);
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for a value");
    }
    return cook_sql_run(query, error);
}

enum cook_status cook_store_dep_value_at(struct cook_store *store, struct cook_hash *value,
                                         char **text, uint32_t dep, uint32_t cook,
                                         struct cook_arena *arena, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool found = false;
    uint32_t since = 0;
    *text = NULL;
    *value = (struct cook_hash){ 0, 0 };
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_DEP, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_id(query, dep);
    status = read_value(&found, query, text, value, &since, arena, error);
    if (status != COOK_OK)
        return status;
    if (!found || cook < since || cook < store->kept_since)
        return cook_error_set(error, COOK_E_NOT_FOUND,
                              "the store keeps no value of that dependency as of cook %u",
                              cook);
    status = cook_store_query(&query, store, COOK_QUERY_OLD_VALUE, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_id(query, dep);
    cook_sql_bind_i64(query, cook);
    return read_value(&found, query, text, value, NULL, arena, error);
}
