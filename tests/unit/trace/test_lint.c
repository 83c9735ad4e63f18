#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/trace/lint.h"
#include "support/folder.h"
#include "unit/trace/traced_fixture.h"

struct fixture {
    struct test_folder folder;
    struct cook_traced *traced;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    *state = &fixture;
    if (test_folder_open(&fixture.folder) != 0)
        return -1;
    return cook_traced_create(&fixture.traced, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    cook_traced_destroy(fixture->traced);
    return test_folder_close(&fixture->folder);
}

static void see(struct fixture *fixture, const char *package, enum cook_input_kind kind,
                const char *key, bool declared)
{
    struct cook_buf payload = COOK_BUF_INIT;
    put_head(&payload, "", 1);
    put_package(&payload, package, false, 1);
    put_input(&payload, kind, key, "text", declared);
    put_uses(&payload, NULL);
    assert_int_equal(cook_traced_take(fixture->traced, 0, &payload, NULL), COOK_OK);
    cook_buf_finish(&payload);
}

static void make(struct cook_lint *lint, struct fixture *fixture)
{
    struct cook_lint_options options = { .plugin_folder = fixture->folder.path,
                                         .project_fd = fixture->folder.fd,
                                         .today = "2027-01-01" };
    assert_int_equal(cook_lint_make(lint, fixture->traced, &options, NULL), COOK_OK);
}

static void make__groups_packages_and_leaves_out_the_declared(void **state)
{
    struct fixture *fixture = *state;
    struct cook_lint lint;
    see(fixture, "/Game/B", COOK_INPUT_FILE, "a.txt", false);
    see(fixture, "/Game/A", COOK_INPUT_FILE, "a.txt", false);
    see(fixture, "/Game/C", COOK_INPUT_FILE, "a.txt", true);
    see(fixture, "", COOK_INPUT_ENVIRONMENT, "HOME", false);
    make(&lint, fixture);
    assert_int_equal(lint.count, 2);
    assert_int_equal(lint.finding_count, 2);
    assert_int_equal(lint.inputs[0].package_count, 2);
    assert_string_equal(lint.inputs[0].packages[0], "/Game/A");
    assert_string_equal(lint.inputs[1].key, "HOME");
    assert_string_equal(lint.inputs[1].packages[0], "");
    cook_lint_finish(&lint);
}

static void make__takes_a_look_before_an_open_for_one_reading(void **state)
{
    struct fixture *fixture = *state;
    struct cook_lint lint;
    see(fixture, "/Game/A", COOK_INPUT_STAT, "a.txt", false);
    see(fixture, "/Game/A", COOK_INPUT_FILE, "a.txt", false);
    see(fixture, "/Game/A", COOK_INPUT_STAT, "b.txt", false);
    see(fixture, "/Game/B", COOK_INPUT_STAT, "a.txt", false);
    make(&lint, fixture);
    assert_int_equal(lint.count, 3);
    assert_int_equal(lint.inputs[0].kind, COOK_INPUT_FILE);
    assert_int_equal(lint.inputs[1].kind, COOK_INPUT_STAT);
    assert_string_equal(lint.inputs[1].packages[0], "/Game/B");
    assert_string_equal(lint.inputs[2].key, "b.txt");
    cook_lint_finish(&lint);
}

static void make__excepts_what_the_project_puts_up_with(void **state)
{
    struct fixture *fixture = *state;
    struct cook_lint lint;
    assert_int_equal(test_folder_write(&fixture->folder, COOK_TRACE_EXCEPTIONS_FILE,
                                       "[a*]\nReason=r\nOwner=o\nExpires=2027-12-31\n"),
                     0);
    see(fixture, "/Game/A", COOK_INPUT_FILE, "a.txt", false);
    see(fixture, "/Game/A", COOK_INPUT_FILE, "b.txt", false);
    make(&lint, fixture);
    assert_int_equal(lint.count, 2);
    assert_int_equal(lint.finding_count, 1);
    assert_non_null(lint.inputs[0].exception);
    assert_null(lint.inputs[1].exception);
    cook_lint_finish(&lint);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(make__groups_packages_and_leaves_out_the_declared),
        TEST(make__takes_a_look_before_an_open_for_one_reading),
        TEST(make__excepts_what_the_project_puts_up_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
