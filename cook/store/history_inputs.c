#include "cook/store/history_inputs.h"

#include "cook/store/history_private.h"

#define KEPT_VALUES 20 /* of one input */

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* The four columns that name an input. */
static void bind_name(struct cook_sql_query *query, const char *target,
                      const struct cook_history_input *input)
{
    cook_sql_bind_text(query, target);
    cook_sql_bind_text(query, text_of(input->package));
    cook_sql_bind_text(query, text_of(input->kind));
    cook_sql_bind_text(query, text_of(input->key));
}

static enum cook_status newest(struct cook_history *history, int64_t *run, bool *same,
                               const char *target, const struct cook_history_input *input,
                               struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *same = false;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_NEWEST_INPUT, error);
    if (status != COOK_OK)
        return status;
    bind_name(query, target, input);
    status = cook_sql_step(&row, query, error);
    if (status != COOK_OK || !row)
        return status;
    *run = cook_sql_i64(query);
    *same = cook_hash_equal(cook_sql_hash(query), input->value);
    return cook_sql_run(query, error);
}

static enum cook_status insert(struct cook_history *history, int64_t run_id, int64_t started_ns,
                               const char *target, const struct cook_history_input *input,
                               struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status =
        cook_sql_query(&query, history->sql, COOK_HISTORY_Q_ADD_INPUT, error);
    if (status != COOK_OK)
        return status;
    bind_name(query, target, input);
    cook_sql_bind_i64(query, run_id);
    cook_sql_bind_i64(query, started_ns);
    cook_sql_bind_i64(query, run_id);
    cook_sql_bind_i64(query, started_ns);
    cook_sql_bind_hash(query, input->value);
    cook_sql_bind_text(query, text_of(input->text));
    cook_sql_bind_text(query, text_of(input->function));
    cook_sql_bind_text(query, text_of(input->file));
    cook_sql_bind_i64(query, input->line);
    status = cook_sql_run(query, error);
    if (status == COOK_OK)
        status = cook_sql_query(&query, history->sql, COOK_HISTORY_Q_DROP_INPUTS, error);
    if (status != COOK_OK)
        return status;
    bind_name(query, target, input);
    cook_sql_bind_i64(query, KEPT_VALUES);
    return cook_sql_run(query, error);
}

static enum cook_status add_input(struct cook_history *history, int64_t run_id,
                                  int64_t started_ns, const char *target,
                                  const struct cook_history_input *input,
                                  struct cook_error *error)
{
    struct cook_sql_query *query;
    int64_t run = 0;
    bool same;
    enum cook_status status = newest(history, &run, &same, target, input, error);
    if (status == COOK_OK && !same)
        return insert(history, run_id, started_ns, target, input, error);
    if (status == COOK_OK)
        status = cook_sql_query(&query, history->sql, COOK_HISTORY_Q_SEEN_INPUT, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, run_id);
    cook_sql_bind_i64(query, started_ns);
    bind_name(query, target, input);
    cook_sql_bind_i64(query, run);
    return cook_sql_run(query, error);
}

enum cook_status cook_history_add_inputs(struct cook_history *history, int64_t run_id,
                                         const char *target,
                                         const struct cook_history_input *inputs, size_t count,
                                         struct cook_error *error)
{
    int64_t started_ns = 0;
    enum cook_status status = cook_sql_begin(history->sql, false, error);
    if (status != COOK_OK)
        return status;
    status = cook_history_run_time(history, COOK_HISTORY_Q_RUN_STARTED, &started_ns, run_id, error);
    for (size_t i = 0; i < count && status == COOK_OK; i++)
        status = add_input(history, run_id, started_ns, target, &inputs[i], error);
    return cook_history_end(history, status, error);
}

static enum cook_status find(struct cook_history *history, enum cook_history_query number,
                             const char *target, const struct cook_history_input *name,
                             int64_t at_ns, struct cook_history_input *out, bool *found,
                             struct cook_arena *arena, struct cook_error *error)
{
    struct cook_sql_query *query;
    *found = false;
    enum cook_status status = cook_sql_query(&query, history->sql, number, error);
    if (status != COOK_OK)
        return status;
    bind_name(query, target, name);
    cook_sql_bind_i64(query, at_ns);
    status = cook_sql_step(found, query, error);
    if (status != COOK_OK || !*found)
        return status;
    *out = *name;
    out->run = cook_sql_i64(query);
    out->first_ns = cook_sql_i64(query);
    out->last_run = cook_sql_i64(query);
    out->last_ns = cook_sql_i64(query);
    out->value = cook_sql_hash(query);
    out->text = cook_arena_strdup(arena, cook_sql_text(query));
    out->function = cook_arena_strdup(arena, cook_sql_text(query));
    out->file = cook_arena_strdup(arena, cook_sql_text(query));
    out->line = cook_sql_u32(query);
    if (!out->text || !out->function || !out->file) {
        cook_sql_reset(query);
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    }
    return cook_sql_run(query, error);
}

enum cook_status cook_history_last_input(struct cook_history *history, const char *target,
                                         const char *package, const char *kind, const char *key,
                                         int64_t at_ns, struct cook_history_input *out,
                                         bool *found, struct cook_arena *arena,
                                         struct cook_error *error)
{
    struct cook_history_input name = { .package = package, .kind = kind, .key = key };
    enum cook_status status = find(history, COOK_HISTORY_Q_INPUT_BEFORE, target, &name, at_ns, out,
                                   found, arena, error);
    if (status == COOK_OK && !*found)
        status = find(history, COOK_HISTORY_Q_INPUT_AFTER, target, &name, at_ns, out, found, arena,
                      error);
    return status;
}
