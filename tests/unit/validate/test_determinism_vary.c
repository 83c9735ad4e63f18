#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "cook/worker/perturb.h"
#include "validate/determinism.h"

#define ALL ((1u << DETERMINISM_VARY_COUNT) - 1)

static uint32_t parse(const char *list)
{
    uint32_t set = 0;
    assert_int_equal(determinism_parse_vary(&set, &list, 1, NULL), COOK_OK);
    return set;
}

static void parse_vary__a_name__turns_all_others_off(void **state)
{
    (void)state;
    assert_int_equal(parse("clock"), DETERMINISM_BIT(CLOCK));
    assert_int_equal(parse("clock,process"), DETERMINISM_BIT(CLOCK) | DETERMINISM_BIT(PROCESS));
}

static void parse_vary__minus__turns_one_off(void **state)
{
    (void)state;
    assert_int_equal(parse("-clock"), ALL & ~DETERMINISM_BIT(CLOCK));
    assert_int_equal(parse("clock,umask,-clock"), DETERMINISM_BIT(UMASK));
}

static void parse_vary__unknown_name__is_usage(void **state)
{
    struct cook_error error = COOK_ERROR_INIT;
    const char *list = "colour";
    uint32_t set;
    (void)state;
    assert_int_equal(determinism_parse_vary(&set, &list, 1, &error), COOK_E_USAGE);
    assert_non_null(strstr(error.message, "colour"));
}

static const char *value_of(const struct cook_pool_start *start, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < start->environment_count; i++)
        if (strncmp(start->environment[i], name, length) == 0 &&
            start->environment[i][length] == '=')
            return start->environment[i] + length + 1;
    return NULL;
}

/* A perturbation changes its own setting, and no other. */
static void start__one_perturbation__changes_only_its_own(void **state)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    char preload[] = "/x/cook-perturb.so";
    struct determinism_machine machine = { .preload = preload,
                                           .clock_ns = 1000,
                                           .fixed_addresses = true };
    (void)state;
    const struct cook_pool_start *still = determinism_start(&machine, 0, &arena);
    const struct cook_pool_start *clock =
        determinism_start(&machine, DETERMINISM_BIT(CLOCK), &arena);
    assert_non_null(still);
    assert_non_null(clock);
    assert_string_equal(value_of(still, COOK_PERTURB_CLOCK), "1000");
    assert_string_not_equal(value_of(clock, COOK_PERTURB_CLOCK), "1000");
    assert_string_equal(value_of(still, COOK_PERTURB_SEED), value_of(clock, COOK_PERTURB_SEED));
    assert_string_equal(still->arguments[1], clock->arguments[1]);
    assert_non_null(strstr(still->arguments[1], "aslr=off"));
    const struct cook_pool_start *aslr =
        determinism_start(&machine, DETERMINISM_BIT(ASLR), &arena);
    assert_null(strstr(aslr->arguments[1], "aslr=off"));
    cook_arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_vary__a_name__turns_all_others_off),
        cmocka_unit_test(parse_vary__minus__turns_one_off),
        cmocka_unit_test(parse_vary__unknown_name__is_usage),
        cmocka_unit_test(start__one_perturbation__changes_only_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
