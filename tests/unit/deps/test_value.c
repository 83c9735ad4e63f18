#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/deps/value.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_arena arena;
    const char **names;
    size_t count;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    return f ? test_folder_open(&f->folder) : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_arena_finish(&f->arena);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static enum cook_status list(struct fixture *f, const char *path)
{
    return cook_directory_list(&f->names, &f->count, f->folder.fd, path, &f->arena, NULL);
}

static struct cook_hash value(struct fixture *f)
{
    return cook_directory_value(f->folder.fd, "Data");
}

static void write_file(struct fixture *f, const char *path)
{
    assert_int_equal(test_folder_write(&f->folder, path, "x"), 0);
}

static void directory_list__is_sorted_without_hidden_names(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Data/b.txt");
    write_file(f, "Data/a.txt");
    write_file(f, "Data/Sub/c.txt");
    write_file(f, "Data/.hidden");
    assert_int_equal(list(f, "Data"), COOK_OK);
    assert_int_equal(f->count, 3);
    assert_string_equal(f->names[0], "Sub/");
    assert_string_equal(f->names[1], "a.txt");
    assert_string_equal(f->names[2], "b.txt");
}

static void directory_list__no_folder__is_not_found(void **state)
{
    struct fixture *f = *state;
    write_file(f, "file");
    assert_int_equal(list(f, "Gone"), COOK_E_NOT_FOUND);
    assert_int_equal(list(f, "file"), COOK_E_NOT_FOUND);
    assert_true(cook_hash_is_zero(cook_directory_value(f->folder.fd, "Gone")));
}

static void directory_value__follows_names_not_contents(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Data/a");
    struct cook_hash before = value(f);
    assert_false(cook_hash_is_zero(before));
    assert_int_equal(test_folder_write(&f->folder, "Data/a", "other"), 0);
    assert_true(cook_hash_equal(value(f), before));
    write_file(f, "Data/b");
    assert_false(cook_hash_equal(value(f), before));
}

static void directory_value__is_the_hash_of_the_list(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Data/a");
    assert_int_equal(list(f, "Data"), COOK_OK);
    assert_true(cook_hash_equal(value(f), cook_directory_hash(f->names, f->count)));
}

static void directory_hash__borders_of_names_matter(void **state)
{
    (void)state;
    static const char *const two[] = { "a", "b" };
    static const char *const one[] = { "ab" };
    assert_false(cook_hash_equal(cook_directory_hash(two, 2), cook_directory_hash(one, 1)));
    assert_false(cook_hash_is_zero(cook_directory_hash(two, 0)));
}

static void argument_find__value_flag_and_absence(void **state)
{
    (void)state;
    static const char *const arguments[] = { "-Mode=fast", "-Flag", "Mode=x", "-Mode=slow",
                                             "-Modest=1" };
    assert_string_equal(cook_argument_find(arguments, 5, "Mode"), "slow");
    assert_string_equal(cook_argument_find(arguments, 5, "Flag"), "");
    assert_null(cook_argument_find(arguments, 5, "Mod"));
    assert_null(cook_argument_find(NULL, 0, "Mode"));
}

static void text_value__absent_and_empty_differ(void **state)
{
    (void)state;
    assert_true(cook_hash_is_zero(cook_text_value(NULL)));
    assert_false(cook_hash_is_zero(cook_text_value("")));
    assert_false(cook_hash_equal(cook_text_value("a"), cook_text_value("b")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(directory_list__is_sorted_without_hidden_names),
        TEST(directory_list__no_folder__is_not_found),
        TEST(directory_value__follows_names_not_contents),
        TEST(directory_value__is_the_hash_of_the_list),
        TEST(directory_hash__borders_of_names_matter),
        TEST(argument_find__value_flag_and_absence),
        TEST(text_value__absent_and_empty_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
