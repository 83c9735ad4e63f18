#include "value.h"

#include <inttypes.h>
#include <string.h>

#include "cook/base/text.h"

#define TEXT_LIMIT_BYTES 120
#define HEX_LIMIT_BYTES  16

static void put_escaped(struct cook_buf *out, const uint8_t *text, size_t size, bool quoted)
{
    while (size > 0) {
        size_t length = cook_utf8_length(NULL, text, size);
        bool control = length == 1 && (text[0] < 0x20 || text[0] == 0x7f);
        bool special = quoted && (text[0] == '"' || text[0] == '\\');
        if (length == 0 || control) {
            length = 1;
            cook_buf_printf(out, "\\x%02x", text[0]);
        } else {
            if (special)
                cook_buf_put_u8(out, '\\');
            cook_buf_put(out, text, length);
        }
        text += length;
        size -= length;
    }
}

static void put_quoted(struct cook_buf *out, const uint8_t *text, size_t size)
{
    size_t shown = size;
    if (size > TEXT_LIMIT_BYTES) {
        shown = TEXT_LIMIT_BYTES;
        while (shown > TEXT_LIMIT_BYTES - 4 && (text[shown] & 0xc0) == 0x80)
            shown--; /* not inside a character */
    }
    cook_buf_put_u8(out, '"');
    put_escaped(out, text, shown, true);
    cook_buf_put_u8(out, '"');
    if (shown < size)
        cook_buf_printf(out, "... (%zu bytes)", size);
}

static void put_hex(struct cook_buf *out, const uint8_t *bytes, size_t size)
{
    cook_buf_printf(out, "%zu bytes%s", size, size ? ": " : "");
    for (size_t i = 0; i < size && i < HEX_LIMIT_BYTES; i++)
        cook_buf_printf(out, "%02x", bytes[i]);
    if (size > HEX_LIMIT_BYTES)
        cook_buf_printf(out, "...");
}

static const char *take_text(struct cook_buf *buf, struct cook_arena *arena)
{
    const char *text = cook_buf_text(buf);
    const char *result = buf->failed ? NULL : cook_arena_strdup(arena, text);
    cook_buf_finish(buf);
    return result;
}

const char *diff_clean_text(const char *text, struct cook_arena *arena)
{
    struct cook_buf buf = COOK_BUF_INIT;
    put_escaped(&buf, (const uint8_t *)text, strlen(text), false);
    return take_text(&buf, arena);
}

static void put_float(struct cook_buf *out, enum cook_token_type type, uint64_t bits)
{
    if (type == COOK_TOKEN_F32) {
        float value;
        uint32_t low = (uint32_t)bits;
        memcpy(&value, &low, sizeof(value));
        cook_buf_printf(out, "%.9g", (double)value);
    } else {
        double value;
        memcpy(&value, &bits, sizeof(value));
        cook_buf_printf(out, "%.17g", value);
    }
}

static void put_reference(struct cook_buf *out, const struct diff_side *side, size_t token)
{
    const char *text = diff_side_resolve(side, token);
    if (text)
        put_escaped(out, (const uint8_t *)text, strlen(text), false);
    else if (!diff_side_is_resolved(side, token))
        cook_buf_printf(out, "#%" PRIu64, diff_side_number(side, token));
    else
        cook_buf_printf(out, diff_side_type(side, token) == COOK_TOKEN_NAME ? "None" : "null");
}

static void put_number(struct cook_buf *out, const struct diff_side *side, size_t token)
{
    uint64_t value = diff_side_number(side, token);
    enum cook_token_type type = diff_side_type(side, token);
    switch ((int)type) {
    case COOK_TOKEN_BOOL:
        cook_buf_printf(out,
                        value == 0   ? "false"
                        : value == 1 ? "true"
                                     : "bool %" PRIu64,
                        value);
        break;
    case COOK_TOKEN_I8:
        cook_buf_printf(out, "%d", (int8_t)value);
        break;
    case COOK_TOKEN_I16:
        cook_buf_printf(out, "%d", (int16_t)value);
        break;
    case COOK_TOKEN_I32:
    case COOK_TOKEN_ENUM:
        cook_buf_printf(out, "%" PRId32, (int32_t)value);
        break;
    case COOK_TOKEN_I64:
        cook_buf_printf(out, "%" PRId64, (int64_t)value);
        break;
    case COOK_TOKEN_F32:
    case COOK_TOKEN_F64:
        put_float(out, type, value);
        break;
    case COOK_TOKEN_NAME:
    case COOK_TOKEN_REF:
    case COOK_TOKEN_SOFT_REF:
        put_reference(out, side, token);
        break;
    default:
        cook_buf_printf(out, "%" PRIu64, value);
        break;
    }
}

const char *diff_value_text(const struct diff_side *side, size_t token,
                            struct cook_arena *arena)
{
    struct cook_buf buf = COOK_BUF_INIT;
    const uint8_t *bytes = diff_side_bytes(side, token);
    uint32_t size = diff_side_size(side, token);
    enum cook_token_type type = diff_side_type(side, token);
    uint32_t length = 0; /* of a text or byte array, by its own word */
    for (uint32_t i = 0; i < 4 && size >= 4; i++)
        length |= (uint32_t)bytes[i] << (8 * i);
    bool sized = size >= 4 && length == size - 4;
    if (type == COOK_TOKEN_STRING && sized)
        put_quoted(&buf, bytes + 4, length);
    else if (type == COOK_TOKEN_BYTES && sized)
        put_hex(&buf, bytes + 4, length);
    else if (type == COOK_TOKEN_PADDING)
        cook_buf_printf(&buf, "%u bytes of padding", size);
    else if (size && cook_token_type_size(type) == size)
        put_number(&buf, side, token);
    else
        put_hex(&buf, bytes, size);
    return take_text(&buf, arena);
}

/* The same text at another index of its table: without the index it would look unchanged. */
static const char *shifted_text(const struct diff_side *side, size_t token,
                                struct cook_arena *arena)
{
    const char *text = diff_value_text(side, token, arena);
    int32_t index = (int32_t)diff_side_number(side, token);
    return text ? cook_arena_printf(arena, "%s (index %" PRId32 ")", text, index) : NULL;
}

static size_t count_elements(const struct diff_side *side, size_t first, size_t count,
                             uint32_t level)
{
    size_t elements = 1;
    for (size_t i = first + 1; i < first + count; i++)
        elements += !diff_same_element(side, i - 1, i, level);
    return elements;
}

static void put_group(struct cook_buf *out, const struct diff_edit *edit,
                      const struct diff_side *side, size_t first, size_t count)
{
    if (edit->extent == DIFF_EXTENT_UNORDERED) {
        cook_buf_printf(out, "%zu entries", count_elements(side, first, count, edit->level));
        return;
    }
    uint64_t bytes = side->offsets[first + count] - side->offsets[first];
    const char *row = diff_side_row_text(side, first);
    if (row) {
        put_escaped(out, (const uint8_t *)row, strlen(row), false);
        cook_buf_printf(out, " (");
    }
    size_t elements = 0;
    if (edit->extent == DIFF_EXTENT_ELEMENTS)
        elements = count_elements(side, first, count, edit->level);
    else if (edit->extent == DIFF_EXTENT_ARRAY)
        elements = count_elements(side, first + 1, count - 1, edit->level);
    if (elements)
        cook_buf_printf(out, "%zu element%s, ", elements, elements == 1 ? "" : "s");
    cook_buf_printf(out, "%zu fields, %" PRIu64 " bytes%s", count, bytes, row ? ")" : "");
}

bool diff_edit_value(const char **out, const struct diff_edit *edit,
                     const struct diff_side *side, size_t first, size_t count,
                     struct cook_arena *arena)
{
    *out = NULL;
    if (count == 0)
        return true;
    if (count == 1) {
        *out = edit->role == DIFF_ROLE_SHIFT ? shifted_text(side, first, arena)
                                             : diff_value_text(side, first, arena);
    } else {
        struct cook_buf buf = COOK_BUF_INIT;
        put_group(&buf, edit, side, first, count);
        *out = take_text(&buf, arena);
    }
    return *out != NULL;
}
