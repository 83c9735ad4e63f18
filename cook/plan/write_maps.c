#include "cook/plan/write_maps.h"

#include "cook/archive/write_map.h"
#include "cook/store/stacks.h"

/* Ids of the result's own set become those of the store, `ids` by token. */
static enum cook_status intern_stacks(uint32_t *ids, struct cook_run *run,
                                      const struct cook_result *result, struct cook_arena *arena,
                                      struct cook_error *error)
{
    struct cook_stack_set set;
    enum cook_status status =
        cook_stack_set_decode(&set, result->stacks, result->stacks_size, arena, error);
    if (status != COOK_OK)
        return status;
    uint32_t *stored = cook_arena_alloc(arena, (set.stack_count + 1) * sizeof(*stored));
    if (!stored)
        return cook_error_no_memory(error);
    for (uint32_t i = 0; status == COOK_OK && i < set.stack_count; i++)
        status = cook_store_put_stack(run->store, &stored[i], &set, i, error);
    for (size_t i = 0; status == COOK_OK && i < result->stack_id_count; i++) {
        uint32_t id = result->stack_ids[i];
        ids[i] = id < set.stack_count ? stored[id] : COOK_STACK_NONE;
    }
    return status;
}

enum cook_status cook_write_maps_keep(struct cook_hash *tokens, struct cook_run *run,
                                      const struct cook_result *result, struct cook_error *error)
{
    if (!run->options.record_callstacks || !result->stack_id_count)
        return cook_store_put_blob(run->store, tokens, result->tokens, result->tokens_size, error);
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf map = COOK_BUF_INIT;
    uint32_t *ids = cook_arena_alloc(&arena, result->stack_id_count * sizeof(*ids));
    enum cook_status status = ids ? intern_stacks(ids, run, result, &arena, error)
                                  : cook_error_no_memory(error);
    if (status == COOK_OK) {
        cook_write_map_encode(&map, result->tokens, result->tokens_size, ids,
                              result->stack_id_count);
        status = map.failed ? cook_error_no_memory(error)
                            : cook_store_put_blob(run->store, tokens, map.data, map.size, error);
    }
    cook_buf_finish(&map);
    cook_arena_finish(&arena);
    return status;
}

enum cook_status cook_write_maps_end(struct cook_run *run, struct cook_error *error)
{
    if (!run->options.record_callstacks)
        return COOK_OK;
    const char *folders[] = { run->plugin_folder };
    const struct cook_symbolizer_options options = { .folders = folders, .folder_count = 1 };
    struct cook_symbolizer *symbolizer;
    enum cook_status status = cook_symbolizer_create(&symbolizer, &options, error);
    if (status == COOK_OK)
        status = cook_store_name_stacks(run->store, symbolizer, error);
    cook_symbolizer_destroy(symbolizer);
    return status;
}
