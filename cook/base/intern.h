/*
 * String interning: text <-> dense id, in order of first sight (so ids are deterministic when the
 * order of insertion is). Also the project's general string-keyed map: hold values in an array
 * indexed by the id. Not thread-safe.
 */
#ifndef COOK_BASE_INTERN_H
#define COOK_BASE_INTERN_H

#include "cook/base/alloc.h"

#define COOK_INTERN_NONE UINT32_MAX

struct cook_intern {
    struct cook_arena arena;
    const char **texts; /* by id; live as long as the table */
    size_t *lengths;
    size_t count;
    size_t capacity;
    size_t lengths_capacity;
    uint32_t *slots; /* open addressing, id + 1 */
    size_t slot_count;
};
#define COOK_INTERN_INIT { COOK_ARENA_INIT, NULL, NULL, 0, 0, 0, NULL, 0 }

void cook_intern_finish(struct cook_intern *table);
/* The id of `text`, added when new; COOK_INTERN_NONE only when memory is short. */
uint32_t cook_intern_add(struct cook_intern *table, const char *text);
uint32_t cook_intern_add_n(struct cook_intern *table, const char *text, size_t length);
/* The id of `text`, or COOK_INTERN_NONE when it was never added. */
uint32_t cook_intern_find(const struct cook_intern *table, const char *text);
uint32_t cook_intern_find_n(const struct cook_intern *table, const char *text, size_t length);
const char *cook_intern_text(const struct cook_intern *table, uint32_t id); /* id must be valid */

#endif
