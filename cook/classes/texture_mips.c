#include "cook/classes/texture.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "cook/base/alloc.h"

static bool ends_with(const char *name, const char *end, bool any_case)
{
    size_t length = strlen(name), end_length = strlen(end);

    if (length < end_length)
        return false;
    name += length - end_length;
    return any_case ? strcasecmp(name, end) == 0 : strcmp(name, end) == 0;
}

bool cook_texture_name_is_normal(const char *name)
{
    return ends_with(name, "_n", true) || ends_with(name, "_normal", true) ||
           ends_with(name, "Normal", false);
}

enum cook_image_filter cook_texture_filter(const struct cook_texture_options *options)
{
    if (options->usage == COOK_TEXTURE_USAGE_NORMAL ||
        options->usage == COOK_TEXTURE_USAGE_DATA)
        return COOK_IMAGE_FILTER_CHANNELS;
    return options->srgb ? COOK_IMAGE_FILTER_COLOR_SRGB : COOK_IMAGE_FILTER_COLOR;
}

static uint8_t to_unorm8(float value)
{
    return (uint8_t)floorf((value * 0.5f + 0.5f) * 255.0f + 0.5f);
}

/* Averaged normals are shorter than 1: give them unit length again. */
static void normalize_pixels(const struct cook_image *image)
{
    size_t bytes = cook_image_bytes(image);

    for (size_t i = 0; i < bytes; i += 4) {
        uint8_t *pixel = image->pixels + i;
        float x = (float)pixel[0] / 127.5f - 1.0f;
        float y = (float)pixel[1] / 127.5f - 1.0f;
        float z = (float)pixel[2] / 127.5f - 1.0f;
        float length = sqrtf(x * x + y * y + z * z);
        if (length < 1e-3f) { /* no direction: straight up */
            x = y = 0.0f;
            z = length = 1.0f;
        }
        pixel[0] = to_unorm8(x / length);
        pixel[1] = to_unorm8(y / length);
        pixel[2] = to_unorm8(z / length);
    }
}

enum cook_status cook_texture_halve(struct cook_image *out, const struct cook_image *in,
                                    const struct cook_texture_options *options,
                                    struct cook_error *error)
{
    uint32_t width = in->width_px > 1 ? in->width_px / 2 : 1;
    uint32_t height = in->height_px > 1 ? in->height_px / 2 : 1;

    enum cook_status status = cook_image_init(out, width, height, error);
    if (status == COOK_OK)
        status = cook_image_shrink(out, in, cook_texture_filter(options), error);
    if (status != COOK_OK)
        cook_image_finish(out);
    else if (options->usage == COOK_TEXTURE_USAGE_NORMAL)
        normalize_pixels(out);
    return status;
}

void cook_texture_build_finish(struct cook_texture_build *build)
{
    for (size_t i = 0; i < COOK_IMAGE_MAX_MIPS; i++)
        cook_free(build->mips[i].data);
    *build = (struct cook_texture_build){ 0 };
}

/* Replace `image` by its next mip. */
static enum cook_status step_down(struct cook_image *image,
                                  const struct cook_texture_options *options,
                                  struct cook_error *error)
{
    struct cook_image half = { 0 };

    enum cook_status status = cook_texture_halve(&half, image, options, error);
    if (status != COOK_OK)
        return status;
    cook_image_finish(image);
    *image = half;
    return COOK_OK;
}

static enum cook_status encode_chain(struct cook_texture_build *out, struct cook_image *image,
                                     const struct cook_texture_options *options,
                                     struct cook_error *error)
{
    enum cook_status status = COOK_OK;

    out->width_px = image->width_px;
    out->height_px = image->height_px;
    out->format = cook_texture_choose_format(image, options->usage);
    for (;;) {
        status = cook_texture_encode(&out->mips[out->mip_count], image, out->format, error);
        if (status != COOK_OK)
            return status;
        out->mip_count++;
        if (!options->mips || (image->width_px == 1 && image->height_px == 1))
            return COOK_OK;
        status = step_down(image, options, error);
        if (status != COOK_OK)
            return status;
    }
}

enum cook_status cook_texture_build(struct cook_texture_build *out, const uint8_t *source,
                                    size_t size, const struct cook_texture_options *options,
                                    struct cook_error *error)
{
    struct cook_image image = { 0 };

    *out = (struct cook_texture_build){ 0 };
    enum cook_status status = cook_image_decode(&image, source, size, error);
    while (status == COOK_OK && options->max_size_px != 0 &&
           (image.width_px > options->max_size_px || image.height_px > options->max_size_px))
        status = step_down(&image, options, error);
    if (status == COOK_OK)
        status = encode_chain(out, &image, options, error);
    if (status != COOK_OK)
        cook_texture_build_finish(out);
    cook_image_finish(&image);
    return status;
}
