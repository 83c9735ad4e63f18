#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/base/intern.h"

#include <stdio.h>
#include <string.h>

static int allow_allocations(void **state)
{
    (void)state;
    cook_alloc_fail_after(-1);
    return 0;
}

static void add__new_and_known_texts__number_in_order_of_first_sight(void **state)
{
    (void)state;
    struct cook_intern table = COOK_INTERN_INIT;
    assert_int_equal(cook_intern_add(&table, "b"), 0);
    assert_int_equal(cook_intern_add(&table, "a"), 1);
    assert_int_equal(cook_intern_add(&table, "b"), 0);
    assert_int_equal(cook_intern_add(&table, ""), 2);
    assert_int_equal(table.count, 3);
    assert_string_equal(cook_intern_text(&table, 1), "a");
    cook_intern_finish(&table);
}

static void find__text_never_added__is_none(void **state)
{
    (void)state;
    struct cook_intern table = COOK_INTERN_INIT;
    assert_int_equal(cook_intern_find(&table, "a"), COOK_INTERN_NONE);
    cook_intern_add(&table, "ab");
    assert_int_equal(cook_intern_find(&table, "a"), COOK_INTERN_NONE);
    assert_int_equal(cook_intern_find(&table, "ab"), 0);
    cook_intern_finish(&table);
}

static void add_n__bytes_with_a_nul__are_kept_apart(void **state)
{
    (void)state;
    struct cook_intern table = COOK_INTERN_INIT;
    assert_int_equal(cook_intern_add_n(&table, "a\0b", 3), 0);
    assert_int_equal(cook_intern_add_n(&table, "a\0c", 3), 1);
    assert_int_equal(cook_intern_add_n(&table, "a", 1), 2);
    assert_int_equal(cook_intern_add_n(&table, NULL, 0), 3);
    assert_int_equal(cook_intern_find_n(&table, "a\0c", 3), 1);
    assert_int_equal(cook_intern_find_n(&table, NULL, 0), 3);
    cook_intern_finish(&table);
}

static void add__many_texts__are_all_found_and_stay_in_place(void **state)
{
    (void)state;
    struct cook_intern table = COOK_INTERN_INIT;
    char text[32];
    cook_intern_add(&table, "first");
    const char *first = cook_intern_text(&table, 0);
    for (unsigned i = 1; i < 20000; i++) {
        snprintf(text, sizeof(text), "/Game/Package%u", i);
        assert_int_equal(cook_intern_add(&table, text), i);
    }
    for (unsigned i = 1; i < 20000; i++) {
        snprintf(text, sizeof(text), "/Game/Package%u", i);
        assert_int_equal(cook_intern_find(&table, text), i);
    }
    assert_ptr_equal(cook_intern_text(&table, 0), first);
    cook_intern_finish(&table);
}

/* Adds until it works; each failure must leave the table whole. */
static void add__memory_is_short__leaves_the_table_whole(void **state)
{
    (void)state;
    struct cook_intern table = COOK_INTERN_INIT;
    char text[32];
    unsigned failures = 0;
    for (unsigned i = 0; i < 200; i++) {
        snprintf(text, sizeof(text), "%u", i);
        uint32_t id = COOK_INTERN_NONE;
        for (long after = 0; id == COOK_INTERN_NONE; after++) {
            cook_alloc_fail_after(after);
            id = cook_intern_add(&table, text);
            cook_alloc_fail_after(-1);
            failures += id == COOK_INTERN_NONE;
            assert_int_equal(table.count, id == COOK_INTERN_NONE ? i : i + 1);
        }
        assert_int_equal(id, i);
    }
    assert_true(failures > 4);
    assert_int_equal(cook_intern_find(&table, "0"), 0);
    cook_intern_finish(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__new_and_known_texts__number_in_order_of_first_sight),
        cmocka_unit_test(find__text_never_added__is_none),
        cmocka_unit_test(add_n__bytes_with_a_nul__are_kept_apart),
        cmocka_unit_test(add__many_texts__are_all_found_and_stay_in_place),
        cmocka_unit_test_teardown(add__memory_is_short__leaves_the_table_whole,
                                  allow_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
