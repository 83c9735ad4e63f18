#include "cook/classes/texture.h"

#include <string.h>

#include "cook/base/alloc.h"

static bool image_is_opaque(const struct cook_image *image)
{
    size_t bytes = cook_image_bytes(image);

    for (size_t i = 3; i < bytes; i += 4) {
        if (image->pixels[i] != 0xFF)
            return false;
    }
    return true;
}

enum cook_texture_format cook_texture_choose_format(const struct cook_image *image,
                                                    enum cook_texture_usage usage)
{
    if (usage == COOK_TEXTURE_USAGE_DATA || image->width_px % 4 != 0 ||
        image->height_px % 4 != 0)
        return COOK_TEXTURE_RGBA8;
    if (usage == COOK_TEXTURE_USAGE_NORMAL)
        return COOK_TEXTURE_BC5;
    return image_is_opaque(image) ? COOK_TEXTURE_BC1 : COOK_TEXTURE_BC3;
}

static size_t block_bytes(enum cook_texture_format format)
{
    return format == COOK_TEXTURE_BC1 ? 8 : 16;
}

size_t cook_texture_encoded_size(enum cook_texture_format format, uint32_t width_px,
                                 uint32_t height_px)
{
    if (format == COOK_TEXTURE_RGBA8)
        return (size_t)width_px * height_px * 4;
    return ((size_t)width_px + 3) / 4 * (((size_t)height_px + 3) / 4) * block_bytes(format);
}

/* The 4 x 4 pixels at (x, y); beyond the edge the last row and column repeat. */
static void read_block(uint8_t rgba[64], const struct cook_image *image, uint32_t x, uint32_t y)
{
    for (uint32_t row = 0; row < 4; row++) {
        uint32_t from_y = y + row < image->height_px ? y + row : image->height_px - 1;
        for (uint32_t column = 0; column < 4; column++) {
            uint32_t from_x = x + column < image->width_px ? x + column : image->width_px - 1;
            memcpy(rgba + (row * 4 + column) * 4,
                   image->pixels + ((size_t)from_y * image->width_px + from_x) * 4, 4);
        }
    }
}

static void encode_block(uint8_t *out, const uint8_t rgba[64], enum cook_texture_format format)
{
    if (format == COOK_TEXTURE_BC1)
        cook_image_encode_bc1(out, rgba);
    else if (format == COOK_TEXTURE_BC3)
        cook_image_encode_bc3(out, rgba);
    else
        cook_image_encode_bc5(out, rgba);
}

enum cook_status cook_texture_encode(struct cook_bytes *out, const struct cook_image *image,
                                     enum cook_texture_format format, struct cook_error *error)
{
    size_t size = cook_texture_encoded_size(format, image->width_px, image->height_px);
    uint8_t *data = cook_malloc(size);
    uint8_t *at = data;
    uint8_t rgba[64];

    *out = (struct cook_bytes){ NULL, 0 };
    if (data == NULL)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for an encoded mip");
    if (format == COOK_TEXTURE_RGBA8) {
        memcpy(data, image->pixels, size);
    } else {
        for (uint32_t y = 0; y < image->height_px; y += 4) {
            for (uint32_t x = 0; x < image->width_px; x += 4) {
                read_block(rgba, image, x, y);
                encode_block(at, rgba, format);
                at += block_bytes(format);
            }
        }
    }
    *out = (struct cook_bytes){ data, size };
    return COOK_OK;
}
