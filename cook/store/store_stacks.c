/* Interned callstacks: all of them in memory once one is asked for, as a store has some thousands. */
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/intern.h"
#include "cook/store/stacks.h"
#include "cook/store/store_private.h"

#define MAX_STORED (1u << 24) /* rows of a database that is believed */

struct stored_frame {
    const char *module;
    const char *build_id;
    const char *path; /* where it was loaded from, in this process only; or NULL */
    uint64_t offset;
    struct cook_symbol_frame *names; /* inlined ones first */
    size_t name_count;
    bool named, dirty;
};
struct stored_stack {
    uint32_t *frames;
    uint32_t count;
};

struct cook_store_stacks {
    struct cook_arena arena;
    struct cook_intern frame_keys, stack_keys; /* ids are the row ids */
    struct stored_frame *frames;
    struct stored_stack *stacks;
    size_t frame_count, frame_capacity, stack_count, stack_capacity;
    size_t saved_stacks;
    bool dirty; /* something waits for the commit */
};

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for callstacks");
}

void cook_store_free_stacks(struct cook_store *store)
{
    struct cook_store_stacks *all = store->stacks;
    if (!all)
        return;
    cook_intern_finish(&all->frame_keys);
    cook_intern_finish(&all->stack_keys);
    cook_free(all->frames);
    cook_free(all->stacks);
    cook_arena_finish(&all->arena);
    cook_free(all);
    store->stacks = NULL;
}

/* ---- interning ---- */

static struct stored_frame *add_frame(struct cook_store_stacks *all, uint32_t *id,
                                      const char *module, const char *build_id, uint64_t offset)
{
    char *key = cook_arena_printf(&all->arena, "%s\n%s\n%llx", module, build_id,
                                  (unsigned long long)offset);
    *id = key ? cook_intern_add(&all->frame_keys, key) : COOK_INTERN_NONE;
    if (*id == COOK_INTERN_NONE)
        return NULL;
    if (*id < all->frame_count)
        return &all->frames[*id];
    if (!cook_grow(&all->frames, &all->frame_capacity, all->frame_count + 1, sizeof(*all->frames)))
        return NULL;
    struct stored_frame *frame = &all->frames[all->frame_count++];
    *frame = (struct stored_frame){ .module = cook_arena_strdup(&all->arena, module),
                                    .build_id = cook_arena_strdup(&all->arena, build_id),
                                    .offset = offset,
                                    .dirty = true };
    all->dirty = true;
    return frame->module && frame->build_id ? frame : NULL;
}

static bool add_stack(struct cook_store_stacks *all, uint32_t *id, const uint32_t *frames,
                      size_t count)
{
    struct cook_buf key = COOK_BUF_INIT;
    for (size_t i = 0; i < count; i++)
        cook_buf_printf(&key, "%x,", frames[i]);
    const char *text = cook_buf_text(&key);
    *id = key.failed ? COOK_INTERN_NONE : cook_intern_add(&all->stack_keys, text);
    cook_buf_finish(&key);
    if (*id == COOK_INTERN_NONE)
        return false;
    if (*id < all->stack_count)
        return true;
    if (!cook_grow(&all->stacks, &all->stack_capacity, all->stack_count + 1, sizeof(*all->stacks)))
        return false;
    all->dirty = true;
    uint32_t *copy = cook_arena_dup(&all->arena, frames, (count + 1) * sizeof(*copy));
    all->stacks[all->stack_count++] = (struct stored_stack){ copy, copy ? (uint32_t)count : 0 };
    return copy != NULL;
}

/* ---- names ---- */

static void encode_names(struct cook_buf *out, const struct stored_frame *frame)
{
    cook_buf_put_varint(out, frame->name_count);
    for (size_t i = 0; i < frame->name_count; i++) {
        const struct cook_symbol_frame *name = &frame->names[i];
        cook_buf_put_u8(out, (uint8_t)((name->function ? 1 : 0) | (name->file ? 2 : 0) |
                                       (name->inlined ? 4 : 0)));
        cook_buf_put_string(out, name->function ? name->function : "");
        cook_buf_put_string(out, name->file ? name->file : "");
        cook_buf_put_varint(out, name->line);
    }
}

static bool decode_names(struct cook_store_stacks *all, struct stored_frame *frame,
                         const void *bytes, size_t size)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    size_t count = cook_read_count(&in, 4);
    frame->names = cook_arena_alloc(&all->arena, (count + 1) * sizeof(*frame->names));
    for (size_t i = 0; frame->names && i < count && !in.failed; i++) {
        uint8_t flags = cook_read_u8(&in);
        const char *function = cook_read_string(&in, &all->arena);
        const char *file = cook_read_string(&in, &all->arena);
        frame->names[i] = (struct cook_symbol_frame){ .function = flags & 1 ? function : NULL,
                                                      .file = flags & 2 ? file : NULL,
                                                      .line = (uint32_t)cook_read_varint(&in),
                                                      .inlined = (flags & 4) != 0 };
    }
    frame->name_count = count;
    frame->named = frame->names && cook_read_at_end(&in);
    if (!frame->named)
        frame->name_count = 0;
    return frame->names != NULL;
}

/* ---- loading ---- */

static enum cook_status load_frames(struct cook_store *store, struct cook_error *error)
{
    struct cook_store_stacks *all = store->stacks;
    struct cook_sql_query *query;
    bool row = false;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_STACK_FRAMES, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    while (status == COOK_OK && row) {
        uint32_t wanted = cook_sql_u32(query);
        const char *text = cook_sql_text(query);
        char *module = cook_arena_strdup(&all->arena, text);
        text = cook_sql_text(query);
        char *build_id = cook_arena_strdup(&all->arena, text);
        uint64_t offset = (uint64_t)cook_sql_i64(query);
        size_t size;
        const void *names = cook_sql_blob(query, &size);
        uint32_t id;
        struct stored_frame *frame =
            module && build_id ? add_frame(all, &id, module, build_id, offset) : NULL;
        if (!frame || (size && !decode_names(all, frame, names, size)))
            status = no_memory(error);
        else if (id != wanted || id >= MAX_STORED)
            status = cook_error_set(error, COOK_E_DAMAGED, "frames of callstacks are out of order");
        else
            frame->dirty = false;
        if (status == COOK_OK)
            status = cook_sql_step(&row, query, error);
        else
            cook_sql_reset(query);
    }
    return status;
}

static enum cook_status take_stack(struct cook_store_stacks *all, uint32_t wanted,
                                   const void *bytes, size_t size, struct cook_error *error)
{
    uint32_t frames[COOK_STACK_MAX_FRAMES];
    struct cook_reader_buf in = cook_read_init(bytes, size);
    size_t count = cook_read_count(&in, 1);
    for (size_t i = 0; i < count && i < COOK_STACK_MAX_FRAMES; i++) {
        frames[i] = (uint32_t)cook_read_varint(&in);
        in.failed |= frames[i] >= all->frame_count;
    }
    uint32_t id;
    if (count > COOK_STACK_MAX_FRAMES || !cook_read_at_end(&in))
        return cook_error_set(error, COOK_E_DAMAGED, "callstack %u is damaged", wanted);
    if (!add_stack(all, &id, frames, count))
        return no_memory(error);
    return id == wanted ? COOK_OK
                        : cook_error_set(error, COOK_E_DAMAGED, "callstacks are out of order");
}

static enum cook_status load_stacks(struct cook_store *store, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_STACKS, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    while (status == COOK_OK && row) {
        uint32_t wanted = cook_sql_u32(query);
        size_t size;
        const void *bytes = cook_sql_blob(query, &size);
        status = take_stack(store->stacks, wanted, bytes, size, error);
        if (status == COOK_OK)
            status = cook_sql_step(&row, query, error);
        else
            cook_sql_reset(query);
    }
    return status;
}

static enum cook_status load(struct cook_store *store, struct cook_error *error)
{
    if (store->stacks)
        return COOK_OK;
    store->stacks = cook_calloc(1, sizeof(*store->stacks));
    if (!store->stacks)
        return no_memory(error);
    enum cook_status status = store->sql ? load_frames(store, error) : COOK_OK;
    if (status == COOK_OK && store->sql)
        status = load_stacks(store, error);
    store->stacks->saved_stacks = store->stacks->stack_count;
    store->stacks->dirty = false;
    if (status != COOK_OK)
        cook_store_free_stacks(store);
    return status;
}

/* ---- the interface ---- */

enum cook_status cook_store_put_stack(struct cook_store *store, uint32_t *id,
                                      const struct cook_stack_set *set, uint32_t stack,
                                      struct cook_error *error)
{
    uint32_t frames[COOK_STACK_MAX_FRAMES];
    enum cook_status status = load(store, error);
    if (status != COOK_OK)
        return status;
    const struct cook_stack *from = &set->stacks[stack];
    for (uint32_t i = 0; i < from->count; i++) {
        const struct cook_stack_module *module = &set->modules[from->frames[i].module];
        struct stored_frame *frame = add_frame(store->stacks, &frames[i], module->name,
                                               module->build_id, from->frames[i].offset);
        if (frame && !frame->named && !frame->path)
            frame->path = cook_arena_strdup(&store->stacks->arena, module->path);
        if (!frame || (!frame->named && !frame->path))
            return no_memory(error);
    }
    if (store->stacks->frame_count >= MAX_STORED || store->stacks->stack_count >= MAX_STORED)
        return cook_error_set(error, COOK_E_LIMIT, "more than %u callstacks are kept", MAX_STORED);
    return add_stack(store->stacks, id, frames, from->count) ? COOK_OK : no_memory(error);
}

/* Names as the symbolizer gives them, copied: it goes before the store does. */
static bool name_frame(struct cook_store_stacks *all, struct stored_frame *frame,
                       struct cook_symbolizer *symbolizer)
{
    struct cook_symbol_frame found[COOK_STACK_MAX_FRAMES];
    struct cook_stack_module module = { frame->module, frame->path ? frame->path : "",
                                        frame->build_id };
    struct cook_stack_frame place = { 0, frame->offset };
    struct cook_stack stack = { &place, 1 };
    const struct cook_stack_set set = { &module, 1, &stack, 1 };
    size_t count = cook_symbolizer_stack(symbolizer, &set, 0, found, COOK_STACK_MAX_FRAMES);
    if (!count || !found[count - 1].function)
        return true; /* perhaps the next cook finds its binary */
    frame->names = cook_arena_alloc(&all->arena, count * sizeof(*frame->names));
    for (size_t i = 0; frame->names && i < count; i++) {
        frame->names[i] = found[i];
        frame->names[i].function =
            found[i].function ? cook_arena_strdup(&all->arena, found[i].function) : NULL;
        frame->names[i].file = found[i].file ? cook_arena_strdup(&all->arena, found[i].file) : NULL;
        if ((found[i].function && !frame->names[i].function) ||
            (found[i].file && !frame->names[i].file))
            return false;
    }
    frame->name_count = count;
    frame->named = frame->dirty = frame->names != NULL;
    all->dirty = true;
    return frame->names != NULL;
}

enum cook_status cook_store_name_stacks(struct cook_store *store,
                                        struct cook_symbolizer *symbolizer,
                                        struct cook_error *error)
{
    enum cook_status status = load(store, error);
    for (size_t i = 0; status == COOK_OK && i < store->stacks->frame_count; i++)
        if (!store->stacks->frames[i].named &&
            !name_frame(store->stacks, &store->stacks->frames[i], symbolizer))
            status = no_memory(error);
    return status;
}

size_t cook_store_stack(struct cook_store *store, uint32_t id, struct cook_symbol_frame *frames,
                        size_t max)
{
    size_t count = 0;
    if (load(store, NULL) != COOK_OK || id >= store->stacks->stack_count)
        return 0;
    const struct stored_stack *stack = &store->stacks->stacks[id];
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct stored_frame *frame = &store->stacks->frames[stack->frames[i]];
        size_t names = frame->name_count ? frame->name_count : 1;
        for (size_t k = 0; k < names && count < max; k++) {
            struct cook_symbol_frame *out = &frames[count++];
            *out = frame->name_count ? frame->names[k] : (struct cook_symbol_frame){ 0 };
            out->module = frame->module;
            out->build_id = frame->build_id;
            out->offset = frame->offset;
        }
    }
    return count;
}

/* ---- saving ---- */

static enum cook_status save_frame(struct cook_store *store, size_t id, struct cook_error *error)
{
    const struct stored_frame *frame = &store->stacks->frames[id];
    struct cook_buf names = COOK_BUF_INIT;
    struct cook_sql_query *query;
    if (frame->name_count)
        encode_names(&names, frame);
    enum cook_status status = names.failed ? no_memory(error) : COOK_OK;
    if (status == COOK_OK)
        status = cook_store_query(&query, store, COOK_QUERY_PUT_STACK_FRAME, error);
    if (status == COOK_OK) {
        cook_sql_bind_id(query, (uint32_t)id);
        cook_sql_bind_text(query, frame->module);
        cook_sql_bind_text(query, frame->build_id);
        cook_sql_bind_i64(query, (int64_t)frame->offset);
        cook_sql_bind_blob(query, names.data, names.size);
        status = cook_sql_run(query, error);
    }
    cook_buf_finish(&names);
    return status;
}

static enum cook_status save_stack(struct cook_store *store, size_t id, struct cook_error *error)
{
    const struct stored_stack *stack = &store->stacks->stacks[id];
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_sql_query *query;
    cook_buf_put_varint(&bytes, stack->count);
    for (uint32_t i = 0; i < stack->count; i++)
        cook_buf_put_varint(&bytes, stack->frames[i]);
    enum cook_status status = bytes.failed ? no_memory(error) : COOK_OK;
    if (status == COOK_OK)
        status = cook_store_query(&query, store, COOK_QUERY_PUT_STACK, error);
    if (status == COOK_OK) {
        cook_sql_bind_id(query, (uint32_t)id);
        cook_sql_bind_blob(query, bytes.data, bytes.size);
        status = cook_sql_run(query, error);
    }
    cook_buf_finish(&bytes);
    return status;
}

enum cook_status cook_store_save_stacks(struct cook_store *store, struct cook_error *error)
{
    struct cook_store_stacks *all = store->stacks;
    enum cook_status status = COOK_OK;
    for (size_t i = 0; all && status == COOK_OK && i < all->frame_count; i++)
        if (all->frames[i].dirty)
            status = save_frame(store, i, error);
    for (size_t i = all ? all->saved_stacks : 0; all && status == COOK_OK && i < all->stack_count; i++)
        status = save_stack(store, i, error);
    return status;
}

void cook_store_stacks_saved(struct cook_store *store)
{
    struct cook_store_stacks *all = store->stacks;
    for (size_t i = 0; all && i < all->frame_count; i++)
        all->frames[i].dirty = false;
    if (all) {
        all->saved_stacks = all->stack_count;
        all->dirty = false;
    }
}

bool cook_store_stacks_wait(const struct cook_store *store)
{
    return store->stacks && store->stacks->dirty;
}
