#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <string.h>

#include "cook/classes/shader_compile.h"

static void expect(const char *log, enum cook_severity severity, const char *path,
                   uint32_t line, const char *text)
{
    struct cook_shader_message message;

    assert_true(cook_shader_log_next(&message, &log));
    assert_int_equal(message.severity, severity);
    assert_string_equal(message.path, path);
    assert_int_equal(message.line, line);
    assert_int_equal(message.text_size, strlen(text));
    assert_memory_equal(message.text, text, message.text_size);
    assert_false(cook_shader_log_next(&message, &log));
}

static void next__error_with_line__is_split(void **state)
{
    (void)state;
    expect("./a.frag:12: error: 'x' : undeclared identifier\n", COOK_SEVERITY_ERROR, "./a.frag",
           12, "'x' : undeclared identifier");
}

static void next__warning_without_end_of_line__is_split(void **state)
{
    (void)state;
    expect("\n\n./a.frag:3: warning: old: error: no", COOK_SEVERITY_WARNING, "./a.frag", 3,
           "old: error: no");
}

static void next__no_line__has_line_0(void **state)
{
    (void)state;
    expect("./a.frag: error: Linking failed", COOK_SEVERITY_ERROR, "./a.frag", 0,
           "Linking failed");
    expect("./a:b: error: x", COOK_SEVERITY_ERROR, "./a:b", 0, "x");
    expect("./a:99999999999: error: x", COOK_SEVERITY_ERROR, "./a:99999999999", 0, "x");
    expect("./a:: error: x", COOK_SEVERITY_ERROR, "./a:", 0, "x");
}

static void next__other_text__is_an_error_as_it_stands(void **state)
{
    (void)state;
    expect("internal trouble", COOK_SEVERITY_ERROR, "", 0, "internal trouble");
}

static void next__long_path__is_cut(void **state)
{
    char log[600];
    const char *cursor = log;
    struct cook_shader_message message;

    (void)state;
    memset(log, 'p', sizeof(log));
    memcpy(log + 400, ":7: error: x", 13);
    assert_true(cook_shader_log_next(&message, &cursor));
    assert_int_equal(strlen(message.path), sizeof(message.path) - 1);
    assert_int_equal(message.line, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next__error_with_line__is_split),
        cmocka_unit_test(next__warning_without_end_of_line__is_split),
        cmocka_unit_test(next__no_line__has_line_0),
        cmocka_unit_test(next__other_text__is_an_error_as_it_stands),
        cmocka_unit_test(next__long_path__is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
