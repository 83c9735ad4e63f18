/*
 * Growable byte buffer, and bounded reader over untrusted bytes: the one encoding used by the
 * worker protocol, the token maps, messages and the index. Integers are little-endian; varints are
 * LEB128; strings are a varint length and bytes.
 *
 * Errors are sticky: after a failed append `failed` is set and later appends do nothing; after a
 * read past the end `failed` is set and later reads give 0 / empty. Check once at the end.
 */
#ifndef COOK_BASE_BUF_H
#define COOK_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cook/base/hash.h"

struct cook_buf {
    uint8_t *data; /* owned; NULL while empty */
    size_t size;
    size_t capacity;
    bool failed; /* an allocation failed; contents are incomplete */
};
#define COOK_BUF_INIT { NULL, 0, 0, false }

void cook_buf_finish(struct cook_buf *buf);
void cook_buf_clear(struct cook_buf *buf); /* size 0, keeps the memory, clears failed */
void cook_buf_put(struct cook_buf *buf, const void *bytes, size_t size);
void cook_buf_put_u8(struct cook_buf *buf, uint8_t value);
void cook_buf_put_u16(struct cook_buf *buf, uint16_t value);
void cook_buf_put_u32(struct cook_buf *buf, uint32_t value);
void cook_buf_put_u64(struct cook_buf *buf, uint64_t value);
void cook_buf_put_varint(struct cook_buf *buf, uint64_t value);
void cook_buf_put_hash(struct cook_buf *buf, struct cook_hash hash);
void cook_buf_put_bytes(struct cook_buf *buf, const void *bytes, size_t size); /* varint + bytes */
void cook_buf_put_string(struct cook_buf *buf, const char *text);               /* NULL is "" */
void cook_buf_set_u32(struct cook_buf *buf, size_t offset, uint32_t value);     /* patch in place */
void cook_buf_set_u64(struct cook_buf *buf, size_t offset, uint64_t value);
void cook_buf_align(struct cook_buf *buf, size_t alignment); /* zero padding; a power of two */
void cook_buf_printf(struct cook_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* appends text without the NUL */
/* Terminates with a NUL (not counted in size) and returns the text; "" when failed or empty. */
const char *cook_buf_text(struct cook_buf *buf);

struct cook_reader_buf {
    const uint8_t *data; /* borrowed */
    size_t size;
    size_t offset;
    bool failed;
};

struct cook_reader_buf cook_read_init(const void *data, size_t size);
uint8_t cook_read_u8(struct cook_reader_buf *in);
uint16_t cook_read_u16(struct cook_reader_buf *in);
uint32_t cook_read_u32(struct cook_reader_buf *in);
uint64_t cook_read_u64(struct cook_reader_buf *in);
uint64_t cook_read_varint(struct cook_reader_buf *in);
struct cook_hash cook_read_hash(struct cook_reader_buf *in);
/* Borrowed bytes of exactly `size`, or NULL (failed) when fewer remain. */
const uint8_t *cook_read_raw(struct cook_reader_buf *in, size_t size);
/* Varint length + bytes, borrowed; `*size` is 0 and NULL comes back on failure. */
const uint8_t *cook_read_bytes(struct cook_reader_buf *in, size_t *size);
/* A varint count of items that each take at least `min_item_bytes`; fails when it cannot fit. */
size_t cook_read_count(struct cook_reader_buf *in, size_t min_item_bytes);
/* A string copied NUL-terminated into `arena` (never NULL: "" on failure). Embedded NUL fails. */
struct cook_arena;
const char *cook_read_string(struct cook_reader_buf *in, struct cook_arena *arena);
bool cook_read_at_end(const struct cook_reader_buf *in); /* all consumed, nothing failed */

#endif
