#include "cook/symbols/stacks.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/hash.h"
#include "cook/symbols/modules.h"
#include "cook/symbols/stack_set.h"

/* Deeper stacks keep their innermost frames; the outer end is then out of sight and not cut. */
#define WALK_MAX_FRAMES 512

struct entry {
    uint64_t hash;
    size_t first; /* in pcs */
    uint32_t count;
};

struct cook_stacks {
    void **pcs; /* return addresses of all stacks, one after the other */
    size_t pc_count;
    size_t pc_capacity;
    struct entry *entries; /* by id */
    size_t count;
    size_t capacity;
    uint32_t *slots; /* open addressing, id + 1; a power of two, at most half full */
    size_t slot_count;
    bool capturing; /* an intercepted call made by the unwinder must not come back here */
};

enum cook_status cook_stacks_create(struct cook_stacks **out, struct cook_error *error)
{
    *out = NULL;
    struct cook_stacks *stacks = cook_calloc(1, sizeof(*stacks));
    if (!stacks)
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot create the stack table");
    *out = stacks;
    return COOK_OK;
}

void cook_stacks_destroy(struct cook_stacks *stacks)
{
    if (!stacks)
        return;
    cook_free(stacks->pcs);
    cook_free(stacks->entries);
    cook_free(stacks->slots);
    cook_free(stacks);
}

size_t cook_stacks_count(const struct cook_stacks *stacks)
{
    return stacks->count;
}

__attribute__((noinline)) unsigned cook_stacks_depth(void)
{
    void *pcs[WALK_MAX_FRAMES];
    int count = unw_backtrace(pcs, WALK_MAX_FRAMES);
    return count > 1 ? (unsigned)count - 1 : 0; /* without this function's own frame */
}

static void put_slot(uint32_t *slots, size_t slot_count, uint64_t hash, uint32_t id)
{
    size_t at = hash & (slot_count - 1);
    while (slots[at])
        at = (at + 1) & (slot_count - 1);
    slots[at] = id + 1;
}

static bool grow_slots(struct cook_stacks *stacks)
{
    if ((stacks->count + 1) * 2 <= stacks->slot_count)
        return true;
    size_t slot_count = stacks->slot_count ? stacks->slot_count * 2 : 64;
    uint32_t *slots = cook_calloc(slot_count, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < stacks->count; i++)
        put_slot(slots, slot_count, stacks->entries[i].hash, (uint32_t)i);
    cook_free(stacks->slots);
    stacks->slots = slots;
    stacks->slot_count = slot_count;
    return true;
}

static uint32_t add(struct cook_stacks *stacks, uint64_t hash, void *const *pcs, uint32_t count)
{
    if (stacks->count >= COOK_STACK_NONE - 1 || !grow_slots(stacks) ||
        !cook_grow(&stacks->entries, &stacks->capacity, stacks->count + 1,
                   sizeof(*stacks->entries)) ||
        !cook_grow(&stacks->pcs, &stacks->pc_capacity, stacks->pc_count + count, sizeof(*pcs)))
        return COOK_STACK_NONE;
    uint32_t id = (uint32_t)stacks->count++;
    stacks->entries[id] = (struct entry){ hash, stacks->pc_count, count };
    if (count)
        memcpy(stacks->pcs + stacks->pc_count, pcs, count * sizeof(*pcs));
    stacks->pc_count += count;
    put_slot(stacks->slots, stacks->slot_count, hash, id);
    return id;
}

static uint32_t intern(struct cook_stacks *stacks, void *const *pcs, uint32_t count)
{
    uint64_t hash = cook_hash64(pcs, count * sizeof(*pcs));
    if (!stacks->slot_count)
        return add(stacks, hash, pcs, count);
    size_t mask = stacks->slot_count - 1;
    for (size_t at = hash & mask; stacks->slots[at]; at = (at + 1) & mask) {
        uint32_t id = stacks->slots[at] - 1;
        const struct entry *entry = &stacks->entries[id];
        if (entry->hash == hash && entry->count == count &&
            memcmp(stacks->pcs + entry->first, pcs, count * sizeof(*pcs)) == 0)
            return id;
    }
    return add(stacks, hash, pcs, count);
}

__attribute__((noinline)) uint32_t cook_stacks_capture(struct cook_stacks *stacks,
                                                       unsigned skip, unsigned outer_depth)
{
    void *pcs[WALK_MAX_FRAMES];
    if (stacks->capturing)
        return COOK_STACK_NONE;
    stacks->capturing = true;
    int walked = unw_backtrace(pcs, WALK_MAX_FRAMES);
    size_t total = walked > 0 ? (size_t)walked : 0;
    size_t first = (size_t)skip + 1; /* without this function's own frame */
    size_t outer = total < WALK_MAX_FRAMES ? outer_depth : 0;
    size_t count = total > first + outer ? total - first - outer : 0;
    if (count > COOK_STACK_MAX_FRAMES)
        count = COOK_STACK_MAX_FRAMES;
    uint32_t id = intern(stacks, count ? pcs + first : pcs, (uint32_t)count);
    stacks->capturing = false;
    return id;
}

__attribute__((noinline)) size_t cook_stacks_walk(void **pcs, size_t max)
{
    int walked = unw_backtrace(pcs, (int)max);
    if (walked < 2)
        return 0;
    memmove(pcs, pcs + 1, (size_t)(walked - 1) * sizeof(*pcs)); /* without this function's own */
    return (size_t)walked - 1;
}

size_t cook_stacks_walk_signal(void **pcs, size_t max, void *ucontext)
{
    unw_cursor_t cursor;
    size_t count = 0;
    if (unw_init_local2(&cursor, ucontext, UNW_INIT_SIGNAL_FRAME) < 0)
        return 0;
    do {
        unw_word_t pc = 0;
        if (unw_get_reg(&cursor, UNW_REG_IP, &pc) < 0 || !pc)
            break;
        pcs[count] = (void *)(pc + (count == 0)); /* as if it were a return address too */
        count++;
    } while (count < max && unw_step(&cursor) > 0);
    return count;
}

uint32_t cook_stacks_add(struct cook_stacks *stacks, void *const *pcs, size_t count)
{
    return intern(stacks, pcs,
                  (uint32_t)(count < COOK_STACK_MAX_FRAMES ? count : COOK_STACK_MAX_FRAMES));
}

void *const *cook_stacks_pcs(const struct cook_stacks *stacks, uint32_t id, size_t *count)
{
    const struct entry *entry = &stacks->entries[id];
    *count = entry->count;
    return stacks->pcs + entry->first;
}

/*
 * Encoding: u8 version; varint count and the modules (name, path, build id as strings); varint
 * count and the stacks: a varint count and, per frame, varint module and varint offset.
 * Modules are numbered in the order in which frames mention them.
 */
struct encoder {
    struct cook_modules modules; /* loaded now */
    uint32_t *numbers;           /* per loaded module and one for "none": number + 1 */
    uint32_t module_count;
    struct cook_buf module_bytes;
    struct cook_buf stack_bytes;
};

static uint32_t number_module(struct encoder *encoder, const struct cook_module *module)
{
    size_t index = module ? (size_t)(module - encoder->modules.items) : encoder->modules.count;
    if (!encoder->numbers[index]) {
        char resolved[PATH_MAX];
        encoder->numbers[index] = ++encoder->module_count;
        cook_buf_put_string(&encoder->module_bytes, module ? module->name : "?");
        cook_buf_put_string(&encoder->module_bytes,
                            module ? cook_module_resolve(module, resolved) : "");
        cook_buf_put_string(&encoder->module_bytes, module ? module->build_id : "");
    }
    return encoder->numbers[index] - 1;
}

static void encode_stack(struct encoder *encoder, void *const *pcs, uint32_t count)
{
    cook_buf_put_varint(&encoder->stack_bytes, count);
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t pc = (uintptr_t)pcs[i] - 1; /* the call, not what follows it */
        const struct cook_module *module = cook_modules_find(&encoder->modules, pc);
        cook_buf_put_varint(&encoder->stack_bytes, number_module(encoder, module));
        cook_buf_put_varint(&encoder->stack_bytes, module ? pc - module->base : pc);
    }
}

void cook_stacks_encode(const struct cook_stacks *stacks, struct cook_buf *out)
{
    cook_stacks_encode_from(stacks, 0, out);
}

void cook_stacks_encode_from(const struct cook_stacks *stacks, size_t first, struct cook_buf *out)
{
    struct encoder encoder = { .modules = COOK_MODULES_INIT,
                               .module_bytes = COOK_BUF_INIT,
                               .stack_bytes = COOK_BUF_INIT };
    bool failed = cook_modules_snapshot_as_loaded(&encoder.modules, NULL) != COOK_OK;
    if (!failed)
        encoder.numbers = cook_calloc(encoder.modules.count + 1, sizeof(*encoder.numbers));
    if (!encoder.numbers) {
        failed = true;
        goto done;
    }
    for (size_t i = first; i < stacks->count; i++) {
        const struct entry *entry = &stacks->entries[i];
        encode_stack(&encoder, stacks->pcs + entry->first, entry->count);
    }
    cook_buf_put_u8(out, COOK_STACK_SET_VERSION);
    cook_buf_put_varint(out, encoder.module_count);
    cook_buf_put(out, encoder.module_bytes.data, encoder.module_bytes.size);
    cook_buf_put_varint(out, stacks->count - first);
    cook_buf_put(out, encoder.stack_bytes.data, encoder.stack_bytes.size);
    failed = encoder.module_bytes.failed || encoder.stack_bytes.failed;
done:
    out->failed = out->failed || failed;
    cook_buf_finish(&encoder.module_bytes);
    cook_buf_finish(&encoder.stack_bytes);
    cook_free(encoder.numbers);
    cook_modules_finish(&encoder.modules);
}
