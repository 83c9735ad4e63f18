/*
 * Decoded images, and the adapters over the image libraries: libspng for PNG (it checks sums
 * and never inflates more than the header promised), stb_image for JPEG and TGA. All input is
 * untrusted. Stateless, so any number of threads may decode at once.
 */
#ifndef COOK_CLASSES_IMAGE_H
#define COOK_CLASSES_IMAGE_H

#include <stdint.h>

#include <cook/types.h>

#include "cook/base/error.h"

#define COOK_IMAGE_MAX_SIDE_PX UINT32_C(16384)
#define COOK_IMAGE_MAX_BYTES   (UINT64_C(512) << 20) /* of decoded pixels */
#define COOK_IMAGE_MAX_MIPS    15                    /* 16384 down to 1 */

/* 8-bit RGBA, rows top down without padding. A zeroed image is empty. */
struct cook_image {
    uint8_t *pixels; /* owned; 4 * width_px * height_px bytes */
    uint32_t width_px, height_px;
};

void cook_image_finish(struct cook_image *image);
/* Set aside zeroed pixels. COOK_E_LIMIT when a side is 0 or a limit above is passed. */
enum cook_status cook_image_init(struct cook_image *out, uint32_t width_px, uint32_t height_px,
                                 struct cook_error *error) COOK_CHECK_RESULT;
size_t cook_image_bytes(const struct cook_image *image);

/*
 * Decode a PNG, JPEG or TGA, told apart by content; colour profiles and gamma are ignored,
 * 16-bit channels are cut to 8. COOK_E_MALFORMED for anything that is not a complete image of
 * these kinds.
 */
enum cook_status cook_image_decode(struct cook_image *out, const uint8_t *bytes, size_t size,
                                   struct cook_error *error) COOK_CHECK_RESULT;

/* The adapters, by format. `cook_image_decode_stb` takes JPEG and TGA. */
enum cook_status cook_image_decode_png(struct cook_image *out, const uint8_t *bytes,
                                       size_t size, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_image_decode_stb(struct cook_image *out, const uint8_t *bytes,
                                       size_t size, struct cook_error *error) COOK_CHECK_RESULT;
/* Whether a JPEG may be given to stb_image: sound Huffman tables, and an end. From byte 2 on.
 */
bool cook_image_jpeg_is_sound(const uint8_t *bytes, size_t size);
/* "0.7.3": of the library that is linked. */
const char *cook_image_png_version(void);

enum cook_image_filter {
    COOK_IMAGE_FILTER_UNKNOWN = 0,
    COOK_IMAGE_FILTER_COLOR,      /* weighted by alpha */
    COOK_IMAGE_FILTER_COLOR_SRGB, /* the same in linear light; alpha itself is linear */
    COOK_IMAGE_FILTER_CHANNELS,   /* four independent channels */
};
/* Resize with a box filter into `out`, whose size says how far. Sides of `out` are at most
 * `in`'s. */
enum cook_status cook_image_shrink(const struct cook_image *out, const struct cook_image *in,
                                   enum cook_image_filter filter,
                                   struct cook_error *error) COOK_CHECK_RESULT;

/* Encode 16 pixels (row by row): BC1 to 8 bytes, BC3 and BC5 to 16. BC5 takes red and green. */
void cook_image_encode_bc1(uint8_t out[8], const uint8_t rgba[64]);
void cook_image_encode_bc3(uint8_t out[16], const uint8_t rgba[64]);
void cook_image_encode_bc5(uint8_t out[16], const uint8_t rgba[64]);

#endif
