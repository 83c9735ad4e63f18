#include "cook/store/history_private.h"

#include <limits.h>
#include <string.h>

#include "cook/store/compress.h"

#define MAX_DOCUMENT_BYTES (UINT64_C(1) << 30)

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

/* ---- what is too old ---- */

static enum cook_status drop(struct cook_history *history, enum cook_history_query number,
                             const struct cook_history_run *of, int64_t last,
                             struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_sql_query(&query, history->sql, number, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, text_or_empty(of->verb));
    cook_sql_bind_text(query, text_or_empty(of->target));
    cook_sql_bind_i64(query, last);
    return cook_sql_run(query, error);
}

static enum cook_status drop_runs(struct cook_history *history,
                                  const struct cook_history_run *of, uint32_t keep,
                                  struct cook_error *error)
{
    static const enum cook_history_query drops[] = { COOK_HISTORY_Q_DROP_DOCUMENTS,
                                                     COOK_HISTORY_Q_DROP_FINDINGS,
                                                     COOK_HISTORY_Q_DROP_RUNS };
    struct cook_sql_query *query;
    bool row = false;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_OLDEST_KEPT, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, text_or_empty(of->verb));
    cook_sql_bind_text(query, text_or_empty(of->target));
    cook_sql_bind_i64(query, keep);
    status = cook_sql_step(&row, query, error);
    if (status != COOK_OK || !row)
        return status;
    int64_t last = cook_sql_i64(query);
    cook_sql_reset(query);
    for (size_t i = 0; status == COOK_OK && i < sizeof(drops) / sizeof(drops[0]); i++)
        status = drop(history, drops[i], of, last, error);
    return status;
}

static enum cook_status drop_document(struct cook_history *history, int64_t run,
                                      struct cook_error *error)
{
    static const enum cook_history_query steps[] = { COOK_HISTORY_Q_DROP_DOCUMENT,
                                                     COOK_HISTORY_Q_DROP_DETAILS,
                                                     COOK_HISTORY_Q_FORGET_DOCUMENT };
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct cook_sql_query *query;
        status = cook_sql_query(&query, history->sql, steps[i], error);
        if (status != COOK_OK)
            return status;
        cook_sql_bind_i64(query, run);
        status = cook_sql_run(query, error);
    }
    return status;
}

/* The oldest run whose document still fits; those before it lose theirs. */
static enum cook_status drop_documents(struct cook_history *history, uint64_t keep_bytes,
                                       struct cook_error *error)
{
    struct cook_sql_query *query;
    int64_t *runs = NULL;
    size_t count = 0, capacity = 0;
    uint64_t total = 0;
    bool row = false;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_DOCUMENT_SIZES, error);
    while (status == COOK_OK && (status = cook_sql_step(&row, query, error)) == COOK_OK &&
           row) {
        int64_t run = cook_sql_i64(query);
        total += (uint64_t)cook_sql_i64(query);
        if (total <= keep_bytes)
            continue;
        if (!cook_grow(&runs, &capacity, count + 1, sizeof(*runs))) {
            cook_sql_reset(query);
            status = cook_error_no_memory(error);
            break;
        }
        runs[count++] = run;
    }
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = drop_document(history, runs[i], error);
    cook_free(runs);
    return status;
}

/* ---- adding ---- */

static enum cook_status insert_run(struct cook_history *history,
                                   const struct cook_history_run *run, size_t document_bytes,
                                   struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_ADD_RUN, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, text_or_empty(run->verb));
    cook_sql_bind_text(query, text_or_empty(run->target));
    cook_sql_bind_i64(query, run->cook_id);
    cook_sql_bind_i64(query, run->started_ns);
    cook_sql_bind_i64(query, run->ended_ns);
    cook_sql_bind_i64(query, run->exit_status);
    cook_sql_bind_text(query, run->summary_json ? run->summary_json : "{}");
    cook_sql_bind_text(query, text_or_empty(run->content_revision));
    cook_sql_bind_text(query, text_or_empty(run->code_revision));
    cook_sql_bind_i64(query, (int64_t)document_bytes);
    return cook_sql_run(query, error);
}

static enum cook_status insert_document(struct cook_history *history, int64_t run,
                                        size_t full_size, const void *bytes, size_t size,
                                        struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_ADD_DOCUMENT, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, run);
    cook_sql_bind_i64(query, (int64_t)full_size);
    cook_sql_bind_blob(query, bytes, size);
    return cook_sql_run(query, error);
}

static enum cook_status add(struct cook_history *history, int64_t *run_id,
                            const struct cook_history_run *run,
                            struct cook_compressor *compressor, struct cook_error *error)
{
    size_t full_size = run->document_json ? strlen(run->document_json) : 0;
    const uint8_t *bytes = (const uint8_t *)run->document_json;
    const uint8_t *packed = NULL;
    size_t size = full_size;
    if (full_size > MAX_DOCUMENT_BYTES)
        full_size = size = 0; /* a report of it could not be read either */
    size_t packed_size =
        size && compressor ? cook_compress(&packed, compressor, bytes, size) : 0;
    if (packed_size) {
        bytes = packed;
        size = packed_size;
    }
    enum cook_status status = insert_run(history, run, size, error);
    *run_id = cook_sql_last_row(history->sql);
    if (status == COOK_OK && size)
        status = insert_document(history, *run_id, full_size, bytes, size, error);
    return status;
}

enum cook_status cook_history_add_run(struct cook_history *history, int64_t *run_id,
                                      const struct cook_history_run *run,
                                      const struct cook_history_limits *limits,
                                      struct cook_error *error)
{
    struct cook_compressor *compressor = run->document_json ? cook_compressor_create() : NULL;
    enum cook_status status = cook_sql_begin(history->sql, false, error);
    if (status == COOK_OK) {
        status = add(history, run_id, run, compressor, error);
        if (status == COOK_OK && limits && limits->runs)
            status = drop_runs(history, run, limits->runs, error);
        if (status == COOK_OK && limits && limits->document_bytes && run->document_json)
            status = drop_documents(history, limits->document_bytes, error);
        status = cook_history_end(history, status, error);
    }
    cook_compressor_destroy(compressor);
    if (status != COOK_OK)
        *run_id = 0;
    return status;
}

/* ---- reading ---- */

static bool read_run(struct cook_history_run *run, struct cook_sql_query *query,
                     struct cook_arena *arena)
{
    run->id = cook_sql_i64(query);
    run->verb = cook_arena_strdup(arena, cook_sql_text(query));
    run->target = cook_arena_strdup(arena, cook_sql_text(query));
    run->cook_id = cook_sql_u32(query);
    run->started_ns = cook_sql_i64(query);
    run->ended_ns = cook_sql_i64(query);
    run->exit_status = (int)cook_sql_i64(query);
    run->summary_json = cook_arena_strdup(arena, cook_sql_text(query));
    run->content_revision = cook_arena_strdup(arena, cook_sql_text(query));
    run->code_revision = cook_arena_strdup(arena, cook_sql_text(query));
    int64_t bytes = cook_sql_i64(query);
    run->document_bytes = bytes > 0 ? (uint64_t)bytes : 0;
    run->document_json = NULL;
    return run->verb && run->target && run->summary_json && run->content_revision &&
           run->code_revision;
}

static enum cook_status collect_runs(struct cook_history_run **runs, size_t *count,
                                     struct cook_sql_query *query, struct cook_arena *arena,
                                     struct cook_error *error)
{
    struct cook_history_run *list = NULL;
    size_t capacity = 0;
    bool row = false;
    enum cook_status status;
    while ((status = cook_sql_step(&row, query, error)) == COOK_OK && row) {
        if (!cook_grow(&list, &capacity, *count + 1, sizeof(*list)) ||
            !read_run(&list[*count], query, arena)) {
            cook_sql_reset(query);
            status = cook_error_no_memory(error);
            break;
        }
        (*count)++;
    }
    if (status == COOK_OK && *count) {
        *runs = cook_arena_dup(arena, list, *count * sizeof(*list));
        if (!*runs)
            status = cook_error_no_memory(error);
    }
    cook_free(list);
    return status;
}

enum cook_status cook_history_runs(struct cook_history *history, struct cook_history_run **runs,
                                   size_t *count, const struct cook_history_filter *filter,
                                   struct cook_arena *arena, struct cook_error *error)
{
    struct cook_sql_query *query;
    *runs = NULL;
    *count = 0;
    enum cook_status status = cook_sql_query(&query, history->sql, COOK_HISTORY_Q_RUNS, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, filter->verb);
    cook_sql_bind_text(query, filter->target);
    cook_sql_bind_i64(query, filter->before);
    cook_sql_bind_i64(query, filter->limit ? (int64_t)filter->limit : -1);
    return collect_runs(runs, count, query, arena, error);
}

static enum cook_status read_document(struct cook_history_run *run,
                                      struct cook_sql_query *query, struct cook_arena *arena,
                                      struct cook_error *error)
{
    size_t size;
    int64_t full_size = cook_sql_i64(query);
    const void *bytes = cook_sql_blob(query, &size);
    if (full_size < 0 || (uint64_t)full_size > MAX_DOCUMENT_BYTES || (!bytes && full_size != 0))
        return cook_error_set(error, COOK_E_DAMAGED, "the document of run %lld is damaged",
                              (long long)run->id);
    char *text = cook_arena_alloc(arena, (size_t)full_size + 1);
    if (!text)
        return cook_error_no_memory(error);
    enum cook_status status = COOK_OK;
    if (size == (size_t)full_size && size)
        memcpy(text, bytes, size);
    else if (size)
        status = cook_decompress(text, (size_t)full_size, bytes, size, error);
    text[full_size] = '\0';
    run->document_json = text;
    return status;
}

enum cook_status cook_history_ask_run(struct cook_sql_query **query, struct cook_history *history,
                                      size_t number, int64_t run_id, enum cook_status missing,
                                      struct cook_error *error)
{
    bool row = false;
    enum cook_status status = cook_sql_query(query, history->sql, number, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(*query, run_id);
    status = cook_sql_step(&row, *query, error);
    if (status == COOK_OK && !row)
        return cook_error_set(error, missing, "the history has no run %lld", (long long)run_id);
    return status;
}

enum cook_status cook_history_run_time(struct cook_history *history, size_t number, int64_t *ns,
                                       int64_t run_id, struct cook_error *error)
{
    struct cook_sql_query *query;
    *ns = 0;
    enum cook_status status =
        cook_history_ask_run(&query, history, number, run_id, COOK_E_INVALID, error);
    if (status != COOK_OK)
        return status;
    *ns = cook_sql_i64(query);
    return cook_sql_run(query, error);
}

static enum cook_status find_run(struct cook_history *history, struct cook_history_run *run,
                                 int64_t run_id, struct cook_arena *arena,
                                 struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_history_ask_run(&query, history, COOK_HISTORY_Q_RUN, run_id,
                                                   COOK_E_NOT_FOUND, error);
    if (status != COOK_OK)
        return status;
    if (!read_run(run, query, arena)) {
        cook_sql_reset(query);
        return cook_error_no_memory(error);
    }
    return cook_sql_run(query, error);
}

enum cook_status cook_history_run(struct cook_history *history, struct cook_history_run *run,
                                  int64_t run_id, struct cook_arena *arena,
                                  struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *run = (struct cook_history_run){ 0 };
    enum cook_status status = find_run(history, run, run_id, arena, error);
    if (status == COOK_OK)
        status = cook_sql_query(&query, history->sql, COOK_HISTORY_Q_DOCUMENT, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, run_id);
    status = cook_sql_step(&row, query, error);
    if (status != COOK_OK || !row)
        return status;
    status = read_document(run, query, arena, error);
    cook_sql_reset(query);
    return status;
}
