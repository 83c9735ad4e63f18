#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "report/report.h"

static void text__of_what_is_no_text__is_empty(void **state)
{
    (void)state;
    cJSON *object = cJSON_Parse("{\"a\":\"b\",\"n\":3,\"list\":[\"x\"],\"none\":null}");
    assert_string_equal(report_text(object, "a"), "b");
    assert_string_equal(report_text(object, "n"), "");
    assert_string_equal(report_text(object, "list"), "");
    assert_string_equal(report_text(object, "missing"), "");
    assert_string_equal(report_text(NULL, "a"), "");
    assert_true(report_number(object, "n") == 3);
    assert_true(report_number(object, "a") == 0);
    assert_true(report_number(NULL, "n") == 0);
    cJSON_Delete(object);
}

static void time__zero__is_null(void **state)
{
    (void)state;
    cJSON *object = cJSON_CreateObject();
    report_add_time(object, "never", 0);
    report_add_time(object, "then", INT64_C(1796083200) * 1000000000);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(object, "never")));
    assert_string_equal(report_text(object, "then"), "2026-12-01T00:00:00Z");
    cJSON_Delete(object);
}

static void cause__without_one__is_unknown(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    cJSON *finding = cJSON_Parse("{\"causes\":[]}");
    assert_string_equal(report_cause(finding, &arena), "cause unknown");
    cJSON_Delete(finding);
    finding = cJSON_Parse("{\"causes\":\"no list\"}");
    assert_string_equal(report_cause(finding, &arena), "cause unknown");
    assert_string_equal(report_first_difference(finding, &arena), "");
    cJSON_Delete(finding);
    cook_arena_finish(&arena);
}

static void first_difference__both_values__are_shown(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    cJSON *finding = cJSON_Parse("{\"differences\":[{\"property\":\"A:B\",\"old_value\":\"1\","
                                 "\"new_value\":\"2\"},{\"property\":\"A:C\"}]}");
    assert_string_equal(report_first_difference(finding, &arena), "A:B: 1 -> 2");
    cJSON_Delete(finding);
    cook_arena_finish(&arena);
}

static void verdict__not_known__is_unknown(void **state)
{
    (void)state;
    assert_string_equal(report_verdict_text("false_skip"), "false skip");
    assert_string_equal(report_verdict_text("something"), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text__of_what_is_no_text__is_empty),
        cmocka_unit_test(time__zero__is_null),
        cmocka_unit_test(cause__without_one__is_unknown),
        cmocka_unit_test(first_difference__both_values__are_shown),
        cmocka_unit_test(verdict__not_known__is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
