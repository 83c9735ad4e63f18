#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <string.h>

#include "cook/archive/write_map.h"
#include "cook/base/alloc.h"

static const uint32_t stacks[] = { 7, 7, 7, UINT32_MAX, 0, 0, 4000000000u, 1 };
#define COUNT (sizeof(stacks) / sizeof(stacks[0]))

static void make_tokens(struct cook_buf *out)
{
    struct cook_token_map map;
    cook_token_map_init(&map);
    for (uint32_t i = 0; i < COUNT; i++)
        cook_token_map_add(&map, cook_token_map_path(&map, "Rock:Lods[]", COOK_TOKEN_U32), 4, &i);
    cook_token_map_encode(&map, out);
    cook_token_map_finish(&map);
}

static void make_map(struct cook_buf *out)
{
    struct cook_buf tokens = COOK_BUF_INIT;
    make_tokens(&tokens);
    cook_write_map_encode(out, tokens.data, tokens.size, stacks, COUNT);
    assert_false(out->failed);
    cook_buf_finish(&tokens);
}

static void write_map__holds_tokens_and_stacks(void **state)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_token_map map;
    uint32_t *read;
    size_t count;
    (void)state;
    make_map(&bytes);
    cook_token_map_init(&map);
    assert_int_equal(cook_token_map_decode(&map, bytes.data, bytes.size, NULL), COOK_OK);
    assert_int_equal(map.count, COUNT);
    assert_int_equal(cook_write_map_stacks(&read, &count, bytes.data, bytes.size, NULL), COOK_OK);
    assert_int_equal(count, COUNT);
    assert_memory_equal(read, stacks, sizeof(stacks));
    cook_free(read);
    cook_token_map_finish(&map);
    cook_buf_finish(&bytes);
}

static void token_map__has_no_stacks(void **state)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    uint32_t *read;
    size_t count;
    (void)state;
    make_tokens(&bytes);
    assert_int_equal(cook_write_map_stacks(&read, &count, bytes.data, bytes.size, NULL), COOK_OK);
    assert_null(read);
    assert_int_equal(count, 0);
    cook_buf_finish(&bytes);
}

static void write_map__cut_short_or_within_another__is_malformed(void **state)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_buf twice = COOK_BUF_INIT;
    struct cook_token_map map;
    uint32_t *read;
    size_t count;
    (void)state;
    make_map(&bytes);
    for (size_t size = 1; size < bytes.size; size++) {
        assert_int_equal(cook_write_map_stacks(&read, &count, bytes.data, size, NULL),
                         COOK_E_MALFORMED);
        assert_null(read);
    }
    cook_write_map_encode(&twice, bytes.data, bytes.size, stacks, COUNT);
    cook_token_map_init(&map);
    assert_int_equal(cook_token_map_decode(&map, twice.data, twice.size, NULL), COOK_E_MALFORMED);
    cook_token_map_finish(&map);
    cook_buf_finish(&bytes);
    cook_buf_finish(&twice);
}

static void write_map__any_byte_flipped__never_reads_wild(void **state)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    (void)state;
    make_map(&bytes);
    for (size_t i = 0; i < bytes.size; i++) {
        uint32_t *read;
        size_t count;
        bytes.data[i] ^= 0x5a;
        if (cook_write_map_stacks(&read, &count, bytes.data, bytes.size, NULL) == COOK_OK)
            cook_free(read);
        bytes.data[i] ^= 0x5a;
    }
    cook_buf_finish(&bytes);
}

static void write_map__any_allocation_fails__reports_no_memory(void **state)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status = COOK_E_NO_MEMORY;
    (void)state;
    make_map(&bytes);
    for (long n = 0; status != COOK_OK && n < 100; n++) {
        uint32_t *read;
        size_t count;
        cook_alloc_fail_after(n);
        status = cook_write_map_stacks(&read, &count, bytes.data, bytes.size, NULL);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        cook_free(read);
    }
    assert_int_equal(status, COOK_OK);
    cook_buf_finish(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_map__holds_tokens_and_stacks),
        cmocka_unit_test(token_map__has_no_stacks),
        cmocka_unit_test(write_map__cut_short_or_within_another__is_malformed),
        cmocka_unit_test(write_map__any_byte_flipped__never_reads_wild),
        cmocka_unit_test(write_map__any_allocation_fails__reports_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
