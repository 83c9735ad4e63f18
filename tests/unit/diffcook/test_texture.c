#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <cook/standard.h>

#include "diffcook/texture.h"
#include "unit/diffcook/diff_fixture.h"

static void fill(struct builder *b, uint32_t side, uint32_t format, const void *mip, size_t size)
{
    build_export(b, "Tex", "/Script/Cook.Texture2D");
    build_u32(b, "Width", side);
    build_u32(b, "Height", side);
    build_number(b, "Format", COOK_TOKEN_I32, format, 0);
    build_data(b, "Mips[].Data", mip, size, true, 0);
}

static void compare_mips(struct fixture *f, uint32_t format, const void *old, const void *new,
                         size_t size)
{
    fill(&f->old, 4, format, old, size);
    fill(&f->new, 4, format, new, size);
    compare(f);
    assert_int_equal(f->result.root_count, 1);
}

static void compare__rgba__tells_errors_per_channel(void **state)
{
    uint8_t old[64] = { 0 };
    uint8_t new[64] = { 0 };
    new[0] = 8;
    new[5] = 16;
    compare_mips(*state, COOK_TEXTURE_RGBA8, old, new, 64);
    struct fixture *f = *state;
    assert_string_equal(f->result.differences[0].new_value,
                        "64 bytes, 2 differ in 2 ranges; 4 x 4 pixels, 2 differ; largest error "
                        "R 8 G 16 B 0 A 0, mean R 0.5 G 1 B 0 A 0");
}

/* Pure red to pure blue: the first colour of each block, whatever its other bits say. */
static void compare__bc1__decodes_colors(void **state)
{
    uint8_t old[8] = { 0x00, 0xf8, 0, 0, 0, 0, 0, 0 };
    uint8_t new[8] = { 0x1f, 0x00, 0, 0, 0, 0, 0, 0 };
    compare_mips(*state, COOK_TEXTURE_BC1, old, new, 8);
    struct fixture *f = *state;
    assert_non_null(strstr(f->result.differences[0].new_value,
                           "16 differ; largest error R 255 G 0 B 255 A 0"));
}

static void compare__bc3__decodes_alpha(void **state)
{
    uint8_t old[16] = { 255, 0 };
    uint8_t new[16] = { 155, 0 };
    compare_mips(*state, COOK_TEXTURE_BC3, old, new, 16);
    struct fixture *f = *state;
    assert_non_null(strstr(f->result.differences[0].new_value, "R 0 G 0 B 0 A 100"));
}

/* Between 10 and 80 the codes 2 to 7 step down by 10 from the first: code 7 is 20. */
static void compare__bc5__interpolates(void **state)
{
    uint8_t old[16] = { 80, 10 };
    uint8_t new[16] = { 80, 10, 7 };
    compare_mips(*state, COOK_TEXTURE_BC5, old, new, 16);
    struct fixture *f = *state;
    assert_non_null(strstr(f->result.differences[0].new_value,
                           "1 differ; largest error R 60 G 0, mean R 3.75 G 0"));
}

static void compare__size_that_does_not_fit__is_no_picture(void **state)
{
    uint8_t old[60] = { 0 };
    uint8_t new[60] = { 1 };
    compare_mips(*state, COOK_TEXTURE_RGBA8, old, new, 60);
    struct fixture *f = *state;
    assert_string_equal(f->result.differences[0].new_value, "60 bytes, 1 differ in 1 range");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__rgba__tells_errors_per_channel),
        TEST(compare__bc1__decodes_colors),
        TEST(compare__bc3__decodes_alpha),
        TEST(compare__bc5__interpolates),
        TEST(compare__size_that_does_not_fit__is_no_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
