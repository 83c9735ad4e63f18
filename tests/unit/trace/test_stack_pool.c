#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/trace/stack_pool.h"

static struct cook_stack_module modules[] = { { "libc.so.6", "", "aa" },
                                              { "arena.so", "", "bb" },
                                              { "libcook.so.0", "", "cc" },
                                              { "cook-worker", "", "dd" } };

static struct cook_stack_set set_of(struct cook_stack *stack)
{
    return (struct cook_stack_set){ modules, 4, stack, 1 };
}

static void add__cuts_what_is_no_class_code(void **state)
{
    struct cook_trace_stack_pool pool = COOK_TRACE_STACK_POOL_INIT;
    struct cook_stack_frame frames[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 1, 4 },
                                         { 2, 5 }, { 3, 6 }, { 0, 7 } };
    struct cook_stack stack = { frames, 7 };
    struct cook_stack_set set = set_of(&stack);
    (void)state;
    assert_int_equal(cook_trace_stack_pool_add(&pool, &set, 0), 0);
    assert_int_equal(pool.set.stacks[0].count, 3); /* through the SDK, to the outer class code */
    assert_int_equal(pool.set.stacks[0].frames[0].offset, 2);
    assert_int_equal(pool.set.stacks[0].frames[2].offset, 4);
    cook_trace_stack_pool_finish(&pool);
}

static void add__keeps_a_stack_without_class_code(void **state)
{
    struct cook_trace_stack_pool pool = COOK_TRACE_STACK_POOL_INIT;
    struct cook_stack_frame frames[] = { { 0, 1 } };
    struct cook_stack stack = { frames, 1 };
    struct cook_stack_set set = set_of(&stack);
    (void)state;
    assert_int_equal(cook_trace_stack_pool_add(&pool, &set, 0), 0);
    assert_int_equal(pool.set.stacks[0].count, 1);
    cook_trace_stack_pool_finish(&pool);
}

static void add__keeps_equal_stacks_once(void **state)
{
    struct cook_trace_stack_pool pool = COOK_TRACE_STACK_POOL_INIT;
    struct cook_stack_frame frames[] = { { 1, 2 }, { 1, 9 } };
    struct cook_stack stack = { frames, 2 };
    struct cook_stack_set set = set_of(&stack);
    (void)state;
    assert_int_equal(cook_trace_stack_pool_add(&pool, &set, 0), 0);
    assert_int_equal(cook_trace_stack_pool_add(&pool, &set, 0), 0);
    frames[1].offset = 10;
    assert_int_equal(cook_trace_stack_pool_add(&pool, &set, 0), 1);
    assert_int_equal(pool.set.module_count, 1);
    cook_trace_stack_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__cuts_what_is_no_class_code),
        cmocka_unit_test(add__keeps_a_stack_without_class_code),
        cmocka_unit_test(add__keeps_equal_stacks_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
