#include "texture.h"

#include <inttypes.h>
#include <string.h>

#include <cook/standard.h>

#include "fields.h"

#define MAX_PIXELS ((uint64_t)1 << 28)
#define MIP_PROPERTY "Mips[].Data#bulk"

/* ---- formats (Direct3D 11 functional specification, block compression) ---- */

static uint32_t expand(uint32_t value, unsigned bits)
{
    return value << (8 - bits) | value >> (2 * bits - 8);
}

static void color_of(uint8_t out[4], uint32_t packed)
{
    out[0] = (uint8_t)expand(packed >> 11, 5);
    out[1] = (uint8_t)expand(packed >> 5 & 63, 6);
    out[2] = (uint8_t)expand(packed & 31, 5);
    out[3] = 255;
}

static void decode_colors(uint8_t rgba[64], const uint8_t *block, bool opaque)
{
    uint32_t first = block[0] | (uint32_t)block[1] << 8;
    uint32_t second = block[2] | (uint32_t)block[3] << 8;
    uint8_t colors[4][4];
    color_of(colors[0], first);
    color_of(colors[1], second);
    bool four = opaque || first > second;
    for (int i = 0; i < 4; i++) {
        uint32_t a = colors[0][i];
        uint32_t b = colors[1][i];
        colors[2][i] = (uint8_t)(four ? (2 * a + b) / 3 : (a + b) / 2);
        colors[3][i] = (uint8_t)(four ? (a + 2 * b) / 3 : 0);
    }
    for (unsigned i = 0; i < 16; i++)
        memcpy(rgba + 4 * i, colors[block[4 + i / 4] >> (2 * (i % 4)) & 3], 4);
}

/* One channel of 16 pixels (BC4). */
static void decode_channel(uint8_t *out, const uint8_t *block)
{
    uint32_t a = block[0];
    uint32_t b = block[1];
    uint64_t bits = 0;
    for (unsigned i = 0; i < 6; i++)
        bits |= (uint64_t)block[2 + i] << (8 * i);
    for (unsigned i = 0; i < 16; i++, bits >>= 3) {
        uint32_t code = bits & 7;
        uint32_t value = code == 0 ? a : b;
        if (code > 1 && a > b)
            value = ((8 - code) * a + (code - 1) * b) / 7;
        else if (code > 1)
            value = code == 6 ? 0 : code == 7 ? 255 : ((6 - code) * a + (code - 1) * b) / 5;
        out[4 * i] = (uint8_t)value;
    }
}

static void decode_block(uint8_t rgba[64], const uint8_t *block, int32_t format)
{
    if (format == COOK_TEXTURE_BC1) {
        decode_colors(rgba, block, false);
    } else if (format == COOK_TEXTURE_BC3) {
        decode_colors(rgba, block + 8, true);
        decode_channel(rgba + 3, block);
    } else {
        for (unsigned i = 0; i < 16; i++)
            memcpy(rgba + 4 * i, (const uint8_t[4]){ 0, 0, 0, 255 }, 4);
        decode_channel(rgba, block);
        decode_channel(rgba + 1, block + 8);
    }
}

static void decode_blocks(struct diff_texture *t, const uint8_t *bytes, int32_t format)
{
    uint8_t rgba[64];
    for (uint32_t y = 0; y < t->height_px; y += 4)
        for (uint32_t x = 0; x < t->width_px; x += 4) {
            decode_block(rgba, bytes, format);
            bytes += format == COOK_TEXTURE_BC1 ? 8 : 16;
            for (uint32_t i = 0; i < 16; i++)
                if (x + i % 4 < t->width_px && y + i / 4 < t->height_px)
                    memcpy(t->rgba + ((size_t)(y + i / 4) * t->width_px + x + i % 4) * 4,
                           rgba + (size_t)4 * i, 4);
        }
}

static uint64_t encoded_size(const struct diff_texture *t, int32_t format)
{
    uint64_t blocks = ((uint64_t)t->width_px + 3) / 4 * (((uint64_t)t->height_px + 3) / 4);
    switch (format) {
    case COOK_TEXTURE_RGBA8:
        return (uint64_t)t->width_px * t->height_px * 4;
    case COOK_TEXTURE_BC1:
        return blocks * 8;
    case COOK_TEXTURE_BC3:
    case COOK_TEXTURE_BC5:
        return blocks * 16;
    default:
        return 0;
    }
}

/* ---- tokens ---- */

static uint32_t side_of(uint32_t whole, uint32_t mip)
{
    uint32_t side = mip < 32 ? whole >> mip : 0;
    return side ? side : 1;
}

bool diff_texture_decode(struct diff_texture *out, const struct diff_version *version,
                         size_t token, uint64_t offset)
{
    uint32_t width;
    uint32_t height;
    uint32_t format;
    const struct cook_token_map *map = version->tokens;
    *out = (struct diff_texture){ 0 };
    if (!diff_is_write(version, token, offset, MIP_PROPERTY))
        return false;
    const struct cook_token *of = &map->tokens[token];
    const char *path = cook_intern_text(&map->paths, of->path);
    if (!diff_object_u32(&width, version, path, "Width") ||
        !diff_object_u32(&height, version, path, "Height") ||
        !diff_object_u32(&format, version, path, "Format") || !width || !height)
        return false;
    uint32_t mip = map->indices[of->first_index];
    struct diff_texture texture = { side_of(width, mip), side_of(height, mip), 4, NULL };
    uint64_t pixels = (uint64_t)texture.width_px * texture.height_px;
    if (pixels > MAX_PIXELS || encoded_size(&texture, (int32_t)format) != of->size)
        return false;
    texture.channels = format == COOK_TEXTURE_BC5 ? 2 : 4;
    texture.rgba = cook_malloc(pixels * 4);
    if (!texture.rgba)
        return false;
    if (format == COOK_TEXTURE_RGBA8)
        memcpy(texture.rgba, version->bytes + offset, of->size);
    else
        decode_blocks(&texture, version->bytes + offset, (int32_t)format);
    *out = texture;
    return true;
}

void diff_texture_finish(struct diff_texture *texture)
{
    cook_free(texture->rgba);
    *texture = (struct diff_texture){ 0 };
}

/* ---- errors ---- */

struct diff_texture_error diff_texture_compare(const struct diff_texture *old,
                                               const struct diff_texture *new)
{
    struct diff_texture_error error = { .pixels = 0 };
    uint64_t sums[4] = { 0 };
    size_t pixels = (size_t)old->width_px * old->height_px;
    for (size_t i = 0; i < pixels; i++) {
        bool differs = false;
        for (unsigned k = 0; k < 4; k++) {
            int delta = old->rgba[4 * i + k] - new->rgba[4 * i + k];
            uint32_t distance = (uint32_t)(delta < 0 ? -delta : delta);
            sums[k] += distance;
            if (distance > error.largest[k])
                error.largest[k] = distance;
            differs |= distance != 0;
        }
        error.pixels += differs;
    }
    for (unsigned k = 0; k < 4; k++)
        error.mean[k] = pixels ? (double)sums[k] / (double)pixels : 0;
    return error;
}

bool diff_texture_open(struct diff_texture pair[2], const struct diff_difference *d,
                       const struct diff_version *old, const struct diff_version *new)
{
    pair[0] = pair[1] = (struct diff_texture){ 0 };
    bool good = d->kind == DIFF_CHANGED && d->tokens == 1 &&
                diff_texture_decode(&pair[0], old, d->old_token, d->old_write) &&
                diff_texture_decode(&pair[1], new, d->new_token, d->new_write) &&
                pair[0].width_px == pair[1].width_px && pair[0].height_px == pair[1].height_px;
    if (!good) {
        diff_texture_finish(&pair[0]);
        diff_texture_finish(&pair[1]);
    }
    return good;
}

const char *diff_texture_text(const struct diff_difference *difference,
                              const struct diff_version *old, const struct diff_version *new,
                              struct cook_arena *arena)
{
    struct diff_texture pair[2];
    if (!diff_texture_open(pair, difference, old, new))
        return NULL;
    struct diff_texture_error e = diff_texture_compare(&pair[0], &pair[1]);
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "%u x %u pixels, %" PRIu64 " differ; largest error", pair[0].width_px,
                    pair[0].height_px, e.pixels);
    uint32_t channels = pair[0].channels < pair[1].channels ? pair[0].channels : pair[1].channels;
    for (unsigned k = 0; k < channels; k++)
        cook_buf_printf(&text, " %c %u", "RGBA"[k], e.largest[k]);
    cook_buf_printf(&text, ", mean");
    for (unsigned k = 0; k < channels; k++)
        cook_buf_printf(&text, " %c %.3g", "RGBA"[k], e.mean[k]);
    const char *whole = cook_buf_text(&text);
    const char *result = text.failed ? NULL : cook_arena_strdup(arena, whole);
    cook_buf_finish(&text);
    diff_texture_finish(&pair[0]);
    diff_texture_finish(&pair[1]);
    return result;
}
