#include <string.h>

#include "cook/plan/dispatch.h"
#include "cook/worker/session.h"
#include "validate/reproduce.h"

enum cook_status reproduce_start(struct reproduce *reproduce, const char *prefix,
                                 struct cook_error *error)
{
    struct cook_run_options options = reproduce->cli.run;
    options.project.folder =
        cook_arena_printf(&reproduce->arena, "%s/project", reproduce->work);
    options.project.target = reproduce->target;
    options.project.overrides = reproduce->overrides;
    options.project.override_count = reproduce->override_count;
    options.mode = COOK_STORE_READ_OR_EMPTY;
    options.workers = 1;
    options.store_name = NULL;
    if (prefix)
        options.worker_prefix = prefix;
    if (reproduce->now.tokens) {
        options.arguments = (const char *const *)reproduce->now.tokens;
        options.argument_count = reproduce->now.token_count;
    }
    if (!options.project.folder)
        return cook_error_no_memory(error);
    enum cook_status status = cook_run_open(&reproduce->run, &options, error);
    if (status == COOK_OK)
        status = cook_run_refresh(&reproduce->run, error);
    if (status == COOK_OK)
        status = cook_run_evaluate(&reproduce->run, error);
    if (status == COOK_OK)
        status = cook_run_share_registry(&reproduce->run, error);
    return status;
}

struct cooking {
    struct reproduce *reproduce;
    struct reproduce_version *out;
};

static enum cook_status keep(struct cooking *cooking, const struct cook_result *result,
                             struct cook_error *error)
{
    struct reproduce_version *out = cooking->out;
    struct cook_arena *arena = &cooking->reproduce->arena;
    if (!result->ok) {
        out->failure = "the package fails to cook";
        return COOK_OK;
    }
    out->stack_ids = cook_arena_dup(arena, result->stack_ids,
                                    (result->stack_id_count + 1) * sizeof(uint32_t));
    out->stack_id_count = result->stack_id_count;
    out->bytes = cook_malloc(result->size + 1);
    if (!out->stack_ids || !out->bytes)
        return cook_error_no_memory(error);
    memcpy(out->bytes, result->bytes, result->size);
    out->size = result->size;
    enum cook_status status =
        cook_token_map_decode(&out->tokens, result->tokens, result->tokens_size, error);
    if (status == COOK_OK)
        status = cook_stack_set_decode(&out->stacks, result->stacks, result->stacks_size, arena,
                                       error);
    out->have = status == COOK_OK;
    return status;
}

static enum cook_status on_frame(void *user, unsigned worker, uint32_t package,
                                 enum cook_frame_type type, const struct cook_buf *payload,
                                 struct cook_error *error)
{
    struct cooking *cooking = user;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_result result;
    (void)worker;
    if (type != COOK_FRAME_RESULT)
        return COOK_OK;
    enum cook_status status = cook_dispatch_result(&result, &cooking->reproduce->run, package,
                                                   payload, &arena, error);
    if (status == COOK_OK)
        status = keep(cooking, &result, error);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status on_lost(void *user, uint32_t package, const char *reason,
                                struct cook_error *error)
{
    struct cooking *cooking = user;
    (void)package;
    cooking->out->failure = cook_arena_strdup(&cooking->reproduce->arena, reason);
    return cooking->out->failure ? COOK_OK : cook_error_no_memory(error);
}

enum cook_status reproduce_cook(struct reproduce *reproduce, struct reproduce_version *out,
                                struct cook_error *error)
{
    struct cooking cooking = { reproduce, out };
    struct cook_dispatch_operations operations = { .type = COOK_FRAME_COOK,
                                                   .capture = true,
                                                   .on_frame = on_frame,
                                                   .on_lost = on_lost,
                                                   .user = &cooking };
    struct cook_dispatch *dispatch = NULL;
    uint32_t package = cook_state_find_package(reproduce->run.state, reproduce->package);
    cook_token_map_init(&out->tokens);
    if (package == COOK_ID_NONE)
        return cook_error_set(error, COOK_E_MALFORMED, "the bundle lacks the source of %s",
                              reproduce->package);
    enum cook_status status =
        cook_dispatch_create(&dispatch, &reproduce->run, &operations, error);
    if (status == COOK_OK)
        status = cook_dispatch_add(dispatch, package, error);
    if (status == COOK_OK)
        status = cook_dispatch_run(dispatch, error);
    cook_dispatch_destroy(dispatch);
    return status;
}
