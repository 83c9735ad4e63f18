#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/base/alloc.h"
#include "cook/worker/traced_start.h"

static void arguments__come_after_the_program(void **state)
{
    static const char *const argv[] = { "prefix", "cook-worker", "--perturb", "aslr=off", NULL };
    (void)state;
    const char **traced = cook_traced_arguments(argv, 1);
    assert_string_equal(traced[1], "cook-worker");
    assert_string_equal(traced[2], "--trace");
    assert_string_equal(traced[3], "--perturb");
    assert_null(traced[5]);
    cook_free(traced);
}

static void environment__preloads_before_all_else(void **state)
{
    static const char *const environment[] = { "A=1", "LD_PRELOAD=other.so", "B=2", NULL };
    char *preload;
    (void)state;
    const char **traced = cook_traced_environment(environment, "/opt/bin/cook-worker", &preload);
    assert_string_equal(traced[0], "A=1");
    assert_string_equal(traced[1], "B=2");
    assert_string_equal(traced[2], "LD_PRELOAD=/opt/bin/cook-trace.so:other.so");
    assert_null(traced[3]);
    cook_free(traced);
    cook_free(preload);
    traced = cook_traced_environment(environment + 3, "cook-worker", &preload);
    assert_string_equal(traced[0], "LD_PRELOAD=cook-trace.so");
    cook_free(traced);
    cook_free(preload);
}

static void refusal__names_a_debugger(void **state)
{
    (void)state;
    assert_non_null(cook_traced_refusal("gdb --args"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments__come_after_the_program),
        cmocka_unit_test(environment__preloads_before_all_else),
        cmocka_unit_test(refusal__names_a_debugger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
