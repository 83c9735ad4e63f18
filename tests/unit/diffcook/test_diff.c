#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <time.h>

#include "unit/diffcook/diff_fixture.h"

static void fill_fields(struct builder *b, uint32_t count, uint32_t extra_at)
{
    char name[32];
    build_export(b, "Rock", "/Script/Test.Mesh");
    for (uint32_t i = 0; i < count; i++) {
        if (i == extra_at)
            build_u32(b, "Extra", 77);
        snprintf(name, sizeof(name), "Field%u", i);
        build_u32(b, name, i * 31);
    }
}

static void compare__equal_packages__is_identical(void **state)
{
    struct fixture *f = *state;
    fill_fields(&f->old, 10, UINT32_MAX);
    fill_fields(&f->new, 10, UINT32_MAX);
    compare(f);
    assert_true(f->result.identical);
    assert_int_equal(f->result.count, 0);
}

static void compare__field_inserted_among_10000__is_one_difference(void **state)
{
    struct fixture *f = *state;
    fill_fields(&f->old, 10000, UINT32_MAX);
    fill_fields(&f->new, 10000, 5000);
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    const struct diff_difference *d = &f->result.differences[0];
    assert_int_equal(d->kind, DIFF_INSERTED);
    assert_string_equal(d->object, "Rock");
    assert_string_equal(d->property, "Rock:Extra");
    assert_string_equal(d->section, "data");
    assert_null(d->old_value);
    assert_string_equal(d->new_value, "77");
    assert_true(d->old_offset == DIFF_NO_OFFSET);
    /* the size of the package, of the export, and where the bulk section begins */
    assert_int_equal(f->result.count, 4);
    assert_int_equal(find(f, "#header.Total")->consequence_of, 0);
    assert_int_equal(find(f, "#exports[0].Size")->consequence_of, 0);
    assert_string_equal(find(f, "#exports[0].Size")->object, "Rock");
}

static void compare__value_changed__shows_bytes_and_values(void **state)
{
    struct fixture *f = *state;
    fill_fields(&f->old, 100, UINT32_MAX);
    fill_fields(&f->new, 100, UINT32_MAX);
    f->new.values[50].number ^= 0xff00;
    compare(f);
    assert_int_equal(f->result.count, 1);
    const struct diff_difference *d = &f->result.differences[0];
    assert_int_equal(d->kind, DIFF_CHANGED);
    assert_string_equal(d->property, "Rock:Field50");
    assert_string_equal(d->old_value, "1550");
    assert_string_equal(d->new_value, "63758");
    assert_int_equal(d->differing_bytes, 1);
    assert_int_equal(d->old_offset, d->new_offset);
    assert_int_equal(d->old_hex.offset, d->old_offset + 1 - 8);
    assert_int_equal(d->old_hex.size, 17);
    assert_int_equal(d->old_hex.marked, 1u << 8);
    assert_int_equal(d->new_hex.bytes[8], 0xf9);
}

static void fill_exports(struct builder *b, uint32_t count, uint32_t without, uint32_t kind)
{
    char name[32];
    for (uint32_t i = 0; i < count; i++) {
        if (i == without)
            continue;
        snprintf(name, sizeof(name), "Object%03u", i);
        build_export(b, name, i == 77 ? "/Script/Test.Rare" : "/Script/Test.Mesh");
        build_u32(b, "Health", i * 3);
        build_text(b, "Kind", COOK_TOKEN_NAME, i == kind ? "Birch" : "Oak", 0);
        build_text(b, "Next", COOK_TOKEN_REF, i == without + 1 ? "Object001" : "Object300", 0);
        build_text(b, "Mat", COOK_TOKEN_REF, i == 77 ? "/Game/Mat.Rare" : "/Game/Mat.Stone", 0);
        build_text(b, "Icon", COOK_TOKEN_SOFT_REF, i == 77 ? "/Game/A.B" : "/Game/C.D", 0);
        build_data(b, "Pixels", name, 9, true, 0);
    }
}

static void compare__export_removed_among_500__is_one_difference(void **state)
{
    struct fixture *f = *state;
    f->options.max_consequences = 100000;
    fill_exports(&f->old, 500, UINT32_MAX - 1, 0);
    fill_exports(&f->new, 500, 77, 0);
    f->new.values[77 * 6 + 2].text = "Object300";
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    const struct diff_difference *d = &f->result.differences[0];
    assert_int_equal(d->kind, DIFF_REMOVED);
    assert_string_equal(d->property, "Object077");
    assert_int_equal(d->tokens, 7);
    assert_null(d->new_value);
    assert_int_equal(find(f, "#exports[77]")->kind, DIFF_REMOVED);
    assert_int_equal(find(f, "Object077:Pixels#bulk")->kind, DIFF_REMOVED);
    assert_string_equal(find(f, "#imports[0]")->old_value,
                        "/Game/Mat.Rare (1 element, 3 fields, 16 bytes)");
    assert_string_equal(find(f, "#soft[0]")->old_value, "\"/Game/A.B\"");
}

static void compare__name_replaced__brings_its_table_entry(void **state)
{
    struct fixture *f = *state;
    fill_exports(&f->old, 20, UINT32_MAX - 1, UINT32_MAX);
    fill_exports(&f->new, 20, UINT32_MAX - 1, 7);
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    const struct diff_difference *d = &f->result.differences[0];
    assert_string_equal(d->property, "Object007:Kind");
    assert_string_equal(d->old_value, "Oak");
    assert_string_equal(d->new_value, "Birch");
    bool inserted = false;
    for (uint32_t i = 1; i < f->result.count; i++) {
        d = &f->result.differences[i];
        inserted |= d->kind == DIFF_INSERTED && strcmp(d->section, "names") == 0;
    }
    assert_true(inserted);
    assert_true(f->result.dropped_consequences > 10); /* shifted indices of all objects */
}

static void compare__name_at_the_index_of_another__is_a_change(void **state)
{
    struct fixture *f = *state;
    fill_fields(&f->old, 1, UINT32_MAX);
    fill_fields(&f->new, 1, UINT32_MAX);
    build_text(&f->old, "Kind", COOK_TOKEN_NAME, "Zebra", 0);
    build_text(&f->new, "Kind", COOK_TOKEN_NAME, "Zebus", 0);
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    assert_string_equal(f->result.differences[0].property, "Rock:Kind");
    assert_int_equal(f->result.differences[0].differing_bytes, 0);
    assert_string_equal(f->result.differences[1].section, "names");
}

static void fill_lods(struct builder *b, uint32_t count, uint32_t extra_at)
{
    build_export(b, "Rock", "/Script/Test.Mesh");
    build_number(b, "Lods#", COOK_TOKEN_COUNT, count + (extra_at < count), 0);
    for (uint32_t i = 0, n = 0; n < count; i++) {
        bool extra = i == extra_at;
        build_number(b, "Lods[].Flag", COOK_TOKEN_BOOL, 1, i);
        build_number(b, "Lods[].Size", COOK_TOKEN_F32, extra ? 7 : 0x3f800000 + n, i);
        build_data(b, "Lods[].Bytes", extra ? "extra!" : "same..", 6, true, i);
        build_number(b, "Lods[].Last", COOK_TOKEN_BOOL, 1, i);
        n += !extra;
    }
    build_u32(b, "After", 5);
}

static void compare__element_inserted__is_one_difference(void **state)
{
    struct fixture *f = *state;
    fill_lods(&f->old, 50, UINT32_MAX);
    fill_lods(&f->new, 50, 20);
    f->options.max_consequences = 1000;
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    const struct diff_difference *d = &f->result.differences[0];
    assert_int_equal(d->kind, DIFF_INSERTED);
    assert_string_equal(d->property, "Rock:Lods[20]");
    assert_string_equal(d->property_normalized, "Rock:Lods[]");
    assert_string_equal(d->new_value, "1 element, 5 fields, 22 bytes");
    assert_int_equal(find(f, "Rock:Lods#")->consequence_of, 0);
    assert_int_equal(find(f, "Rock:Lods[20].Bytes#bulk")->consequence_of, 0);
    assert_null(find(f, "Rock:After"));
}

static void compare__fields_moved__is_one_move(void **state)
{
    struct fixture *f = *state;
    fill_fields(&f->old, 1000, UINT32_MAX);
    fill_fields(&f->new, 1000, UINT32_MAX);
    struct built_value block[50];
    memcpy(block, f->new.values + 100, sizeof(block));
    memmove(f->new.values + 100, f->new.values + 150, 500 * sizeof(*block));
    memcpy(f->new.values + 600, block, sizeof(block));
    f->new.values[620].number = 1; /* and one of them changed */
    compare(f);
    assert_int_equal(f->result.root_count, 2);
    assert_int_equal(f->result.differences[0].kind, DIFF_MOVED);
    assert_string_equal(f->result.differences[0].property, "Rock:Field100");
    assert_int_equal(f->result.differences[0].tokens, 50);
    assert_int_equal(f->result.differences[1].kind, DIFF_CHANGED);
    assert_string_equal(f->result.differences[1].property, "Rock:Field120");
}

static void compare__two_fields_swapped__is_one_move(void **state)
{
    struct fixture *f = *state;
    fill_fields(&f->old, 100, UINT32_MAX);
    fill_fields(&f->new, 100, UINT32_MAX);
    struct built_value kept = f->new.values[50];
    f->new.values[50] = f->new.values[51];
    f->new.values[51] = kept;
    compare(f);
    assert_int_equal(f->result.count, 1);
    assert_int_equal(f->result.differences[0].kind, DIFF_MOVED);
}

static void compare__bulk_changed__counts_bytes_and_ranges(void **state)
{
    struct fixture *f = *state;
    static uint8_t pixels[100000];
    fill_fields(&f->old, 1, UINT32_MAX);
    build_data(&f->old, "Pixels", pixels, sizeof(pixels), true, 0);
    fill_fields(&f->new, 1, UINT32_MAX);
    pixels[5000] = pixels[5001] = pixels[70000] = 1;
    build_data(&f->new, "Pixels", pixels, sizeof(pixels), true, 0);
    compare(f);
    assert_int_equal(f->result.count, 1);
    const struct diff_difference *d = &f->result.differences[0];
    assert_string_equal(d->section, "bulk");
    assert_int_equal(d->differing_bytes, 3);
    assert_int_equal(d->differing_ranges, 2);
    assert_int_equal(d->new_offset, f->new.bytes.size - sizeof(pixels) + 5000);
    assert_string_equal(d->new_value, "100000 bytes, 3 differ in 2 ranges");
    assert_int_equal(d->new_hex.size, DIFF_WINDOW_BYTES);
}

static void compare__more_than_the_limits__counts_the_rest(void **state)
{
    struct fixture *f = *state;
    fill_fields(&f->old, 100, UINT32_MAX);
    fill_fields(&f->new, 100, 50);
    for (int i = 0; i < 40; i++)
        f->new.values[i].number++;
    f->options = (struct diff_options){ .max_differences = 41, .max_consequences = 2 };
    compare(f);
    assert_int_equal(f->result.root_count, 41);
    assert_int_equal(f->result.dropped_differences, 0);
    assert_int_equal(f->result.count, 43);
    assert_int_equal(f->result.dropped_consequences, 1);
    f->options.max_differences = 10;
    assert_int_equal(try_compare(f), COOK_OK);
    assert_int_equal(f->result.count, 10);
    assert_int_equal(f->result.dropped_differences, 31);
    assert_int_equal(f->result.dropped_consequences, 3);
}

static void compare__stacks_given__are_those_of_the_writes(void **state)
{
    struct fixture *f = *state;
    fill_fields(&f->old, 10, UINT32_MAX);
    fill_fields(&f->new, 10, UINT32_MAX);
    f->new.values[5].number = 9;
    compare(f);
    uint32_t stacks[64];
    for (uint32_t i = 0; i < 64; i++)
        stacks[i] = 1000 + i;
    struct diff_version old = version_of(&f->old);
    struct diff_version new = version_of(&f->new);
    old.stacks = new.stacks = stacks;
    old.stack_count = 3; /* fewer than tokens */
    new.stack_count = 64;
    assert_int_equal(diff_compare(&f->result, &old, &new, NULL, &f->arena, NULL), COOK_OK);
    assert_int_equal(f->result.differences[0].old_stack, COOK_STACK_NONE);
    assert_int_equal(f->result.differences[0].new_stack, 1000 + f->new.tokens.count - 5);
}

static void compare__unlike_packages__stays_bounded_in_time(void **state)
{
    struct fixture *f = *state;
    struct builder *both[] = { &f->old, &f->new };
    for (int side = 0; side < 2; side++) {
        build_export(both[side], side ? "Tree" : "Rock", "/Script/Test.Mesh");
        for (uint32_t i = 0; i < 50000; i++)
            build_number(both[side], any(f, 2) ? "Items[].A" : "Items[].B", COOK_TOKEN_U8,
                         any(f, 3), any(f, 1000));
    }
    for (uint32_t i = 0; i < 50000; i++) /* the same object, to make it harder */
        f->new.values[i].export = 0;
    f->new.exports[0].name = "Rock";
    clock_t start = clock();
    compare(f);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 3.0);
    assert_int_equal(f->result.root_count, 1000);
    assert_true(f->result.dropped_differences > 1000);
}

static void compare__any_allocation_fails__reports_no_memory(void **state)
{
    struct fixture *f = *state;
    fill_exports(&f->old, 10, UINT32_MAX - 1, UINT32_MAX);
    fill_exports(&f->new, 10, 4, 3);
    compare(f);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        cook_arena_finish(&f->arena);
        cook_alloc_fail_after(after);
        status = try_compare(f);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        assert_true(after < 5000);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__equal_packages__is_identical),
        TEST(compare__field_inserted_among_10000__is_one_difference),
        TEST(compare__value_changed__shows_bytes_and_values),
        TEST(compare__export_removed_among_500__is_one_difference),
        TEST(compare__name_replaced__brings_its_table_entry),
        TEST(compare__name_at_the_index_of_another__is_a_change),
        TEST(compare__element_inserted__is_one_difference),
        TEST(compare__fields_moved__is_one_move),
        TEST(compare__two_fields_swapped__is_one_move),
        TEST(compare__bulk_changed__counts_bytes_and_ranges),
        TEST(compare__more_than_the_limits__counts_the_rest),
        TEST(compare__stacks_given__are_those_of_the_writes),
        TEST(compare__unlike_packages__stays_bounded_in_time),
        TEST(compare__any_allocation_fails__reports_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
