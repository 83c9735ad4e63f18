#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "cook/object/functions.h"

struct arguments {
    struct cook_string tool;
    int32_t level;
};

static uint64_t seen;
static int32_t level_seen;

static void evaluate(struct cook_schema *schema, const void *arguments)
{
    const struct arguments *given = arguments;
    level_seen = given ? given->level : -1;
    cook_schema_add_u64(schema, "seen", seen);
    if (given)
        cook_schema_add_string(schema, "tool", given->tool.data);
}

static void construct(void *value)
{
    ((struct arguments *)value)->level = 9;
}

static const struct cook_property properties[] = {
    COOK_PROPERTY(struct arguments, tool, "Tool", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct arguments, level, "Level", COOK_PROPERTY_I32),
    COOK_PROPERTY_END,
};
static const struct cook_struct arguments_struct = { .name = "Arguments",
                                                     .size = sizeof(struct arguments),
                                                     .properties = properties,
                                                     .construct = construct };
static const struct cook_function with = { "With", "Arguments", evaluate };
static const struct cook_function without = { "Without", NULL, evaluate };

struct fixture {
    struct cook_registrar types;
    struct cook_arena arena;
    struct cook_hash value;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f)
        return -1;
    cook_types_init(&f->types);
    cook_register_struct(&f->types, &arguments_struct);
    cook_register_function(&f->types, &with);
    cook_register_function(&f->types, &without);
    seen = 1;
    return cook_types_link(&f->types, NULL, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_types_finish(&f->types);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

static enum cook_status call(struct fixture *f, const char *args)
{
    return cook_function_evaluate(&f->types, NULL, args, &f->value);
}

static char *args_of_level(struct fixture *f, int32_t level)
{
    struct arguments arguments = { { "tool", 4 }, level };
    return cook_function_args(&f->types, "With", &arguments, &f->arena);
}

static void args__name_alone__without_arguments(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(cook_function_args(&f->types, "With", NULL, &f->arena), "With");
    assert_string_equal(cook_function_args(&f->types, "Without", "x", &f->arena), "Without");
    assert_null(cook_function_args(&f->types, "Gone", NULL, &f->arena));
}

static void evaluate__args__arrive_as_given(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(call(f, args_of_level(f, 3)), COOK_OK);
    assert_int_equal(level_seen, 3);
    assert_false(cook_hash_is_zero(f->value));
    assert_int_equal(call(f, "Without"), COOK_OK);
    assert_int_equal(level_seen, -1);
}

static void evaluate__what_it_sees__is_the_value(void **state)
{
    struct fixture *f = *state;
    const char *args = args_of_level(f, 3);
    assert_int_equal(call(f, args), COOK_OK);
    struct cook_hash before = f->value;
    assert_int_equal(call(f, args), COOK_OK);
    assert_true(cook_hash_equal(f->value, before));
    seen = 2;
    assert_int_equal(call(f, args), COOK_OK);
    assert_false(cook_hash_equal(f->value, before));
}

static void evaluate__not_registered__is_absent(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(call(f, "Gone AAAA"), COOK_E_NOT_FOUND);
    assert_true(cook_hash_is_zero(f->value));
}

static void evaluate__arguments_that_do_not_fit__are_malformed(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[] = { "With ", "With !!!!", "With AAAA", "Without AAAA",
                                       "With BHRvb2wDAAAAAA==" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(call(f, bad[i]), COOK_E_MALFORMED);
        assert_false(cook_hash_is_zero(f->value)); /* differs from absence too */
    }
}

static void evaluate__no_memory__never_gives_another_value(void **state)
{
    struct fixture *f = *state;
    const char *args = args_of_level(f, 3);
    assert_int_equal(call(f, args), COOK_OK);
    struct cook_hash whole = f->value;
    enum cook_status status = COOK_E_FAILED;
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 100);
        cook_alloc_fail_after(after);
        status = call(f, args);
        cook_alloc_fail_after(-1);
    }
    assert_true(cook_hash_equal(f->value, whole));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(args__name_alone__without_arguments),
        TEST(evaluate__args__arrive_as_given),
        TEST(evaluate__what_it_sees__is_the_value),
        TEST(evaluate__not_registered__is_absent),
        TEST(evaluate__arguments_that_do_not_fit__are_malformed),
        TEST(evaluate__no_memory__never_gives_another_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
