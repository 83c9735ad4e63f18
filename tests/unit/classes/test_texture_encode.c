#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/classes/texture.h"

struct fixture {
    struct cook_image image;
    struct cook_bytes out;
};

static int set_up(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state == NULL;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_image_finish(&f->image);
    cook_free(f->out.data);
    free(f);
    return 0;
}

static void fill(struct fixture *f, uint32_t width, uint32_t height, const uint8_t rgba[4])
{
    cook_image_finish(&f->image);
    assert_int_equal(cook_image_init(&f->image, width, height, NULL), COOK_OK);
    for (size_t i = 0; i < cook_image_bytes(&f->image); i += 4)
        memcpy(f->image.pixels + i, rgba, 4);
}

static void encode(struct fixture *f, enum cook_texture_format format)
{
    cook_free(f->out.data);
    assert_int_equal(cook_texture_encode(&f->out, &f->image, format, NULL), COOK_OK);
    assert_int_equal(f->out.size,
                     cook_texture_encoded_size(format, f->image.width_px, f->image.height_px));
}

static void encode__one_colour__is_that_colour(void **state)
{
    struct fixture *f = *state;
    static const uint8_t red[4] = { 255, 0, 0, 255 };

    fill(f, 4, 4, red);
    encode(f, COOK_TEXTURE_BC1);
    uint16_t first = (uint16_t)(f->out.data[0] | f->out.data[1] << 8);
    assert_int_equal(first, 0xF800); /* 5-6-5 */
}

static void encode__bc3__holds_alpha_first(void **state)
{
    struct fixture *f = *state;
    static const uint8_t half[4] = { 0, 255, 0, 90 };

    fill(f, 4, 4, half);
    encode(f, COOK_TEXTURE_BC3);
    assert_int_equal(f->out.data[0], 90);
    assert_int_equal(f->out.data[8] | f->out.data[9] << 8, 0x07E0);
}

static void encode__bc5__holds_red_then_green(void **state)
{
    struct fixture *f = *state;
    static const uint8_t normal[4] = { 10, 200, 77, 255 };

    fill(f, 4, 4, normal);
    encode(f, COOK_TEXTURE_BC5);
    assert_int_equal(f->out.data[0], 10);
    assert_int_equal(f->out.data[8], 200);
}

/* A partial block repeats its edge, so one colour gives the same block at any size. */
static void encode__small_mip__pads_its_block(void **state)
{
    struct fixture *f = *state;
    static const uint8_t blue[4] = { 0, 0, 255, 255 };
    uint8_t whole[8];

    fill(f, 4, 4, blue);
    encode(f, COOK_TEXTURE_BC1);
    memcpy(whole, f->out.data, 8);
    fill(f, 1, 2, blue);
    encode(f, COOK_TEXTURE_BC1);
    assert_memory_equal(f->out.data, whole, 8);
    fill(f, 5, 3, blue);
    encode(f, COOK_TEXTURE_BC1);
    assert_int_equal(f->out.size, 16);
    assert_memory_equal(f->out.data + 8, whole, 8);
}

static void encode__rgba8__copies(void **state)
{
    struct fixture *f = *state;
    static const uint8_t any[4] = { 1, 2, 3, 4 };

    fill(f, 3, 5, any);
    encode(f, COOK_TEXTURE_RGBA8);
    assert_int_equal(f->out.size, 60);
    assert_memory_equal(f->out.data + 56, any, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(encode__one_colour__is_that_colour),
        TEST(encode__bc3__holds_alpha_first),
        TEST(encode__bc5__holds_red_then_green),
        TEST(encode__small_mip__pads_its_block),
        TEST(encode__rgba8__copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
