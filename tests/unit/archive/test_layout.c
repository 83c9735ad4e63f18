#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/archive/layout.h"

static void parse__all_that_is_documented__is_taken(void **state)
{
    static const struct {
        const char *text;
        struct cook_layout layout;
    } cases[] = { { "u8", { 'u', 1, 1 } },     { "i16", { 'i', 2, 1 } },    { "u32x2", { 'u', 4, 2 } },
                  { "f32x3", { 'f', 4, 3 } },  { "f64x16", { 'f', 8, 16 } }, { "i64", { 'i', 8, 1 } } };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cook_layout layout;
        assert_true(cook_layout_parse(&layout, cases[i].text));
        assert_int_equal(layout.kind, cases[i].layout.kind);
        assert_int_equal(layout.size, cases[i].layout.size);
        assert_int_equal(layout.count, cases[i].layout.count);
    }
}

static void parse__anything_else__is_refused(void **state)
{
    static const char *const texts[] = { "",      "f16",   "f32x",  "f32x0", "f32x1", "f32x17", "f32x03",
                                         "f32 x3", "u128", "x3",    "f32x3x", "bulk", "set",
                                         "f32x99999999999999999999" };
    (void)state;
    struct cook_layout layout;
    assert_false(cook_layout_parse(&layout, NULL));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(cook_layout_parse(&layout, texts[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__all_that_is_documented__is_taken),
        cmocka_unit_test(parse__anything_else__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
