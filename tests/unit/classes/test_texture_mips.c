#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/hash.h"
#include "cook/classes/texture.h"
#include "unit/classes/images.h"

struct fixture {
    struct cook_buf file;
    struct cook_texture_build build;
    struct cook_texture_options options;
    struct cook_image in, out;
    struct cook_error error;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return 1;
    f->options = (struct cook_texture_options){
        .usage = COOK_TEXTURE_USAGE_COLOR, .srgb = true, .mips = true, .max_size_px = 0
    };
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_buf_finish(&f->file);
    cook_texture_build_finish(&f->build);
    cook_image_finish(&f->in);
    cook_image_finish(&f->out);
    free(f);
    return 0;
}

static void build(struct fixture *f, int width, int height, uint8_t alpha)
{
    cook_buf_clear(&f->file);
    cook_texture_build_finish(&f->build);
    image_make(&f->file, IMAGE_PNG, width, height, alpha);
    assert_int_equal(
        cook_texture_build(&f->build, f->file.data, f->file.size, &f->options, &f->error),
        COOK_OK);
}

/* Halve a 2 x 1 image of these two pixels. */
static const uint8_t *halve_pair(struct fixture *f, const uint8_t left[4],
                                 const uint8_t right[4])
{
    cook_image_finish(&f->in);
    cook_image_finish(&f->out);
    assert_int_equal(cook_image_init(&f->in, 2, 1, NULL), COOK_OK);
    memcpy(f->in.pixels, left, 4);
    memcpy(f->in.pixels + 4, right, 4);
    assert_int_equal(cook_texture_halve(&f->out, &f->in, &f->options, NULL), COOK_OK);
    assert_int_equal(f->out.width_px, 1);
    assert_int_equal(f->out.height_px, 1);
    return f->out.pixels;
}

static void build__opaque__is_bc1_down_to_one_pixel(void **state)
{
    struct fixture *f = *state;
    static const size_t sizes[] = { 16 * 8 / 2, 8 * 4 / 2, 8, 8, 8 }; /* 16x8 8x4 4x2 2x1 1x1 */

    build(f, 16, 8, 255);
    assert_int_equal(f->build.format, COOK_TEXTURE_BC1);
    assert_int_equal(f->build.width_px, 16);
    assert_int_equal(f->build.height_px, 8);
    assert_int_equal(f->build.mip_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(f->build.mips[i].size, sizes[i]);
}

static void build__alpha__is_bc3(void **state)
{
    struct fixture *f = *state;

    build(f, 8, 8, 254);
    assert_int_equal(f->build.format, COOK_TEXTURE_BC3);
    assert_int_equal(f->build.mips[0].size, 64);
}

static void build__normal_map__is_bc5(void **state)
{
    struct fixture *f = *state;

    f->options.usage = COOK_TEXTURE_USAGE_NORMAL;
    build(f, 8, 8, 255);
    assert_int_equal(f->build.format, COOK_TEXTURE_BC5);
}

static void build__data_or_odd_sides__is_rgba8(void **state)
{
    struct fixture *f = *state;

    build(f, 6, 8, 255);
    assert_int_equal(f->build.format, COOK_TEXTURE_RGBA8);
    assert_int_equal(f->build.mips[0].size, 6 * 8 * 4);
    assert_int_equal(f->build.mips[1].size, 3 * 4 * 4);
    f->options.usage = COOK_TEXTURE_USAGE_DATA;
    build(f, 8, 8, 255);
    assert_int_equal(f->build.format, COOK_TEXTURE_RGBA8);
}

static void build__max_size__halves_until_it_fits(void **state)
{
    struct fixture *f = *state;

    f->options.max_size_px = 20;
    f->options.mips = false;
    build(f, 64, 32, 255);
    assert_int_equal(f->build.width_px, 16);
    assert_int_equal(f->build.height_px, 8);
    assert_int_equal(f->build.mip_count, 1);
}

static void build__twice__gives_the_same_bytes(void **state)
{
    struct fixture *f = *state;
    struct cook_hash first[8];

    build(f, 64, 64, 77);
    for (uint32_t i = 0; i < f->build.mip_count; i++)
        first[i] = cook_hash_bytes(f->build.mips[i].data, f->build.mips[i].size);
    build(f, 64, 64, 77);
    assert_int_equal(f->build.mip_count, 7);
    for (uint32_t i = 0; i < f->build.mip_count; i++)
        assert_true(cook_hash_equal(
            first[i], cook_hash_bytes(f->build.mips[i].data, f->build.mips[i].size)));
}

/* Half of linear 1 is 188 in sRGB and 128 in linear numbers. */
static void halve__srgb__averages_light(void **state)
{
    struct fixture *f = *state;
    static const uint8_t black[4] = { 0, 0, 0, 255 }, white[4] = { 255, 255, 255, 255 };

    assert_in_range(halve_pair(f, black, white)[0], 187, 189);
    f->options.srgb = false;
    assert_in_range(halve_pair(f, black, white)[0], 127, 128);
}

static void halve__transparent_colour__does_not_bleed(void **state)
{
    struct fixture *f = *state;
    static const uint8_t hidden[4] = { 255, 0, 0, 0 }, seen[4] = { 0, 0, 255, 255 };

    const uint8_t *pixel = halve_pair(f, hidden, seen);
    assert_int_equal(pixel[0], 0);
    assert_int_equal(pixel[2], 255);
    assert_in_range(pixel[3], 127, 128);
    f->options.usage =
        COOK_TEXTURE_USAGE_DATA; /* channels have nothing to do with each other */
    assert_in_range(halve_pair(f, hidden, seen)[0], 127, 128);
}

static void halve__normals__keep_unit_length(void **state)
{
    struct fixture *f = *state;
    static const uint8_t east[4] = { 255, 128, 128, 255 }, up[4] = { 128, 128, 255, 255 };

    f->options.usage = COOK_TEXTURE_USAGE_NORMAL;
    const uint8_t *pixel = halve_pair(f, east, up);
    assert_in_range(pixel[0], 216, 219); /* 0.707 */
    assert_in_range(pixel[2], 216, 219);
}

static void name_is_normal__by_its_end(void **state)
{
    (void)state;
    assert_true(cook_texture_name_is_normal("Rock_n"));
    assert_true(cook_texture_name_is_normal("rock_Normal"));
    assert_true(cook_texture_name_is_normal("RockNormal"));
    assert_false(cook_texture_name_is_normal("abnormal"));
    assert_false(cook_texture_name_is_normal("Iron"));
    assert_false(cook_texture_name_is_normal("n"));
}

static void build__any_allocation_fails__leaves_nothing(void **state)
{
    struct fixture *f = *state;
    enum cook_status status = COOK_E_NO_MEMORY;

    image_make(&f->file, IMAGE_TGA, 8, 8, 255);
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 1000);
        cook_alloc_fail_after(after);
        status = cook_texture_build(&f->build, f->file.data, f->file.size, &f->options, NULL);
        cook_alloc_fail_after(-1);
        assert_int_equal(f->build.mip_count, status == COOK_OK ? 4 : 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(build__opaque__is_bc1_down_to_one_pixel),
        TEST(build__alpha__is_bc3),
        TEST(build__normal_map__is_bc5),
        TEST(build__data_or_odd_sides__is_rgba8),
        TEST(build__max_size__halves_until_it_fits),
        TEST(build__twice__gives_the_same_bytes),
        TEST(halve__srgb__averages_light),
        TEST(halve__transparent_colour__does_not_bleed),
        TEST(halve__normals__keep_unit_length),
        TEST(name_is_normal__by_its_end),
        TEST(build__any_allocation_fails__leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
