/*
 * stb_image 2.27 trusts two things in a JPEG that it must not: a Huffman table may name more
 * than 256 symbols (it writes past the table), and a file that ends early reads as zeros. Walk
 * the markers (ITU-T T.81, annex B) the way stb_image does and refuse both before it sees the
 * file.
 */
#include "cook/classes/image.h"

enum {
    MARKER_STUFFED = 0x00, /* in coded data: a plain 0xFF */
    MARKER_TEM = 0x01,
    MARKER_DHT = 0xC4,
    MARKER_RST0 = 0xD0,
    MARKER_RST7 = 0xD7,
    MARKER_SOI = 0xD8,
    MARKER_EOI = 0xD9,
    MARKER_SOS = 0xDA,
};

/* Tables follow each other in a segment: class and id, 16 counts by code length, symbols. */
static bool tables_are_sound(const uint8_t *at, size_t size)
{
    while (size > 0) {
        size_t symbols = 0;
        uint32_t codes_left = 1;
        if (size < 17 || (at[0] >> 4) > 1 || (at[0] & 15) > 3)
            return false;
        for (size_t length = 1; length <= 16; length++) {
            codes_left *= 2;
            if (at[length] > codes_left)
                return false;
            codes_left -= at[length];
            symbols += at[length];
        }
        if (symbols > 256 || size < 17 + symbols)
            return false;
        at += 17 + symbols;
        size -= 17 + symbols;
    }
    return true;
}

/* Move to the byte after the next 0xFF run; false at the end of the file. */
static bool next_marker(uint8_t *marker, size_t *at, const uint8_t *bytes, size_t size)
{
    while (*at < size && bytes[*at] != 0xFF)
        (*at)++;
    while (*at < size && bytes[*at] == 0xFF)
        (*at)++;
    if (*at >= size)
        return false;
    *marker = bytes[(*at)++];
    return true;
}

bool cook_image_jpeg_is_sound(const uint8_t *bytes, size_t size)
{
    size_t at = 2;
    bool coded = false; /* within a scan's data */
    uint8_t marker = 0;

    while (next_marker(&marker, &at, bytes, size)) {
        if (marker == MARKER_EOI)
            return true;
        if (coded &&
            (marker == MARKER_STUFFED || (marker >= MARKER_RST0 && marker <= MARKER_RST7)))
            continue;
        if (marker == MARKER_STUFFED || marker == MARKER_TEM || marker == MARKER_SOI ||
            (marker >= MARKER_RST0 && marker <= MARKER_RST7) || size - at < 2)
            return false;
        size_t length = ((size_t)bytes[at] << 8) | bytes[at + 1];
        if (length < 2 || length > size - at)
            return false;
        if (marker == MARKER_DHT && !tables_are_sound(bytes + at + 2, length - 2))
            return false;
        at += length;
        coded = marker == MARKER_SOS;
    }
    return false;
}
