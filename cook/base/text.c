#include "cook/base/text.h"

#include <string.h>

#include "cook/base/alloc.h"

size_t cook_utf8_length(uint32_t *code, const void *text, size_t size)
{
    const uint8_t *c = text;
    size_t length = c[0] < 0x80   ? 1
                    : c[0] < 0xc2 ? 0
                    : c[0] < 0xe0 ? 2
                    : c[0] < 0xf0 ? 3
                    : c[0] < 0xf5 ? 4
                                  : 0;
    if (length == 0 || length > size)
        return 0;
    uint32_t value = length == 1 ? c[0] : c[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (c[i] & 0x3fu);
    }
    if ((length == 3 && value < 0x800) || (length == 4 && value < 0x10000) || value > 0x10ffff ||
        (value >= 0xd800 && value <= 0xdfff))
        return 0;
    if (code)
        *code = value;
    return length;
}

/* Ascending. The format characters (Cf) of Unicode 15 but for the visible signs of number, the separators
 * of lines, blank fillers, selectors of variants that no font shows, and the last two of a plane. */
static const struct range {
    uint32_t first, last;
} hidden[] = {
    { 0x0000, 0x001f },   { 0x007f, 0x009f },   { 0x00ad, 0x00ad },   { 0x034f, 0x034f },
    { 0x061c, 0x061c },   { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
    { 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 },
    { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },   { 0xfffe, 0xffff },
    { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

bool cook_text_is_hidden(uint32_t code)
{
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        if (code <= hidden[i].last)
            return code >= hidden[i].first;
    return false;
}

/* The bytes from the start of `text` that are shown as they are, whatever the flags: printable ASCII. */
static size_t plain_length(const uint8_t *text, size_t size)
{
    size_t length = 0;
    while (length < size && text[length] >= 0x20 && text[length] < 0x7f)
        length++;
    return length;
}

static void put_escape(struct cook_buf *out, uint32_t code, uint8_t byte, size_t length)
{
    if (length <= 1)
        cook_buf_printf(out, "\\x%02x", byte);
    else if (code <= 0xffff)
        cook_buf_printf(out, "\\u%04x", code);
    else
        cook_buf_printf(out, "\\U%08x", code);
}

void cook_text_put(struct cook_buf *out, const void *text, size_t size, enum cook_text_flags flags)
{
    const uint8_t *c = text;
    while (size > 0) {
        size_t length = plain_length(c, size);
        if (length > 0) {
            cook_buf_put(out, c, length);
        } else {
            uint32_t code = 0;
            length = cook_utf8_length(&code, c, size);
            bool stays = (flags & COOK_TEXT_LINES) && (*c == '\n' || *c == '\t');
            if (stays || (length && !cook_text_is_hidden(code)))
                cook_buf_put(out, c, length);
            else
                put_escape(out, code, *c, length);
            length += length == 0;
        }
        c += length;
        size -= length;
    }
}

const char *cook_text_shown(const char *text, struct cook_arena *arena)
{
    size_t size = strlen(text);
    if (plain_length((const uint8_t *)text, size) == size)
        return text;
    struct cook_buf buf = COOK_BUF_INIT;
    cook_text_put(&buf, text, size, COOK_TEXT_LINE);
    const char *shown = buf.failed ? NULL : cook_arena_strdup(arena, cook_buf_text(&buf));
    cook_buf_finish(&buf);
    return shown;
}

void cook_text_put_json(struct cook_buf *out, const char *json)
{
    size_t size = strlen(json);
    while (size > 0) {
        uint32_t code = 0;
        size_t length = plain_length((const uint8_t *)json, size);
        if (length == 0)
            length = cook_utf8_length(&code, json, size);
        else
            code = ' ';
        /* Below U+0020 is the white space between values: strings have theirs escaped. */
        if (length == 0 || code < 0x20 || !cook_text_is_hidden(code))
            cook_buf_put(out, json, length ? length : 1);
        else if (code <= 0xffff)
            cook_buf_printf(out, "\\u%04x", code);
        else
            cook_buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
                            0xdc00 + ((code - 0x10000) & 0x3ff));
        length += length == 0;
        json += length;
        size -= length;
    }
}
