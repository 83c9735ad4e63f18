#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/base/alloc.h"
#include "cook/base/buf.h"

#include <string.h>

static int allow_allocations(void **state)
{
    (void)state;
    cook_alloc_fail_after(-1);
    return 0;
}

static void assert_bytes(const struct cook_buf *buf, const void *bytes, size_t size)
{
    assert_false(buf->failed);
    assert_int_equal(buf->size, size);
    assert_memory_equal(buf->data, bytes, size);
}

static void put__integers__are_little_endian(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    cook_buf_put_u8(&buf, 0x01);
    cook_buf_put_u16(&buf, 0x0203);
    cook_buf_put_u32(&buf, 0x04050607);
    cook_buf_put_u64(&buf, UINT64_C(0x08090a0b0c0d0e0f));
    assert_bytes(&buf, "\x01\x03\x02\x07\x06\x05\x04\x0f\x0e\x0d\x0c\x0b\x0a\x09\x08", 15);
    cook_buf_finish(&buf);
}

static void put_hash__bytes__are_in_canonical_order(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    struct cook_hash hash = { UINT64_C(0x0102030405060708), UINT64_C(0x090a0b0c0d0e0f10) };
    cook_buf_put_hash(&buf, hash);
    assert_bytes(&buf, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16);
    struct cook_reader_buf in = cook_read_init(buf.data, buf.size);
    assert_true(cook_hash_equal(cook_read_hash(&in), hash));
    assert_true(cook_read_at_end(&in));
    cook_buf_finish(&buf);
}

static void varint__every_length__comes_back(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    for (unsigned shift = 0; shift < 64; shift++) {
        cook_buf_put_varint(&buf, (UINT64_C(1) << shift) - 1);
        cook_buf_put_varint(&buf, UINT64_C(1) << shift);
    }
    cook_buf_put_varint(&buf, UINT64_MAX);
    struct cook_reader_buf in = cook_read_init(buf.data, buf.size);
    for (unsigned shift = 0; shift < 64; shift++) {
        assert_true(cook_read_varint(&in) == (UINT64_C(1) << shift) - 1);
        assert_true(cook_read_varint(&in) == UINT64_C(1) << shift);
    }
    assert_true(cook_read_varint(&in) == UINT64_MAX);
    assert_true(cook_read_at_end(&in));
    cook_buf_finish(&buf);
}

static void assert_varint_fails(const char *bytes, size_t size)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    assert_int_equal(cook_read_varint(&in), 0);
    assert_true(in.failed);
}

static void read_varint__malformed__fails(void **state)
{
    (void)state;
    assert_varint_fails("", 0);
    assert_varint_fails("\x80", 1);                                          /* cut */
    assert_varint_fails("\x80\x00", 2);                                      /* overlong */
    assert_varint_fails("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);     /* 2^64 */
    assert_varint_fails("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11); /* too long */
}

static void put_string__null__is_empty(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    cook_buf_put_string(&buf, NULL);
    cook_buf_put_string(&buf, "ab");
    cook_buf_put_bytes(&buf, NULL, 0);
    assert_bytes(&buf, "\0\2ab\0", 5);
    cook_buf_finish(&buf);
}

static void set__offset__patches_in_place(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    cook_buf_put(&buf, "0123456789abcdef", 16);
    cook_buf_set_u32(&buf, 1, 0x41424344);
    cook_buf_set_u64(&buf, 8, UINT64_C(0x4142434445464748));
    assert_bytes(&buf, "0DCBA567HGFEDCBA", 16);
    cook_buf_finish(&buf);
}

static void align__odd_size__is_padded_with_zeros(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    cook_buf_align(&buf, 8);
    assert_int_equal(buf.size, 0);
    cook_buf_put(&buf, "abc", 3);
    cook_buf_align(&buf, 8);
    cook_buf_align(&buf, 8);
    assert_bytes(&buf, "abc\0\0\0\0\0", 8);
    cook_buf_finish(&buf);
}

static void printf__texts__are_appended(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    assert_string_equal(cook_buf_text(&buf), "");
    cook_buf_printf(&buf, "%d", 12);
    cook_buf_printf(&buf, "%s", "");
    cook_buf_printf(&buf, "-%0300d", 3);
    assert_int_equal(buf.size, 303);
    assert_int_equal(strlen(cook_buf_text(&buf)), 303);
    cook_buf_clear(&buf);
    assert_string_equal(cook_buf_text(&buf), "");
    cook_buf_finish(&buf);
}

static void put__memory_is_short__stays_failed_until_cleared(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    cook_alloc_fail_after(0);
    cook_buf_put_u32(&buf, 1);
    cook_alloc_fail_after(-1);
    assert_true(buf.failed);
    cook_buf_put_u32(&buf, 1);
    cook_buf_set_u32(&buf, 0, 2);
    cook_buf_printf(&buf, "x");
    assert_int_equal(buf.size, 0);
    assert_string_equal(cook_buf_text(&buf), "");
    cook_buf_clear(&buf);
    cook_buf_put_u8(&buf, 9);
    assert_bytes(&buf, "\x09", 1);
    cook_buf_finish(&buf);
}

static void put__size_overflows__fails(void **state)
{
    (void)state;
    struct cook_buf buf = COOK_BUF_INIT;
    cook_buf_put_u8(&buf, 1);
    cook_buf_put(&buf, "x", SIZE_MAX);
    assert_true(buf.failed);
    cook_buf_finish(&buf);
}

static void read__past_the_end__fails_and_stays_failed(void **state)
{
    (void)state;
    struct cook_reader_buf in = cook_read_init("\1\2\3", 3);
    assert_int_equal(cook_read_u16(&in), 0x0201);
    assert_int_equal(cook_read_u32(&in), 0);
    assert_true(in.failed);
    assert_int_equal(cook_read_u8(&in), 0);
    assert_true(cook_hash_is_zero(cook_read_hash(&in)));
    assert_false(cook_read_at_end(&in));
}

static void read__no_data__is_at_its_end(void **state)
{
    (void)state;
    struct cook_reader_buf in = cook_read_init(NULL, 0);
    assert_non_null(cook_read_raw(&in, 0));
    assert_true(cook_read_at_end(&in));
    assert_null(cook_read_raw(&in, 1));
    assert_false(cook_read_at_end(&in));
}

static void read_bytes__length_past_the_end__fails(void **state)
{
    (void)state;
    size_t size = 77;
    struct cook_reader_buf in = cook_read_init("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                               "ab",
                                               12);
    assert_null(cook_read_bytes(&in, &size));
    assert_int_equal(size, 0);
    in = cook_read_init("\2ab", 3);
    assert_memory_equal(cook_read_bytes(&in, &size), "ab", 2);
    assert_int_equal(size, 2);
}

static void read_count__more_than_can_fit__fails(void **state)
{
    (void)state;
    struct cook_reader_buf in = cook_read_init("\2abcd", 5);
    assert_int_equal(cook_read_count(&in, 2), 2);
    in = cook_read_init("\3abcd", 5);
    assert_int_equal(cook_read_count(&in, 2), 0);
    assert_true(in.failed);
    in = cook_read_init("\5abcd", 5);
    assert_int_equal(cook_read_count(&in, 0), 0);
    assert_true(in.failed);
}

static void read_string__text__is_terminated_in_the_arena(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_reader_buf in = cook_read_init("\2ab\0"
                                               "cd",
                                               6);
    assert_string_equal(cook_read_string(&in, &arena), "ab");
    assert_string_equal(cook_read_string(&in, &arena), "");
    assert_false(in.failed);
    cook_arena_finish(&arena);
}

static void read_string__nul_inside__fails(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_reader_buf in = cook_read_init("\3a\0b", 4);
    assert_string_equal(cook_read_string(&in, &arena), "");
    assert_true(in.failed);
    cook_arena_finish(&arena);
}

static void read_string__memory_is_short__fails(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_reader_buf in = cook_read_init("\1a", 2);
    cook_alloc_fail_after(0);
    assert_string_equal(cook_read_string(&in, &arena), "");
    assert_true(in.failed);
    cook_arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put__integers__are_little_endian),
        cmocka_unit_test(put_hash__bytes__are_in_canonical_order),
        cmocka_unit_test(varint__every_length__comes_back),
        cmocka_unit_test(read_varint__malformed__fails),
        cmocka_unit_test(put_string__null__is_empty),
        cmocka_unit_test(set__offset__patches_in_place),
        cmocka_unit_test(align__odd_size__is_padded_with_zeros),
        cmocka_unit_test(printf__texts__are_appended),
        cmocka_unit_test_teardown(put__memory_is_short__stays_failed_until_cleared,
                                  allow_allocations),
        cmocka_unit_test(put__size_overflows__fails),
        cmocka_unit_test(read__past_the_end__fails_and_stays_failed),
        cmocka_unit_test(read__no_data__is_at_its_end),
        cmocka_unit_test(read_bytes__length_past_the_end__fails),
        cmocka_unit_test(read_count__more_than_can_fit__fails),
        cmocka_unit_test(read_string__text__is_terminated_in_the_arena),
        cmocka_unit_test(read_string__nul_inside__fails),
        cmocka_unit_test_teardown(read_string__memory_is_short__fails, allow_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
