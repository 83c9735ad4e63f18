#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/classes/image.h"
#include "unit/classes/images.h"

struct fixture {
    struct cook_buf file;
    struct cook_image image;
    struct cook_error error;
};

static int set_up(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state == NULL;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_buf_finish(&f->file);
    cook_image_finish(&f->image);
    free(f);
    return 0;
}

static enum cook_status decode(struct fixture *f, const void *bytes, size_t size)
{
    cook_image_finish(&f->image);
    return cook_image_decode(&f->image, bytes, size, &f->error);
}

static void decode__png_and_tga__give_the_same_pixels(void **state)
{
    struct fixture *f = *state;
    uint8_t *pixels = image_pixels(13, 5, 200);

    for (int kind = IMAGE_PNG; kind <= IMAGE_TGA; kind++) {
        cook_buf_clear(&f->file);
        image_write(&f->file, (enum image_kind)kind, 13, 5, pixels);
        assert_int_equal(decode(f, f->file.data, f->file.size), COOK_OK);
        assert_int_equal(f->image.width_px, 13);
        assert_int_equal(f->image.height_px, 5);
        assert_memory_equal(f->image.pixels, pixels, 13 * 5 * 4);
    }
    free(pixels);
}

static void decode__jpeg__is_opaque(void **state)
{
    static const uint8_t grey[4] = { 128, 128, 128, 255 };
    struct fixture *f = *state;

    image_make(&f->file, IMAGE_JPEG, 20, 9, 0);
    assert_int_equal(decode(f, f->file.data, f->file.size), COOK_OK);
    assert_int_equal(f->image.width_px, 20);
    assert_int_equal(f->image.height_px, 9);
    assert_memory_equal(f->image.pixels + cook_image_bytes(&f->image) - 4, grey, 4);
}

static void decode__cut_short__is_malformed(void **state)
{
    struct fixture *f = *state;

    for (int kind = IMAGE_PNG; kind <= IMAGE_JPEG; kind += IMAGE_JPEG) {
        cook_buf_clear(&f->file);
        image_make(&f->file, (enum image_kind)kind, 40, 30, 255);
        for (size_t size = 0; size + 2 < f->file.size; size += 7)
            assert_int_equal(decode(f, f->file.data, size), COOK_E_MALFORMED);
    }
}

/* 16 lengths of 255 codes each, over 4000 symbols: stb_image would write them past its table.
 */
static void decode__jpeg_with_a_huge_huffman_table__is_refused(void **state)
{
    struct fixture *f = *state;

    cook_buf_put(&f->file, "\xFF\xD8\xFF\xC4\x10\x03\x00", 7);
    for (size_t i = 0; i < 16 + 4080; i++)
        cook_buf_put_u8(&f->file, 255);
    cook_buf_put(&f->file, "\xFF\xD9", 2);
    assert_false(cook_image_jpeg_is_sound(f->file.data, f->file.size));
    assert_int_equal(decode(f, f->file.data, f->file.size), COOK_E_MALFORMED);
}

static void jpeg_is_sound__codes_that_do_not_fit__are_refused(void **state)
{
    struct fixture *f = *state;

    image_make(&f->file, IMAGE_JPEG, 8, 8, 255);
    assert_true(cook_image_jpeg_is_sound(f->file.data, f->file.size));
    uint8_t *table = memmem(f->file.data, f->file.size, "\xFF\xC4", 2);
    assert_non_null(table);
    table[5] = 3; /* three codes of one bit */
    assert_false(cook_image_jpeg_is_sound(f->file.data, f->file.size));
}

static void decode__tga_without_its_pixels__is_malformed(void **state)
{
    struct fixture *f = *state;
    uint8_t header[18] = { 0 };

    header[2] = 2;
    header[13] = 0x40; /* 16384 x 8192 */
    header[15] = 0x20;
    header[16] = 32;
    assert_int_equal(decode(f, header, sizeof(header)), COOK_E_MALFORMED);
    assert_null(f->image.pixels);
}

static void decode__png_claims_huge_sides__is_refused(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(cook_image_init(&f->image, 16384, 16384, &f->error), COOK_E_LIMIT);
    assert_int_equal(cook_image_init(&f->image, 16385, 1, &f->error), COOK_E_LIMIT);
    assert_int_equal(cook_image_init(&f->image, 0, 1, &f->error), COOK_E_LIMIT);
    image_make(&f->file, IMAGE_PNG, 4, 4, 255);
    f->file.data[18] = 0x7F; /* the width; its checksum is wrong now too */
    assert_int_not_equal(decode(f, f->file.data, f->file.size), COOK_OK);
}

static void decode__text__is_malformed(void **state)
{
    struct fixture *f = *state;
    const char *text = "{\"this\": \"is no image, but long enough to have a header\"}";

    assert_int_equal(decode(f, text, strlen(text)), COOK_E_MALFORMED);
    assert_int_equal(decode(f, NULL, 0), COOK_E_MALFORMED);
}

/* Not all changes are seen (a pixel may just differ), but none may crash; run under sanitizers.
 */
static void decode__changed_bytes__never_crashes(void **state)
{
    struct fixture *f = *state;
    uint32_t seed = 1;

    for (int kind = IMAGE_PNG; kind <= IMAGE_JPEG; kind++) {
        cook_buf_clear(&f->file);
        image_make(&f->file, (enum image_kind)kind, 17, 9, 128);
        for (int round = 0; round < 2000; round++) {
            seed = seed * 1664525u + 1013904223u;
            uint8_t *at = f->file.data + (seed >> 8) % f->file.size;
            uint8_t old = *at;
            *at = (uint8_t)(seed >> 24);
            if (decode(f, f->file.data, f->file.size) == COOK_OK)
                assert_non_null(f->image.pixels);
            *at = old;
        }
    }
}

static void decode__any_allocation_fails__is_no_success(void **state)
{
    struct fixture *f = *state;

    for (int kind = IMAGE_PNG; kind <= IMAGE_JPEG; kind++) {
        enum cook_status status = COOK_E_NO_MEMORY;
        cook_buf_clear(&f->file);
        image_make(&f->file, (enum image_kind)kind, 8, 8, 255);
        for (long after = 0; status != COOK_OK; after++) {
            cook_image_finish(&f->image);
            cook_alloc_fail_after(after);
            status = cook_image_decode(&f->image, f->file.data, f->file.size, &f->error);
            cook_alloc_fail_after(-1);
            assert_true(after < 1000);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(decode__png_and_tga__give_the_same_pixels),
        TEST(decode__jpeg__is_opaque),
        TEST(decode__cut_short__is_malformed),
        TEST(decode__jpeg_with_a_huge_huffman_table__is_refused),
        TEST(jpeg_is_sound__codes_that_do_not_fit__are_refused),
        TEST(decode__tga_without_its_pixels__is_malformed),
        TEST(decode__png_claims_huge_sides__is_refused),
        TEST(decode__text__is_malformed),
        TEST(decode__changed_bytes__never_crashes),
        TEST(decode__any_allocation_fails__is_no_success),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
