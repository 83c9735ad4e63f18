/* PNG: signature, IHDR, then chunks up to IEND with the CRC of each critical one. */
#include <stdbool.h>
#include <string.h>

#include "cook/reader/image_check.h"

#define SIGNATURE_BYTES 8
#define CHUNK_OVERHEAD  12 /* length, type, CRC */
#define TYPE(a, b, c, d)                                                                       \
    (((uint32_t)(a) << 24) | ((uint32_t)(b) << 16) | ((uint32_t)(c) << 8) | (uint32_t)(d))

struct png {
    const uint8_t *data;
    size_t size;
    size_t offset;
    uint32_t crc_table[256];
    bool has_palette, has_pixels, needs_palette;
    struct cook_error *error;
};

struct chunk {
    uint32_t type;
    char text[5];
    const uint8_t *data;
    uint32_t size;
};

static uint32_t big_endian(const uint8_t *bytes)
{
    return TYPE(bytes[0], bytes[1], bytes[2], bytes[3]);
}

/* Built for each file: 2,048 steps are nothing beside reading it, and a table needs no lock. */
static void make_crc_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++) {
            value = (value >> 1) ^ ((value & 1u) != 0 ? 0xedb88320u : 0u);
        }
        table[i] = value;
    }
}

static uint32_t crc32_of(const uint32_t table[256], const uint8_t *data, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xffu];
    }
    return ~crc;
}

static void chunk_name(char text[5], const uint8_t *type)
{
    for (int i = 0; i < 4; i++) {
        bool letter = (type[i] >= 'A' && type[i] <= 'Z') || (type[i] >= 'a' && type[i] <= 'z');
        text[i] = letter ? (char)type[i] : '?';
    }
    text[4] = '\0';
}

static enum cook_status next_chunk(struct chunk *out, struct png *png)
{
    size_t left = png->size - png->offset;
    if (left < CHUNK_OVERHEAD) {
        return cook_error_set(png->error, COOK_E_MALFORMED,
                              "PNG is cut short: it ends at byte %zu without an IEND chunk",
                              png->size);
    }
    const uint8_t *at = png->data + png->offset;
    out->size = big_endian(at);
    out->type = big_endian(at + 4);
    out->data = at + 8;
    chunk_name(out->text, at + 4);
    if (out->size > left - CHUNK_OVERHEAD) {
        return cook_error_set(
            png->error, COOK_E_MALFORMED,
            "PNG is cut short: chunk %s at byte %zu has %u bytes, %zu are left", out->text,
            png->offset, out->size, left - CHUNK_OVERHEAD);
    }
    bool critical = (at[4] & 0x20u) == 0;
    if (critical && crc32_of(png->crc_table, at + 4, (size_t)out->size + 4) !=
                        big_endian(out->data + out->size)) {
        return cook_error_set(png->error, COOK_E_MALFORMED,
                              "PNG chunk %s at byte %zu has a wrong checksum", out->text,
                              png->offset);
    }
    png->offset += CHUNK_OVERHEAD + (size_t)out->size;
    return COOK_OK;
}

/* Table 12 of the specification: which bit depths go with a colour type. */
static bool is_depth_allowed(uint8_t colour_type, uint8_t depth)
{
    bool power = depth == 1 || depth == 2 || depth == 4 || depth == 8;
    switch (colour_type) {
    case 0:
        return power || depth == 16;
    case 3:
        return power;
    case 2:
    case 4:
    case 6:
        return depth == 8 || depth == 16;
    default:
        return false;
    }
}

static enum cook_status check_header(struct cook_image_info *out, struct png *png)
{
    struct chunk chunk;
    enum cook_status status = next_chunk(&chunk, png);
    if (status != COOK_OK) {
        return status;
    }
    if (chunk.type != TYPE('I', 'H', 'D', 'R') || chunk.size != 13) {
        return cook_error_set(png->error, COOK_E_MALFORMED, "PNG does not start with IHDR");
    }
    const uint8_t *header = chunk.data;
    out->kind = COOK_IMAGE_PNG;
    out->width_px = big_endian(header);
    out->height_px = big_endian(header + 4);
    if (!is_depth_allowed(header[9], header[8])) {
        return cook_error_set(png->error, COOK_E_MALFORMED,
                              "PNG colour type %u does not go with bit depth %u", header[9],
                              header[8]);
    }
    if (header[10] != 0 || header[11] != 0 || header[12] > 1) {
        return cook_error_set(png->error, COOK_E_MALFORMED,
                              "PNG has an unknown compression, filter or interlace method");
    }
    png->needs_palette = header[9] == 3;
    return cook_image_check_size(out, png->error);
}

static enum cook_status check_end(const struct png *png)
{
    if (!png->has_pixels) {
        return cook_error_set(png->error, COOK_E_MALFORMED, "PNG has no IDAT chunk");
    }
    if (png->needs_palette && !png->has_palette) {
        return cook_error_set(png->error, COOK_E_MALFORMED, "PNG has no PLTE chunk");
    }
    return COOK_OK;
}

enum cook_status cook_image_check_png(struct cook_image_info *out, const uint8_t *data,
                                      size_t size, struct cook_error *error)
{
    static const uint8_t signature[SIGNATURE_BYTES] = { 0x89, 'P', 'N', 'G', 13, 10, 26, 10 };
    struct png png = { .data = data, .size = size, .offset = SIGNATURE_BYTES, .error = error };
    if (size < SIGNATURE_BYTES || memcmp(data, signature, SIGNATURE_BYTES) != 0) {
        return cook_error_set(error, COOK_E_MALFORMED, "not a PNG file");
    }
    make_crc_table(png.crc_table);
    enum cook_status status = check_header(out, &png);
    while (status == COOK_OK) {
        struct chunk chunk;
        status = next_chunk(&chunk, &png);
        if (status != COOK_OK) {
            break;
        }
        if (chunk.type == TYPE('I', 'E', 'N', 'D')) {
            return check_end(&png);
        }
        png.has_palette = png.has_palette || chunk.type == TYPE('P', 'L', 'T', 'E');
        png.has_pixels = png.has_pixels || chunk.type == TYPE('I', 'D', 'A', 'T');
    }
    return status;
}
