#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cook/worker/protocol.h"

struct fixture {
    int sockets[2];
    struct cook_buf bytes;
    struct cook_buf payload;
    struct cook_arena arena;
    struct cook_error error;
    enum cook_frame_type type;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    return f ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, f->sockets) : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    close(f->sockets[0]);
    close(f->sockets[1]);
    cook_buf_finish(&f->bytes);
    cook_buf_finish(&f->payload);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

static enum cook_status read_frame(struct fixture *f)
{
    return cook_frame_read(f->sockets[1], &f->type, &f->payload, &f->error);
}

/* End the peer's side after it has sent these bytes. */
static void send_raw_and_end(struct fixture *f, const void *bytes, size_t size)
{
    assert_int_equal(write(f->sockets[0], bytes, size), size);
    shutdown(f->sockets[0], SHUT_WR);
}

static void frame__written__is_read_whole(void **state)
{
    struct fixture *f = *state;
    cook_buf_put(&f->bytes, "hello", 5);
    assert_int_equal(cook_frame_write(f->sockets[0], COOK_FRAME_COOK, &f->bytes, NULL),
                     COOK_OK);
    assert_int_equal(cook_frame_write(f->sockets[0], COOK_FRAME_QUIT, NULL, NULL), COOK_OK);
    assert_int_equal(read_frame(f), COOK_OK);
    assert_int_equal(f->type, COOK_FRAME_COOK);
    assert_int_equal(f->payload.size, 5);
    assert_memory_equal(f->payload.data, "hello", 5);
    assert_int_equal(read_frame(f), COOK_OK);
    assert_int_equal(f->type, COOK_FRAME_QUIT);
    assert_int_equal(f->payload.size, 0);
}

static void frame_read__clean_end__is_not_found(void **state)
{
    struct fixture *f = *state;
    send_raw_and_end(f, "", 0);
    assert_int_equal(read_frame(f), COOK_E_NOT_FOUND);
}

static void frame_read__end_in_header__breaks_the_protocol(void **state)
{
    struct fixture *f = *state;
    send_raw_and_end(f, "\0\0\0", 3);
    assert_int_equal(read_frame(f), COOK_E_PROTOCOL);
}

static void frame_read__end_before_payload__breaks_the_protocol(void **state)
{
    struct fixture *f = *state;
    send_raw_and_end(f, "\5\0\0\0\1\0\0\0", 8);
    assert_int_equal(read_frame(f), COOK_E_PROTOCOL);
    assert_int_equal(f->payload.size, 0);
}

static void frame_read__unknown_type__breaks_the_protocol(void **state)
{
    struct fixture *f = *state;
    send_raw_and_end(f, "\0\0\0\0\xff\0\0\0", 8);
    assert_int_equal(read_frame(f), COOK_E_PROTOCOL);
}

static void frame_read__too_large__breaks_the_protocol(void **state)
{
    struct fixture *f = *state;
    send_raw_and_end(f, "\xff\xff\xff\xff\1\0\0\0", 8);
    assert_int_equal(read_frame(f), COOK_E_PROTOCOL);
}

static void frame_write__peer_gone__is_an_error_and_no_signal(void **state)
{
    struct fixture *f = *state;
    close(f->sockets[1]);
    f->sockets[1] = dup(f->sockets[0]);
    assert_int_equal(cook_frame_write(f->sockets[0], COOK_FRAME_QUIT, NULL, &f->error),
                     COOK_E_IO);
}

static void frame_write__incomplete_payload__is_not_sent(void **state)
{
    struct fixture *f = *state;
    f->bytes.failed = true;
    assert_int_equal(cook_frame_write(f->sockets[0], COOK_FRAME_QUIT, &f->bytes, NULL),
                     COOK_E_NO_MEMORY);
    send_raw_and_end(f, "", 0);
    assert_int_equal(read_frame(f), COOK_E_NOT_FOUND);
}

static void encode_result(struct fixture *f)
{
    static const char *hard[] = { "/Game/B.X", "/Game/C" };
    static const uint32_t ids[] = { 1, 300 };
    struct cook_result result = { .package = "/Game/A",
                                  .ok = true,
                                  .duration_us = 1234,
                                  .bytes = (const uint8_t *)"bytes",
                                  .size = 5,
                                  .hard = hard,
                                  .hard_count = 2,
                                  .load_sets = ids,
                                  .load_set_count = 2,
                                  .notes = "note" };
    cook_result_encode(&result, &f->bytes);
    assert_false(f->bytes.failed);
}

static enum cook_status decode_result(struct fixture *f, struct cook_result *result,
                                      size_t size)
{
    struct cook_buf cut = { f->bytes.data, size, size, false };
    return cook_result_decode(result, &cut, &f->arena, &f->error);
}

static void result__round_trip(void **state)
{
    struct fixture *f = *state;
    struct cook_result result;
    encode_result(f);
    assert_int_equal(decode_result(f, &result, f->bytes.size), COOK_OK);
    assert_string_equal(result.package, "/Game/A");
    assert_true(result.ok);
    assert_int_equal(result.duration_us, 1234);
    assert_memory_equal(result.bytes, "bytes", 5);
    assert_int_equal(result.hard_count, 2);
    assert_string_equal(result.hard[1], "/Game/C");
    assert_int_equal(result.soft_count, 0);
    assert_int_equal(result.load_sets[1], 300);
    assert_string_equal(result.notes, "note");
}

static void result_decode__cut_or_with_more__breaks_the_protocol(void **state)
{
    struct fixture *f = *state;
    struct cook_result result;
    encode_result(f);
    for (size_t size = 0; size < f->bytes.size; size++)
        assert_int_equal(decode_result(f, &result, size), COOK_E_PROTOCOL);
    cook_buf_put_u8(&f->bytes, 0);
    assert_int_equal(decode_result(f, &result, f->bytes.size), COOK_E_PROTOCOL);
}

static void result_decode__no_memory__fails(void **state)
{
    struct fixture *f = *state;
    struct cook_result result;
    enum cook_status status = COOK_E_FAILED;
    encode_result(f);
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 100);
        cook_arena_finish(&f->arena);
        cook_alloc_fail_after(after);
        status = decode_result(f, &result, f->bytes.size);
        cook_alloc_fail_after(-1);
    }
    assert_string_equal(result.hard[0], "/Game/B.X");
}

static void encode_hello(struct fixture *f)
{
    const char *extensions[] = { ".png", ".tga", NULL };
    const char *editor_only[] = { "Notes" };
    struct cook_hello_class classes[] = {
        { "/Script/A.X", "A", "", true, { 1, 2 }, editor_only, 1 }
    };
    struct cook_hello_reader readers[] = {
        { .name = "image", .version = 3, .extensions = extensions },
    };
    struct cook_hello hello = {
        .classes = classes, .class_count = 1, .readers = readers, .reader_count = 1
    };
    cook_hello_encode(&hello, &f->bytes);
}

static enum cook_status decode_hello(struct fixture *f, struct cook_hello *hello, size_t size)
{
    return cook_hello_decode(hello, f->bytes.data, size, &f->arena, &f->error);
}

static void hello__round_trip(void **state)
{
    struct fixture *f = *state;
    struct cook_hello hello;
    encode_hello(f);
    assert_int_equal(decode_hello(f, &hello, f->bytes.size), COOK_OK);
    assert_int_equal(hello.class_count, 1);
    assert_string_equal(hello.classes[0].name, "/Script/A.X");
    assert_true(hello.classes[0].project);
    assert_int_equal(hello.classes[0].schema.low, 2);
    assert_int_equal(hello.classes[0].editor_only_count, 1);
    assert_string_equal(hello.classes[0].editor_only[0], "Notes");
    assert_int_equal(hello.readers[0].version, 3);
    assert_string_equal(hello.readers[0].extensions[1], ".tga");
    assert_null(hello.readers[0].extensions[2]);
}

static void hello_decode__cut_anywhere__fails(void **state)
{
    struct fixture *f = *state;
    struct cook_hello hello;
    encode_hello(f);
    for (size_t size = 0; size < f->bytes.size; size++)
        assert_int_equal(decode_hello(f, &hello, size), COOK_E_PROTOCOL);
}

static void hello_decode__no_memory__fails(void **state)
{
    struct fixture *f = *state;
    struct cook_hello hello;
    enum cook_status status = COOK_E_FAILED;
    encode_hello(f);
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 100);
        cook_arena_finish(&f->arena);
        cook_alloc_fail_after(after);
        status = decode_hello(f, &hello, f->bytes.size);
        cook_alloc_fail_after(-1);
    }
    assert_string_equal(hello.readers[0].name, "image");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(frame__written__is_read_whole),
        TEST(frame_read__clean_end__is_not_found),
        TEST(frame_read__end_in_header__breaks_the_protocol),
        TEST(frame_read__end_before_payload__breaks_the_protocol),
        TEST(frame_read__unknown_type__breaks_the_protocol),
        TEST(frame_read__too_large__breaks_the_protocol),
        TEST(frame_write__peer_gone__is_an_error_and_no_signal),
        TEST(frame_write__incomplete_payload__is_not_sent),
        TEST(result__round_trip),
        TEST(result_decode__cut_or_with_more__breaks_the_protocol),
        TEST(result_decode__no_memory__fails),
        TEST(hello__round_trip),
        TEST(hello_decode__cut_anywhere__fails),
        TEST(hello_decode__no_memory__fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
