/*
 * The one allocation adapter, and arenas over it. Tests make the Nth allocation fail; in builds
 * with COOK_ARENA_MALLOC (the sanitizer presets) each arena item is a malloc of its own, so that
 * AddressSanitizer sees every object. Threading: the adapter is thread-safe; an arena is not.
 */
#ifndef COOK_BASE_ALLOC_H
#define COOK_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cook/status.h>

/* malloc family; NULL when memory is short, when count*size overflows, or by the fail hook. */
void *cook_malloc(size_t size);
void *cook_calloc(size_t count, size_t size);
void *cook_realloc(void *memory, size_t size);
void *cook_realloc_array(void *memory, size_t count, size_t size);
char *cook_strdup(const char *text);                  /* text must not be NULL */
char *cook_strndup(const char *text, size_t length);
void cook_free(void *memory);                         /* NULL allowed */

/* Grow `*items` (element `size`) to hold `needed` elements, doubling; false when memory is short. */
bool cook_grow(void *items_pointer, size_t *capacity, size_t needed, size_t size);

/*
 * Test hook: let `after` further allocations succeed, then fail each one; negative turns it off.
 * Process-wide by nature (it stands in for the machine's memory), and only for tests.
 */
void cook_alloc_fail_after(long after);

/* An arena: items live until the arena is reset or finished. Zero-initialise with COOK_ARENA_INIT. */
struct cook_arena_block;
struct cook_arena {
    struct cook_arena_block *blocks;
    size_t used_bytes; /* of all items handed out */
};
#define COOK_ARENA_INIT { NULL, 0 }

void *cook_arena_alloc(struct cook_arena *arena, size_t size);  /* 16-byte aligned, zeroed, or NULL */
void *cook_arena_dup(struct cook_arena *arena, const void *bytes, size_t size);
char *cook_arena_strdup(struct cook_arena *arena, const char *text);
char *cook_arena_strndup(struct cook_arena *arena, const char *text, size_t length);
char *cook_arena_printf(struct cook_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cook_arena_finish(struct cook_arena *arena); /* frees all; the arena can be used again */

#endif
