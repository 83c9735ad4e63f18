/* Pictures of textures that differ; the only file of the folder that sees libspng. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <spng.h>

#include "cook/base/hash.h"
#include "texture.h"

#define GAP_PX 8u

/* Black, red, yellow, white: the largest error of a pixel, on a scale of its root so that small ones
 * show. */
static void heat(uint8_t out[4], const uint8_t *old, const uint8_t *new)
{
    int largest = 0;
    for (unsigned k = 0; k < 4; k++) {
        int delta = old[k] > new[k] ? old[k] - new[k] : new[k] - old[k];
        largest = delta > largest ? delta : largest;
    }
    int scaled = 0; /* 0 to 765 */
    while (scaled < 765 && scaled * scaled < largest * 2295)
        scaled++;
    for (int k = 0; k < 3; k++) {
        int value = scaled - 255 * k;
        out[k] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
    out[3] = 255;
}

static uint8_t *side_by_side(const struct diff_texture pair[2], uint32_t *width_px)
{
    uint32_t width = pair[0].width_px;
    *width_px = 3 * width + 2 * GAP_PX;
    uint8_t *pixels = cook_calloc((size_t)*width_px * pair[0].height_px, 4);
    for (uint32_t y = 0; pixels && y < pair[0].height_px; y++) {
        uint8_t *row = pixels + (size_t)y * *width_px * 4;
        const uint8_t *old = pair[0].rgba + (size_t)y * width * 4;
        const uint8_t *new = pair[1].rgba + (size_t)y * width * 4;
        memcpy(row, old, (size_t)width * 4);
        memcpy(row + (size_t)(width + GAP_PX) * 4, new, (size_t)width * 4);
        for (uint32_t x = 0; x < width; x++)
            heat(row + (size_t)(2 * (width + GAP_PX) + x) * 4, old + 4 * x, new + 4 * x);
    }
    return pixels;
}

static enum cook_status write_png(const char *path, const uint8_t *pixels, uint32_t width_px,
                                  uint32_t height_px, struct cook_error *error)
{
    struct spng_ihdr header = { .width = width_px,
                                .height = height_px,
                                .bit_depth = 8,
                                .color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA };
    FILE *file = fopen(path, "wbe");
    if (!file)
        return cook_error_set_errno(error, "cannot write %s", path);
    spng_ctx *encoder = spng_ctx_new(SPNG_CTX_ENCODER);
    int code = encoder ? spng_set_png_file(encoder, file) : SPNG_EMEM;
    if (!code)
        code = spng_set_ihdr(encoder, &header);
    if (!code)
        code = spng_encode_image(encoder, pixels, (size_t)width_px * height_px * 4, SPNG_FMT_PNG,
                                 SPNG_ENCODE_FINALIZE);
    spng_ctx_free(encoder);
    bool failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    if (code == SPNG_EMEM)
        return cook_error_no_memory(error);
    return code || failed ? cook_error_set(error, COOK_E_IO, "cannot write %s", path) : COOK_OK;
}

/* A name for a file: what is neither letter nor digit becomes '_', so no name leads out of the folder; and part of
 * a hash of both texts, as others may become the same. */
static char *file_name(const char *folder, const char *package, const char *property,
                       struct cook_arena *arena)
{
    char *name = cook_arena_printf(arena, "%.120s.%.80s", package, property);
    for (char *at = name; at && *at; at++)
        if (!((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
              (*at >= 'A' && *at <= 'Z') || *at == '.' || *at == '-'))
            *at = '_';
    while (name && (*name == '_' || *name == '.'))
        name++;
    struct cook_hasher hasher;
    char hash[COOK_HASH_TEXT_SIZE];
    cook_hasher_init(&hasher);
    cook_hasher_update(&hasher, package, strlen(package) + 1);
    cook_hasher_update(&hasher, property, strlen(property));
    cook_hash_to_text(cook_hasher_digest(&hasher), hash);
    return name ? cook_arena_printf(arena, "%s/%s-%.8s.png", folder, name, hash) : NULL;
}

static enum cook_status write_one(const char *path, const struct diff_texture pair[2],
                                  struct cook_error *error)
{
    uint32_t width_px;
    uint8_t *pixels = path ? side_by_side(pair, &width_px) : NULL;
    enum cook_status status = pixels
                                  ? write_png(path, pixels, width_px, pair[0].height_px, error)
                                  : cook_error_no_memory(error);
    cook_free(pixels);
    return status;
}

enum cook_status diff_texture_write(struct cook_intern *paths, const char *folder, const char *package,
                                    const struct diff_result *result,
                                    const struct diff_version *old,
                                    const struct diff_version *new, struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < result->count; i++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        struct diff_texture pair[2];
        const struct diff_difference *d = &result->differences[i];
        if (!diff_texture_open(pair, d, old, new))
            continue;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            status = cook_error_set_errno(error, "cannot make %s", folder);
        const char *path = file_name(folder, package, d->property, &arena);
        if (status == COOK_OK)
            status = write_one(path, pair, error);
        if (status == COOK_OK && cook_intern_add(paths, path) == COOK_INTERN_NONE)
            status = cook_error_no_memory(error);
        diff_texture_finish(&pair[0]);
        diff_texture_finish(&pair[1]);
        cook_arena_finish(&arena);
    }
    return status;
}
