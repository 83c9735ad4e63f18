/* Function dependencies: called in the evaluator, all in one round trip. */
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/dispatch.h"
#include "cook/plan/run.h"

static enum cook_status ask(struct cook_run *run, const uint32_t *deps, size_t count,
                            struct cook_error *error)
{
    struct cook_buf payload = COOK_BUF_INIT;
    cook_buf_put_varint(&payload, count);
    for (size_t i = 0; i < count; i++)
        cook_buf_put_string(&payload, cook_state_text(run->state, run->state->deps[deps[i]].args));
    enum cook_status status =
        cook_pool_send(run->pool, 0, COOK_FRAME_EVALUATE, &payload, error);
    cook_buf_finish(&payload);
    return status;
}

/* A function that takes its evaluator down counts as changed: its packages are cooked, and there the
 * crash has a package. */
static void take_death(struct cook_run *run, uint32_t dep, const struct cook_pool_event *event,
                       void (*set)(struct cook_run *, uint32_t, struct cook_hash))
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hash changed = { UINT64_MAX, (uint64_t)run->started_ns };
    const char *args = cook_state_text(run->state, run->state->deps[dep].args);
    const char *death = cook_death_text(run, event, &arena);
    cook_run_warn(run, "function dependency %.*s: %s", (int)strcspn(args, " "), args,
                  death ? death : "crashed");
    cook_arena_finish(&arena);
    set(run, dep, changed);
}

static enum cook_status take_values(struct cook_run *run, const uint32_t *deps, size_t count,
                                    const struct cook_buf *payload,
                                    void (*set)(struct cook_run *, uint32_t, struct cook_hash),
                                    struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    if (cook_read_count(&in, 16) != count)
        return cook_error_set(error, COOK_E_PROTOCOL, "a worker sent malformed values");
    for (size_t i = 0; i < count; i++) {
        struct cook_hash value = cook_read_hash(&in);
        if (in.failed)
            return cook_error_set(error, COOK_E_PROTOCOL, "a worker sent malformed values");
        set(run, deps[i], value);
    }
    return COOK_OK;
}

/* In one round trip; when that kills the evaluator, each half by itself, so that only the function
 * at fault counts as changed. */
static enum cook_status evaluate(struct cook_run *run, const uint32_t *deps, size_t count,
                                 void (*set)(struct cook_run *, uint32_t, struct cook_hash),
                                 struct cook_error *error)
{
    struct cook_pool_event event;
    bool waiting = count != 0;
    bool died = false;
    enum cook_status status = waiting ? ask(run, deps, count, error) : COOK_OK;
    while (status == COOK_OK && waiting) {
        status = cook_pool_wait(run->pool, &event, -1, error);
        if (status != COOK_OK)
            break;
        died = event.type == COOK_FRAME_UNKNOWN;
        waiting = event.type != COOK_FRAME_IDLE && !died;
        if (event.type == COOK_FRAME_VALUES)
            status = take_values(run, deps, count, event.payload, set, error);
        else if (died && count == 1)
            take_death(run, deps[0], &event, set);
    }
    if (status == COOK_OK && died && count > 1) {
        status = evaluate(run, deps, count / 2, set, error);
        if (status == COOK_OK)
            status = evaluate(run, deps + count / 2, count - count / 2, set, error);
    }
    return status;
}

enum cook_status cook_run_evaluate_functions(struct cook_run *run,
                                             void (*set)(struct cook_run *, uint32_t,
                                                         struct cook_hash),
                                             struct cook_error *error)
{
    uint32_t *deps = NULL;
    size_t count = 0;
    size_t capacity = 0;
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; i < run->state->deps_count; i++) {
        if (run->state->deps[i].kind != COOK_DEP_FUNCTION)
            continue;
        if (!cook_grow(&deps, &capacity, count + 1, sizeof(*deps))) {
            cook_free(deps);
            return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
        }
        deps[count++] = i;
    }
    status = evaluate(run, deps, count, set, error);
    cook_free(deps);
    return status;
}
