#include "cook/worker/session.h"

#include <string.h>

#define MAX_MESSAGE_BYTES 4096
#define MAX_MESSAGES 10000

void cook_messages_finish(struct cook_messages *messages)
{
    cook_free(messages->items);
    cook_arena_finish(&messages->arena);
    *messages = (struct cook_messages){ 0 };
}

void cook_messages_add(struct cook_messages *messages, enum cook_severity severity,
                       const char *text)
{
    messages->errors += severity == COOK_SEVERITY_ERROR;
    if (messages->count >= MAX_MESSAGES)
        return;
    if (messages->count == MAX_MESSAGES - 1) {
        severity = COOK_SEVERITY_WARNING;
        text = "further messages of this package were dropped";
    }
    char *copy = cook_arena_strndup(&messages->arena, text, strnlen(text, MAX_MESSAGE_BYTES));
    if (!copy || !cook_grow(&messages->items, &messages->capacity, messages->count + 1,
                            sizeof(*messages->items))) {
        messages->failed = true;
        return;
    }
    messages->items[messages->count++] = (struct cook_message){ severity, copy };
}

void cook_messages_encode(const struct cook_messages *messages, struct cook_buf *out)
{
    cook_buf_put_varint(out, messages->count);
    for (size_t i = 0; i < messages->count; i++) {
        cook_buf_put_u8(out, (uint8_t)messages->items[i].severity);
        cook_buf_put_string(out, messages->items[i].text);
    }
    out->failed |= messages->failed;
}

enum cook_status cook_messages_decode(struct cook_messages *messages, struct cook_reader_buf *in)
{
    size_t count = cook_read_count(in, 2);
    struct cook_arena arena = COOK_ARENA_INIT;
    for (size_t i = 0; i < count && !in->failed; i++) {
        uint8_t severity = cook_read_u8(in);
        const char *text = cook_read_string(in, &arena);
        if (severity < COOK_SEVERITY_INFO || severity > COOK_SEVERITY_ERROR)
            in->failed = true;
        else
            cook_messages_add(messages, (enum cook_severity)severity, text);
    }
    cook_arena_finish(&arena);
    if (messages->failed)
        return COOK_E_NO_MEMORY;
    return in->failed ? COOK_E_MALFORMED : COOK_OK;
}
