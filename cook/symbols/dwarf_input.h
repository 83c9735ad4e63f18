/* Bounded reading of raw DWARF, little-endian; sticky failure. Bytes may be damaged. */
#ifndef COOK_SYMBOLS_DWARF_INPUT_H
#define COOK_SYMBOLS_DWARF_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cook_dwarf_input {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
};

static inline size_t cook_dwarf_left(const struct cook_dwarf_input *in)
{
    return (size_t)(in->end - in->at);
}

static inline void cook_dwarf_fail(struct cook_dwarf_input *in)
{
    in->failed = true;
    in->at = in->end;
}

static inline void cook_dwarf_skip(struct cook_dwarf_input *in, uint64_t size)
{
    if (size > cook_dwarf_left(in))
        cook_dwarf_fail(in);
    else
        in->at += size;
}

/* At most 8 bytes. */
static inline uint64_t cook_dwarf_fixed(struct cook_dwarf_input *in, unsigned size)
{
    uint64_t value = 0;
    if (cook_dwarf_left(in) < size) {
        cook_dwarf_fail(in);
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)in->at[i] << (8 * i);
    in->at += size;
    return value;
}

/* Padded encodings are allowed here; bits beyond 64 are lost. */
static inline uint64_t cook_dwarf_leb(struct cook_dwarf_input *in, bool with_sign)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (byte & 0x80) {
        if (in->at == in->end) {
            cook_dwarf_fail(in);
            return 0;
        }
        byte = *in->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (with_sign && (byte & 0x40) && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return value;
}

/* A terminated text, borrowed; "" on failure. */
static inline const char *cook_dwarf_text(struct cook_dwarf_input *in)
{
    size_t left = cook_dwarf_left(in);
    const uint8_t *end = left ? memchr(in->at, 0, left) : NULL;
    const char *text = (const char *)in->at;
    if (!end) {
        cook_dwarf_fail(in);
        return "";
    }
    in->at = end + 1;
    return text;
}

#endif
