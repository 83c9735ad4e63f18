#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "cook/reader/asset_edit.h"

static void assert_set(const char *before, const char *value, const char *after)
{
    struct cook_buf out = COOK_BUF_INIT;
    assert_int_equal(cook_asset_set_member(&out, before, strlen(before), "r", value, NULL), COOK_OK);
    assert_string_equal(cook_buf_text(&out), after);
    cook_buf_finish(&out);
}

static void set__replaces_the_value_alone(void **state)
{
    (void)state;
    assert_set("{ \"a\": 1, \"r\" : [1, {\"x\":\"]\"}] , \"b\":2 }\n", "7",
               "{ \"a\": 1, \"r\" : 7 , \"b\":2 }\n");
    assert_set("{\"r\":\"a\\\"}\"}", "{}", "{\"r\":{}}");
    assert_set("{\"n\":{\"r\":1},\"r\":2}", "3", "{\"n\":{\"r\":1},\"r\":3}");
}

static void set__adds_at_the_end(void **state)
{
    (void)state;
    assert_set("{\n  \"a\": 1\n}\n", "2", "{\n  \"a\": 1,\n  \"r\": 2\n}\n");
    assert_set("{}", "2", "{\n  \"r\": 2\n}");
    assert_set("{\"a\":[]}", "2", "{\"a\":[],\n  \"r\": 2\n}");
}

static void set__removes_with_one_comma(void **state)
{
    (void)state;
    assert_set("{\"r\":1,\"a\":2}", "", "{\"a\":2}");
    assert_set("{\"a\":2 , \"r\":1 }", "", "{\"a\":2 }");
    assert_set("{\"r\":1}", "", "{}");
    assert_set("{\"a\":2}", "", "{\"a\":2}");
}

static void set__refuses_what_is_no_object(void **state)
{
    static const char *const texts[] = { "", "[1]", "{", "{\"a\":}", "\"r\"", "{\"r\":1}}" };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct cook_buf out = COOK_BUF_INIT;
        assert_int_equal(cook_asset_set_member(&out, texts[i], strlen(texts[i]), "r", "1", NULL),
                         COOK_E_MALFORMED);
        cook_buf_finish(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set__replaces_the_value_alone),
        cmocka_unit_test(set__adds_at_the_end),
        cmocka_unit_test(set__removes_with_one_comma),
        cmocka_unit_test(set__refuses_what_is_no_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
