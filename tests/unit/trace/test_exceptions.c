#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/trace/exceptions.h"
#include "support/folder.h"

static int set_up(void **state)
{
    static struct test_folder folder;
    *state = &folder;
    return test_folder_open(&folder);
}

static int tear_down(void **state)
{
    return test_folder_close(*state);
}

static enum cook_status load(struct cook_trace_exceptions *exceptions,
                             const struct test_folder *folder, const char *text,
                             struct cook_error *error)
{
    if (text)
        assert_int_equal(test_folder_write(folder, COOK_TRACE_EXCEPTIONS_FILE, text), 0);
    return cook_trace_exceptions_load(exceptions, folder->fd, "2027-03-31", error);
}

static void load__has_none_without_a_file(void **state)
{
    struct cook_trace_exceptions exceptions;
    assert_int_equal(load(&exceptions, *state, NULL, NULL), COOK_OK);
    assert_null(cook_trace_exceptions_match(&exceptions, COOK_INPUT_FILE, "a"));
    cook_trace_exceptions_finish(&exceptions);
}

static void match__counts_and_lets_the_expired_not_count(void **state)
{
    struct cook_trace_exceptions exceptions;
    assert_int_equal(load(&exceptions, *state,
                          "[Content/*.txt]\nKind=file\nReason=r\nOwner=o\nExpires=2027-03-31\n"
                          "[Content/a*]\nReason=r\nOwner=o\nExpires=2027-03-30\n"
                          "[HOME]\nKind=environment\nReason=r\nOwner=o\nExpires=2099-01-01\n",
                          NULL),
                     COOK_OK);
    assert_int_equal(exceptions.count, 3);
    assert_false(exceptions.items[0].expired); /* the last day still counts */
    assert_true(exceptions.items[1].expired);
    assert_ptr_equal(cook_trace_exceptions_match(&exceptions, COOK_INPUT_FILE, "Content/a.txt"),
                     &exceptions.items[0]);
    assert_null(cook_trace_exceptions_match(&exceptions, COOK_INPUT_STAT, "Content/a.txt"));
    assert_null(cook_trace_exceptions_match(&exceptions, COOK_INPUT_FILE, "HOME"));
    assert_int_equal(exceptions.items[0].matches, 1);
    assert_int_equal(exceptions.items[1].matches, 2);
    assert_int_equal(exceptions.items[2].matches, 0);
    cook_trace_exceptions_finish(&exceptions);
}

static void load__refuses_what_is_incomplete(void **state)
{
    static const char *const texts[] = {
        "[a]\nOwner=o\nExpires=2027-01-01\n",
        "[a]\nReason=r\nExpires=2027-01-01\n",
        "[a]\nReason=r\nOwner=o\n",
        "[a]\nReason=r\nOwner=o\nExpires=soon\n",
        "[a]\nKind=thing\nReason=r\nOwner=o\nExpires=2027-01-01\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct cook_trace_exceptions exceptions;
        struct cook_error error = COOK_ERROR_INIT;
        assert_int_equal(load(&exceptions, *state, texts[i], &error), COOK_E_CONFIG);
        assert_non_null(strstr(error.message, COOK_TRACE_EXCEPTIONS_FILE));
        cook_trace_exceptions_finish(&exceptions);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(load__has_none_without_a_file),
        TEST(match__counts_and_lets_the_expired_not_count),
        TEST(load__refuses_what_is_incomplete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
