#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "diffcook/elements.h"
#include "unit/diffcook/diff_fixture.h"

static const char *compare_data(struct fixture *f, const char *path, const void *old, size_t old_size,
                                const void *new, size_t new_size)
{
    build_export(&f->old, "Grid", "/Script/Test.Grid");
    build_export(&f->new, "Grid", "/Script/Test.Grid");
    build_data(&f->old, path, old, old_size, false, 0);
    build_data(&f->new, path, new, new_size, false, 0);
    compare(f);
    for (uint32_t i = 0; i < f->result.count; i++)
        if (f->result.differences[i].consequence_of < 0)
            return strstr(f->result.differences[i].new_value, "; ");
    return NULL;
}

static void compare__vectors__tell_which_differ_and_their_values(void **state)
{
    const float old[] = { 1, 2, 3, 4, 5, 6 }, new[] = { 1, 2, 3, 4, 5, 6.5f };
    assert_string_equal(compare_data(*state, "Points#f32x3", old, sizeof(old), new, sizeof(new)),
                        "; 1 of 2 elements differ: [1] (4, 5, 6) -> (4, 5, 6.5)");
}

static void compare__signed_numbers__keep_their_sign(void **state)
{
    const int16_t old[] = { 1, -2, 3 }, new[] = { 1, -300, 3 };
    assert_string_equal(compare_data(*state, "Samples#i16", old, sizeof(old), new, sizeof(new)),
                        "; 1 of 3 elements differ: [1] -2 -> -300");
}

static void compare__many__shows_a_few(void **state)
{
    const uint8_t old[6] = { 0 }, new[6] = { 1, 2, 3, 4, 5, 6 };
    assert_string_equal(compare_data(*state, "Data#u8", old, 6, new, 6),
                        "; 6 of 6 elements differ: [0] 0 -> 1, [1] 0 -> 2, [2] 0 -> 3, [3] 0 -> 4, …");
}

static void compare__one_more__is_inserted(void **state)
{
    const uint16_t old[] = { 7, 8, 9 }, new[] = { 7, 8, 20, 9 };
    assert_string_equal(compare_data(*state, "Steps#u16", old, sizeof(old), new, sizeof(new)),
                        "; 3 -> 4 elements: [2] 20 inserted");
}

static void compare__unknown_layout_or_odd_size__is_plain(void **state)
{
    assert_null(compare_data(*state, "Data#f16", "abcd", 4, "abce", 4));
}

static void compare__size_of_no_whole_elements__is_plain(void **state)
{
    assert_null(compare_data(*state, "Data#u32", "abcde", 5, "abcdf", 5));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__vectors__tell_which_differ_and_their_values),
        TEST(compare__signed_numbers__keep_their_sign),
        TEST(compare__many__shows_a_few),
        TEST(compare__one_more__is_inserted),
        TEST(compare__unknown_layout_or_odd_size__is_plain),
        TEST(compare__size_of_no_whole_elements__is_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
