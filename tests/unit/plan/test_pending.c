#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include "cook/plan/pending.h"

static void take__without_arrangement_keeps_order(void **state)
{
    (void)state;
    struct cook_pending pending;
    uint32_t out[4];
    assert_int_equal(cook_pending_init(&pending, 2), COOK_OK);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(cook_pending_add(&pending, 7 - i), COOK_OK);
    assert_int_equal(cook_pending_take(&pending, 1, out, 2), 2);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[1], 6);
    assert_int_equal(cook_pending_take(&pending, 0, out, 4), 1);
    assert_int_equal(out[0], 5);
    assert_int_equal(cook_pending_take(&pending, 0, out, 4), 0);
    cook_pending_finish(&pending);
}

/* Two groups of four, in an order of their own; package 9 is not arranged. */
static void arrange(struct cook_pending *pending)
{
    static const uint32_t packages[] = { 6, 4, 2, 0, 7, 5, 3, 1 };
    static const uint32_t groups[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
    assert_int_equal(cook_pending_init(pending, 2), COOK_OK);
    for (uint32_t i = 0; i < 10; i += i == 7 ? 2 : 1)
        assert_int_equal(cook_pending_add(pending, i), COOK_OK);
    assert_int_equal(cook_pending_arrange(pending, packages, groups, 8, 8), COOK_OK);
    assert_int_equal(pending->count, 9);
}

static void take__keeps_groups_together(void **state)
{
    (void)state;
    struct cook_pending pending;
    uint32_t out[8];
    arrange(&pending);
    for (unsigned round = 0; round < 4; round++) {
        assert_int_equal(cook_pending_take(&pending, 0, out, 1), 1);
        assert_int_equal(out[0] % 2, 0);
        assert_int_equal(cook_pending_take(&pending, 1, out, 1), 1);
        assert_int_equal(out[0] % 2, 1);
    }
    assert_int_equal(cook_pending_take(&pending, 1, out, 8), 1);
    assert_int_equal(out[0], 9);
    cook_pending_finish(&pending);
}

static void take__idle_worker_takes_over(void **state)
{
    (void)state;
    struct cook_pending pending;
    uint32_t out[8];
    arrange(&pending);
    assert_int_equal(cook_pending_take(&pending, 0, out, 1), 1);
    assert_int_equal(cook_pending_take(&pending, 1, out, 4), 4); /* all of the second group */
    assert_int_equal(cook_pending_take(&pending, 1, out, 1), 1); /* and now of the first */
    assert_int_equal(out[0] % 2, 0);
    cook_pending_finish(&pending);
}

/* Whatever the workers do, each package goes out once, and never nothing while something waits. */
static void take__gives_each_package_once(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    uint32_t packages[COUNT], groups[COUNT], seen[COUNT] = { 0 }, out[COOK_PENDING_MOST];
    uint32_t random = 1;
    struct cook_pending pending;
    for (unsigned workers = 1; workers < 9; workers++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            packages[i] = (i * 7 + workers) % COUNT;
            groups[i] = i / 9;
            seen[i] = 0;
        }
        assert_int_equal(cook_pending_init(&pending, workers), COOK_OK);
        assert_int_equal(cook_pending_arrange(&pending, packages, groups, COUNT - 50, COUNT), COOK_OK);
        for (uint32_t added = 0; added < COUNT || pending.count;) {
            random = random * 1664525 + 1013904223;
            for (uint32_t k = random >> 28; k && added < COUNT; k--)
                assert_int_equal(cook_pending_add(&pending, added++), COOK_OK);
            uint32_t taken = cook_pending_take(&pending, (random >> 8) % workers, out,
                                               1 + (random >> 16) % 12);
            assert_true(taken || pending.count == 0);
            for (uint32_t k = 0; k < taken; k++)
                assert_int_equal(seen[out[k]]++, 0);
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(seen[i], 1);
        cook_pending_finish(&pending);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take__without_arrangement_keeps_order),
        cmocka_unit_test(take__keeps_groups_together),
        cmocka_unit_test(take__idle_worker_takes_over),
        cmocka_unit_test(take__gives_each_package_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
