#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/plan/facts.h"

static void decode__whole__gives_every_member(void **state)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_run_facts facts;
    (void)state;
    assert_int_equal(
        cook_run_facts_decode(&facts,
                              "{\"host\":\"h\",\"project\":\"/p\",\"time_zone\":\"Z\","
                              "\"tokens\":[\"-a\",\"-b=1\"],\"overrides\":[\"A.B=1\"],"
                              "\"umask\":18,\"processors\":2,"
                              "\"environment\":{\"B\":\"2\",\"A\":\"1\"},"
                              "\"plugins\":[{\"name\":\"p\",\"build_id\":\"ab\"}],"
                              "\"libraries\":[{\"name\":\"l.so\",\"build_id\":\"cd\"}]}",
                              &arena, NULL),
        COOK_OK);
    assert_string_equal(facts.host, "h");
    assert_string_equal(facts.project_path, "/p");
    assert_int_equal(facts.token_count, 2);
    assert_string_equal(facts.tokens[1], "-b=1");
    assert_int_equal(facts.override_count, 1);
    assert_string_equal(facts.overrides[0], "A.B=1");
    assert_int_equal(facts.umask, 18);
    assert_int_equal(facts.processors, 2);
    assert_string_equal(facts.environment.items[0].name, "A"); /* sorted */
    assert_string_equal(cook_fact_find(&facts.environment, "B"), "2");
    assert_string_equal(cook_fact_find(&facts.plugins, "p"), "ab");
    assert_string_equal(cook_fact_find(&facts.libraries, "l.so"), "cd");
    assert_null(cook_fact_find(&facts.libraries, "x.so"));
    cook_arena_finish(&arena);
}

static void decode__of_an_older_cook__leaves_unknown_what_it_did_not_write(void **state)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_run_facts facts;
    (void)state;
    assert_int_equal(cook_run_facts_decode(&facts, "{\"host\":7}", &arena, NULL), COOK_OK);
    assert_null(facts.host);
    assert_null(facts.tokens);
    assert_false(facts.libraries.have);
    assert_int_equal(facts.umask, -1);
    assert_int_equal(facts.processors, 0);
    cook_arena_finish(&arena);
}

static void decode__no_object__is_malformed(void **state)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_run_facts facts;
    struct cook_error error = COOK_ERROR_INIT;
    (void)state;
    assert_int_equal(cook_run_facts_decode(&facts, "[1", &arena, &error), COOK_E_MALFORMED);
    assert_int_equal(cook_run_facts_decode(&facts, "[]", &arena, &error), COOK_E_MALFORMED);
    cook_arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode__whole__gives_every_member),
        cmocka_unit_test(decode__of_an_older_cook__leaves_unknown_what_it_did_not_write),
        cmocka_unit_test(decode__no_object__is_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
