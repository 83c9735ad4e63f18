#include "cook/base/buf.h"
#include "cook/base/alloc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cook_buf_finish(struct cook_buf *buf)
{
    cook_free(buf->data);
    *buf = (struct cook_buf)COOK_BUF_INIT;
}

void cook_buf_clear(struct cook_buf *buf)
{
    buf->size = 0;
    buf->failed = false;
}

/* Room for `size` more bytes, or NULL with `failed` set. */
static uint8_t *reserve(struct cook_buf *buf, size_t size)
{
    size_t needed;
    if (buf->failed)
        return NULL;
    if (__builtin_add_overflow(buf->size, size, &needed) ||
        !cook_grow(&buf->data, &buf->capacity, needed, 1)) {
        buf->failed = true;
        return NULL;
    }
    return buf->data + buf->size;
}

void cook_buf_put(struct cook_buf *buf, const void *bytes, size_t size)
{
    if (!size)
        return;
    uint8_t *to = reserve(buf, size);
    if (!to)
        return;
    memcpy(to, bytes, size);
    buf->size += size;
}

static void store_little(uint8_t *to, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static void put_little(struct cook_buf *buf, uint64_t value, unsigned size)
{
    uint8_t *to = reserve(buf, size);
    if (!to)
        return;
    store_little(to, value, size);
    buf->size += size;
}

void cook_buf_put_u8(struct cook_buf *buf, uint8_t value)
{
    put_little(buf, value, 1);
}

void cook_buf_put_u16(struct cook_buf *buf, uint16_t value)
{
    put_little(buf, value, 2);
}

void cook_buf_put_u32(struct cook_buf *buf, uint32_t value)
{
    put_little(buf, value, 4);
}

void cook_buf_put_u64(struct cook_buf *buf, uint64_t value)
{
    put_little(buf, value, 8);
}

void cook_buf_put_varint(struct cook_buf *buf, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    while (value >= 0x80) {
        bytes[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[size++] = (uint8_t)value;
    cook_buf_put(buf, bytes, size);
}

/* Canonical order, high byte first, so that stored hashes sort as their text does. */
void cook_buf_put_hash(struct cook_buf *buf, struct cook_hash hash)
{
    put_little(buf, __builtin_bswap64(hash.high), 8);
    put_little(buf, __builtin_bswap64(hash.low), 8);
}

void cook_buf_put_bytes(struct cook_buf *buf, const void *bytes, size_t size)
{
    cook_buf_put_varint(buf, size);
    cook_buf_put(buf, bytes, size);
}

void cook_buf_put_string(struct cook_buf *buf, const char *text)
{
    cook_buf_put_bytes(buf, text, text ? strlen(text) : 0);
}

static void set_little(struct cook_buf *buf, size_t offset, uint64_t value, unsigned size)
{
    if (buf->failed)
        return; /* the bytes to patch may never have been appended */
    assert(offset <= buf->size && size <= buf->size - offset);
    store_little(buf->data + offset, value, size);
}

void cook_buf_set_u32(struct cook_buf *buf, size_t offset, uint32_t value)
{
    set_little(buf, offset, value, 4);
}

void cook_buf_set_u64(struct cook_buf *buf, size_t offset, uint64_t value)
{
    set_little(buf, offset, value, 8);
}

void cook_buf_align(struct cook_buf *buf, size_t alignment)
{
    assert(alignment && (alignment & (alignment - 1)) == 0);
    size_t padding = (alignment - buf->size) & (alignment - 1);
    uint8_t *to = padding ? reserve(buf, padding) : NULL;
    if (!to)
        return;
    memset(to, 0, padding);
    buf->size += padding;
}

void cook_buf_printf(struct cook_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        buf->failed = true;
    uint8_t *to = length < 0 ? NULL : reserve(buf, (size_t)length + 1);
    if (to) {
        vsnprintf((char *)to, (size_t)length + 1, format, again);
        buf->size += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

const char *cook_buf_text(struct cook_buf *buf)
{
    uint8_t *to = reserve(buf, 1);
    if (!to)
        return "";
    *to = '\0';
    return (const char *)buf->data;
}

struct cook_reader_buf cook_read_init(const void *data, size_t size)
{
    return (struct cook_reader_buf){ .data = data, .size = size };
}

const uint8_t *cook_read_raw(struct cook_reader_buf *in, size_t size)
{
    if (in->failed || size > in->size - in->offset) {
        in->failed = true;
        return NULL;
    }
    /* Empty input may have no data at all, but reading nothing from it succeeds. */
    const uint8_t *bytes = in->data ? in->data + in->offset : (const uint8_t *)"";
    in->offset += size;
    return bytes;
}

static uint64_t read_little(struct cook_reader_buf *in, unsigned size)
{
    const uint8_t *bytes = cook_read_raw(in, size);
    uint64_t value = 0;
    for (unsigned i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint8_t cook_read_u8(struct cook_reader_buf *in)
{
    return (uint8_t)read_little(in, 1);
}

uint16_t cook_read_u16(struct cook_reader_buf *in)
{
    return (uint16_t)read_little(in, 2);
}

uint32_t cook_read_u32(struct cook_reader_buf *in)
{
    return (uint32_t)read_little(in, 4);
}

uint64_t cook_read_u64(struct cook_reader_buf *in)
{
    return read_little(in, 8);
}

/* Only the shortest form is accepted, so that equal values have equal bytes. */
uint64_t cook_read_varint(struct cook_reader_buf *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = cook_read_u8(in);
        bool overflows = shift == 63 && byte > 1;
        bool overlong = shift > 0 && byte == 0;
        if (in->failed || overflows || overlong)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    in->failed = true;
    return 0;
}

struct cook_hash cook_read_hash(struct cook_reader_buf *in)
{
    struct cook_hash hash;
    hash.high = __builtin_bswap64(cook_read_u64(in));
    hash.low = __builtin_bswap64(cook_read_u64(in));
    return in->failed ? (struct cook_hash){ 0, 0 } : hash;
}

const uint8_t *cook_read_bytes(struct cook_reader_buf *in, size_t *size)
{
    uint64_t length = cook_read_varint(in);
    const uint8_t *bytes = cook_read_raw(in, length);
    *size = bytes ? length : 0;
    return bytes;
}

size_t cook_read_count(struct cook_reader_buf *in, size_t min_item_bytes)
{
    uint64_t count = cook_read_varint(in);
    size_t item_bytes = min_item_bytes ? min_item_bytes : 1;
    if (in->failed || count > (in->size - in->offset) / item_bytes) {
        in->failed = true;
        return 0;
    }
    return count;
}

const char *cook_read_string(struct cook_reader_buf *in, struct cook_arena *arena)
{
    size_t size;
    const uint8_t *bytes = cook_read_bytes(in, &size);
    if (!bytes)
        return "";
    char *text =
        memchr(bytes, 0, size) ? NULL : cook_arena_strndup(arena, (const char *)bytes, size);
    if (!text)
        in->failed = true;
    return text ? text : "";
}

bool cook_read_at_end(const struct cook_reader_buf *in)
{
    return !in->failed && in->offset == in->size;
}
