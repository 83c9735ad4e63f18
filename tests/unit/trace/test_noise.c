#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/trace/noise.h"

static void rules__leave_out_what_cannot_matter(void **state)
{
    static const char *const noise[] = { "/etc/ld.so.cache", "/lib/x86_64-linux-gnu/libc.so.6",
                                         "/usr/lib/locale/C.utf8/LC_CTYPE", "/proc/self/maps",
                                         "/dev/null", "Saved/Cook/Desktop/plugins/ab.so",
                                         "Saved/History/history.db" };
    (void)state;
    for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
        assert_true(cook_trace_is_noise(noise[i]));
}

static void rules__keep_what_can(void **state)
{
    static const char *const inputs[] = { "Content/Data/a.txt", "cook.ini", "Config/DefaultGame.ini",
                                          "/etc/passwd", "/usr/share/zoneinfo/UTC", "/tmp/x",
                                          "Content/proc/self/maps", "Saved/own.bin" };
    (void)state;
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        assert_false(cook_trace_is_noise(inputs[i]));
        assert_null(cook_trace_rule_of(inputs[i]));
    }
}

static void rules__know_files_that_are_something_else(void **state)
{
    (void)state;
    assert_int_equal(cook_trace_rule_of("/dev/urandom")->kind, COOK_INPUT_RANDOM);
    assert_int_equal(cook_trace_rule_of("/proc/cpuinfo")->kind, COOK_INPUT_HOST);
    assert_string_equal(cook_trace_rule_of("/etc/hostname")->key, "host name");
    assert_string_equal(cook_trace_rule_of("/sys/devices/system/cpu/online")->key,
                        "processor count");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules__leave_out_what_cannot_matter),
        cmocka_unit_test(rules__keep_what_can),
        cmocka_unit_test(rules__know_files_that_are_something_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
