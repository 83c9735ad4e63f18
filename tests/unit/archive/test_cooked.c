#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "unit/diffcook/package_builder.h"

struct fixture {
    struct builder builder;
    struct cook_arena arena;
    struct cook_cooked cooked;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    struct builder *b = &f->builder;
    build_init(b);
    build_export(b, "Rock", "/Script/Test.Mesh");
    build_u32(b, "Health", 100);
    build_text(b, "Material", COOK_TOKEN_REF, "/Game/Mat.Stone", 0);
    build_text(b, "Whole", COOK_TOKEN_REF, "/Game/Zoo", 0);
    build_text(b, "Icon", COOK_TOKEN_SOFT_REF, "/Game/Icons.Rock", 0);
    build_export(b, "Tree", "/Script/Test.Mesh");
    build_text(b, "Kind", COOK_TOKEN_NAME, "Oak", 0);
    build_data(b, "Pixels", "0123456789", 10, true, 0);
    build(b);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    build_finish(&f->builder);
    cook_arena_finish(&f->arena);
    free(f);
    return 0;
}

static enum cook_status parse_bytes(struct fixture *f, const uint8_t *bytes, size_t size)
{
    struct cook_error error = COOK_ERROR_INIT;
    return cook_cooked_parse(&f->cooked, bytes, size, &f->arena, &error);
}

static enum cook_status parse(struct fixture *f)
{
    return parse_bytes(f, f->builder.bytes.data, f->builder.bytes.size);
}

static void parse__whole_package__gives_its_tables(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f), COOK_OK);
    assert_int_equal(f->cooked.name_count, 7);
    assert_string_equal(f->cooked.names[0], "/Game/Mat");
    assert_int_equal(f->cooked.import_count, 2);
    assert_string_equal(f->cooked.imports[0].package, "/Game/Mat");
    assert_string_equal(f->cooked.imports[0].inner, "Stone");
    assert_string_equal(f->cooked.imports[1].inner, "");
    assert_int_equal(f->cooked.soft_count, 1);
    assert_string_equal(f->cooked.soft[0], "/Game/Icons.Rock");
    assert_int_equal(f->cooked.export_count, 2);
    assert_string_equal(f->cooked.exports[1].name, "Tree");
    assert_string_equal(f->cooked.exports[1].class_name, "/Script/Test.Mesh");
    assert_int_equal(f->cooked.exports[0].offset, f->cooked.data_offset);
    assert_int_equal(f->cooked.exports[1].size_bytes, 20);
    assert_true(f->cooked.names_offset == 84 && f->cooked.bulk_offset < f->cooked.size);
}

static void parse__every_cut__is_malformed(void **state)
{
    struct fixture *f = *state;
    for (size_t size = 0; size < f->builder.bytes.size; size++)
        assert_int_equal(parse_bytes(f, f->builder.bytes.data, size), COOK_E_MALFORMED);
}

/* Changes one header field, which must be refused, and puts it back. */
static void assert_refused(struct fixture *f, size_t offset, uint32_t value)
{
    uint8_t kept[4];
    memcpy(kept, f->builder.bytes.data + offset, 4);
    cook_buf_set_u32(&f->builder.bytes, offset, value);
    assert_int_equal(parse(f), COOK_E_MALFORMED);
    memcpy(f->builder.bytes.data + offset, kept, 4);
}

static void parse__each_header_field_wrong__is_malformed(void **state)
{
    struct fixture *f = *state;
    static const size_t fields[] = { 0, 4, 12, 20, 28, 36, 44, 52, 60, 68, 72, 76, 80 };
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        assert_refused(f, fields[i], UINT32_MAX);
        assert_refused(f, fields[i], 0);
    }
    assert_int_equal(parse(f), COOK_OK);
}

static void parse__export_fields_wrong__are_malformed(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f), COOK_OK);
    size_t row = f->cooked.exports_offset + 32; /* of the second export */
    assert_refused(f, row, 7);                  /* no such name */
    assert_refused(f, row + 4, 7);              /* nor class */
    assert_refused(f, row + 8, 2);              /* its own outer */
    assert_refused(f, row + 8, UINT32_MAX);
    assert_refused(f, row + 16, 0); /* data elsewhere */
    assert_refused(f, row + 24, UINT32_MAX);
    assert_refused(f, row + 24, 0); /* bytes that belong to no export */
}

static void parse__names_not_sorted__is_malformed(void **state)
{
    struct fixture *f = *state;
    f->builder.bytes.data[88] = 'z';
    assert_int_equal(parse(f), COOK_E_MALFORMED);
    f->builder.bytes.data[88] = 0;
    assert_int_equal(parse(f), COOK_E_MALFORMED);
}

static void parse__random_bytes_changed__never_crashes(void **state)
{
    struct fixture *f = *state;
    uint32_t random = 7;
    struct cook_buf *bytes = &f->builder.bytes;
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525u + 1013904223u;
        size_t at = (random >> 8) % bytes->size;
        uint8_t kept = bytes->data[at];
        bytes->data[at] = (uint8_t)random;
        enum cook_status status = parse(f);
        assert_true(status == COOK_OK || status == COOK_E_MALFORMED);
        bytes->data[at] = kept;
    }
}

static void parse__any_allocation_fails__reports_no_memory(void **state)
{
    struct fixture *f = *state;
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        cook_arena_finish(&f->arena);
        cook_alloc_fail_after(after);
        status = parse(f);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        assert_true(after < 200);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parse__whole_package__gives_its_tables),
        TEST(parse__every_cut__is_malformed),
        TEST(parse__each_header_field_wrong__is_malformed),
        TEST(parse__export_fields_wrong__are_malformed),
        TEST(parse__names_not_sorted__is_malformed),
        TEST(parse__random_bytes_changed__never_crashes),
        TEST(parse__any_allocation_fails__reports_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
