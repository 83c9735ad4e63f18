#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validate.h"

static const char *const evidence[] = { "it was 1 at cook 1, and is 2 now" };

static struct validate_cause make_cause(enum validate_cause_kind kind)
{
    static const char *lines[1];
    lines[0] = evidence[0];
    return (struct validate_cause){ .kind = kind,
                                    .confidence = VALIDATE_PROBABLY_CHANGED,
                                    .what = "file a.txt is read",
                                    .evidence = lines,
                                    .evidence_count = 1 };
}

static void kinds__each__has_a_text_of_its_own(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VALIDATE_CAUSE_COUNT; i++)
        for (unsigned k = i + 1; k < VALIDATE_CAUSE_COUNT; k++)
            assert_string_not_equal(validate_cause_text((enum validate_cause_kind)i),
                                    validate_cause_text((enum validate_cause_kind)k));
    assert_string_equal(validate_cause_text(VALIDATE_CAUSE_COUNT), "unknown");
}

static void print__cause_and_fix__are_plain_words(void **state)
{
    struct validate_cause cause = make_cause(VALIDATE_CAUSE_UNDECLARED_INPUT);
    struct validate_finding finding = { .causes = &cause,
                                        .cause_count = 1,
                                        .fix = "declare it" };
    char *text = NULL;
    size_t size = 0;
    (void)state;
    FILE *out = open_memstream(&text, &size);
    validate_print_causes(out, &finding);
    fclose(out);
    assert_string_equal(text, "    cause: undeclared input: file a.txt is read (probably)\n"
                              "        it was 1 at cook 1, and is 2 now\n"
                              "    fix: declare it\n");
    free(text);
}

static void print__unknown__claims_nothing(void **state)
{
    struct validate_cause cause = make_cause(VALIDATE_CAUSE_UNKNOWN);
    struct validate_finding finding = { .causes = &cause, .cause_count = 1 };
    char *text = NULL;
    size_t size = 0;
    (void)state;
    cause.what = "not known";
    cause.confidence = VALIDATE_CONFIDENCE_UNKNOWN;
    FILE *out = open_memstream(&text, &size);
    validate_print_causes(out, &finding);
    fclose(out);
    assert_non_null(strstr(text, "    cause: not known\n"));
    assert_null(strstr(text, "fix:"));
    free(text);
}

/* The members that others rely on are always there. */
static void to_json__with_and_without_causes__has_both_members(void **state)
{
    struct validate_cause cause = make_cause(VALIDATE_CAUSE_CODE_CHANGED);
    struct validate_finding finding = { .causes = &cause, .cause_count = 1, .fix = "bump it" };
    struct validate_finding bare = { 0 };
    cJSON *json = cJSON_CreateObject();
    cJSON *empty = cJSON_CreateObject();
    (void)state;
    validate_causes_to_json(json, &finding);
    validate_causes_to_json(empty, &bare);
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "causes"), 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(item, "kind")),
                        "code_changed");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(item, "confidence")),
                        "probably changed");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(item, "evidence")), 1);
    assert_true(cJSON_IsArray(cJSON_GetObjectItem(item, "stack")));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "fix")), "bump it");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(empty, "causes")), 0);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(empty, "fix")));
    cJSON_Delete(json);
    cJSON_Delete(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds__each__has_a_text_of_its_own),
        cmocka_unit_test(print__cause_and_fix__are_plain_words),
        cmocka_unit_test(print__unknown__claims_nothing),
        cmocka_unit_test(to_json__with_and_without_causes__has_both_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
