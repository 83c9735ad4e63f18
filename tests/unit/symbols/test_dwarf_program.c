#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/base/buf.h"
#include "cook/symbols/dwarf_program.h"

#define MAX_ITEMS 16

struct fixture {
    struct cook_buf bytes;
    const char *folders[MAX_ITEMS];
    size_t folder_count;
    const char *files[MAX_ITEMS];
    size_t file_count;
    struct cook_dwarf_row rows[MAX_ITEMS];
    bool ends[MAX_ITEMS];
    size_t row_count;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    memset(&fixture, 0, sizeof(fixture));
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    cook_buf_finish(&fixture->bytes);
    return 0;
}

static bool take_folder(void *data, const char *name)
{
    struct fixture *fixture = data;
    assert_true(fixture->folder_count < MAX_ITEMS);
    fixture->folders[fixture->folder_count++] = name;
    return true;
}

static bool take_file(void *data, const char *name, uint64_t folder)
{
    struct fixture *fixture = data;
    assert_true(fixture->file_count < MAX_ITEMS && folder < fixture->folder_count);
    fixture->files[fixture->file_count++] = name;
    return true;
}

static bool take_row(void *data, struct cook_dwarf_row row, bool ends)
{
    struct fixture *fixture = data;
    assert_true(fixture->row_count < MAX_ITEMS);
    fixture->ends[fixture->row_count] = ends;
    fixture->rows[fixture->row_count++] = row;
    return true;
}

static void run(struct fixture *fixture, size_t size)
{
    struct cook_dwarf_line_sections sections = { { fixture->bytes.data, size },
                                                 { NULL, 0 },
                                                 { NULL, 0 } };
    struct cook_dwarf_line_sink sink = { fixture, take_folder, take_file, take_row };
    fixture->folder_count = fixture->file_count = fixture->row_count = 0;
    cook_dwarf_run_program(&sections, 0, &sink);
}

static void put_text(struct cook_buf *out, const char *text)
{
    cook_buf_put(out, text, strlen(text) + 1);
}

static void put_new_tables(struct cook_buf *out)
{
    const uint8_t folder_format[] = { 1, 1 /* path */, 8 /* string */, 2 };
    const uint8_t file_format[] = { 2, 1, 8, 2 /* folder */, 11 /* data1 */, 2 };
    cook_buf_put(out, folder_format, sizeof(folder_format));
    put_text(out, "/build");
    put_text(out, "include");
    cook_buf_put(out, file_format, sizeof(file_format));
    put_text(out, "unit.c");
    cook_buf_put_u8(out, 0);
    put_text(out, "common.h");
    cook_buf_put_u8(out, 1);
}

static void put_old_tables(struct cook_buf *out)
{
    const uint8_t numbers[] = { 1, 0, 0 };
    put_text(out, "include");
    cook_buf_put_u8(out, 0);
    put_text(out, "common.h");
    cook_buf_put(out, numbers, sizeof(numbers));
    cook_buf_put_u8(out, 0);
}

/* One row at 0x1000, line 5 of the file at first; one 4 bytes and 3 lines on, in file 0. */
static void put_code(struct cook_buf *out)
{
    const uint8_t set_address[] = { 0, 9, 2, 0x00, 0x10, 0, 0, 0, 0, 0, 0 };
    const uint8_t rest[] = { 3,
                             4 /* line + 4 */,
                             1 /* copy */,
                             4,
                             0 /* file 0 */,
                             13 + 5 + 3 + 4 * 14,
                             2,
                             0x84,
                             0x00 /* padded: pc + 4 */,
                             0,
                             1,
                             1 /* end */ };
    cook_buf_put(out, set_address, sizeof(set_address));
    cook_buf_put(out, rest, sizeof(rest));
}

static void put_program(struct cook_buf *out, uint16_t version)
{
    const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
    cook_buf_put_u32(out, 0); /* set below */
    cook_buf_put_u16(out, version);
    if (version == 5)
        cook_buf_put_u16(out, 8);
    size_t header = out->size;
    cook_buf_put_u32(out, 0);
    cook_buf_put_u8(out, 1); /* least instruction */
    if (version >= 4)
        cook_buf_put_u8(out, 1);
    cook_buf_put_u8(out, 1);
    cook_buf_put_u8(out, (uint8_t)-5); /* line base */
    cook_buf_put_u8(out, 14);          /* line range */
    cook_buf_put_u8(out, 13);          /* opcode base */
    cook_buf_put(out, lengths, sizeof(lengths));
    if (version == 5)
        put_new_tables(out);
    else
        put_old_tables(out);
    cook_buf_set_u32(out, header, (uint32_t)(out->size - header - 4));
    put_code(out);
    cook_buf_set_u32(out, 0, (uint32_t)out->size - 4);
}

static void assert_rows(const struct fixture *fixture)
{
    assert_int_equal(3, fixture->row_count);
    assert_int_equal(0x1000, fixture->rows[0].address);
    assert_int_equal(5, fixture->rows[0].line);
    assert_int_equal(1, fixture->rows[0].file);
    assert_int_equal(0x1004, fixture->rows[1].address);
    assert_int_equal(8, fixture->rows[1].line);
    assert_int_equal(0, fixture->rows[1].file);
    assert_int_equal(0x1008, fixture->rows[2].address);
    assert_true(fixture->ends[2] && !fixture->ends[0] && !fixture->ends[1]);
}

static void run__version_5_starts_at_file_1(void **state)
{
    struct fixture *fixture = *state;
    put_program(&fixture->bytes, 5);
    run(fixture, fixture->bytes.size);
    assert_rows(fixture);
    assert_int_equal(2, fixture->file_count);
    assert_string_equal("unit.c", fixture->files[0]);
    assert_string_equal("common.h", fixture->files[1]);
    assert_string_equal("include", fixture->folders[1]);
}

static void run__older_versions_have_no_file_0(void **state)
{
    struct fixture *fixture = *state;
    for (uint16_t version = 2; version <= 4; version++) {
        cook_buf_clear(&fixture->bytes);
        put_program(&fixture->bytes, version);
        run(fixture, fixture->bytes.size);
        assert_rows(fixture);
        assert_int_equal(2, fixture->file_count);
        assert_string_equal("", fixture->files[0]);
        assert_string_equal("common.h", fixture->files[1]);
        assert_string_equal("", fixture->folders[0]);
    }
}

static void run__cut_short_yields_nothing(void **state)
{
    struct fixture *fixture = *state;
    put_program(&fixture->bytes, 5);
    for (size_t size = 0; size < fixture->bytes.size; size++) {
        run(fixture, size);
        assert_int_equal(0, fixture->row_count);
    }
}

static void run__unknown_version_yields_nothing(void **state)
{
    struct fixture *fixture = *state;
    put_program(&fixture->bytes, 5);
    fixture->bytes.data[4] = 6;
    run(fixture, fixture->bytes.size);
    assert_int_equal(0, fixture->file_count + fixture->row_count);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(run__version_5_starts_at_file_1),
        TEST(run__older_versions_have_no_file_0),
        TEST(run__cut_short_yields_nothing),
        TEST(run__unknown_version_yields_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
