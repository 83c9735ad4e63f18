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
    for (size_t i = 0; i < count; i++) {
        const struct cook_state_dep *dep = &run->state->deps[deps[i]];
        cook_buf_put_u8(&payload, (uint8_t)dep->kind);
        cook_buf_put_string(&payload, cook_state_text(run->state, dep->args));
    }
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
    cook_run_warn(run, "%s dependency %.*s: %s", cook_dep_kind_text(run->state->deps[dep].kind),
                  (int)strcspn(args, " "), args,
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

/*
 * Whether an object is kept follows from sources, config and class code, and costs a load to know:
 * asked again only where one of these differs from the last time.
 */
static enum cook_status kept_may_differ(struct cook_run *run, bool *differ,
                                        struct cook_error *error)
{
    struct cook_hasher hasher;
    struct cook_buf config = COOK_BUF_INIT;
    const char *const *names;
    const char *const *build_ids;
    cook_config_encode(run->project.config, &config);
    cook_hasher_init(&hasher);
    cook_hasher_update_string(&hasher, run->project.target);
    cook_hasher_update(&hasher, config.data, config.size);
    size_t count = cook_pool_plugins(run->pool, &names, &build_ids);
    for (size_t i = 0; i < count; i++)
        cook_hasher_update_string(&hasher, build_ids[i]);
    for (size_t i = 0; i < run->hello.class_count; i++)
        cook_hasher_update(&hasher, &run->hello.classes[i].schema, sizeof(struct cook_hash));
    bool failed = config.failed;
    cook_buf_finish(&config);
    if (failed)
        return cook_error_no_memory(error);
    enum cook_status status =
        cook_run_note_policy(run, "kept", cook_hasher_digest(&hasher), differ, error);
    *differ |= run->content_changed;
    return status;
}

static bool has_kept(const struct cook_run *run)
{
    for (uint32_t i = 0; i < run->state->deps_count; i++)
        if (run->state->deps[i].kind == COOK_DEP_KEPT)
            return true;
    return false;
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
    bool kept = false;
    bool shared = false;
    enum cook_status status =
        has_kept(run) ? kept_may_differ(run, &kept, error) : COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < run->state->deps_count; i++) {
        uint32_t kind = run->state->deps[i].kind;
        if (kind != COOK_DEP_FUNCTION && (kind != COOK_DEP_KEPT || !kept))
            continue;
        shared |= kind == COOK_DEP_KEPT;
        if (!cook_grow(&deps, &capacity, count + 1, sizeof(*deps))) {
            cook_free(deps);
            return cook_error_no_memory(error);
        }
        deps[count++] = i;
    }
    if (shared) /* the evaluator loads packages for these */
        status = cook_run_share_registry(run, error);
    if (status == COOK_OK)
        status = evaluate(run, deps, count, set, error);
    cook_free(deps);
    return status;
}
