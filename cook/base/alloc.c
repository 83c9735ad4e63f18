#include "cook/base/alloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stands in for the machine's memory, hence process-wide; see cook_alloc_fail_after(). */
static _Atomic long allocations_left = -1;

void cook_alloc_fail_after(long after)
{
    atomic_store(&allocations_left, after);
}

/* Refuses sizes that no object can have, which sanitizers treat as a fault of the caller. */
static bool allowed(size_t size)
{
    if (size > PTRDIFF_MAX)
        return false;
    long left = atomic_load_explicit(&allocations_left, memory_order_relaxed);
    while (left > 0) {
        if (atomic_compare_exchange_weak(&allocations_left, &left, left - 1))
            return true;
    }
    return left < 0;
}

/* A zero size still gives a distinct block, so that NULL always means failure. */
static size_t at_least_one(size_t size)
{
    return size ? size : 1;
}

void *cook_malloc(size_t size)
{
    return allowed(size) ? malloc(at_least_one(size)) : NULL;
}

void *cook_calloc(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) || !allowed(total))
        return NULL;
    return calloc(1, at_least_one(total));
}

void *cook_realloc(void *memory, size_t size)
{
    return allowed(size) ? realloc(memory, at_least_one(size)) : NULL;
}

void *cook_realloc_array(void *memory, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    return cook_realloc(memory, total);
}

char *cook_strdup(const char *text)
{
    return cook_strndup(text, strlen(text));
}

char *cook_strndup(const char *text, size_t length)
{
    size_t size;
    if (__builtin_add_overflow(length, (size_t)1, &size))
        return NULL;
    char *copy = cook_malloc(size);
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void cook_free(void *memory)
{
    free(memory);
}

bool cook_grow(void *items_pointer, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    size_t wanted;
    if (__builtin_mul_overflow(*capacity, (size_t)2, &wanted) || wanted < needed)
        wanted = needed;
    if (wanted < 8)
        wanted = 8;
    /* The caller's pointer has its own type; copying its bytes keeps the aliasing rules. */
    void *items;
    memcpy(&items, items_pointer, sizeof(items));
    void *grown = cook_realloc_array(items, wanted, size);
    if (!grown)
        return false;
    memcpy(items_pointer, &grown, sizeof(grown));
    *capacity = wanted;
    return true;
}

#define ARENA_ALIGNMENT           ((size_t)16)
#define ARENA_FIRST_BLOCK_BYTES   ((size_t)4096)
#define ARENA_LARGEST_BLOCK_BYTES ((size_t)256 * 1024)

struct cook_arena_block {
    struct cook_arena_block *next;
    size_t capacity;
    size_t used;
    _Alignas(16) unsigned char data[];
};

/* Blocks come from calloc and are never reused, so every item is zeroed without a memset. */
static struct cook_arena_block *block_create(size_t capacity)
{
    size_t total;
    if (__builtin_add_overflow(capacity, sizeof(struct cook_arena_block), &total))
        return NULL;
    struct cook_arena_block *block = cook_calloc(1, total);
    if (block)
        block->capacity = capacity;
    return block;
}

#ifdef COOK_ARENA_MALLOC

void *cook_arena_alloc(struct cook_arena *arena, size_t size)
{
    struct cook_arena_block *block = block_create(size);
    if (!block)
        return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->used_bytes += size;
    return block->data;
}

#else

static size_t next_block_bytes(const struct cook_arena *arena)
{
    size_t size = arena->blocks ? arena->blocks->capacity * 2 : ARENA_FIRST_BLOCK_BYTES;
    return size < ARENA_LARGEST_BLOCK_BYTES ? size : ARENA_LARGEST_BLOCK_BYTES;
}

/* Large items get a block of their own behind the current one, which stays in use. */
static void *alloc_large(struct cook_arena *arena, size_t size)
{
    struct cook_arena_block *block = block_create(size);
    if (!block)
        return NULL;
    block->used = size;
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        arena->blocks = block;
    }
    return block->data;
}

static void *alloc_from_new_block(struct cook_arena *arena, size_t size)
{
    size_t block_bytes = next_block_bytes(arena);
    if (size > block_bytes / 4)
        return alloc_large(arena, size);
    struct cook_arena_block *block = block_create(block_bytes);
    if (!block)
        return NULL;
    block->used = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block->data;
}

void *cook_arena_alloc(struct cook_arena *arena, size_t size)
{
    size_t rounded;
    if (__builtin_add_overflow(at_least_one(size), ARENA_ALIGNMENT - 1, &rounded))
        return NULL;
    rounded &= ~(ARENA_ALIGNMENT - 1);

    struct cook_arena_block *block = arena->blocks;
    void *item;
    if (block && rounded <= block->capacity - block->used) {
        item = block->data + block->used;
        block->used += rounded;
    } else {
        item = alloc_from_new_block(arena, rounded);
    }
    if (item)
        arena->used_bytes += size;
    return item;
}

#endif

void *cook_arena_dup(struct cook_arena *arena, const void *bytes, size_t size)
{
    void *copy = cook_arena_alloc(arena, size);
    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

char *cook_arena_strdup(struct cook_arena *arena, const char *text)
{
    return cook_arena_dup(arena, text, strlen(text) + 1);
}

char *cook_arena_strndup(struct cook_arena *arena, const char *text, size_t length)
{
    size_t size;
    if (__builtin_add_overflow(length, (size_t)1, &size))
        return NULL;
    char *copy = cook_arena_alloc(arena, size); /* zeroed, so terminated */
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *cook_arena_printf(struct cook_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : cook_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void cook_arena_finish(struct cook_arena *arena)
{
    struct cook_arena_block *block = arena->blocks;
    while (block) {
        struct cook_arena_block *next = block->next;
        cook_free(block);
        block = next;
    }
    arena->blocks = NULL;
    arena->used_bytes = 0;
}
