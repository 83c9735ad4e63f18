#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/base/buf.h"
#include "cook/base/json.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct cook_arena arena;
    struct cook_error error;
    const struct cook_json *root;
    uint32_t line;
};

static int set_up(void **state)
{
    *state = cook_calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

/* Parses a copy that ends with its last byte, so that a sanitizer sees reads behind it. */
static enum cook_status parse_bytes(struct fixture *f, const char *text, size_t size)
{
    char *copy = cook_malloc(size);
    memcpy(copy, text, size);
    enum cook_status status =
        cook_json_parse(&f->root, &f->line, copy, size, &f->arena, &f->error);
    cook_free(copy);
    assert_true((status == COOK_OK) == (f->root != NULL));
    return status;
}

static enum cook_status parse(struct fixture *f, const char *text)
{
    return parse_bytes(f, text, strlen(text));
}

static const struct cook_json *parse_ok(struct fixture *f, const char *text)
{
    if (parse(f, text) != COOK_OK)
        fail_msg("%s: %s", text, f->error.message);
    return f->root;
}

static void assert_fault(struct fixture *f, const char *text, const char *message)
{
    assert_int_equal(parse(f, text), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, message);
    assert_int_equal(f->line, strtoul(message, NULL, 10));
}

static void parse__document__is_a_tree(void **state)
{
    struct fixture *f = *state;
    const struct cook_json *root =
        parse_ok(f, " {\"a\": [1, true, false, null, \"x\"],\r\n\t\"b\": {}, \"c\": []} \n");
    assert_int_equal(root->type, COOK_JSON_OBJECT);
    assert_int_equal(root->count, 3);
    assert_null(root->key);
    const struct cook_json *a = root->child;
    assert_string_equal(a->key, "a");
    assert_int_equal(a->type, COOK_JSON_ARRAY);
    assert_int_equal(a->count, 5);
    static const enum cook_json_type types[] = { COOK_JSON_NUMBER, COOK_JSON_TRUE,
                                                 COOK_JSON_FALSE, COOK_JSON_NULL,
                                                 COOK_JSON_STRING };
    const struct cook_json *item = a->child;
    for (size_t i = 0; i < 5; i++, item = item->next) {
        assert_int_equal(item->type, types[i]);
        assert_null(item->key);
        assert_ptr_equal(item, cook_json_at(a, i));
    }
    assert_null(item);
    assert_int_equal(a->next->type, COOK_JSON_OBJECT);
    assert_null(a->next->child);
    assert_int_equal(a->next->next->type, COOK_JSON_ARRAY);
    assert_null(a->next->next->next);
}

static void parse__values__know_their_lines(void **state)
{
    struct fixture *f = *state;
    const struct cook_json *root = parse_ok(f, "\n{\n\"a\":\n1,\"b\":[\n2,\r\n3]}");
    assert_int_equal(root->line, 2);
    assert_int_equal(cook_json_get(root, "a")->line, 4);
    assert_int_equal(cook_json_get(root, "b")->line, 4);
    assert_int_equal(cook_json_at(cook_json_get(root, "b"), 0)->line, 5);
    assert_int_equal(cook_json_at(cook_json_get(root, "b"), 1)->line, 6);
    assert_int_equal(f->line, 0);
}

static void parse__scalar_root__is_accepted(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse_ok(f, "1")->type, COOK_JSON_NUMBER);
    assert_int_equal(parse_ok(f, " null")->type, COOK_JSON_NULL);
    assert_int_equal(parse_ok(f, "\"a\" ")->type, COOK_JSON_STRING);
    assert_int_equal(parse_ok(f, "\"\"")->length, 0);
    assert_int_equal(parse_ok(f, "[]")->count, 0);
}

static void parse__grammar_faults__are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "[",
        "]",
        "{",
        "}",
        "[}",
        "{]",
        "[[]",
        "[]]",
        "[1",
        "{\"a\":1",
        "[1,]",
        "[,1]",
        "[,]",
        "[1,,2]",
        "[1 2]",
        "[1:2]",
        "[\"a\":1]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\",}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{1:2}",
        "{null:1}",
        "{a:1}",
        "{[]:1}",
        "{{}:1}",
        "{\"a\"::1}",
        "{\"a\":1:2}",
        "{\"a\":\"b\":\"c\"}",
        "{\"a\" 1}",
        "{\"a\":1 2}",
        "{:1}",
        "1 2",
        "{} {}",
        "[] 1",
        "\"a\" \"b\"",
        "\"a\"\"b\"",
        "1,2",
        ",",
        ":",
        "1,",
        "[1]x",
        "tru",
        "True",
        "nul",
        "nulll",
        "truefalse",
        "NaN",
        "Infinity",
        "-Infinity",
        "'a'",
        "a",
        "[a\"b\"]",
        "[1\"b\"]",
        "[1[2]]",
        "[\"a\"[]]",
        "[[][]]",
        "{}{",
        "// c\n1",
        "/**/1",
        "[1]//",
        "\xEF\xBB\xBF{}",
        "[\xC2\xA0]",
        "[\f1]",
        "[\v]",
        "\\",
        "[\\\"a\\\"]",
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (parse(f, texts[i]) != COOK_E_MALFORMED)
            fail_msg("accepted: %s", texts[i]);
        assert_int_equal(f->error.status, COOK_E_MALFORMED);
        assert_true(f->line > 0);
    }
}

static void parse__faults__are_named_with_their_line(void **state)
{
    struct fixture *f = *state;
    assert_fault(f, "", "1: unexpected end");
    assert_fault(f, "[1,\n2,\n]", "3: expected a value");
    assert_fault(f, "{\"a\": 1\n\"b\": 2}", "2: expected ',' before another ':'");
    assert_fault(f, "{\"a\": 1\n2}", "2: expected ',' or '}'");
    assert_fault(f, "{\"a\"\n1}", "2: expected ':'");
    assert_fault(f, "{\n\"a\": 1,\n \"a\": 2}", "3: duplicate key 'a'");
    assert_fault(f, "{\n\"a\n\": 1}", "2: control character in a string");
    assert_fault(f, "[\n\n\"a", "3: string without an end");
    assert_fault(f, "[\n01]", "2: neither a number nor a known word");
    assert_fault(f, "[1\n2,\n3,\n4]", "2: expected ',' or ']'");
    assert_fault(f, "[1,\n\"\\x\",\n4]", "2: malformed escape in a string");
    assert_fault(f, "{\"a\": 1,\n\"\\u12\": 2}", "2: malformed escape in a string");
    assert_fault(f, "[\n\"\\ud800\"]", "2: unpaired surrogate");
    assert_fault(f, "[\n[\n1},2]", "3: expected ',' or ']'");
    assert_fault(f, "[\n\xC3]", "2: expected a value");
    assert_fault(f, "[1]\n\n]", "3: closing bracket without an opening one");
    assert_fault(f, "[1]\n2", "2: text after the value");
    assert_fault(f, "[1,\n[2,\n3", "3: unexpected end");
}

static void parse__nul_bytes__are_refused(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse_bytes(f, "1\0", 2), COOK_E_MALFORMED);
    assert_int_equal(parse_bytes(f, "[\0]", 3), COOK_E_MALFORMED);
    assert_int_equal(parse_bytes(f, "\"a\0b\"", 5), COOK_E_MALFORMED);
    assert_int_equal(parse_bytes(f, "\"a\\\0b\"", 6), COOK_E_MALFORMED);
    assert_int_equal(parse_bytes(f, "{}\0", 3), COOK_E_MALFORMED);
}

static void parse__numbers__follow_the_grammar(void **state)
{
    static const char *const good[] = { "0",   "-0",    "10",   "-1",     "1.5", "0.0",
                                        "1e5", "1E+05", "1e-5", "-1.5e9", "0e0", "1.25E-2" };
    static const char *const bad[] = { "00",  "01",   "-01",   "+1",    "-",    ".5",  "1.",
                                       "-.5", "1.e5", "1e",    "1e+",   "1e-",  "--1", "1-",
                                       "0x1", "1_0",  "1e5.5", "1.5.5", "1ee5", "1a",  "- 1" };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_string_equal(parse_ok(f, good[i])->text, good[i]);
        assert_int_equal(f->root->length, strlen(good[i]));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (parse(f, bad[i]) != COOK_E_MALFORMED)
            fail_msg("accepted: %s", bad[i]);
    }
}

static void parse__escapes__are_decoded(void **state)
{
    struct fixture *f = *state;
    const struct cook_json *value = parse_ok(
        f, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t \\u0041\\u00fc\\u20AC\\ud83d\\ude00\\u007f.\"");
    const char *wanted = "\"\\/\b\f\n\r\t A\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80\x7f.";
    assert_string_equal(value->text, wanted);
    assert_int_equal(value->length, strlen(wanted));
    assert_string_equal(parse_ok(f, "{\"\\u0061b\":1}")->child->key, "ab");
}

static void parse__bad_escapes__are_refused(void **state)
{
    static const char *const texts[] = {
        "\"\\u0000\"",
        "\"\\ud83d\"",
        "\"\\ud83dx\"",
        "\"\\ude00\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ud83d\\ud83d\"",
        "\"\\ud83d\\\"",
        "\"\\x41\"",
        "\"\\a\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\U0041\"",
        "\"\\'\"",
        "\"\\",
        "\"\\\"",
        "\"\\u\"",
        "\"\\ud83d\\u\"",
        "\"\\ude00\\ud83d\"",
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (parse(f, texts[i]) != COOK_E_MALFORMED)
            fail_msg("accepted: %s", texts[i]);
    }
}

static void parse__utf8__is_checked(void **state)
{
    static const char *const good[] = { "\xC2\x80",     "\xE0\xA0\x80",     "\xED\x9F\xBF",
                                        "\xEE\x80\x80", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
                                        "\x7f" };
    static const char *const bad[] = { "\x80",
                                       "\xBF",
                                       "\xC0\x80",
                                       "\xC1\xBF",
                                       "\xC3",
                                       "\xC3(",
                                       "\xE0\x80\x80",
                                       "\xE2\x82",
                                       "\xED\xA0\x80",
                                       "\xED\xBF\xBF",
                                       "\xF0\x80\x80\x80",
                                       "\xF4\x90\x80\x80",
                                       "\xF5\x80\x80\x80",
                                       "\xFF",
                                       "\xF0\x9F\x98" };
    struct fixture *f = *state;
    char text[16];
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        snprintf(text, sizeof(text), "\"%s\"", good[i]);
        assert_string_equal(parse_ok(f, text)->text, good[i]);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(text, sizeof(text), "\"%s\"", bad[i]);
        assert_fault(f, text, "1: invalid UTF-8");
    }
}

static void parse_repeated(struct fixture *f, const char *open, const char *middle,
                           const char *close, size_t times, enum cook_status wanted)
{
    struct cook_buf text = COOK_BUF_INIT;
    for (size_t i = 0; i < times; i++)
        cook_buf_printf(&text, "%s", open);
    cook_buf_printf(&text, "%s", middle);
    for (size_t i = 0; i < times; i++)
        cook_buf_printf(&text, "%s", close);
    assert_int_equal(parse_bytes(f, (const char *)text.data, text.size), wanted);
    cook_buf_finish(&text);
}

static void parse__nesting__is_bounded(void **state)
{
    struct fixture *f = *state;
    parse_repeated(f, "[", "", "]", 128, COOK_OK);
    parse_repeated(f, "[", "", "]", 129, COOK_E_LIMIT);
    parse_repeated(f, "{\"a\":", "1", "}", 128, COOK_OK);
    parse_repeated(f, "{\"a\":", "1", "}", 129, COOK_E_LIMIT);
    parse_repeated(f, "[", "", "", 1000000, COOK_E_LIMIT);
}

static void parse__size_and_count__are_bounded(void **state)
{
    struct fixture *f = *state;
    size_t size = ((size_t)64 << 20) + 1; /* refused before a byte is read */
    assert_int_equal(cook_json_parse(&f->root, &f->line, "", size, &f->arena, &f->error),
                     COOK_E_LIMIT);
    parse_repeated(f, ",", "", "", 8000000, COOK_E_LIMIT);
    assert_string_equal(f->error.message, "1: more than 8 million values");
}

/* Each of these can take jsmn time in the square of its length: hours, where it now takes none.
 */
static void parse__hostile_texts__are_refused_at_once(void **state)
{
    struct fixture *f = *state;
    parse_repeated(f, "[1,", "", "", 500000, COOK_E_LIMIT);
    parse_repeated(f, "\"a\":", "1", "]", 300000, COOK_E_MALFORMED);
    parse_repeated(f, "a:", "1", "]", 300000, COOK_E_MALFORMED);
    parse_repeated(f, ",", "a\"", "[", 300000, COOK_E_MALFORMED);
    parse_repeated(f, ",", "1[[[[", "]", 300000, COOK_E_MALFORMED);
    parse_repeated(f, "{},", "", "", 300000, COOK_E_MALFORMED);
}

static void parse__large_object__finds_the_duplicate(void **state)
{
    struct fixture *f = *state;
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "{\n");
    for (int i = 0; i < 100000; i++)
        cook_buf_printf(&text, "\"key%d\": %d,\n", i, i);
    size_t end = text.size;
    cook_buf_printf(&text, "\"last\": 1}");
    assert_int_equal(parse_bytes(f, (const char *)text.data, text.size), COOK_OK);
    assert_int_equal(f->root->count, 100001);
    assert_int_equal(cook_json_get(f->root, "last")->line, 100002);
    text.size = end;
    cook_buf_printf(&text, "\"key\\u0037\": 1}");
    assert_int_equal(parse_bytes(f, (const char *)text.data, text.size), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "100002: duplicate key 'key7'");
    cook_buf_finish(&text);
}

static void parse__seventeen_keys__are_checked_as_sixteen_are(void **state)
{
    struct fixture *f = *state;
    for (int count = 15; count <= 18; count++) {
        struct cook_buf text = COOK_BUF_INIT;
        for (int i = 0; i < count; i++)
            cook_buf_printf(&text, "%s\"%d\": 0", i ? "," : "{", i);
        size_t size = text.size;
        cook_buf_printf(&text, "}");
        assert_int_equal(parse(f, cook_buf_text(&text)), COOK_OK);
        text.size = size;
        cook_buf_printf(&text, ",\"0\":1}");
        assert_int_equal(parse(f, cook_buf_text(&text)), COOK_E_MALFORMED);
        cook_buf_finish(&text);
    }
}

static void parse__memory_is_short__fails(void **state)
{
    struct fixture *f = *state;
    static const char text[] =
        "{\"a\": [1, \"b\", {\"c\": null}], \"1\":1,\"2\":1,\"3\":1,\"4\":1,"
        "\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"10\":1,\"11\":1,"
        "\"12\":1,\"13\":1,\"14\":1,\"15\":1,\"16\":1}";
    for (long after = 0;; after++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        cook_alloc_fail_after(after);
        enum cook_status status =
            cook_json_parse(&f->root, &f->line, text, strlen(text), &arena, &f->error);
        cook_alloc_fail_after(-1);
        cook_arena_finish(&arena);
        if (status == COOK_OK)
            break;
        assert_int_equal(status, COOK_E_NO_MEMORY);
        assert_null(f->root);
    }
}

static void get__other_values__are_null(void **state)
{
    struct fixture *f = *state;
    const struct cook_json *root = parse_ok(f, "{\"a\": [1]}");
    const struct cook_json *a = cook_json_get(root, "a");
    assert_null(cook_json_get(root, "b"));
    assert_null(cook_json_get(a, "a"));
    assert_null(cook_json_get(NULL, "a"));
    assert_null(cook_json_at(a, 1));
    assert_null(cook_json_at(root, 0));
    assert_null(cook_json_at(NULL, 0));
}

static void typed_reads__other_types__leave_the_output(void **state)
{
    struct fixture *f = *state;
    const char *text = "kept";
    bool flag = true;
    int64_t i = 7;
    uint64_t u = 7;
    double d = 7;
    const struct cook_json *null = parse_ok(f, "null");
    assert_false(cook_json_string(null, &text) || cook_json_string(NULL, &text));
    assert_false(cook_json_bool(null, &flag) || cook_json_bool(NULL, &flag));
    assert_false(cook_json_i64(null, &i) || cook_json_i64(NULL, &i));
    assert_false(cook_json_u64(null, &u) || cook_json_u64(NULL, &u));
    assert_false(cook_json_f64(null, &d) || cook_json_f64(NULL, &d));
    assert_string_equal(text, "kept");
    assert_true(flag && i == 7 && u == 7 && d == 7);
    assert_true(cook_json_bool(parse_ok(f, "false"), &flag) && !flag);
    assert_true(cook_json_bool(parse_ok(f, "true"), &flag) && flag);
    assert_true(cook_json_string(parse_ok(f, "\"x\""), &text));
    assert_string_equal(text, "x");
}

static void integers__in_range__are_exact(void **state)
{
    struct fixture *f = *state;
    int64_t i = 0;
    uint64_t u = 0;
    assert_true(cook_json_i64(parse_ok(f, "9223372036854775807"), &i) && i == INT64_MAX);
    assert_true(cook_json_i64(parse_ok(f, "-9223372036854775808"), &i) && i == INT64_MIN);
    assert_true(cook_json_i64(parse_ok(f, "-0"), &i) && i == 0);
    assert_true(cook_json_i64(parse_ok(f, "-12"), &i) && i == -12);
    assert_true(cook_json_u64(parse_ok(f, "18446744073709551615"), &u) && u == UINT64_MAX);
    assert_true(cook_json_u64(parse_ok(f, "-0"), &u) && u == 0);
}

static void integers__out_of_range_or_inexact__are_refused(void **state)
{
    struct fixture *f = *state;
    int64_t i = 7;
    uint64_t u = 7;
    static const char *const texts[] = {
        "9223372036854775808",  "-9223372036854775809", "1.0", "1e2",
        "99999999999999999999", "18446744073709551616"
    };
    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
        assert_false(cook_json_i64(parse_ok(f, texts[k]), &i));
    assert_false(cook_json_u64(parse_ok(f, "18446744073709551616"), &u));
    assert_false(cook_json_u64(parse_ok(f, "-1"), &u));
    assert_false(cook_json_u64(parse_ok(f, "\"1\""), &u));
    assert_true(i == 7 && u == 7);
}

static void f64__finite_numbers__are_read(void **state)
{
    struct fixture *f = *state;
    double d = 7;
    assert_false(cook_json_f64(parse_ok(f, "1e999"), &d));
    assert_true(d == 7);
    assert_true(cook_json_f64(parse_ok(f, "-1.5e3"), &d) && d == -1500.0);
    assert_true(cook_json_f64(parse_ok(f, "1e-999"), &d) && d == 0);
    assert_true(cook_json_f64(parse_ok(f, "0.1"), &d) && d == 0.1);
}

static void f64__comma_locale__changes_nothing(void **state)
{
    struct fixture *f = *state;
    double d = 0;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        skip();
    bool read = cook_json_f64(parse_ok(f, "1.5"), &d);
    setlocale(LC_ALL, "C");
    assert_true(read && d == 1.5);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(parse__document__is_a_tree),
        CASE(parse__values__know_their_lines),
        CASE(parse__scalar_root__is_accepted),
        CASE(parse__grammar_faults__are_refused),
        CASE(parse__faults__are_named_with_their_line),
        CASE(parse__nul_bytes__are_refused),
        CASE(parse__numbers__follow_the_grammar),
        CASE(parse__escapes__are_decoded),
        CASE(parse__bad_escapes__are_refused),
        CASE(parse__utf8__is_checked),
        CASE(parse__nesting__is_bounded),
        CASE(parse__size_and_count__are_bounded),
        CASE(parse__hostile_texts__are_refused_at_once),
        CASE(parse__large_object__finds_the_duplicate),
        CASE(parse__seventeen_keys__are_checked_as_sixteen_are),
        CASE(parse__memory_is_short__fails),
        CASE(get__other_values__are_null),
        CASE(typed_reads__other_types__leave_the_output),
        CASE(integers__in_range__are_exact),
        CASE(integers__out_of_range_or_inexact__are_refused),
        CASE(f64__finite_numbers__are_read),
        CASE(f64__comma_locale__changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
