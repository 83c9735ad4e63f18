#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/base/alloc.h"

#include <string.h>

static int allow_allocations(void **state)
{
    (void)state;
    cook_alloc_fail_after(-1);
    return 0;
}

static void malloc__zero_bytes__is_not_null(void **state)
{
    (void)state;
    void *a = cook_malloc(0);
    void *b = cook_calloc(0, 8);
    void *c = cook_realloc(NULL, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    cook_free(a);
    cook_free(b);
    cook_free(c);
    cook_free(NULL);
}

static void realloc_array__size_overflows__is_null(void **state)
{
    (void)state;
    size_t half = SIZE_MAX / 2 + 1;
    assert_null(cook_realloc_array(NULL, half, 2));
    assert_null(cook_calloc(half, 2));
    assert_null(cook_strndup("x", SIZE_MAX));
}

static void strndup__part__is_terminated(void **state)
{
    (void)state;
    char *text = cook_strndup("abcdef", 3);
    assert_string_equal(text, "abc");
    cook_free(text);
    text = cook_strdup("");
    assert_string_equal(text, "");
    cook_free(text);
}

static void fail_after__count_used_up__each_call_fails(void **state)
{
    (void)state;
    cook_alloc_fail_after(1);
    void *first = cook_malloc(1);
    assert_non_null(first);
    assert_null(cook_malloc(1));
    assert_null(cook_calloc(1, 1));
    assert_null(cook_realloc(NULL, 1));
    assert_null(cook_strdup("x"));
    cook_alloc_fail_after(-1);
    void *second = cook_malloc(1);
    assert_non_null(second);
    cook_free(first);
    cook_free(second);
}

static void grow__more_than_capacity__keeps_the_items(void **state)
{
    (void)state;
    uint16_t *items = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_true(cook_grow(&items, &capacity, i + 1, sizeof(*items)));
        items[i] = (uint16_t)i;
    }
    assert_true(capacity >= 1000 && capacity < 2048);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    cook_free(items);
}

static void grow__fails__leaves_all_as_it_was(void **state)
{
    (void)state;
    char *items = cook_malloc(4);
    size_t capacity = 4;
    char *before = items;
    assert_false(cook_grow(&items, &capacity, SIZE_MAX / 2, 4));
    cook_alloc_fail_after(0);
    assert_false(cook_grow(&items, &capacity, 5, 1));
    cook_alloc_fail_after(-1);
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, 4);
    cook_free(items);
}

static void arena__items_of_all_sizes__are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    unsigned char *items[600];
    for (size_t i = 0; i < 600; i++) {
        items[i] = cook_arena_alloc(&arena, i * 7);
        assert_non_null(items[i]);
        assert_int_equal((uintptr_t)items[i] % 16, 0);
        for (size_t k = 0; k < i * 7; k++)
            assert_int_equal(items[i][k], 0);
        memset(items[i], (int)(i & 0xff), i * 7);
    }
    for (size_t i = 0; i < 600; i++) {
        for (size_t k = 0; k < i * 7; k++)
            assert_int_equal(items[i][k], i & 0xff);
    }
    assert_int_equal(arena.used_bytes, 7 * 599 * 600 / 2);
    cook_arena_finish(&arena);
}

static void arena__finished__can_be_used_again(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    assert_string_equal(cook_arena_strdup(&arena, "a"), "a");
    cook_arena_finish(&arena);
    assert_null(arena.blocks);
    assert_int_equal(arena.used_bytes, 0);
    assert_string_equal(cook_arena_strndup(&arena, "bcd", 2), "bc");
    cook_arena_finish(&arena);
    cook_arena_finish(&arena);
}

static void arena_alloc__size_overflows__is_null(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    assert_null(cook_arena_alloc(&arena, SIZE_MAX));
    assert_null(cook_arena_alloc(&arena, SIZE_MAX - 40));
    assert_null(cook_arena_strndup(&arena, "x", SIZE_MAX));
    assert_int_equal(arena.used_bytes, 0);
    cook_arena_finish(&arena);
}

static void arena_alloc__memory_is_short__is_null(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    cook_alloc_fail_after(0);
    assert_null(cook_arena_alloc(&arena, 10));
    assert_null(cook_arena_alloc(&arena, 100000));
    assert_null(cook_arena_strdup(&arena, "x"));
    assert_null(cook_arena_printf(&arena, "%d", 1));
    assert_null(cook_arena_dup(&arena, "x", 1));
    cook_arena_finish(&arena);
}

static void arena_printf__long_text__is_whole(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    char *text = cook_arena_printf(&arena, "%s-%05000d", "n", 42);
    assert_int_equal(strlen(text), 5002);
    assert_string_equal(text + 4999, "042");
    cook_arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malloc__zero_bytes__is_not_null),
        cmocka_unit_test(realloc_array__size_overflows__is_null),
        cmocka_unit_test(strndup__part__is_terminated),
        cmocka_unit_test_teardown(fail_after__count_used_up__each_call_fails,
                                  allow_allocations),
        cmocka_unit_test(grow__more_than_capacity__keeps_the_items),
        cmocka_unit_test_teardown(grow__fails__leaves_all_as_it_was, allow_allocations),
        cmocka_unit_test(arena__items_of_all_sizes__are_aligned_zeroed_and_apart),
        cmocka_unit_test(arena__finished__can_be_used_again),
        cmocka_unit_test(arena_alloc__size_overflows__is_null),
        cmocka_unit_test_teardown(arena_alloc__memory_is_short__is_null, allow_allocations),
        cmocka_unit_test(arena_printf__long_text__is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
