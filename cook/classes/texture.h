/*
 * Texture2D's transform on plain data: encoded image in, mip chain in a GPU format out. The
 * same input gives the same bytes on any thread and machine. Stateless and thread-safe.
 */
#ifndef COOK_CLASSES_TEXTURE_H
#define COOK_CLASSES_TEXTURE_H

#include <cook/standard.h>

#include "cook/classes/image.h"

struct cook_texture_options {
    enum cook_texture_usage usage; /* AUTO counts as COLOR: resolve names first */
    bool srgb;                     /* colour is sRGB: filter in linear light; COLOR only */
    bool mips;                     /* down to 1 x 1, or mip 0 alone */
    uint32_t max_size_px;          /* halve until no side is longer; 0: no limit */
};

/* A finished chain. A zeroed one is empty. */
struct cook_texture_build {
    uint32_t width_px, height_px; /* of mip 0 */
    enum cook_texture_format format;
    uint32_t mip_count;
    struct cook_bytes mips[COOK_IMAGE_MAX_MIPS]; /* owned, cook_free() each */
};

void cook_texture_build_finish(struct cook_texture_build *build);
/* Decode, shrink, make mips, encode. Errors as cook_image_decode(). */
enum cook_status cook_texture_build(struct cook_texture_build *out, const uint8_t *source,
                                    size_t size, const struct cook_texture_options *options,
                                    struct cook_error *error) COOK_CHECK_RESULT;

/* Whether a texture of this name is a normal map: *_n, *_normal (any case), *Normal. */
bool cook_texture_name_is_normal(const char *name);

/* ---- the steps (texture_mips.c, texture_encode.c) ---- */

enum cook_image_filter cook_texture_filter(const struct cook_texture_options *options);
/* The next mip: sides halved (rounding down, at least 1). Normals get unit length again. */
enum cook_status cook_texture_halve(struct cook_image *out, const struct cook_image *in,
                                    const struct cook_texture_options *options,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* By the pixels of mip 0: RGBA8 for data and for sides that are no multiple of 4. */
enum cook_texture_format cook_texture_choose_format(const struct cook_image *image,
                                                    enum cook_texture_usage usage);
/* Bytes of one mip; blocks of small mips are whole. */
size_t cook_texture_encoded_size(enum cook_texture_format format, uint32_t width_px,
                                 uint32_t height_px);
/* Encode one mip; `out->data` is owned by the caller. Partial blocks repeat the last row and
 * column. */
enum cook_status cook_texture_encode(struct cook_bytes *out, const struct cook_image *image,
                                     enum cook_texture_format format,
                                     struct cook_error *error) COOK_CHECK_RESULT;

#endif
