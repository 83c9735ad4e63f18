#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/base/error.h"

#include <errno.h>
#include <string.h>

static void status_text__known_status__is_its_text(void **state)
{
    (void)state;
    assert_string_equal(cook_status_text(COOK_OK), "ok");
    assert_string_equal(cook_status_text(COOK_E_EXISTS), "exists already");
}

static void status_text__foreign_value__is_unknown(void **state)
{
    (void)state;
    assert_string_equal(cook_status_text((enum cook_status) - 99), "unknown status");
}

static void set__no_record__returns_the_status(void **state)
{
    (void)state;
    assert_int_equal(cook_error_set(NULL, COOK_E_LIMIT, "%d", 1), COOK_E_LIMIT);
    cook_error_prefix(NULL, "%d", 1);
}

static void set__record__is_filled(void **state)
{
    (void)state;
    struct cook_error error = COOK_ERROR_INIT;
    error.sys_errno = 7;
    assert_int_equal(cook_error_set(&error, COOK_E_LIMIT, "%s %d", "over", 9), COOK_E_LIMIT);
    assert_int_equal(error.status, COOK_E_LIMIT);
    assert_int_equal(error.sys_errno, 0);
    assert_string_equal(error.message, "over 9");
}

static void set__control_characters__stay_on_one_line(void **state)
{
    (void)state;
    struct cook_error error = COOK_ERROR_INIT;
    assert_int_equal(cook_error_set(&error, COOK_E_IO,
                                    "a\nb\x7f"
                                    "c"),
                     COOK_E_IO);
    assert_string_equal(error.message, "a?b?c");
}

static void set__own_message_as_argument__is_copied_first(void **state)
{
    (void)state;
    struct cook_error error = COOK_ERROR_INIT;
    (void)cook_error_set(&error, COOK_E_IO, "inner");
    (void)cook_error_set(&error, COOK_E_FAILED, "outer (%s)", error.message);
    assert_string_equal(error.message, "outer (inner)");
}

static void set__long_text__is_cut_between_characters(void **state)
{
    (void)state;
    struct cook_error error = COOK_ERROR_INIT;
    char text[2000];
    for (size_t i = 0; i + 1 < sizeof(text); i += 2)
        memcpy(text + i, "\xC3\xA4", 2);
    text[sizeof(text) - 2] = '\0';
    (void)cook_error_set(&error, COOK_E_IO, "%s", text);
    assert_int_equal(strlen(error.message), sizeof(error.message) - 2);
    (void)cook_error_set(&error, COOK_E_IO, "a%s", text);
    assert_int_equal(strlen(error.message), sizeof(error.message) - 1);
}

static void set_errno__each_code__chooses_the_status(void **state)
{
    (void)state;
    static const struct {
        int code;
        enum cook_status status;
    } cases[] = { { ENOMEM, COOK_E_NO_MEMORY },  { ENOSPC, COOK_E_NO_SPACE },
                  { EDQUOT, COOK_E_NO_SPACE },   { ENOENT, COOK_E_NOT_FOUND },
                  { ENOTDIR, COOK_E_NOT_FOUND }, { EEXIST, COOK_E_EXISTS },
                  { EACCES, COOK_E_IO } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cook_error error = COOK_ERROR_INIT;
        errno = cases[i].code;
        assert_int_equal(cook_error_set_errno(&error, "x"), cases[i].status);
        assert_int_equal(error.sys_errno, cases[i].code);
        assert_int_equal(errno, cases[i].code);
    }
}

static void set_errno__message__ends_with_the_reason(void **state)
{
    (void)state;
    struct cook_error error = COOK_ERROR_INIT;
    errno = ENOENT;
    (void)cook_error_set_errno(&error, "cannot open '%s'", "x");
    assert_string_equal(error.message, "cannot open 'x': No such file or directory");
}

static void prefix__message__stands_behind_it(void **state)
{
    (void)state;
    struct cook_error error = COOK_ERROR_INIT;
    (void)cook_error_set(&error, COOK_E_MALFORMED, "3: bad");
    cook_error_prefix(&error, "%s", "a.json");
    assert_string_equal(error.message, "a.json: 3: bad");
    assert_int_equal(error.status, COOK_E_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_text__known_status__is_its_text),
        cmocka_unit_test(status_text__foreign_value__is_unknown),
        cmocka_unit_test(set__no_record__returns_the_status),
        cmocka_unit_test(set__record__is_filled),
        cmocka_unit_test(set__control_characters__stay_on_one_line),
        cmocka_unit_test(set__own_message_as_argument__is_copied_first),
        cmocka_unit_test(set__long_text__is_cut_between_characters),
        cmocka_unit_test(set_errno__each_code__chooses_the_status),
        cmocka_unit_test(set_errno__message__ends_with_the_reason),
        cmocka_unit_test(prefix__message__stands_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
