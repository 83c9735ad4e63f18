#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/compress.h"

static int set_up(void **context)
{
    *context = cook_compressor_create();
    return *context == NULL;
}

static int tear_down(void **context)
{
    cook_compressor_destroy(*context);
    return 0;
}

static void fill(uint8_t *bytes, size_t size, uint32_t random)
{
    for (size_t i = 0; i < size; i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(random >> 24);
    }
}

static void compress__only_where_a_tenth_is_saved(void **context)
{
    uint8_t bytes[4096] = { 0 };
    const uint8_t *out;
    assert_int_equal(cook_compress(&out, *context, bytes, 100), 0);
    assert_in_range(cook_compress(&out, *context, bytes, sizeof(bytes)), 1, 100);
    fill(bytes, sizeof(bytes), 1);
    assert_int_equal(cook_compress(&out, *context, bytes, sizeof(bytes)), 0);
    memset(bytes, 0, 300); /* saves less than a tenth */
    assert_int_equal(cook_compress(&out, *context, bytes, sizeof(bytes)), 0);
    memset(bytes, 0, 800);
    assert_in_range(cook_compress(&out, *context, bytes, sizeof(bytes)), 3000, 3686);
}

static void decompress__gives_exactly_the_bytes_back(void **context)
{
    uint8_t bytes[2000];
    uint8_t back[2000];
    memset(bytes, 'x', sizeof(bytes));
    const uint8_t *out;
    size_t size = cook_compress(&out, *context, bytes, sizeof(bytes));
    assert_int_equal(cook_decompress(back, sizeof(back), out, size, NULL), COOK_OK);
    assert_memory_equal(back, bytes, sizeof(bytes));
}

/* Neither a frame that claims more nor one that holds less may pass for the size asked for. */
static void decompress__any_other_size_is_damage(void **context)
{
    uint8_t bytes[2000];
    uint8_t back[3000];
    memset(bytes, 'x', sizeof(bytes));
    const uint8_t *out;
    size_t size = cook_compress(&out, *context, bytes, sizeof(bytes));
    assert_int_equal(cook_decompress(back, 1999, out, size, NULL), COOK_E_DAMAGED);
    assert_int_equal(cook_decompress(back, 2001, out, size, NULL), COOK_E_DAMAGED);
    assert_int_equal(cook_decompress(back, 2000, out, size - 1, NULL), COOK_E_DAMAGED);
    assert_int_equal(cook_decompress(back, 2000, "no zstd frame", 13, NULL), COOK_E_DAMAGED);
    assert_int_equal(cook_decompress(back, 2000, "", 0, NULL), COOK_E_DAMAGED);
}

static void compress__without_memory_keeps_bytes_as_they_are(void **context)
{
    uint8_t bytes[4096] = { 0 };
    const uint8_t *out;
    cook_alloc_fail_after(0);
    assert_null(cook_compressor_create());
    assert_int_equal(cook_compress(&out, *context, bytes, sizeof(bytes)), 0);
    cook_alloc_fail_after(-1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(compress__only_where_a_tenth_is_saved),
        TEST(decompress__gives_exactly_the_bytes_back),
        TEST(decompress__any_other_size_is_damage),
        TEST(compress__without_memory_keeps_bytes_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
