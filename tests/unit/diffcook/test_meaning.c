#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "unit/diffcook/diff_fixture.h"

/* Entries of a map, keyed "a", "b", …, in the given order. */
static void fill_map(struct builder *b, const char *order, uint32_t bonus)
{
    build_export(b, "Table", "/Script/Test.Table");
    build_number(b, "Rows#", COOK_TOKEN_COUNT, strlen(order), 0);
    for (const char *at = order; *at; at++) {
        char key[2] = { *at, '\0' };
        uint32_t id = cook_intern_add(&b->tokens.keys, key) | COOK_TOKEN_KEY_FLAG;
        build_text(b, "Rows[].Key", COOK_TOKEN_STRING, key, id);
        build_number(b, "Rows[].Damage", COOK_TOKEN_U32, (uint32_t)(*at) * 7 + bonus, id);
    }
    build_u32(b, "After", 1);
}

static void compare__map_in_another_order__is_one_difference_of_the_same_meaning(void **state)
{
    struct fixture *f = *state;
    fill_map(&f->old, "abcdef", 0);
    fill_map(&f->new, "fbcade", 0);
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    assert_int_equal(f->result.same_meaning_count, 1);
    const struct diff_difference *d = &f->result.differences[0];
    assert_string_equal(d->property, "Table:Rows");
    assert_string_equal(d->new_value, "6 entries");
    assert_string_equal(d->same_meaning, "the same entries in another order");
}

static void compare__map_in_another_order_with_another_value__is_another_meaning(void **state)
{
    struct fixture *f = *state;
    fill_map(&f->old, "abcdef", 0);
    fill_map(&f->new, "fbcade", 1);
    compare(f);
    assert_true(f->result.root_count >= 1);
    assert_int_equal(f->result.same_meaning_count, 0);
}

static void fill_array(struct builder *b, const char *count_path, const uint32_t *values)
{
    build_export(b, "Rock", "/Script/Test.Mesh");
    build_number(b, count_path, COOK_TOKEN_COUNT, 4, 0);
    for (uint32_t i = 0; i < 4; i++)
        build_number(b, "Tags[]", COOK_TOKEN_U32, values[i], i);
}

static void compare__set_in_another_order__has_the_same_meaning(void **state)
{
    struct fixture *f = *state;
    fill_array(&f->old, "Tags#set", (uint32_t[]){ 1, 2, 3, 4 });
    fill_array(&f->new, "Tags#set", (uint32_t[]){ 4, 2, 1, 3 });
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    assert_int_equal(f->result.same_meaning_count, 1);
    assert_string_equal(f->result.differences[0].property, "Rock:Tags");
}

static void compare__array_in_another_order__has_another_meaning(void **state)
{
    struct fixture *f = *state;
    fill_array(&f->old, "Tags#", (uint32_t[]){ 1, 2, 3, 4 });
    fill_array(&f->new, "Tags#", (uint32_t[]){ 4, 2, 1, 3 });
    compare(f);
    assert_true(f->result.root_count >= 1);
    assert_int_equal(f->result.same_meaning_count, 0);
}

static void fill_float(struct builder *b, enum cook_token_type type, uint64_t bits)
{
    build_export(b, "Rock", "/Script/Test.Mesh");
    build_number(b, "Weight", type, bits, 0);
}

static void compare__other_nan__has_the_same_meaning(void **state)
{
    struct fixture *f = *state;
    fill_float(&f->old, COOK_TOKEN_F32, 0x7fc00000u);
    fill_float(&f->new, COOK_TOKEN_F32, 0xffc01234u);
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    assert_int_equal(f->result.same_meaning_count, 1);
}

static void compare__infinity_for_nan__has_another_meaning(void **state)
{
    struct fixture *f = *state;
    fill_float(&f->old, COOK_TOKEN_F64, 0x7ff0000000000000ull);
    fill_float(&f->new, COOK_TOKEN_F64, 0x7ff0000000000001ull);
    compare(f);
    assert_int_equal(f->result.same_meaning_count, 0);
}

static void compare__negative_zero__has_another_meaning(void **state)
{
    struct fixture *f = *state;
    fill_float(&f->old, COOK_TOKEN_F32, 0);
    fill_float(&f->new, COOK_TOKEN_F32, 0x80000000u);
    compare(f);
    assert_int_equal(f->result.same_meaning_count, 0);
    assert_string_equal(f->result.differences[0].new_value, "-0");
}

static void fill_bulk(struct builder *b)
{
    static const uint8_t payload[5] = { 1, 2, 3, 4, 5 };
    build_export(b, "Rock", "/Script/Test.Mesh");
    build_data(b, "Pixels", payload, sizeof(payload), true, 0);
    build(b);
}

static void compare__bytes_of_padding__have_the_same_meaning(void **state)
{
    struct fixture *f = *state;
    fill_bulk(&f->old);
    fill_bulk(&f->new);
    size_t padding = f->new.bytes.size - 6; /* the byte before the payload */
    assert_int_equal(f->new.bytes.data[padding], 0);
    f->new.bytes.data[padding] = 0xcd;
    assert_int_equal(try_compare(f), COOK_OK);
    assert_int_equal(f->result.root_count, 1);
    assert_int_equal(f->result.same_meaning_count, 1);
}

static void fill_names(struct builder *b)
{
    build_export(b, "Rock", "/Script/Test.Mesh");
    build_text(b, "First", COOK_TOKEN_NAME, "Alpha", 0);
    build_text(b, "Other", COOK_TOKEN_NAME, "Beta!", 0);
    build(b);
}

/* Exchange two names of one length in the table, and the indices that lead to them. */
static void exchange(struct builder *b, size_t alpha, size_t beta)
{
    uint8_t *data = b->bytes.data;
    uint8_t *a = memmem(data, b->bytes.size, "Alpha", 5);
    uint8_t *c = memmem(data, b->bytes.size, "Beta!", 5);
    assert_true(a && c);
    memcpy(a, "Beta!", 5);
    memcpy(c, "Alpha", 5);
    uint8_t *values = data + b->bytes.size - 8;
    assert_int_equal(values[0], alpha);
    assert_int_equal(values[4], beta);
    values[0] = (uint8_t)beta;
    values[4] = (uint8_t)alpha;
}

static void compare__permuted_name_table__is_one_difference_of_the_same_meaning(void **state)
{
    struct fixture *f = *state;
    fill_names(&f->old);
    fill_names(&f->new);
    exchange(&f->new, build_find(f->new.names, f->new.name_count, "Alpha"),
             build_find(f->new.names, f->new.name_count, "Beta!"));
    assert_int_equal(try_compare(f), COOK_OK);
    assert_int_equal(f->result.root_count, 1);
    assert_int_equal(f->result.same_meaning_count, 1);
    assert_string_equal(f->result.differences[0].same_meaning,
                        "the same rows in another order");
}

static void compare__names_exchanged_by_value_alone__has_another_meaning(void **state)
{
    struct fixture *f = *state;
    fill_names(&f->old);
    fill_names(&f->new);
    uint8_t *values = f->new.bytes.data + f->new.bytes.size - 8;
    uint8_t kept = values[0];
    values[0] = values[4];
    values[4] = kept;
    assert_int_equal(try_compare(f), COOK_OK);
    assert_true(f->result.root_count >= 1);
    assert_int_equal(f->result.same_meaning_count, 0);
}

static void compare__any_allocation_fails__reports_no_memory(void **state)
{
    struct fixture *f = *state;
    fill_map(&f->old, "abcdef", 0);
    fill_map(&f->new, "fbcade", 0);
    build(&f->old);
    build(&f->new);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long n = 0; status != COOK_OK && n < 2000; n++) {
        cook_alloc_fail_after(n);
        status = try_compare(f);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
    assert_int_equal(status, COOK_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__map_in_another_order__is_one_difference_of_the_same_meaning),
        TEST(compare__map_in_another_order_with_another_value__is_another_meaning),
        TEST(compare__set_in_another_order__has_the_same_meaning),
        TEST(compare__array_in_another_order__has_another_meaning),
        TEST(compare__other_nan__has_the_same_meaning),
        TEST(compare__infinity_for_nan__has_another_meaning),
        TEST(compare__negative_zero__has_another_meaning),
        TEST(compare__bytes_of_padding__have_the_same_meaning),
        TEST(compare__permuted_name_table__is_one_difference_of_the_same_meaning),
        TEST(compare__names_exchanged_by_value_alone__has_another_meaning),
        TEST(compare__any_allocation_fails__reports_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
