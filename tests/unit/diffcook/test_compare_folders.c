#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "diffcook/compare.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folders[2];
    struct diff_operand operands[2];
    struct diff_comparison comparison;
};

static int set_up(void **context)
{
    static const char *const names[] = { "old", "new" };
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    *context = fixture;
    for (int i = 0; i < 2; i++) {
        if (test_folder_open(&fixture->folders[i]) != 0)
            return -1;
        fixture->operands[i] = (struct diff_operand)DIFF_OPERAND_INIT;
        fixture->operands[i].kind = DIFF_OPERAND_FOLDER;
        fixture->operands[i].text = names[i];
        fixture->operands[i].folder_fd = dup(fixture->folders[i].fd);
    }
    return 0;
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    int result = 0;
    diff_comparison_finish(&fixture->comparison);
    for (int i = 0; i < 2; i++) {
        diff_operand_finish(&fixture->operands[i]);
        result |= test_folder_close(&fixture->folders[i]);
    }
    free(fixture);
    return result;
}

static void put(const struct fixture *fixture, int side, const char *path, const char *text)
{
    assert_int_equal(test_folder_write(&fixture->folders[side], path, text), 0);
}

static void compare(struct fixture *fixture)
{
    assert_int_equal(diff_compare_operands(&fixture->comparison, &fixture->operands[0],
                                           &fixture->operands[1], NULL),
                     COOK_OK);
}

/* "a-b" sorts before "a/b": whole paths are compared, not names folder by folder. */
static void compare__every_change__comes_by_path(void **context)
{
    struct fixture *fixture = *context;
    for (int side = 0; side < 2; side++) {
        put(fixture, side, "a/same", "same");
        put(fixture, side, "a/empty", "");
    }
    put(fixture, 0, "a/file", "one");
    put(fixture, 1, "a/file", "two");
    put(fixture, 0, "a-b", "gone");
    put(fixture, 1, "z", "new");
    compare(fixture);
    const struct diff_entry *entries = fixture->comparison.entries;
    assert_int_equal(fixture->comparison.count, 3);
    assert_string_equal(entries[0].name, "a-b");
    assert_int_equal(entries[0].change, DIFF_DELETED);
    assert_string_equal(entries[1].name, "a/file");
    assert_int_equal(entries[1].change, DIFF_MODIFIED);
    assert_string_equal(entries[2].name, "z");
    assert_int_equal(entries[2].change, DIFF_ADDED);
    assert_int_equal(fixture->comparison.identical, 2);
}

/* Files of several pieces, that differ in their last byte or in none. */
static void compare__large_files__are_read_to_the_end(void **context)
{
    struct fixture *fixture = *context;
    size_t size = ((size_t)20 << 20) + 5;
    char *text = malloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\0';
    for (int side = 0; side < 2; side++) {
        put(fixture, side, "equal", text);
        text[size - 1] = side ? 'x' : 'y';
        put(fixture, side, "last", text);
        text[size - 1] = 'x';
    }
    free(text);
    compare(fixture);
    assert_int_equal(fixture->comparison.identical, 1);
    assert_int_equal(fixture->comparison.modified, 1);
    assert_string_equal(fixture->comparison.entries[0].name, "last");
}

static void compare__links_to_folders__are_counted(void **context)
{
    struct fixture *fixture = *context;
    put(fixture, 0, "folder/file", "text");
    put(fixture, 1, "folder/file", "text");
    assert_int_equal(symlinkat("..", fixture->folders[0].fd, "folder/loop"), 0);
    assert_int_equal(symlinkat("file", fixture->folders[1].fd, "folder/link"), 0);
    compare(fixture);
    assert_int_equal(fixture->comparison.uncompared, 1);
    assert_int_equal(fixture->comparison.added, 1);
    assert_string_equal(fixture->comparison.entries[0].name, "folder/link");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__every_change__comes_by_path),
        TEST(compare__large_files__are_read_to_the_end),
        TEST(compare__links_to_folders__are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
