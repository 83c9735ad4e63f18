/* JPEG: marker segments up to the first scan, the frame header, and an end-of-image marker. */
#include <stdbool.h>

#include "cook/reader/image_check.h"

enum {
    MARKER_SOF0 = 0xc0, /* baseline */
    MARKER_SOF1 = 0xc1, /* extended sequential, Huffman */
    MARKER_SOF2 = 0xc2, /* progressive, Huffman */
    MARKER_DHT = 0xc4,
    MARKER_JPG = 0xc8,
    MARKER_DAC = 0xcc,
    MARKER_SOF15 = 0xcf,
    MARKER_SOI = 0xd8,
    MARKER_EOI = 0xd9,
    MARKER_SOS = 0xda,
};

struct jpeg {
    const uint8_t *data;
    size_t size;
    size_t offset;
    struct cook_error *error;
};

static uint32_t big_endian16(const uint8_t *bytes)
{
    return ((uint32_t)bytes[0] << 8) | bytes[1];
}

static enum cook_status cut_short(const struct jpeg *jpeg)
{
    return cook_error_set(jpeg->error, COOK_E_MALFORMED,
                          "JPEG is cut short: it ends at byte %zu without an end marker",
                          jpeg->size);
}

static bool is_frame_header(uint8_t marker)
{
    return marker >= MARKER_SOF0 && marker <= MARKER_SOF15 && marker != MARKER_DHT &&
           marker != MARKER_JPG && marker != MARKER_DAC;
}

static enum cook_status check_frame(struct cook_image_info *out, const struct jpeg *jpeg,
                                    uint8_t marker, const uint8_t *segment, size_t size)
{
    if (marker > MARKER_SOF2) {
        return cook_error_set(jpeg->error, COOK_E_UNSUPPORTED,
                              "JPEG coding SOF%u is not supported: save it as baseline or"
                              " progressive",
                              (unsigned)(marker - MARKER_SOF0));
    }
    if (size < 6 || size < 6 + 3 * (size_t)segment[5]) {
        return cook_error_set(jpeg->error, COOK_E_MALFORMED, "JPEG frame header is too short");
    }
    if (segment[0] != 8) {
        return cook_error_set(jpeg->error, COOK_E_UNSUPPORTED,
                              "JPEG with %u bits a sample is not supported", segment[0]);
    }
    out->kind = COOK_IMAGE_JPEG;
    out->height_px = big_endian16(segment + 1);
    out->width_px = big_endian16(segment + 3);
    return cook_image_check_size(out, jpeg->error);
}

/* Read the next marker with its segment; markers without one do not stand before the first
 * scan. */
static enum cook_status next_segment(uint8_t *marker, const uint8_t **segment, size_t *size,
                                     struct jpeg *jpeg)
{
    if (jpeg->offset < jpeg->size && jpeg->data[jpeg->offset] != 0xff) {
        return cook_error_set(jpeg->error, COOK_E_MALFORMED,
                              "JPEG has no marker at byte %zu where one is due", jpeg->offset);
    }
    while (jpeg->offset < jpeg->size && jpeg->data[jpeg->offset] == 0xff) {
        jpeg->offset++; /* any number of fill bytes */
    }
    if (jpeg->size - jpeg->offset < 3) {
        return cut_short(jpeg);
    }
    *marker = jpeg->data[jpeg->offset];
    size_t length = big_endian16(jpeg->data + jpeg->offset + 1);
    if (length < 2 || *marker == MARKER_EOI) {
        return cook_error_set(jpeg->error, COOK_E_MALFORMED,
                              "JPEG marker %02x at byte %zu is out of place", *marker,
                              jpeg->offset);
    }
    if (length > jpeg->size - jpeg->offset - 1) {
        return cut_short(jpeg);
    }
    *segment = jpeg->data + jpeg->offset + 3;
    *size = length - 2;
    jpeg->offset += 1 + length;
    return COOK_OK;
}

/* In coded data 0xff is stuffed, so 0xff 0xd9 after the first scan header is the end marker. */
static bool has_end_marker(const struct jpeg *jpeg)
{
    for (size_t i = jpeg->size; i >= jpeg->offset + 2; i--) {
        if (jpeg->data[i - 2] == 0xff && jpeg->data[i - 1] == MARKER_EOI) {
            return true;
        }
    }
    return false;
}

enum cook_status cook_image_check_jpeg(struct cook_image_info *out, const uint8_t *data,
                                       size_t size, struct cook_error *error)
{
    struct jpeg jpeg = { .data = data, .size = size, .offset = 2, .error = error };
    if (size < 3 || data[0] != 0xff || data[1] != MARKER_SOI || data[2] != 0xff) {
        return cook_error_set(error, COOK_E_MALFORMED, "not a JPEG file");
    }
    for (;;) {
        uint8_t marker = 0;
        const uint8_t *segment = NULL;
        size_t segment_size = 0;
        enum cook_status status = next_segment(&marker, &segment, &segment_size, &jpeg);
        if (status == COOK_OK && is_frame_header(marker)) {
            status = check_frame(out, &jpeg, marker, segment, segment_size);
        }
        if (status != COOK_OK) {
            return status;
        }
        if (marker == MARKER_SOS) {
            break;
        }
    }
    if (out->kind != COOK_IMAGE_JPEG) {
        return cook_error_set(error, COOK_E_MALFORMED,
                              "JPEG scan stands before its frame header");
    }
    return has_end_marker(&jpeg) ? COOK_OK : cut_short(&jpeg);
}
