/* Payloads of COOK_FRAME_TRACED, as a worker would send them. */
#ifndef COOK_TESTS_TRACED_FIXTURE_H
#define COOK_TESTS_TRACED_FIXTURE_H

#include <string.h>

#include "cook/trace/tracer.h"

static inline struct cook_hash hash_of_text(const char *text)
{
    struct cook_hash zero = { 0, 0 };
    return text ? cook_hash_bytes(text, strlen(text)) : zero;
}

static inline void put_head(struct cook_buf *out, const char *partial, size_t sections)
{
    cook_buf_put_u32(out, COOK_TRACED_FORMAT);
    cook_buf_put_string(out, partial);
    cook_buf_put_varint(out, 0); /* dropped */
    cook_buf_put_bytes(out, NULL, 0);
    cook_buf_put_varint(out, 0);
    cook_buf_put_varint(out, sections);
}

static inline void put_package(struct cook_buf *out, const char *package, bool loading,
                               size_t inputs)
{
    cook_buf_put_string(out, package);
    cook_buf_put_u8(out, !loading && *package);
    cook_buf_put_u8(out, loading);
    cook_buf_put_varint(out, inputs);
}

/* `content` NULL: absent. */
static inline void put_input(struct cook_buf *out, enum cook_input_kind kind, const char *key,
                             const char *content, bool declared)
{
    cook_buf_put_u8(out, (uint8_t)kind);
    cook_buf_put_string(out, key);
    cook_buf_put_hash(out, hash_of_text(content));
    cook_buf_put_string(out, content ? content : "absent");
    cook_buf_put_u8(out, (uint8_t)((content ? 0 : COOK_TRACED_ABSENT) |
                                   (declared ? COOK_TRACED_DECLARED : 0)));
    cook_buf_put_string(out, "");
    cook_buf_put_varint(out, 0);
}

static inline void put_uses(struct cook_buf *out, const char *used)
{
    cook_buf_put_varint(out, used != NULL);
    if (used)
        cook_buf_put_string(out, used);
}

#endif
