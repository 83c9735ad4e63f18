/*
 * What a tracer has noted since its last flush: each (package, call, path, flags that matter, program,
 * stack) once, in order of first sight. Bounded. Not thread-safe.
 */
#ifndef COOK_TRACE_NOTES_H
#define COOK_TRACE_NOTES_H

#include "cook/base/alloc.h"
#include "cook/base/intern.h"
#include "cook/symbols/stacks.h"

#define COOK_TRACE_MAX_NOTES  20000  /* between two flushes */
#define COOK_TRACE_MAX_STACKS 50000  /* ever */
#define COOK_TRACE_MAX_TEXTS  200000 /* ever */

struct cook_trace_note {
    uint32_t package; /* id in `packages`, times 2; plus 1: while loading it */
    uint32_t path;    /* id in `texts` */
    uint32_t program;
    uint32_t stack;
    int32_t number; /* of the system call, COOK_TRACE_ENVIRONMENT */
    int32_t flags;
    uint32_t order;
};

struct cook_trace_notes {
    struct cook_intern packages; /* id 0 is "" */
    struct cook_intern texts;
    struct cook_stacks *stacks;
    struct cook_trace_note *items;
    size_t count, capacity;
    uint32_t *slots; /* open addressing, index + 1 */
    size_t slot_count;
    uint64_t dropped;
};

/* False when memory is short; then nothing can be noted. */
bool cook_trace_notes_init(struct cook_trace_notes *notes);
void cook_trace_notes_finish(struct cook_trace_notes *notes);
/* Note what `note` says but for its path, program and stack, which are interned here. */
void cook_trace_notes_add(struct cook_trace_notes *notes, struct cook_trace_note note,
                          const char *path, const char *program, void *const *pcs, size_t pc_count);
void cook_trace_notes_clear(struct cook_trace_notes *notes); /* the items; texts and stacks stay */

#endif
