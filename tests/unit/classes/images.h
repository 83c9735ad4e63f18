/*
 * Images for the tests of cook/classes: encoded on the spot, so that nothing binary is
 * kept.
 */
#ifndef TESTS_CLASSES_IMAGES_H
#define TESTS_CLASSES_IMAGES_H

#include <assert.h>
#include <stdlib.h>

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#include "cook/base/buf.h"

enum image_kind { IMAGE_PNG, IMAGE_TGA, IMAGE_JPEG };

static inline void image_put(void *context, void *data, int size)
{
    cook_buf_put(context, data, (size_t)size);
}

/* Pixels that differ everywhere; alpha as given. Free the result. */
static inline uint8_t *image_pixels(int width, int height, uint8_t alpha)
{
    uint8_t *pixels = malloc((size_t)width * (size_t)height * 4);
    assert(pixels != NULL);
    for (int i = 0; i < width * height; i++) {
        pixels[4 * i] = (uint8_t)(i * 7);
        pixels[4 * i + 1] = (uint8_t)(i / width * 5);
        pixels[4 * i + 2] = (uint8_t)(i * 3 + 40);
        pixels[4 * i + 3] = alpha;
    }
    return pixels;
}

/*
 * A baseline JPEG of one component, all grey: each block is two zero bits, by Huffman tables of
 * one code each. (stb_image_write's own JPEG code shifts into the sign bit.)
 */
static inline void image_write_grey_jpeg(struct cook_buf *out, int width, int height)
{
    static const uint8_t tables[] = {
        0xFF, 0xC4, 0, 20, 0x00, 1, 0, 0, 0,  0, 0,
        0,    0,    0, 0,  0,    0, 0, 0, 0,  0, 0, /* DC: 0 */
        0xFF, 0xC4, 0, 20, 0x10, 1, 0, 0, 0,  0, 0,
        0,    0,    0, 0,  0,    0, 0, 0, 0,  0, 0, /* AC: end */
        0xFF, 0xDA, 0, 8,  1,    1, 0, 0, 63, 0,
    };
    static const uint8_t quantization[] = { 0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0 };
    const uint8_t frame[] = {
        0xFF,
        0xC0,
        0,
        11,
        8,
        (uint8_t)(height >> 8),
        (uint8_t)height,
        (uint8_t)(width >> 8),
        (uint8_t)width,
        1,
        1,
        0x11,
        0,
    };
    int blocks = (width + 7) / 8 * ((height + 7) / 8);

    cook_buf_put(out, quantization, sizeof(quantization));
    for (int i = 0; i < 64; i++)
        cook_buf_put_u8(out, 1);
    cook_buf_put(out, frame, sizeof(frame));
    cook_buf_put(out, tables, sizeof(tables));
    for (int i = 0; i < (blocks + 3) / 4; i++)
        cook_buf_put_u8(out, 0);
    cook_buf_put_u8(out, 0xFF);
    cook_buf_put_u8(out, 0xD9);
}

static inline void image_write(struct cook_buf *out, enum image_kind kind, int width,
                               int height, const uint8_t *pixels)
{
    if (kind == IMAGE_PNG)
        stbi_write_png_to_func(image_put, out, width, height, 4, pixels, width * 4);
    else if (kind == IMAGE_TGA)
        stbi_write_tga_to_func(image_put, out, width, height, 4, pixels);
    else
        image_write_grey_jpeg(out, width, height);
    assert(!out->failed);
}

static inline void image_make(struct cook_buf *out, enum image_kind kind, int width, int height,
                              uint8_t alpha)
{
    uint8_t *pixels = image_pixels(width, height, alpha);
    image_write(out, kind, width, height, pixels);
    free(pixels);
}

#endif
