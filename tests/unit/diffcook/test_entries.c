#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diffcook/entries.h"

struct fixture {
    struct cook_arena arena;
    struct diff_file_entries old, new;
    struct diff_output output;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    f->old.arena = f->new.arena = &f->arena;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    diff_entries_finish(&f->old);
    diff_entries_finish(&f->new);
    cook_arena_finish(&f->arena);
    free(f);
    return 0;
}

static void compare(struct fixture *f, const char *old, const char *new)
{
    assert_true(diff_entries_read(&f->old, old, strlen(old)));
    assert_true(diff_entries_read(&f->new, new, strlen(new)));
    assert_int_equal(diff_entries_compare(&f->output, &f->old, &f->new, &f->arena), COOK_OK);
}

static void lines__one_comes_and_one_goes__is_two_changes(void **state)
{
    struct fixture *f = *state;
    compare(f, "b\na\na\n", "a\nc\nb\n");
    assert_int_equal(f->output.entry_count, 2);
    assert_string_equal(f->output.entries[0].key, "a"); /* stood there twice */
    assert_int_equal(f->output.entries[0].change, DIFF_DELETED);
    assert_string_equal(f->output.entries[1].key, "c");
    assert_int_equal(f->output.entries[1].change, DIFF_ADDED);
}

static void manifest__other_bytes_of_a_file__is_one_modified_entry(void **state)
{
    struct fixture *f = *state;
    compare(f, "cookproof chunk 3\nab 10 Game/A b.cooked\ncd 7 Game/C.cooked\n",
            "cookproof chunk 3\nab 10 Game/A b.cooked\nef 8 Game/C.cooked\n");
    assert_int_equal(f->output.entry_count, 1);
    assert_string_equal(f->output.entries[0].key, "Game/C.cooked");
    assert_string_equal(f->output.entries[0].old, "7 bytes, hash cd");
    assert_string_equal(f->output.entries[0].new, "8 bytes, hash ef");
}

static void entries__more_than_are_kept__are_counted(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < DIFF_ENTRIES_MAX + 7; i++)
        diff_entries_add(&f->new, cook_arena_printf(&f->arena, "%05d", i), "");
    assert_int_equal(diff_entries_compare(&f->output, &f->old, &f->new, &f->arena), COOK_OK);
    assert_int_equal(f->output.entry_count, DIFF_ENTRIES_MAX);
    assert_int_equal(f->output.dropped_entries, 7);
}

/* One package with one tagged object and a soft reference. */
static void put_registry(struct cook_buf *out, const char *tag)
{
    const char *const texts[] = { "/Game/A", "/Game/B.B", "A", "Class", "Key", tag };
    const uint32_t head[] = { 0x52414b43u, 1, 6, 1 };
    const uint32_t rows[] = { 0, 1, 2, 3, 1, 4, 5, 0, 1, 1 };
    for (size_t i = 0; i < 4; i++)
        cook_buf_put_u32(out, head[i]);
    for (size_t i = 0; i < 6; i++) {
        cook_buf_put_u32(out, (uint32_t)strlen(texts[i]));
        cook_buf_put(out, texts[i], strlen(texts[i]));
    }
    for (size_t i = 0; i < 10; i++)
        cook_buf_put_u32(out, rows[i]);
}

static void registry__another_tag__is_one_modified_entry(void **state)
{
    struct fixture *f = *state;
    struct cook_buf old = COOK_BUF_INIT, new = COOK_BUF_INIT;
    put_registry(&old, "1");
    put_registry(&new, "2");
    assert_true(diff_entries_read(&f->old, old.data, old.size));
    assert_true(diff_entries_read(&f->new, new.data, new.size));
    assert_int_equal(diff_entries_compare(&f->output, &f->old, &f->new, &f->arena), COOK_OK);
    assert_int_equal(f->old.count, 2);
    assert_string_equal(f->old.items[0].key, "/Game/A -> /Game/B.B");
    assert_int_equal(f->output.entry_count, 1);
    assert_string_equal(f->output.entries[0].key, "/Game/A.A");
    assert_string_equal(f->output.entries[0].new, "Class Key=2");
    cook_buf_finish(&old);
    cook_buf_finish(&new);
}

static void registry__each_truncation_and_each_other_byte__is_survived(void **state)
{
    struct fixture *f = *state;
    struct cook_buf bytes = COOK_BUF_INIT;
    put_registry(&bytes, "1");
    for (size_t i = 8; i < bytes.size; i++) {
        struct diff_file_entries entries = { .arena = &f->arena };
        assert_false(diff_entries_read(&entries, bytes.data, i));
        diff_entries_finish(&entries);
        for (unsigned bit = 0; bit < 8; bit++) {
            struct diff_file_entries flipped = { .arena = &f->arena };
            bytes.data[i] ^= (uint8_t)(1u << bit);
            (void)diff_entries_read(&flipped, bytes.data, bytes.size);
            bytes.data[i] ^= (uint8_t)(1u << bit);
            diff_entries_finish(&flipped);
        }
    }
    cook_buf_finish(&bytes);
}

static void other_bytes__are_of_no_known_format(void **state)
{
    struct fixture *f = *state;
    assert_false(diff_entries_read(&f->old, "a\0b", 3));
    assert_false(diff_entries_read(&f->old, "\xff\xfe", 2));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(lines__one_comes_and_one_goes__is_two_changes),
        CASE(manifest__other_bytes_of_a_file__is_one_modified_entry),
        CASE(entries__more_than_are_kept__are_counted),
        CASE(registry__another_tag__is_one_modified_entry),
        CASE(registry__each_truncation_and_each_other_byte__is_survived),
        CASE(other_bytes__are_of_no_known_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
