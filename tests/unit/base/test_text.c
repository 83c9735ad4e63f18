#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include <string.h>

#include <cjson/cJSON.h>

#include "cook/base/alloc.h"
#include "cook/base/text.h"

static void assert_put(const char *text, size_t size, enum cook_text_flags flags, const char *expected)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_text_put(&out, text, size, flags);
    assert_string_equal(cook_buf_text(&out), expected);
    cook_buf_finish(&out);
}

static void utf8_length__refuses_what_is_none(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2 ", "\xe0\x9f\xbf", "\xe2\x80",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(cook_utf8_length(NULL, bad[i], strlen(bad[i])), 0);
}

static void utf8_length__gives_the_code(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t code;
    } good[] = { { "a", 'a' },
                 { "\xc2\x80", 0x80 },
                 { "\xdf\xbf", 0x7ff },
                 { "\xe0\xa0\x80", 0x800 },
                 { "\xed\x9f\xbf", 0xd7ff },
                 { "\xef\xbf\xbf", 0xffff },
                 { "\xf0\x90\x80\x80", 0x10000 },
                 { "\xf4\x8f\xbf\xbf", 0x10ffff } };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        uint32_t code;
        assert_int_equal(cook_utf8_length(&code, good[i].text, strlen(good[i].text)),
                         strlen(good[i].text));
        assert_int_equal(code, good[i].code);
    }
}

static void put__text_of_all_scripts_stays(void **state)
{
    (void)state;
    static const char text[] = "/Game/Stra\xc3\x9f"
                               "e \xe6\x97\xa5\xe6\x9c\xac \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xf0\x9f\x8d\xb3 \\x1b";
    assert_put(text, strlen(text), COOK_TEXT_LINE, text);
}

static void put__what_is_not_seen_is_escaped(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "a\x1b[31mb", "a\\x1b[31mb" },          { "a\x7f", "a\\x7f" },
        { "\xc2\x9b" "2J", "\\u009b2J" },         { "\xc2\xad", "\\u00ad" },
        { "\xd8\x9c", "\\u061c" },                { "a\xe2\x80\xaegnp.exe", "a\\u202egnp.exe" },
        { "\xe2\x80\xaa", "\\u202a" },            { "\xe2\x81\xa6", "\\u2066" },
        { "\xe2\x81\xa9", "\\u2069" },            { "\xe2\x80\x8e\xe2\x80\x8f", "\\u200e\\u200f" },
        { "\xe2\x80\x8b", "\\u200b" },            { "\xef\xbb\xbf", "\\ufeff" },
        { "\xe2\x80\xa8", "\\u2028" },            { "\xf3\xa0\x81\x81", "\\U000e0041" },
        { "\xff\xc3(", "\\xff\\xc3(" },           { "a\rb", "a\\x0db" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_put(cases[i][0], strlen(cases[i][0]), COOK_TEXT_LINES, cases[i][1]);
    assert_put("a\0b", 3, COOK_TEXT_LINE, "a\\x00b");
}

static void put__lines_stay_where_asked_for(void **state)
{
    (void)state;
    assert_put("a\n\tb", 4, COOK_TEXT_LINES, "a\n\tb");
    assert_put("a\n\tb", 4, COOK_TEXT_LINE, "a\\x0a\\x09b");
}

static void shown__is_the_text_where_nothing_is_hidden(void **state)
{
    (void)state;
    struct cook_arena arena = COOK_ARENA_INIT;
    static const char plain[] = "/Game/A";
    assert_ptr_equal(cook_text_shown(plain, &arena), plain);
    assert_string_equal(cook_text_shown("/Game/\xe2\x80\xae", &arena), "/Game/\\u202e");
    cook_arena_finish(&arena);
}

static void put_json__says_the_same(void **state)
{
    (void)state;
    static const char text[] = "a\xe2\x80\xae\x7f\xf3\xa0\x81\x81\xc3\xa9\n\"\\";
    struct cook_buf out = COOK_BUF_INIT;
    cJSON *json = cJSON_CreateArray();
    cJSON_AddItemToArray(json, cJSON_CreateString(text));
    char *printed = cJSON_Print(json);
    cook_text_put_json(&out, printed);
    assert_string_equal(cook_buf_text(&out), "[\"a\\u202e\\u007f\\udb40\\udc41\xc3\xa9\\n\\\"\\\\\"]");
    cJSON *again = cJSON_Parse(cook_buf_text(&out));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(again, 0)), text);
    cJSON_Delete(again);
    cJSON_Delete(json);
    cJSON_free(printed);
    cook_buf_clear(&out);
    cook_text_put_json(&out, "{\n\t\"a\":\t1\n}");
    assert_string_equal(cook_buf_text(&out), "{\n\t\"a\":\t1\n}");
    cook_buf_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_length__refuses_what_is_none),
        cmocka_unit_test(utf8_length__gives_the_code),
        cmocka_unit_test(put__text_of_all_scripts_stays),
        cmocka_unit_test(put__what_is_not_seen_is_escaped),
        cmocka_unit_test(put__lines_stay_where_asked_for),
        cmocka_unit_test(shown__is_the_text_where_nothing_is_hidden),
        cmocka_unit_test(put_json__says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
