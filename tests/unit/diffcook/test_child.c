#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "diffcook/child.h"
#include "support/folder.h"

/*
 * The child is sought beside this program: a script stands in for it there, and writes down
 * what it is given, one argument a line.
 */
struct fixture {
    char program[512];
    struct test_folder folder;
    FILE *out;
    struct cook_error error;
};

static int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    *context = fixture;
    ssize_t size = readlink("/proc/self/exe", fixture->program, sizeof(fixture->program) - 32);
    if (size <= 0 || test_folder_open(&fixture->folder) != 0)
        return -1;
    snprintf(strrchr(fixture->program, '/'), 32, "/cook-testchild%d", (int)getpid());
    FILE *script = fopen(fixture->program, "w");
    fputs("#!/bin/sh\nprintf '%s\\n' \"$@\"\n[ \"$1\" = kill ] && kill -TERM $$\nexit 3\n",
          script);
    fclose(script);
    fixture->out = tmpfile();
    return chmod(fixture->program, 0700);
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    fclose(fixture->out);
    unlink(fixture->program);
    int result = test_folder_close(&fixture->folder);
    free(fixture);
    return result;
}

static enum cook_status run_child(struct fixture *fixture, int *exit_status,
                                  const char *const *argv)
{
    static const char *const own[] = { "--stat", "--limit=", NULL };
    struct diff_child child = { strstr(fixture->program, "testchild"), "X.compare", own, argv,
                                fixture->out, fileno(fixture->out) };
    if (strcmp(argv[1], "kill") == 0)
        child.store_name = NULL;
    return diff_child_run(exit_status, &child, &fixture->error);
}

static void run__own_options_stay__all_else_is_passed(void **context)
{
    struct fixture *fixture = *context;
    const char *const argv[] = { "cook-x",    "--stat", "-C", "dir",     "--limit", "5",
                                 "--limit=5", "-q",     "--", "--limit", "--stat",  NULL };
    char text[256] = "";
    int exit_status;
    assert_int_equal(run_child(fixture, &exit_status, argv), COOK_OK);
    assert_int_equal(exit_status, 3);
    rewind(fixture->out);
    assert_true(fread(text, 1, sizeof(text) - 1, fixture->out) > 0);
    assert_string_equal(text, "--store-name\nX.compare\n-C\ndir\n-q\n--\n--limit\n--stat\n");
}

static void run__killed__says_so(void **context)
{
    struct fixture *fixture = *context;
    const char *const argv[] = { "cook-x", "kill", NULL };
    int exit_status;
    assert_int_equal(run_child(fixture, &exit_status, argv), COOK_E_CRASHED);
    assert_non_null(strstr(fixture->error.message, "ended early"));
}

static void run__no_program__is_an_error(void **context)
{
    struct fixture *fixture = *context;
    const char *const argv[] = { "cook-x", "-q", NULL };
    int exit_status;
    unlink(fixture->program);
    assert_int_equal(run_child(fixture, &exit_status, argv), COOK_E_NOT_FOUND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(run__own_options_stay__all_else_is_passed),
        TEST(run__killed__says_so),
        TEST(run__no_program__is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
