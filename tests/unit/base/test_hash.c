#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/base/hash.h"

#include <string.h>

/* Reference values: `xxhsum -H2` of the same bytes. */
static void bytes__known_texts__have_their_xxh3_128(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *hash;
    } cases[] = {
        { "", "99aa06d3014798d86001c324468d497f" },
        { "abc", "06b05ab6733a618578af5f94892f3950" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[COOK_HASH_TEXT_SIZE];
        cook_hash_to_text(cook_hash_bytes(cases[i].text, strlen(cases[i].text)), text);
        assert_string_equal(text, cases[i].hash);
    }
}

static void bytes__null_of_size_zero__is_the_empty_hash(void **state)
{
    (void)state;
    assert_true(cook_hash_equal(cook_hash_bytes(NULL, 0), cook_hash_bytes("", 0)));
    assert_true(cook_hash64(NULL, 0) == cook_hash64("", 0));
}

static void hasher__any_pieces__give_the_whole_hash(void **state)
{
    (void)state;
    unsigned char bytes[5000];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 31);
    struct cook_hash whole = cook_hash_bytes(bytes, sizeof(bytes));
    for (size_t piece = 1; piece < 600; piece += 37) {
        struct cook_hasher hasher;
        cook_hasher_init(&hasher);
        for (size_t at = 0; at < sizeof(bytes); at += piece) {
            size_t left = sizeof(bytes) - at;
            cook_hasher_update(&hasher, bytes + at, left < piece ? left : piece);
        }
        cook_hasher_update(&hasher, NULL, 0);
        assert_true(cook_hash_equal(cook_hasher_digest(&hasher), whole));
    }
}

static struct cook_hash hash_two_texts(const char *first, const char *second)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    cook_hasher_update_string(&hasher, first);
    cook_hasher_update_string(&hasher, second);
    return cook_hasher_digest(&hasher);
}

static void update_string__border_moved__gives_another_hash(void **state)
{
    (void)state;
    assert_false(cook_hash_equal(hash_two_texts("ab", "c"), hash_two_texts("a", "bc")));
    assert_true(cook_hash_equal(hash_two_texts("ab", NULL), hash_two_texts("ab", "")));
}

static void text__round_trip__gives_the_same_hash(void **state)
{
    (void)state;
    struct cook_hash hash = { UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210) };
    struct cook_hash back = { 0, 0 };
    char text[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(hash, text);
    assert_string_equal(text, "0123456789abcdeffedcba9876543210");
    assert_true(cook_hash_from_text(&back, text));
    assert_true(cook_hash_equal(hash, back));
    assert_true(cook_hash_from_text(&back, "0123456789ABCDEFFEDCBA9876543210"));
    assert_true(cook_hash_equal(hash, back));
}

static void from_text__anything_else__is_refused_and_leaves_the_output(void **state)
{
    (void)state;
    struct cook_hash hash = { 1, 2 };
    assert_false(cook_hash_from_text(&hash, ""));
    assert_false(cook_hash_from_text(&hash, "0123456789abcdeffedcba987654321"));
    assert_false(cook_hash_from_text(&hash, "0123456789abcdeffedcba98765432100"));
    assert_false(cook_hash_from_text(&hash, "0123456789abcdeffedcba987654321g"));
    assert_false(cook_hash_from_text(&hash, "x123456789abcdeffedcba9876543210"));
    assert_int_equal(hash.high, 1);
    assert_int_equal(hash.low, 2);
}

static void compare__hashes__orders_high_before_low(void **state)
{
    (void)state;
    struct cook_hash a = { 1, 9 }, b = { 2, 0 }, c = { 2, 1 };
    assert_int_equal(cook_hash_compare(a, b), -1);
    assert_int_equal(cook_hash_compare(c, b), 1);
    assert_int_equal(cook_hash_compare(b, c), -1);
    assert_int_equal(cook_hash_compare(c, c), 0);
    assert_true(cook_hash_is_zero((struct cook_hash){ 0, 0 }));
    assert_false(cook_hash_is_zero((struct cook_hash){ 0, 1 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes__known_texts__have_their_xxh3_128),
        cmocka_unit_test(bytes__null_of_size_zero__is_the_empty_hash),
        cmocka_unit_test(hasher__any_pieces__give_the_whole_hash),
        cmocka_unit_test(update_string__border_moved__gives_another_hash),
        cmocka_unit_test(text__round_trip__gives_the_same_hash),
        cmocka_unit_test(from_text__anything_else__is_refused_and_leaves_the_output),
        cmocka_unit_test(compare__hashes__orders_high_before_low),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
