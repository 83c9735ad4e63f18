/* Strings of JSON: escapes and UTF-8 (RFC 8259, section 7). */
#include "cook/base/json_private.h"

#include <string.h>

#include "cook/base/text.h"

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* The test for a byte that is zero or below a bound is exact as long as no byte has its high bit set,
 * which is tested along with it. */
size_t cook_json_plain_length(const char *s, size_t size)
{
    const uint64_t ones = UINT64_MAX / 255;
    size_t i = 0;
    for (; size - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, s + i, 8);
        uint64_t quotes = (word ^ ones * '"') - ones;
        uint64_t escapes = (word ^ ones * '\\') - ones;
        uint64_t controls = word - ones * 0x20;
        if ((word | quotes | escapes | controls) & ones * 0x80)
            break;
    }
    while (i < size && is_plain((unsigned char)s[i]))
        i++;
    return i;
}

/* The value of "\uXXXX" at `s`, or -1. */
static int32_t unicode_escape(const char *s, size_t left)
{
    int32_t value = 0;
    if (left < 6 || s[0] != '\\' || s[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        char c = s[i];
        int32_t digit = cook_json_is_digit(c)              ? c - '0'
                        : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                        : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static size_t put_utf8(char *to, int32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const int lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    for (size_t i = length - 1; i > 0; i--, c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3F));
    to[0] = (char)(lead[length] | c);
    return length;
}

struct unescape {
    const char *from;
    size_t left;
    char *to;
    const char *fault; /* NULL while all is well */
};

static void advance(struct unescape *u, size_t from, size_t to)
{
    u->from += from;
    u->left -= from;
    u->to += to;
}

static void unescape_unicode(struct unescape *u)
{
    size_t size = 6;
    int32_t c = unicode_escape(u->from, u->left);
    if (c >= 0xD800 && c < 0xDC00) {
        int32_t low = unicode_escape(u->from + 6, u->left - 6);
        bool pair = low >= 0xDC00 && low < 0xE000;
        c = pair ? 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00) : 0xDC00;
        size = 12;
    }
    if (c < 0)
        u->fault = "malformed \\u escape";
    else if (c == 0)
        u->fault = "string with a NUL";
    else if (c >= 0xDC00 && c < 0xE000)
        u->fault = "unpaired surrogate";
    else
        advance(u, size, put_utf8(u->to, c));
}

static void unescape_one(struct unescape *u)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    int name = u->left > 1 ? u->from[1] : '\0';
    const char *known = name ? strchr(names, name) : NULL;
    if (name == 'u') {
        unescape_unicode(u);
    } else if (known) {
        *u->to = values[known - names];
        advance(u, 2, 1);
    } else {
        u->fault = "unknown escape";
    }
}

static void copy_one(struct unescape *u)
{
    size_t length = cook_utf8_length(NULL, u->from, u->left);
    if (length == 0) {
        u->fault = "invalid UTF-8";
    } else {
        memcpy(u->to, u->from, length);
        advance(u, length, length);
    }
}

const char *cook_json_unescape(char *out, size_t *length, const char *text, size_t size)
{
    struct unescape u = { .from = text, .left = size, .to = out };
    while (u.left && !u.fault) {
        size_t plain = cook_json_plain_length(u.from, u.left);
        memcpy(u.to, u.from, plain);
        advance(&u, plain, plain);
        if (u.left && *u.from == '\\')
            unescape_one(&u);
        else if (u.left)
            copy_one(&u);
    }
    *u.to = '\0';
    *length = (size_t)(u.to - out);
    return u.fault;
}
