#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <limits.h>
#include <sys/stat.h>

#include "cook/trace/values.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_arena arena;
    struct cook_trace_values *values;
    char project[PATH_MAX];
};

static int set_up(void **state)
{
    static struct fixture fixture;
    *state = &fixture;
    fixture.arena = (struct cook_arena)COOK_ARENA_INIT;
    if (test_folder_open(&fixture.folder) != 0 || !realpath(fixture.folder.path, fixture.project))
        return -1;
    return cook_trace_values_create(&fixture.values, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    cook_trace_values_destroy(fixture->values);
    cook_arena_finish(&fixture->arena);
    return test_folder_close(&fixture->folder);
}

static struct cook_traced_input value_of(struct fixture *fixture, enum cook_input_kind kind,
                                         const char *key)
{
    struct cook_traced_input input = { .kind = kind, .key = key };
    cook_trace_value(&input, fixture->values, fixture->folder.fd, &fixture->arena);
    return input;
}

static void key__is_relative_in_the_project_alone(void **state)
{
    struct fixture *fixture = *state;
    struct cook_arena *arena = &fixture->arena;
    const char *project = fixture->project;
    char *inside = cook_arena_printf(arena, "%s/Content/./x/../a.txt", project);
    assert_string_equal(cook_trace_key(arena, project, "Content/a.txt"), "Content/a.txt");
    assert_string_equal(cook_trace_key(arena, project, inside), "Content/a.txt");
    assert_string_equal(cook_trace_key(arena, project, "."), ".");
    assert_string_equal(cook_trace_key(arena, project, "/etc/../etc/passwd"), "/etc/passwd");
    assert_string_equal(cook_trace_key(arena, "/nowhere/p", "/nowhere/project/a"),
                        "/nowhere/project/a");
}

static void key__follows_links_into_the_project(void **state)
{
    struct fixture *fixture = *state;
    char link[PATH_MAX + 8];
    snprintf(link, sizeof(link), "%s.link", fixture->project);
    assert_int_equal(test_folder_write(&fixture->folder, "a.txt", "a"), 0);
    assert_int_equal(symlink(fixture->project, link), 0);
    char *path = cook_arena_printf(&fixture->arena, "%s/a.txt", link);
    assert_string_equal(cook_trace_key(&fixture->arena, fixture->project, path), "a.txt");
    unlink(link);
}

static void value__follows_content(void **state)
{
    struct fixture *fixture = *state;
    struct cook_traced_input absent = value_of(fixture, COOK_INPUT_FILE, "a.txt");
    assert_true(absent.absent && cook_hash_is_zero(absent.value));
    assert_int_equal(test_folder_write(&fixture->folder, "a.txt", "one"), 0);
    struct cook_traced_input one = value_of(fixture, COOK_INPUT_FILE, "a.txt");
    assert_false(one.absent);
    assert_string_equal(one.text, "3 bytes");
    assert_true(cook_hash_equal(one.value, cook_hash_bytes("one", 3)));
    assert_int_equal(test_folder_write(&fixture->folder, "a.txt", "three"), 0);
    struct cook_traced_input two = value_of(fixture, COOK_INPUT_FILE, "a.txt");
    assert_true(cook_hash_equal(two.value, cook_hash_bytes("three", 5)));
}

static void value__never_opens_a_pipe(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(mkfifoat(fixture->folder.fd, "pipe", 0600), 0);
    assert_string_equal(value_of(fixture, COOK_INPUT_FILE, "pipe").text, "not a regular file");
}

static void value__of_other_kinds(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(test_folder_write(&fixture->folder, "f/a.txt", "a"), 0);
    struct cook_traced_input before = value_of(fixture, COOK_INPUT_DIRECTORY, "f");
    assert_string_equal(before.text, "1 entry");
    assert_int_equal(test_folder_write(&fixture->folder, "f/b.txt", "b"), 0);
    assert_false(cook_hash_equal(before.value,
                                 value_of(fixture, COOK_INPUT_DIRECTORY, "f").value));
    setenv("COOK_TEST_VALUE", "set", 1);
    assert_string_equal(value_of(fixture, COOK_INPUT_ENVIRONMENT, "COOK_TEST_VALUE").text, "set");
    assert_true(value_of(fixture, COOK_INPUT_ENVIRONMENT, "COOK_TEST_UNSET").absent);
    assert_int_equal(symlinkat("f", fixture->folder.fd, "l"), 0);
    assert_string_equal(value_of(fixture, COOK_INPUT_LINK, "l").text, "f");
    assert_true(cook_hash_is_zero(value_of(fixture, COOK_INPUT_CLOCK, "wall clock").value));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(key__is_relative_in_the_project_alone),
        TEST(key__follows_links_into_the_project),
        TEST(value__follows_content),
        TEST(value__never_opens_a_pipe),
        TEST(value__of_other_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
