#include "cook/store/history_private.h"

#include <string.h>

static enum cook_status add_seen(struct cook_history *history, int64_t run_id, int64_t ended_ns,
                                 const char *id, struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_ADD_SEEN, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, id);
    cook_sql_bind_i64(query, ended_ns);
    cook_sql_bind_i64(query, run_id);
    return cook_sql_run(query, error);
}

static enum cook_status add_finding(struct cook_history *history, int64_t run_id,
                                    int64_t ended_ns,
                                    const struct cook_history_finding *finding,
                                    struct cook_error *error)
{
    const char *const texts[] = { finding->id,       finding->rule,    finding->package,
                                  finding->property, finding->verdict, finding->state,
                                  finding->classes,  finding->group,   finding->owner,
                                  finding->cause,    finding->json };
    struct cook_sql_query *query;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_ADD_FINDING, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, run_id);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        cook_sql_bind_text(query, texts[i] ? texts[i] : "");
    status = cook_sql_run(query, error);
    return status == COOK_OK
               ? add_seen(history, run_id, ended_ns, finding->id ? finding->id : "", error)
               : status;
}

/* What findings say at length is bounded together with the documents of runs. */
static enum cook_status add_bytes(struct cook_history *history, int64_t run_id,
                                  const struct cook_history_finding *findings, size_t count,
                                  struct cook_error *error)
{
    struct cook_sql_query *query;
    int64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += findings[i].json ? (int64_t)strlen(findings[i].json) : 0;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_ADD_BYTES, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, bytes);
    cook_sql_bind_i64(query, run_id);
    return cook_sql_run(query, error);
}

enum cook_status cook_history_add_findings(struct cook_history *history, int64_t run_id,
                                           const struct cook_history_finding *findings,
                                           size_t count, struct cook_error *error)
{
    int64_t ended_ns = 0;
    enum cook_status status = cook_sql_begin(history->sql, true, error);
    if (status != COOK_OK)
        return status;
    status = cook_history_run_time(history, COOK_HISTORY_Q_RUN_ENDED, &ended_ns, run_id, error);
    for (size_t i = 0; i < count && status == COOK_OK; i++)
        status = add_finding(history, run_id, ended_ns, &findings[i], error);
    if (status == COOK_OK)
        status = add_bytes(history, run_id, findings, count, error);
    return cook_history_end(history, status, error);
}

enum cook_status cook_history_first_seen(struct cook_history *history, const char *finding_id,
                                         int64_t *first_seen_ns, int64_t *run_id,
                                         struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *first_seen_ns = 0;
    *run_id = 0;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_FIRST_SEEN, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, finding_id);
    status = cook_sql_step(&row, query, error);
    if (status != COOK_OK || !row)
        return status;
    *first_seen_ns = cook_sql_i64(query);
    *run_id = cook_sql_i64(query);
    return cook_sql_run(query, error);
}

/* ---- lists ---- */

static bool read_finding(struct cook_history_finding *finding, struct cook_sql_query *query,
                         struct cook_arena *arena)
{
    const char **const texts[] = { &finding->id,       &finding->rule,    &finding->package,
                                   &finding->property, &finding->verdict, &finding->state,
                                   &finding->classes,  &finding->group,   &finding->owner,
                                   &finding->cause,    &finding->json };
    finding->run = cook_sql_i64(query);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (!(*texts[i] = cook_arena_strdup(arena, cook_sql_text(query))))
            return false;
    return true;
}

static enum cook_status collect(struct cook_history_finding **findings, size_t *count,
                                struct cook_sql_query *query, struct cook_arena *arena,
                                struct cook_error *error)
{
    struct cook_history_finding *list = NULL;
    size_t capacity = 0;
    bool row = false;
    enum cook_status status;
    *count = 0;
    while ((status = cook_sql_step(&row, query, error)) == COOK_OK && row) {
        if (!cook_grow(&list, &capacity, *count + 1, sizeof(*list)) ||
            !read_finding(&list[*count], query, arena)) {
            cook_sql_reset(query);
            status = cook_error_no_memory(error);
            break;
        }
        (*count)++;
    }
    if (status == COOK_OK && *count) {
        *findings = cook_arena_dup(arena, list, *count * sizeof(*list));
        if (!*findings)
            status = cook_error_no_memory(error);
    }
    cook_free(list);
    return status;
}

enum cook_status cook_history_findings(struct cook_history *history,
                                       struct cook_history_finding **findings, size_t *count,
                                       int64_t run_id, struct cook_arena *arena,
                                       struct cook_error *error)
{
    struct cook_sql_query *query;
    *findings = NULL;
    *count = 0;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_FINDINGS, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, run_id);
    return collect(findings, count, query, arena, error);
}

enum cook_status cook_history_finding(struct cook_history *history,
                                      struct cook_history_finding **findings, size_t *count,
                                      const char *finding_id, uint32_t limit,
                                      struct cook_arena *arena, struct cook_error *error)
{
    struct cook_sql_query *query;
    *findings = NULL;
    *count = 0;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_FINDING, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, finding_id);
    cook_sql_bind_i64(query, limit ? (int64_t)limit : -1);
    return collect(findings, count, query, arena, error);
}

enum cook_status cook_history_latest(struct cook_history *history,
                                     struct cook_history_finding **findings, size_t *count,
                                     const char *verb, const char *target,
                                     struct cook_arena *arena, struct cook_error *error)
{
    struct cook_sql_query *query;
    *findings = NULL;
    *count = 0;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_LATEST, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, verb);
    cook_sql_bind_text(query, target);
    return collect(findings, count, query, arena, error);
}

enum cook_status cook_history_resolve(struct cook_history *history,
                                      char id[COOK_HISTORY_ID_SIZE], const char *text,
                                      struct cook_error *error)
{
    struct cook_sql_query *query;
    char after[COOK_HISTORY_ID_SIZE + 1];
    size_t length = strlen(text);
    bool row = false;
    bool second = false;
    id[0] = '\0';
    if (length == 0 || length >= COOK_HISTORY_ID_SIZE ||
        strspn(text, "0123456789abcdef") != length)
        return cook_error_set(error, COOK_E_USAGE,
                              "'%s' is no finding id: it is up to 16 hex digits, in lower case",
                              text);
    memcpy(after, text, length);
    memcpy(after + length, "g", 2); /* sorts after every hex digit */
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_RESOLVE, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, text);
    cook_sql_bind_text(query, after);
    status = cook_sql_step(&row, query, error);
    if (status == COOK_OK && row) {
        const char *found = cook_sql_text(query);
        size_t size = strlen(found) < COOK_HISTORY_ID_SIZE ? strlen(found) : 0;
        memcpy(id, found, size);
        id[size] = '\0';
        status = cook_sql_step(&second, query, error);
    }
    if (second)
        cook_sql_reset(query);
    if (status != COOK_OK)
        return status;
    if (second)
        return cook_error_set(error, COOK_E_USAGE,
                              "several findings have ids that begin with '%s'", text);
    return *id ? COOK_OK
               : cook_error_set(error, COOK_E_NOT_FOUND, "the history has no finding %s", text);
}
