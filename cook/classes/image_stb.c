#include "cook/classes/image.h"

#include <limits.h>
#include <string.h>

#include <stb_dxt.h>
#include <stb_image.h>
#include <stb_image_resize.h>

#include "cook/base/alloc.h"

enum cook_status cook_image_decode_stb(struct cook_image *out, const uint8_t *bytes,
                                       size_t size, struct cook_error *error)
{
    int width = 0, height = 0, channels = 0;

    *out = (struct cook_image){ 0 };
    if (size > INT_MAX)
        return cook_error_set(error, COOK_E_LIMIT, "image file over 2 GiB");
    /* The header alone first: what it promises is checked before anything is set aside. */
    if (!stbi_info_from_memory(bytes, (int)size, &width, &height, &channels))
        return cook_error_set(error, COOK_E_MALFORMED, "image: %s", stbi_failure_reason());
    if (width <= 0 || height <= 0 || (uint32_t)width > COOK_IMAGE_MAX_SIDE_PX ||
        (uint32_t)height > COOK_IMAGE_MAX_SIDE_PX ||
        (uint64_t)width * (uint64_t)height * 4 > COOK_IMAGE_MAX_BYTES)
        return cook_error_set(error, COOK_E_LIMIT, "image of %d x %d pixels is too large",
                              width, height);

    int decoded_width = 0, decoded_height = 0;
    uint8_t *pixels =
        stbi_load_from_memory(bytes, (int)size, &decoded_width, &decoded_height, &channels, 4);
    if (pixels == NULL)
        return cook_error_set(error, COOK_E_MALFORMED, "image: %s", stbi_failure_reason());
    if (decoded_width != width || decoded_height != height) {
        stbi_image_free(pixels);
        return cook_error_set(error, COOK_E_MALFORMED, "image: two different sizes");
    }
    *out = (struct cook_image){ pixels, (uint32_t)width, (uint32_t)height };
    return COOK_OK;
}

enum cook_status cook_image_shrink(const struct cook_image *out, const struct cook_image *in,
                                   enum cook_image_filter filter, struct cook_error *error)
{
    bool channels = filter == COOK_IMAGE_FILTER_CHANNELS;
    int done = stbir_resize_uint8_generic(
        in->pixels, (int)in->width_px, (int)in->height_px, 0, out->pixels, (int)out->width_px,
        (int)out->height_px, 0, 4, channels ? STBIR_ALPHA_CHANNEL_NONE : 3, 0, STBIR_EDGE_CLAMP,
        STBIR_FILTER_BOX,
        filter == COOK_IMAGE_FILTER_COLOR_SRGB ? STBIR_COLORSPACE_SRGB
                                               : STBIR_COLORSPACE_LINEAR,
        NULL);

    if (!done)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory while making mips");
    return COOK_OK;
}

void cook_image_encode_bc1(uint8_t out[8], const uint8_t rgba[64])
{
    stb_compress_dxt_block(out, rgba, 0, STB_DXT_HIGHQUAL);
}

void cook_image_encode_bc3(uint8_t out[16], const uint8_t rgba[64])
{
    stb_compress_dxt_block(out, rgba, 1, STB_DXT_HIGHQUAL);
}

void cook_image_encode_bc5(uint8_t out[16], const uint8_t rgba[64])
{
    uint8_t pairs[32];

    for (size_t i = 0; i < 16; i++) {
        pairs[2 * i] = rgba[4 * i];
        pairs[2 * i + 1] = rgba[4 * i + 1];
    }
    stb_compress_bc5_block(out, pairs);
}
