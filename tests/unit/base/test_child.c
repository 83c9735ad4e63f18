#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cook/base/child.h"

/* Runs a shell's words; its output in `out`. */
static enum cook_status shell(int *exit_status, struct cook_buf *out, const char *words,
                              int timeout_ms, struct cook_error *error)
{
    const char *const argv[] = { "sh", "-c", words, NULL };
    static const char *const set[] = { "CHILD_TEST=one", "HOME=/nowhere", "CHILD_GONE", NULL };
    struct cook_child child = COOK_CHILD_INIT;
    child.argv = argv;
    child.set = set;
    child.folder = "/";
    child.out = out;
    child.max_out_bytes = 1000;
    child.timeout_ms = timeout_ms;
    return cook_child_run(exit_status, &child, error);
}

static void run__gives_output_and_exit_status(void **context)
{
    struct cook_buf out = COOK_BUF_INIT;
    struct stat null;
    int exit_status;
    (void)context;
    if (stat("/dev/null", &null) != 0 || !S_ISCHR(null.st_mode))
        skip(); /* a machine out of order */
    setenv("CHILD_GONE", "still there", 1);
    assert_int_equal(shell(&exit_status, &out,
                           "cat; echo gone >&2; echo $CHILD_TEST $HOME $PWD $CHILD_GONE; exit 7", 0, NULL),
                     COOK_OK);
    assert_int_equal(exit_status, 7);
    assert_string_equal(cook_buf_text(&out), "one /nowhere /\n");
    cook_buf_finish(&out);
}

static void run__keeps_so_much_of_the_output_and_reads_on(void **context)
{
    struct cook_buf out = COOK_BUF_INIT;
    int exit_status;
    (void)context;
    assert_int_equal(shell(&exit_status, &out, "head -c 1000000 /dev/zero", 0, NULL), COOK_OK);
    assert_int_equal(exit_status, 0);
    assert_int_equal(out.size, 1000);
    cook_buf_finish(&out);
}

static void run__ends_what_takes_too_long_with_its_children(void **context)
{
    static const char *const words[] = { "sleep 60 & sleep 60", "exec >&-; sleep 60" };
    (void)context;
    for (size_t i = 0; i < 2; i++) {
        struct cook_buf out = COOK_BUF_INIT;
        struct cook_error error = COOK_ERROR_INIT;
        int exit_status;
        time_t before = time(NULL);
        assert_int_equal(shell(&exit_status, &out, words[i], 100, &error), COOK_E_TIMEOUT);
        assert_string_equal(error.message, "sh did not end within 100 ms");
        assert_true(time(NULL) - before < 30);
        cook_buf_finish(&out);
    }
}

static void run__a_signal_is_a_crash(void **context)
{
    struct cook_buf out = COOK_BUF_INIT;
    int exit_status;
    (void)context;
    assert_int_equal(shell(&exit_status, &out, "kill -SEGV $$", 5000, NULL), COOK_E_CRASHED);
    cook_buf_finish(&out);
}

static void run__no_such_program(void **context)
{
    const char *const argv[] = { "no-such-program-of-the-tests", NULL };
    struct cook_child child = COOK_CHILD_INIT;
    struct cook_error error = COOK_ERROR_INIT;
    int exit_status;
    (void)context;
    child.argv = argv;
    assert_int_equal(cook_child_run(&exit_status, &child, &error), COOK_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "cannot start no-such-program-of-the-tests"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__gives_output_and_exit_status),
        cmocka_unit_test(run__keeps_so_much_of_the_output_and_reads_on),
        cmocka_unit_test(run__ends_what_takes_too_long_with_its_children),
        cmocka_unit_test(run__a_signal_is_a_crash),
        cmocka_unit_test(run__no_such_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
