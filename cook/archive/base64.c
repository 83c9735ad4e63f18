#include "cook/archive/base64.h"

#include "cook/base/alloc.h"

static int digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool cook_base64_decode(uint8_t *out, size_t *size, const char *text, size_t length)
{
    *size = 0;
    if (length % 4 != 0)
        return false;
    size_t padding = 0;
    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        int value = i < length - padding ? digit(text[i]) : 0;
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 3)
            continue;
        size_t count = i == length - 1 ? 3 - padding : 3;
        for (size_t b = 0; b < count; b++)
            out[(*size)++] = (uint8_t)(bits >> (16 - 8 * b));
        bits = 0;
    }
    return true;
}

char *cook_base64_encode(struct cook_arena *arena, const uint8_t *bytes, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = cook_arena_alloc(arena, (size + 2) / 3 * 4 + 1);
    size_t n = 0;
    for (size_t i = 0; text && i < size; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16;
        bits |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= i + 2 < size ? bytes[i + 2] : 0;
        text[n++] = digits[bits >> 18 & 63];
        text[n++] = digits[bits >> 12 & 63];
        text[n++] = i + 1 < size ? digits[bits >> 6 & 63] : '=';
        text[n++] = i + 2 < size ? digits[bits & 63] : '=';
    }
    return text;
}
