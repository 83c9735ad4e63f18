#include "recook.h"

#include <stdlib.h>
#include <string.h>

#include "cook/plan/dispatch.h"

#define MAX_HELD_BYTES ((size_t)512 << 20) /* of bytes until they are printed */

struct recooking {
    struct diff_recooks *recooks;
    struct cook_run *run;
    struct cook_dispatch *dispatch;
};

static struct diff_recook *find(struct diff_recooks *recooks, uint32_t package)
{
    for (size_t i = 0; i < recooks->count; i++)
        if (recooks->items[i].package == package)
            return &recooks->items[i];
    return NULL;
}

/* ---- results ---- */

static enum cook_status take(struct diff_recooks *recooks, struct diff_recook *item,
                             const struct cook_result *result, struct cook_error *error)
{
    if (recooks->size_bytes + result->size > MAX_HELD_BYTES) {
        item->problem = "no callstacks: too many bytes differ to hold them all";
        return COOK_OK;
    }
    enum cook_status status =
        cook_token_map_decode(&item->tokens, result->tokens, result->tokens_size, error);
    if (status == COOK_OK)
        status = cook_stack_set_decode(&item->stacks, result->stacks, result->stacks_size,
                                       &recooks->arena, error);
    if (status != COOK_OK)
        return status;
    uint32_t *ids =
        cook_arena_alloc(&recooks->arena, (result->stack_id_count + 1) * sizeof(*ids));
    item->bytes = cook_malloc(result->size + 1);
    if (!ids || !item->bytes)
        return cook_error_no_memory(error);
    if (result->stack_id_count)
        memcpy(ids, result->stack_ids, result->stack_id_count * sizeof(*ids));
    memcpy(item->bytes, result->bytes, result->size);
    recooks->size_bytes += result->size;
    item->hash = cook_hash_bytes(item->bytes, result->size);
    item->version = (struct diff_version){ .bytes = item->bytes,
                                           .size = result->size,
                                           .tokens = &item->tokens,
                                           .stacks = ids,
                                           .stack_count = result->stack_id_count,
                                           .stack_set = &item->stacks };
    return COOK_OK;
}

static enum cook_status on_frame(void *user, unsigned worker, uint32_t package,
                                 enum cook_frame_type type, const struct cook_buf *payload,
                                 struct cook_error *error)
{
    struct recooking *recooking = user;
    struct diff_recook *item = find(recooking->recooks, package);
    (void)worker;
    if (type != COOK_FRAME_RESULT || !item)
        return COOK_OK;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_result result;
    enum cook_status status =
        cook_dispatch_result(&result, recooking->run, package, payload, &arena, error);
    if (status == COOK_OK && result.ok)
        status = take(recooking->recooks, item, &result, error);
    else if (status == COOK_OK)
        item->problem = "recooked once more with callstacks, it failed";
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status on_lost(void *user, uint32_t package, const char *reason,
                                struct cook_error *error)
{
    struct recooking *recooking = user;
    struct diff_recook *item = find(recooking->recooks, package);
    (void)error;
    if (item)
        item->problem =
            cook_arena_printf(&recooking->recooks->arena,
                              "recooked once more with callstacks, it ended early: %s", reason);
    return COOK_OK;
}

/* ---- the run ---- */

static enum cook_status select_packages(struct diff_recooks *recooks,
                                        const struct diff_comparison *comparison, size_t limit,
                                        struct cook_state *state, struct cook_error *error)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct diff_entry *entry = &comparison->entries[i];
        if (limit && recooks->count == limit)
            break;
        if (!(entry->parts & DIFF_PART_BYTES))
            continue;
        uint32_t package = cook_state_find_package(state, entry->name);
        if (package == COOK_ID_NONE)
            continue;
        if (!cook_grow(&recooks->items, &recooks->capacity, recooks->count + 1,
                       sizeof(*recooks->items)))
            return cook_error_no_memory(error);
        struct diff_recook *item = &recooks->items[recooks->count++];
        *item = (struct diff_recook){ .name = entry->name, .package = package };
        cook_token_map_init(&item->tokens);
    }
    return COOK_OK;
}

static enum cook_status dispatch(struct recooking *recooking, struct cook_error *error)
{
    const struct diff_recooks *recooks = recooking->recooks;
    struct cook_dispatch_operations operations = { .type = COOK_FRAME_COOK,
                                                   .capture = true,
                                                   .on_frame = on_frame,
                                                   .on_lost = on_lost,
                                                   .user = recooking };
    enum cook_status status =
        cook_dispatch_create(&recooking->dispatch, recooking->run, &operations, error);
    for (size_t i = 0; status == COOK_OK && i < recooks->count; i++)
        status = cook_dispatch_add(recooking->dispatch, recooks->items[i].package, error);
    if (status == COOK_OK)
        status = cook_run_share_registry(recooking->run, error);
    if (status == COOK_OK)
        status = cook_dispatch_run(recooking->dispatch, error);
    cook_dispatch_destroy(recooking->dispatch);
    return status;
}

static enum cook_status open_symbols(struct diff_recooks *recooks, const struct cook_run *run,
                                     struct cook_error *error)
{
    const char **folders = cook_arena_alloc(&recooks->arena, sizeof(*folders));
    if (folders)
        folders[0] = cook_arena_strdup(&recooks->arena, run->plugin_folder);
    if (!folders || !folders[0])
        return cook_error_no_memory(error);
    struct cook_symbolizer_options options = { .folders = folders, .folder_count = 1 };
    return cook_symbolizer_create(&recooks->symbolizer, &options, error);
}

enum cook_status diff_recooks_run(struct diff_recooks *recooks,
                                  const struct diff_comparison *comparison, size_t limit,
                                  const struct cook_run_options *options,
                                  struct cook_error *error)
{
    struct cook_run run = { 0 };
    struct recooking recooking = { .recooks = recooks, .run = &run };
    *recooks = (struct diff_recooks){ 0 };
    enum cook_status status = cook_run_open(&run, options, error);
    if (status == COOK_OK)
        status = cook_run_refresh(&run, error);
    if (status == COOK_OK)
        status = select_packages(recooks, comparison, limit, run.state, error);
    if (status == COOK_OK)
        status = open_symbols(recooks, &run, error);
    if (status == COOK_OK && recooks->count)
        status = dispatch(&recooking, error);
    cook_run_close(&run);
    return status;
}

void diff_recooks_finish(struct diff_recooks *recooks)
{
    for (size_t i = 0; i < recooks->count; i++) {
        cook_free(recooks->items[i].bytes);
        cook_token_map_finish(&recooks->items[i].tokens);
    }
    cook_free(recooks->items);
    cook_symbolizer_destroy(recooks->symbolizer);
    cook_arena_finish(&recooks->arena);
    *recooks = (struct diff_recooks){ 0 };
}

/* ---- for the report ---- */

static int compare_name(const void *key, const void *item)
{
    return strcmp(key, ((const struct diff_recook *)item)->name);
}

const struct diff_version *diff_recooks_version(void *user, const struct diff_entry *entry,
                                                const char **note)
{
    const struct diff_recooks *recooks = user;
    const struct diff_recook *item = NULL;
    if (recooks->count)
        item =
            bsearch(entry->name, recooks->items, recooks->count, sizeof(*item), compare_name);
    *note = item ? item->problem : NULL;
    if (!item || !item->version.bytes)
        return NULL;
    if (cook_hash_equal(item->hash, entry->new->bytes))
        return &item->version;
    *note = "recooked once more with callstacks, it gave other bytes than the full cook: two "
            "cooks of the same inputs differ";
    return NULL;
}
