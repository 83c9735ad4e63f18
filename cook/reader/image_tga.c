/* TGA: the 18-byte header, then enough bytes for every pixel, run-length packets walked. */
#include <stdbool.h>

#include "cook/reader/image_check.h"

#define HEADER_BYTES 18

enum {
    TYPE_MAPPED = 1,
    TYPE_COLOUR = 2,
    TYPE_GREY = 3,
    TYPE_RLE = 8, /* added to one of the above */
};

struct tga {
    uint8_t type; /* without TYPE_RLE */
    bool is_packed;
    size_t pixel_bytes;
    size_t offset; /* of the pixels */
};

static size_t little_endian16(const uint8_t *bytes)
{
    return (size_t)bytes[0] | ((size_t)bytes[1] << 8);
}

static bool is_pixel_size_known(uint8_t type, uint8_t bits)
{
    switch (type) {
    case TYPE_MAPPED:
        return bits == 8 || bits == 16;
    case TYPE_COLOUR:
        return bits == 15 || bits == 16 || bits == 24 || bits == 32;
    case TYPE_GREY:
        return bits == 8 || bits == 16;
    default:
        return false;
    }
}

static bool is_map_entry_known(uint8_t bits)
{
    return bits == 8 || bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

static enum cook_status parse_header(struct tga *out, struct cook_image_info *info,
                                     const uint8_t *data, struct cook_error *error)
{
    uint8_t map_type = data[1];
    out->type = data[2] & 7u;
    out->is_packed = (data[2] & TYPE_RLE) != 0;
    out->pixel_bytes = ((size_t)data[16] + 7) / 8;
    out->offset = HEADER_BYTES + (size_t)data[0];
    if (map_type > 1 || (data[2] & 0xf0u) != 0 || !is_pixel_size_known(out->type, data[16])) {
        return cook_error_set(error, COOK_E_MALFORMED,
                              "not a TGA file: image type %u with %u bits a pixel", data[2],
                              data[16]);
    }
    if ((out->type == TYPE_MAPPED && map_type != 1) ||
        (map_type == 1 && !is_map_entry_known(data[7]))) {
        return cook_error_set(error, COOK_E_MALFORMED, "TGA colour map is missing or unknown");
    }
    if (map_type == 1) {
        out->offset += little_endian16(data + 5) * (((size_t)data[7] + 7) / 8);
    }
    info->kind = COOK_IMAGE_TGA;
    info->width_px = (uint32_t)little_endian16(data + 12);
    info->height_px = (uint32_t)little_endian16(data + 14);
    return cook_image_check_size(info, error);
}

/* Each packet covers 1 to 128 pixels, so the walk ends with the pixels or with the bytes. */
static bool has_all_packets(const struct tga *tga, const uint8_t *data, size_t size,
                            uint64_t pixels)
{
    size_t offset = tga->offset;
    while (pixels > 0) {
        if (offset >= size) {
            return false;
        }
        size_t count = (size_t)(data[offset] & 0x7fu) + 1;
        size_t bytes = 1 + ((data[offset] & 0x80u) != 0 ? 1 : count) * tga->pixel_bytes;
        if (bytes > size - offset) {
            return false;
        }
        offset += bytes;
        pixels -= count < pixels ? count : pixels;
    }
    return true;
}

enum cook_status cook_image_check_tga(struct cook_image_info *out, const uint8_t *data,
                                      size_t size, struct cook_error *error)
{
    struct tga tga;
    if (size < HEADER_BYTES) {
        return cook_error_set(error, COOK_E_MALFORMED, "TGA is cut short: %zu bytes", size);
    }
    enum cook_status status = parse_header(&tga, out, data, error);
    if (status != COOK_OK) {
        return status;
    }
    uint64_t pixels = (uint64_t)out->width_px * out->height_px;
    bool complete = tga.is_packed
                        ? has_all_packets(&tga, data, size, pixels)
                        : tga.offset <= size && pixels * tga.pixel_bytes <= size - tga.offset;
    if (!complete) {
        return cook_error_set(error, COOK_E_MALFORMED,
                              "TGA is cut short: %zu bytes do not hold %u x %u pixels", size,
                              out->width_px, out->height_px);
    }
    return COOK_OK;
}
