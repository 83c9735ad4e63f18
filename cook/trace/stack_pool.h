/*
 * Callstacks of several workers in one set: the same code lies at other addresses in each, so stacks
 * are equal by module and offset. What is no class code is cut off at both ends.
 */
#ifndef COOK_TRACE_STACK_POOL_H
#define COOK_TRACE_STACK_POOL_H

#include "cook/base/alloc.h"
#include "cook/base/intern.h"
#include "cook/symbols/stacks.h"

struct cook_trace_stack_pool {
    struct cook_stack_set set;
    size_t module_capacity, stack_capacity;
    struct cook_intern keys;    /* bytes of a stack, by id of the set */
    struct cook_intern modules; /* name, path and build id */
    struct cook_arena arena;
};
#define COOK_TRACE_STACK_POOL_INIT                                                              \
    {                                                                                           \
        { NULL, 0, NULL, 0 }, 0, 0, COOK_INTERN_INIT, COOK_INTERN_INIT, COOK_ARENA_INIT         \
    }

void cook_trace_stack_pool_finish(struct cook_trace_stack_pool *pool);
/* Add a stack of another set; its id here, COOK_STACK_NONE when memory is short. */
uint32_t cook_trace_stack_pool_add(struct cook_trace_stack_pool *pool,
                                   const struct cook_stack_set *set, uint32_t stack);

#endif
