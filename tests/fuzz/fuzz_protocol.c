/*
 * What a worker and its director tell each other: the first byte of the input chooses the
 * decoder. What decodes must encode to something that decodes to the same.
 */
#include <stdlib.h>
#include <string.h>

#include "cook/worker/protocol.h"
#include "cook/worker/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void try_result(const struct cook_buf *payload, struct cook_arena *arena)
{
    struct cook_result result;
    struct cook_result again;
    struct cook_buf encoded = COOK_BUF_INIT;
    if (cook_result_decode(&result, payload, arena, NULL) != COOK_OK)
        return;
    cook_result_encode(&result, &encoded);
    require(cook_result_decode(&again, &encoded, arena, NULL) == COOK_OK);
    require(strcmp(result.package, again.package) == 0 && result.ok == again.ok);
    require(result.hard_count == again.hard_count && result.soft_count == again.soft_count);
    require(result.size == again.size && result.load_set_count == again.load_set_count);
    cook_buf_finish(&encoded);
}

static void try_hello(const struct cook_buf *payload, struct cook_arena *arena)
{
    struct cook_hello hello;
    struct cook_hello again;
    struct cook_buf encoded = COOK_BUF_INIT;
    if (cook_hello_decode(&hello, payload->data, payload->size, arena, NULL) != COOK_OK)
        return;
    cook_hello_encode(&hello, &encoded);
    require(cook_hello_decode(&again, encoded.data, encoded.size, arena, NULL) == COOK_OK);
    require(hello.class_count == again.class_count && hello.reader_count == again.reader_count);
    cook_buf_finish(&encoded);
}

static void try_record(const struct cook_buf *payload, struct cook_arena *arena)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    struct cook_observation *items;
    size_t count;
    struct cook_record record;
    struct cook_buf encoded = COOK_BUF_INIT;
    if (cook_record_decode(&items, &count, &in, arena) != COOK_OK)
        return;
    cook_record_init(&record);
    for (size_t i = 0; i < count; i++)
        cook_record_add(&record, items[i].kind, items[i].args, items[i].value, items[i].text,
                        items[i].origin);
    require(cook_record_count(&record) <= count);
    cook_record_encode(&record, &encoded);
    in = cook_read_init(encoded.data, encoded.size);
    require(cook_record_decode(&items, &count, &in, arena) == COOK_OK);
    require(count == cook_record_count(&record));
    cook_buf_finish(&encoded);
    cook_record_finish(&record);
}

static void try_messages(const struct cook_buf *payload)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    struct cook_messages messages = { 0 };
    struct cook_messages again = { 0 };
    struct cook_buf encoded = COOK_BUF_INIT;
    if (cook_messages_decode(&messages, &in) == COOK_OK) {
        cook_messages_encode(&messages, &encoded);
        in = cook_read_init(encoded.data, encoded.size);
        require(cook_messages_decode(&again, &in) == COOK_OK);
        require(messages.count == again.count);
    }
    cook_buf_finish(&encoded);
    cook_messages_finish(&messages);
    cook_messages_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf payload = COOK_BUF_INIT;
    if (size == 0)
        return 0;
    cook_buf_put(&payload, data + 1, size - 1);
    switch (data[0] & 3) {
    case 0:
        try_result(&payload, &arena);
        break;
    case 1:
        try_hello(&payload, &arena);
        break;
    case 2:
        try_record(&payload, &arena);
        break;
    default:
        try_messages(&payload);
        break;
    }
    cook_buf_finish(&payload);
    cook_arena_finish(&arena);
    return 0;
}
