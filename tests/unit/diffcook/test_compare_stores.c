#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "store_pair.h"

static void compare__equal_stores__nothing_differs(void **context)
{
    struct pair *pair = *context;
    for (int side = 0; side < 2; side++) {
        add_package(pair, side, "/Game/A", "bytes of a");
        add_package(pair, side, "/Game/B", "bytes of b");
    }
    compare_pair(pair);
    assert_int_equal(pair->comparison.count, 0);
    assert_int_equal(pair->comparison.identical, 2);
    assert_int_equal(pair->comparison.unknown, 0);
}

static void compare__every_change__comes_by_name(void **context)
{
    struct pair *pair = *context;
    add_package(pair, 0, "/Game/D", "same");
    add_package(pair, 0, "/Game/C", "gone");
    add_package(pair, 0, "/Game/A", "one");
    add_package(pair, 1, "/Game/A", "another");
    add_package(pair, 1, "/Game/B", "new");
    add_package(pair, 1, "/Game/D", "same");
    compare_pair(pair);
    const struct diff_entry *entries = pair->comparison.entries;
    assert_int_equal(pair->comparison.count, 3);
    assert_string_equal(entries[0].name, "/Game/A");
    assert_int_equal(entries[0].change, DIFF_MODIFIED);
    assert_int_equal(entries[0].parts, DIFF_PART_BYTES);
    assert_int_equal(entries[0].new_bytes, 7);
    assert_string_equal(entries[1].name, "/Game/B");
    assert_int_equal(entries[1].change, DIFF_ADDED);
    assert_string_equal(entries[2].name, "/Game/C");
    assert_int_equal(entries[2].change, DIFF_DELETED);
    assert_int_equal(pair->comparison.identical, 1);
}

/* A kept result whose state was changed since speaks for no finished cook. */
static void compare__row_of_a_later_result__only_bytes_count(void **context)
{
    struct pair *pair = *context;
    uint32_t a = add_package(pair, 0, "/Game/A", "same");
    add_package(pair, 1, "/Game/A", "same");
    refer(pair, 0, a, a);
    end_cooks(pair);
    struct cook_state *state = cook_store_state(pair->operands[0].store);
    assert_int_equal(cook_state_thaw(state, NULL), COOK_OK);
    state->packages[a].key.low ^= 1;
    assert_int_equal(
        diff_compare_operands(&pair->comparison, &pair->operands[0], &pair->operands[1], NULL),
        COOK_OK);
    assert_int_equal(pair->comparison.count, 0);
    assert_int_equal(pair->comparison.unknown, 1);
}

static void compare__manifest_dropped__names_the_cook(void **context)
{
    struct pair *pair = *context;
    add_package(pair, 0, "/Game/A", "same");
    end_cooks(pair);
    pair->operands[1].cook = 7;
    assert_int_equal(diff_compare_operands(&pair->comparison, &pair->operands[0],
                                           &pair->operands[1], &pair->error),
                     COOK_E_NOT_FOUND);
    assert_non_null(strstr(pair->error.message, "Saved/Cook/New"));
    assert_non_null(strstr(pair->error.message, "no cook 7"));
}

static void compare__memory_is_short__every_time(void **context)
{
    struct pair *pair = *context;
    uint32_t a = add_package(pair, 0, "/Game/A", "one");
    refer(pair, 0, a, add_package(pair, 0, "/Game/B", "two"));
    add_package(pair, 1, "/Game/A", "another");
    end_cooks(pair);
    for (long after = 0; after < 200; after++) {
        cook_alloc_fail_after(after);
        enum cook_status status = diff_compare_operands(&pair->comparison, &pair->operands[0],
                                                        &pair->operands[1], NULL);
        cook_alloc_fail_after(-1);
        diff_comparison_finish(&pair->comparison);
        if (status == COOK_OK)
            return;
        assert_int_equal(status, COOK_E_NO_MEMORY);
    }
    fail();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__equal_stores__nothing_differs),
        TEST(compare__every_change__comes_by_name),
        TEST(compare__row_of_a_later_result__only_bytes_count),
        TEST(compare__manifest_dropped__names_the_cook),
        TEST(compare__memory_is_short__every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
