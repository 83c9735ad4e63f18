#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cook/reader/image_check.h"

/* A grey PNG of 1 x 1 pixel: signature, IHDR, IDAT, IEND with their checksums. */
static const uint8_t png[] = {
    0x89, 'P',  'N',  'G',  13,   10,   26,   10,   0,    0,    0,    13,   'I',  'H',
    'D',  'R',  0,    0,    0,    1,    0,    0,    0,    1,    8,    0,    0,    0,
    0,    0x3a, 0x7e, 0x9b, 0x55, 0,    0,    0,    10,   'I',  'D',  'A',  'T',  0x78,
    0x9c, 0x63, 0x60, 0x00, 0x00, 0x00, 0x02, 0x00, 0x01, 0x48, 0xaf, 0xa4, 0x71, 0,
    0,    0,    0,    'I',  'E',  'N',  'D',  0xae, 0x42, 0x60, 0x82,
};

/* The segments of a baseline JPEG of 3 x 2 pixels, with two bytes of coded data. */
static const uint8_t jpeg[] = {
    0xff, 0xd8, 0xff, 0xe0, 0,    4, 'J', 'F', 0xff, 0xc0, 0, 11, 8, 0,    2,    0,    3,    1,
    1,    0x11, 0,    0xff, 0xda, 0, 8,   1,   1,    0,    0, 63, 0, 0x12, 0x34, 0xff, 0xd9,
};

/* Checks a copy that ends with its last byte, so that a sanitizer sees reads behind it. */
static enum cook_status check(struct cook_image_info *info, const uint8_t *bytes, size_t size,
                              enum cook_image_kind kind, struct cook_error *error)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    enum cook_status status = cook_image_check(info, copy, size, kind, error);
    free(copy);
    return status;
}

static void assert_refused(const uint8_t *bytes, size_t size, enum cook_image_kind kind,
                           const char *reason)
{
    struct cook_image_info info;
    struct cook_error error = COOK_ERROR_INIT;
    assert_int_not_equal(check(&info, bytes, size, kind, &error), COOK_OK);
    assert_string_equal(error.message, reason);
}

static void png__whole_file_gives_its_size(void **state)
{
    (void)state;
    struct cook_image_info info;
    assert_int_equal(check(&info, png, sizeof(png), COOK_IMAGE_UNKNOWN, NULL), COOK_OK);
    assert_int_equal(info.kind, COOK_IMAGE_PNG);
    assert_true(info.width_px == 1 && info.height_px == 1);
}

static void png__cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct cook_image_info info;
    for (size_t size = 0; size < sizeof(png); size++) {
        assert_int_equal(check(&info, png, size, COOK_IMAGE_PNG, NULL), COOK_E_MALFORMED);
    }
    assert_refused(png, sizeof(png) - 12, COOK_IMAGE_PNG,
                   "PNG is cut short: it ends at byte 55 without an IEND chunk");
}

static void png__flipped_bit_of_a_critical_chunk_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[sizeof(png)];
    memcpy(bytes, png, sizeof(png));
    bytes[45] ^= 1;
    assert_refused(bytes, sizeof(bytes), COOK_IMAGE_PNG,
                   "PNG chunk IDAT at byte 33 has a wrong checksum");
}

static void png__without_pixels_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[sizeof(png)];
    memcpy(bytes, png, 33);
    memcpy(bytes + 33, png + sizeof(png) - 12, 12);
    assert_refused(bytes, 45, COOK_IMAGE_PNG, "PNG has no IDAT chunk");
}

static void jpeg__whole_file_gives_its_size(void **state)
{
    (void)state;
    struct cook_image_info info;
    assert_int_equal(check(&info, jpeg, sizeof(jpeg), COOK_IMAGE_PNG, NULL), COOK_OK);
    assert_int_equal(info.kind, COOK_IMAGE_JPEG);
    assert_true(info.width_px == 3 && info.height_px == 2);
}

static void jpeg__cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct cook_image_info info;
    for (size_t size = 0; size < sizeof(jpeg); size++) {
        assert_int_equal(check(&info, jpeg, size, COOK_IMAGE_JPEG, NULL), COOK_E_MALFORMED);
    }
    assert_refused(jpeg, sizeof(jpeg) - 1, COOK_IMAGE_JPEG,
                   "JPEG is cut short: it ends at byte 34 without an end marker");
}

static void jpeg__arithmetic_coding_is_unsupported(void **state)
{
    (void)state;
    uint8_t bytes[sizeof(jpeg)];
    struct cook_image_info info;
    memcpy(bytes, jpeg, sizeof(jpeg));
    bytes[9] = 0xc9;
    assert_int_equal(check(&info, bytes, sizeof(bytes), COOK_IMAGE_JPEG, NULL),
                     COOK_E_UNSUPPORTED);
}

/* Header of a TGA of 2 x 2 pixels of 3 bytes. */
static void make_tga(uint8_t out[64], uint8_t type)
{
    memset(out, 0, 64);
    out[2] = type;
    out[12] = 2;
    out[14] = 2;
    out[16] = 24;
}

static void tga__needs_bytes_for_all_pixels(void **state)
{
    (void)state;
    uint8_t bytes[64];
    struct cook_image_info info;
    make_tga(bytes, 2);
    assert_int_equal(check(&info, bytes, 18 + 12, COOK_IMAGE_TGA, NULL), COOK_OK);
    assert_true(info.width_px == 2 && info.height_px == 2);
    assert_refused(bytes, 18 + 11, COOK_IMAGE_TGA,
                   "TGA is cut short: 29 bytes do not hold 2 x 2 pixels");
}

static void tga__run_length_packets_are_walked(void **state)
{
    (void)state;
    uint8_t bytes[64];
    struct cook_image_info info;
    make_tga(bytes, 10);
    bytes[18] = 0x82; /* three pixels of one colour, then one by itself */
    bytes[22] = 0x00;
    assert_int_equal(check(&info, bytes, 26, COOK_IMAGE_TGA, NULL), COOK_OK);
    assert_int_equal(check(&info, bytes, 25, COOK_IMAGE_TGA, NULL), COOK_E_MALFORMED);
}

static void tga__other_files_are_refused(void **state)
{
    (void)state;
    assert_refused((const uint8_t *)"GIF89a plus some more bytes", 27, COOK_IMAGE_TGA,
                   "not a TGA file: image type 70 with 32 bits a pixel");
}

static void check__empty_and_unknown_data_are_refused(void **state)
{
    (void)state;
    assert_refused((const uint8_t *)"", 0, COOK_IMAGE_PNG, "image is empty");
    assert_refused((const uint8_t *)"RIFFxxxxWEBP", 12, COOK_IMAGE_UNKNOWN,
                   "image is neither PNG nor JPEG");
    assert_refused((const uint8_t *)"hello", 5, COOK_IMAGE_PNG, "not a PNG file");
}

static void check__too_large_an_image_is_refused(void **state)
{
    (void)state;
    struct cook_image_info info = { COOK_IMAGE_PNG, COOK_IMAGE_CHECK_MAX_SIDE_PX + 1, 1 };
    assert_int_equal(cook_image_check_size(&info, NULL), COOK_E_LIMIT);
    info = (struct cook_image_info){ COOK_IMAGE_PNG, COOK_IMAGE_CHECK_MAX_SIDE_PX,
                                     COOK_IMAGE_CHECK_MAX_SIDE_PX };
    assert_int_equal(cook_image_check_size(&info, NULL), COOK_E_LIMIT);
    info.height_px = 0;
    assert_int_equal(cook_image_check_size(&info, NULL), COOK_E_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png__whole_file_gives_its_size),
        cmocka_unit_test(png__cut_anywhere_is_refused),
        cmocka_unit_test(png__flipped_bit_of_a_critical_chunk_is_refused),
        cmocka_unit_test(png__without_pixels_is_refused),
        cmocka_unit_test(jpeg__whole_file_gives_its_size),
        cmocka_unit_test(jpeg__cut_anywhere_is_refused),
        cmocka_unit_test(jpeg__arithmetic_coding_is_unsupported),
        cmocka_unit_test(tga__needs_bytes_for_all_pixels),
        cmocka_unit_test(tga__run_length_packets_are_walked),
        cmocka_unit_test(tga__other_files_are_refused),
        cmocka_unit_test(check__empty_and_unknown_data_are_refused),
        cmocka_unit_test(check__too_large_an_image_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
