#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "unit/diffcook/diff_fixture.h"

static void compare_bytes(struct fixture *f, const void *old, size_t old_size, const void *new,
                          size_t new_size)
{
    struct diff_version a = { .bytes = old, .size = old_size };
    struct diff_version b = { .bytes = new, .size = new_size };
    assert_int_equal(diff_compare(&f->result, &a, &b, &f->options, &f->arena, NULL), COOK_OK);
    assert_true(f->result.identical || f->result.by_offset);
}

static void compare__no_maps__gives_ranges_of_bytes(void **state)
{
    struct fixture *f = *state;
    uint8_t old[1000] = { 0 };
    uint8_t new[1000] = { 0 };
    new[10] = new[20] = 1; /* one range: few equal bytes between them */
    new[500] = 1;
    new[999] = 1;
    compare_bytes(f, old, sizeof(old), new, sizeof(new));
    assert_int_equal(f->result.count, 3);
    const struct diff_difference *d = &f->result.differences[0];
    assert_int_equal(d->kind, DIFF_CHANGED);
    assert_int_equal(d->old_offset, 10);
    assert_int_equal(d->old_bytes, 11);
    assert_int_equal(d->differing_bytes, 2);
    assert_string_equal(d->property, "");
    assert_int_equal(f->result.differences[2].new_offset, 999);
}

static void compare__bytes_inserted__are_one_insertion(void **state)
{
    struct fixture *f = *state;
    compare_bytes(f, "head tail", 9, "head and tail", 13);
    assert_int_equal(f->result.count, 1);
    const struct diff_difference *d = &f->result.differences[0];
    assert_int_equal(d->kind, DIFF_INSERTED);
    assert_int_equal(d->new_bytes, 4);
    assert_null(d->old_value);
    assert_true(d->old_hex.offset == DIFF_NO_OFFSET);
}

static void compare__one_side_empty__is_all_removed(void **state)
{
    struct fixture *f = *state;
    compare_bytes(f, "bytes", 5, NULL, 0);
    assert_int_equal(f->result.count, 1);
    assert_int_equal(f->result.differences[0].kind, DIFF_REMOVED);
    compare_bytes(f, NULL, 0, NULL, 0);
    assert_true(f->result.identical);
}

static void compare__more_ranges_than_the_limit__counts_the_rest(void **state)
{
    struct fixture *f = *state;
    uint8_t old[2000] = { 0 };
    uint8_t new[2000] = { 0 };
    for (int i = 0; i < 2000; i += 100)
        new[i] = 1;
    f->options.max_differences = 5;
    compare_bytes(f, old, sizeof(old), new, sizeof(new));
    assert_int_equal(f->result.count, 5);
    assert_int_equal(f->result.dropped_differences, 15);
}

static void compare__whole_package__names_the_section(void **state)
{
    struct fixture *f = *state;
    build_export(&f->old, "Rock", "/Script/Test.Mesh");
    build_u32(&f->old, "Health", 1);
    build(&f->old);
    uint8_t changed[1024];
    memcpy(changed, f->old.bytes.data, f->old.bytes.size);
    changed[f->old.bytes.size - 1] ^= 1;
    compare_bytes(f, f->old.bytes.data, f->old.bytes.size, changed, f->old.bytes.size);
    assert_string_equal(f->result.differences[0].section, "data");
}

static void compare__map_does_not_fit_its_bytes__is_ignored(void **state)
{
    struct fixture *f = *state;
    build_export(&f->old, "Rock", "/Script/Test.Mesh");
    build_u32(&f->old, "Health", 1);
    build(&f->old);
    struct diff_version old = version_of(&f->old);
    struct diff_version new = version_of(&f->old);
    new.size--;
    assert_int_equal(diff_compare(&f->result, &old, &new, NULL, &f->arena, NULL), COOK_OK);
    assert_true(f->result.by_offset);
}

/* A map that covers the bytes but says anything about them. */
static void add_random_map(struct fixture *f, struct builder *b, size_t size)
{
    static const char *const paths[] = {
        "A:X",      "A:L#",         "A:L[].V",   "A:L[].W[]", "B:X", "#names[]", "#exports[].Z",
        "#exports", "#imports[].P", "#header.C", "#bulk[].P", "",    "B:L[]",    "B:L[].D#bulk"
    };
    while (size > 0) {
        size_t part = any(f, 9);
        if (part > size)
            part = size;
        uint32_t indices[2] = { any(f, 4), any(f, 3) };
        uint32_t path =
            cook_token_map_path(&b->tokens, paths[any(f, sizeof(paths) / sizeof(*paths))],
                                (enum cook_token_type)any(f, COOK_TOKEN_TYPE_COUNT));
        cook_token_map_add(&b->tokens, path, part, indices);
        size -= part;
    }
}

static void compare__maps_that_lie__never_crash(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 1500; round++) {
        build_finish(&f->old);
        build_finish(&f->new);
        cook_arena_finish(&f->arena);
        build_init(&f->old);
        build_init(&f->new);
        struct builder *both[] = { &f->old, &f->new };
        for (int side = 0; side < 2; side++) {
            struct builder *b = both[side];
            build_export(b, "A", "/Script/Test.Mesh");
            build_text(b, "Ref", COOK_TOKEN_REF, "/Game/A.B", 0);
            build_export(b, "B", "/Script/Test.Mesh");
            build(b);
            for (uint32_t i = any(f, 400); i > 0; i--)
                cook_buf_put_u8(&b->bytes, (uint8_t)any(f, 3));
            if (any(f, 2)) /* a package that parses, with bytes of its own size */
                cook_buf_set_u64(&b->bytes, 12, b->bytes.size);
            cook_token_map_finish(&b->tokens);
            add_random_map(f, b, b->bytes.size);
        }
        assert_int_equal(try_compare(f), COOK_OK);
        assert_true(f->result.count > 0 || f->result.identical);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__no_maps__gives_ranges_of_bytes),
        TEST(compare__bytes_inserted__are_one_insertion),
        TEST(compare__one_side_empty__is_all_removed),
        TEST(compare__more_ranges_than_the_limit__counts_the_rest),
        TEST(compare__whole_package__names_the_section),
        TEST(compare__map_does_not_fit_its_bytes__is_ignored),
        TEST(compare__maps_that_lie__never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
