#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "support/folder.h"
#include "validate/tree.h"

struct fixture {
    struct test_folder a, b;
    struct cook_arena arena;
};

static int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    *context = fixture;
    return test_folder_open(&fixture->a) || test_folder_open(&fixture->b) ||
           test_folder_write(&fixture->a, "same.txt", "same") ||
           test_folder_write(&fixture->a, "deep/er/file.txt", "one") ||
           test_folder_write(&fixture->a, "Saved/Cook/x", "not copied") ||
           test_folder_write(&fixture->a, "deep/.git/HEAD", "not copied") ||
           test_folder_write(&fixture->a, "deep/Saved/x", "copied");
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    int result = test_folder_close(&fixture->a) | test_folder_close(&fixture->b);
    cook_arena_finish(&fixture->arena);
    free(fixture);
    return result;
}

static bool is_there(struct test_folder *folder, const char *path)
{
    struct cook_file_stat stat;
    return cook_fs_stat(&stat, folder->fd, path, NULL) == COOK_OK &&
           stat.kind != COOK_FILE_ABSENT;
}

static size_t compare(struct fixture *fixture, const char ***paths)
{
    size_t count;
    assert_int_equal(tree_compare(paths, &count, fixture->a.fd, fixture->b.fd, &fixture->arena,
                                  NULL),
                     COOK_OK);
    return count;
}

static void copy__all_but_what_is_saved(void **context)
{
    struct fixture *fixture = *context;
    const char **paths;
    assert_int_equal(tree_copy(fixture->b.fd, fixture->a.fd, NULL), COOK_OK);
    assert_true(is_there(&fixture->b, "deep/er/file.txt"));
    assert_true(is_there(&fixture->b, "deep/Saved/x"));
    assert_false(is_there(&fixture->b, "Saved"));
    assert_false(is_there(&fixture->b, "deep/.git"));
    assert_int_equal(compare(fixture, &paths), 0);
}

static void compare__names_what_differs_and_what_only_one_has(void **context)
{
    struct fixture *fixture = *context;
    const char **paths;
    assert_int_equal(tree_copy(fixture->b.fd, fixture->a.fd, NULL), COOK_OK);
    assert_int_equal(test_folder_write(&fixture->b, "deep/er/file.txt", "two"), 0);
    assert_int_equal(test_folder_write(&fixture->b, "only_b.txt", ""), 0);
    assert_int_equal(test_folder_write(&fixture->a, "a_only.txt", "x"), 0);
    assert_int_equal(compare(fixture, &paths), 3);
    assert_string_equal(paths[0], "a_only.txt");
    assert_string_equal(paths[1], "deep/er/file.txt");
    assert_string_equal(paths[2], "only_b.txt");
}

static void copy_below__makes_the_one_folder_and_wants_the_other(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(tree_copy_below(fixture->b.fd, "x/y", fixture->a.fd, "deep", NULL),
                     COOK_OK);
    assert_true(is_there(&fixture->b, "x/y/er/file.txt"));
    assert_int_not_equal(tree_copy_below(fixture->b.fd, "z", fixture->a.fd, "none", NULL),
                         COOK_OK);
    assert_false(is_there(&fixture->b, "z"));
}

static void copy_file__there_and_back(void **context)
{
    struct fixture *fixture = *context;
    const char **paths;
    assert_int_equal(tree_copy(fixture->b.fd, fixture->a.fd, NULL), COOK_OK);
    assert_int_equal(test_folder_write(&fixture->a, "new/file", "x"), 0);
    assert_int_equal(tree_copy_file(fixture->b.fd, fixture->a.fd, "new/file", NULL), COOK_OK);
    assert_int_equal(compare(fixture, &paths), 0);
    assert_int_equal(unlinkat(fixture->a.fd, "new/file", 0), 0);
    assert_int_equal(tree_copy_file(fixture->b.fd, fixture->a.fd, "new/file", NULL), COOK_OK);
    assert_false(is_there(&fixture->b, "new/file"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(copy__all_but_what_is_saved),
        TEST(compare__names_what_differs_and_what_only_one_has),
        TEST(copy_below__makes_the_one_folder_and_wants_the_other),
        TEST(copy_file__there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
