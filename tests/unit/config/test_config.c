#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/config/config.h"
#include "tests/support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_config_options options;
    struct cook_config *config;
    struct cook_error error;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f || test_folder_open(&f->folder) != 0)
        return -1;
    f->options.project_fd = f->folder.fd;
    f->options.target = "Linux";
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_config_destroy(f->config);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static enum cook_status load(struct fixture *f)
{
    cook_config_destroy(f->config);
    enum cook_status status = cook_config_load(&f->config, &f->options, &f->error);
    assert_true((status == COOK_OK) == (f->config != NULL));
    return status;
}

/* Load a project whose only file is cook.ini with that text. */
static enum cook_status load_text(struct fixture *f, const char *text)
{
    assert_int_equal(test_folder_write(&f->folder, "cook.ini", text), 0);
    return load(f);
}

static void assert_fault(struct fixture *f, const char *text, const char *message)
{
    assert_int_equal(load_text(f, text), COOK_E_CONFIG);
    assert_int_equal(f->error.status, COOK_E_CONFIG);
    assert_string_equal(f->error.message, message);
}

/* Assert that the values of a key are the texts of `wanted`, which ends with NULL. */
static void assert_values(const struct cook_config *config, const char *section,
                          const char *key, const char *const *wanted)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(config, section, key, &values);
    for (size_t i = 0; i < count && wanted[i]; i++)
        assert_string_equal(values[i].text, wanted[i]);
    assert_null(wanted[count]);
}
#define ASSERT_VALUES(config, section, key, ...)                                               \
    assert_values(config, section, key, (const char *const[]){ __VA_ARGS__, NULL, NULL })

static void load__no_cook_ini__is_not_found(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f), COOK_E_NOT_FOUND);
    assert_string_equal(f->error.message, "no cook.ini in the project folder; run 'cook init'");
}

static void load__empty_cook_ini__has_the_built_in_layer(void **state)
{
    struct fixture *f = *state;
    const struct cook_config_value *values;
    assert_int_equal(load_text(f, ""), COOK_OK);
    assert_int_equal(
        cook_config_values(f->config, "Incremental", "ClassScriptPackageAllowList", &values),
        1);
    assert_string_equal(values[0].text, "/Script/Cook");
    assert_string_equal(values[0].source, "built-in");
    assert_int_equal(values[0].line, 0);
}

static void load__values__remember_file_and_line(void **state)
{
    struct fixture *f = *state;
    const struct cook_config_value *values;
    assert_int_equal(load_text(f, "; head\n[Project]\r\n\nName = Arena \n+A=1\n  +A=2"),
                     COOK_OK);
    assert_int_equal(cook_config_values(f->config, "Project", "Name", &values), 1);
    assert_string_equal(values[0].text, "Arena");
    assert_string_equal(values[0].source, "cook.ini");
    assert_int_equal(values[0].line, 4);
    assert_int_equal(cook_config_values(f->config, "Project", "A", &values), 2);
    assert_int_equal(values[1].line, 6);
}

static void load__layers__later_wins(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        test_folder_write(&f->folder, "Config/DefaultB.ini", "[S]\nA=b\nB=b\n+L=b"), 0);
    assert_int_equal(test_folder_write(&f->folder, "Config/DefaultA.ini", "[S]\nA=a\n+L=a"), 0);
    assert_int_equal(test_folder_write(&f->folder, "Config/Other.ini", "[S]\nA=o\n+L=o"), 0);
    assert_int_equal(test_folder_write(&f->folder, "Config/Default.txt", "[S]\nA=o\n+L=o"), 0);
    assert_int_equal(test_folder_write(&f->folder, "Config/Linux/X.ini", "[S]\nC=l\n+L=l"), 0);
    assert_int_equal(test_folder_write(&f->folder, "Config/Switch/X.ini", "[S]\nC=s\n+L=s"), 0);
    static const char *const overrides[] = { "S.E=o", "S.+L=o", "S.-L=b" };
    f->options.overrides = overrides;
    f->options.override_count = 3;
    assert_int_equal(load_text(f, "[S]\nC=p\nD=p\nE=p\n+L=p"), COOK_OK);
    ASSERT_VALUES(f->config, "S", "A", "b");
    ASSERT_VALUES(f->config, "S", "C", "p");
    ASSERT_VALUES(f->config, "S", "E", "o");
    ASSERT_VALUES(f->config, "S", "L", "a", "l", "p", "o");
    const struct cook_config_value *values;
    assert_int_equal(cook_config_values(f->config, "S", "L", &values), 4);
    assert_string_equal(values[1].source, "Config/Linux/X.ini");
    assert_string_equal(values[3].source, "--ini");
    assert_int_equal(values[3].line, 0);
}

static void load__folder_named_as_a_layer__is_no_layer(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(test_folder_write(&f->folder, "Config/DefaultX.ini/a", ""), 0);
    assert_int_equal(load_text(f, "[S]\nA=1"), COOK_OK);
}

static void merge__array_keys__append_remove_and_replace(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load_text(f, "[S]\n+A=1\n+A=2\n+A=1\n+A=3\n-A=2\n-A=9\n"
                                  "+B=1\n+B=2\nB=3\n+B=4\n"
                                  "+C=1\n-C=1\n-D=1\n"
                                  "E=1\nE=\n[T]\n+A=9\n[S]\n+A=4"),
                     COOK_OK);
    ASSERT_VALUES(f->config, "S", "A", "1", "3", "4");
    ASSERT_VALUES(f->config, "S", "B", "3", "4");
    ASSERT_VALUES(f->config, "S", "C", NULL);
    ASSERT_VALUES(f->config, "S", "D", NULL);
    ASSERT_VALUES(f->config, "S", "E", "");
    ASSERT_VALUES(f->config, "T", "A", "9");
    ASSERT_VALUES(f->config, "s", "A", NULL);
    ASSERT_VALUES(f->config, "S", "a", NULL);
}

static void load__comments__are_left_out(void **state)
{
    struct fixture *f = *state;
    char text[10000];
    memset(text, 'x', sizeof(text));
    text[0] = '#';
    const char *rest = "\n[S] ; x\nA=1 ; x\nB=1;2\n  # C=1\n;D=1\nE=a=b:c";
    memcpy(text + 9000, rest, strlen(rest) + 1);
    assert_int_equal(load_text(f, text), COOK_OK);
    ASSERT_VALUES(f->config, "S", "A", "1");
    ASSERT_VALUES(f->config, "S", "B", "1;2");
    ASSERT_VALUES(f->config, "S", "C", NULL);
    ASSERT_VALUES(f->config, "S", "D", NULL);
    ASSERT_VALUES(f->config, "S", "E", "a=b:c");
}

static void load__byte_order_mark__is_skipped(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load_text(f, "\xEF\xBB\xBF[S]\nA=1"), COOK_OK);
    ASSERT_VALUES(f->config, "S", "A", "1");
}

/* The parser alone would cut sections and keys at 49 bytes, lines at 199. */
static void load__long_names_and_values__are_whole(void **state)
{
    struct fixture *f = *state;
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "[S%0100d]\nK%0100d=V%04000d", 1, 2, 3);
    assert_int_equal(load_text(f, cook_buf_text(&text)), COOK_OK);
    char section[128], key[128];
    snprintf(section, sizeof(section), "S%0100d", 1);
    snprintf(key, sizeof(key), "K%0100d", 2);
    assert_int_equal(strlen(cook_config_string(f->config, section, key, "")), 4001);
    cook_buf_finish(&text);
}

static void load__malformed_files__are_named_with_their_line(void **state)
{
    struct fixture *f = *state;
    const char *grammar = "cook.ini:2: expected '[Section]' or 'Key=Value'";
    assert_fault(f, "[S]\nA", grammar);
    assert_fault(f, "[S]\n[T\nA=1", grammar);
    assert_fault(f, "[S]\nA\n+=1", grammar);
    assert_fault(f, "A=1\n[S]", "cook.ini:1: key outside of a section");
    assert_fault(f, "[S]\nA=1\n[]\nA=1", "cook.ini:4: key outside of a section");
    assert_fault(f, "[S]\n=1", "cook.ini:2: empty key");
    assert_fault(f, "[S]\nA=1\n+=1\nB", "cook.ini:3: empty key");
}

static void load__malformed_layer__is_named(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(test_folder_write(&f->folder, "Config/Linux/A.ini", "[S]\n\nA"), 0);
    assert_fault(f, "", "Config/Linux/A.ini:3: expected '[Section]' or 'Key=Value'");
}

static void load__limits__are_config_faults(void **state)
{
    struct fixture *f = *state;
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "[S]\nA=%09000d", 1);
    assert_fault(f, cook_buf_text(&text), "cook.ini:2: line too long");
    cook_buf_clear(&text);
    cook_buf_printf(&text, "[S]\n");
    for (int i = 0; i < 10001; i++)
        cook_buf_printf(&text, "+A=%d\n", i);
    assert_fault(f, cook_buf_text(&text), "cook.ini:10002: too many values of one key");
    cook_buf_clear(&text);
    while (text.size <= 4u << 20)
        cook_buf_printf(&text, ";%01000d\n", 1);
    assert_fault(f, cook_buf_text(&text), "'cook.ini' is larger than 4194304 bytes");
    cook_buf_finish(&text);
}

static void load__nul_byte__is_refused(void **state)
{
    struct fixture *f = *state;
    const char text[] = "[S]\nA=1\0B=2";
    assert_int_equal(
        cook_fs_write(f->folder.fd, "cook.ini", text, sizeof(text) - 1, false, NULL), COOK_OK);
    assert_int_equal(load(f), COOK_E_CONFIG);
    assert_string_equal(f->error.message, "cook.ini:2: NUL byte");
}

static void load__target_that_is_no_name__is_refused(void **state)
{
    struct fixture *f = *state;
    static const char *const targets[] = { "", "..", ".x", "a/b", "../x", "a\\b" };
    assert_int_equal(test_folder_write(&f->folder, "cook.ini", ""), 0);
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        f->options.target = targets[i];
        assert_int_equal(load(f), COOK_E_CONFIG);
    }
    f->options.target = NULL;
    assert_int_equal(load(f), COOK_OK);
}

static void overrides__names_with_dots__find_their_section(void **state)
{
    struct fixture *f = *state;
    static const char *const overrides[] = { "Known.Section.r.Key=1", "New.r.Key=2",
                                             "/Script/Arena.Spawner.Speed=3", "S.A=b=c" };
    f->options.overrides = overrides;
    f->options.override_count = 4;
    assert_int_equal(load_text(f, "[Known.Section]\nA=1\n[Known]\nA=1"), COOK_OK);
    ASSERT_VALUES(f->config, "Known.Section", "r.Key", "1");
    ASSERT_VALUES(f->config, "New", "r.Key", "2");
    ASSERT_VALUES(f->config, "/Script/Arena.Spawner", "Speed", "3");
    ASSERT_VALUES(f->config, "S", "A", "b=c");
}

static void overrides__malformed__are_wrong_usage(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = { "",     "=",    "A",     "A.B",  "A=1",
                                         ".A=1", "A.=1", "A.+=1", "A.-=1" };
    assert_int_equal(test_folder_write(&f->folder, "cook.ini", ""), 0);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        f->options.overrides = &texts[i];
        f->options.override_count = 1;
        assert_int_equal(load(f), COOK_E_USAGE);
    }
    assert_string_equal(f->error.message, "--ini 'A.-=1': expected 'Section.Key=Value'");
}

static void typed_reads__words_and_numbers(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load_text(f, "[S]\nA=Yes\nB=OFF\nC=1\nD=maybe\nE=-12\nF=12x\n"
                                  "G=99999999999999999999\nH=\nI=0"),
                     COOK_OK);
    const struct cook_config *c = f->config;
    assert_true(cook_config_bool(c, "S", "A", false) && cook_config_bool(c, "S", "C", false));
    assert_false(cook_config_bool(c, "S", "B", true) || cook_config_bool(c, "S", "I", true));
    assert_true(cook_config_bool(c, "S", "D", true) && cook_config_bool(c, "S", "X", true));
    assert_false(cook_config_bool(c, "S", "D", false) || cook_config_bool(c, "S", "H", false));
    assert_int_equal(cook_config_i64(c, "S", "E", 5), -12);
    static const char *const unusable[] = { "A", "F", "G", "H", "X" };
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(cook_config_i64(c, "S", unusable[i], 5), 5);
    assert_string_equal(cook_config_string(c, "S", "X", "fallback"), "fallback");
    assert_null(cook_config_string(c, "X", "X", NULL));
}

static void hash__values_and_order__matter(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load_text(f, "[S]\n+A=1\n+A=2\n+B=2\n+B=1\n+C=1\n+C=2\n+D=12\n-E=1\nF="),
                     COOK_OK);
    struct cook_hash a = cook_config_hash(f->config, "S", "A");
    assert_true(cook_hash_equal(a, cook_config_hash(f->config, "S", "C")));
    assert_false(cook_hash_equal(a, cook_config_hash(f->config, "S", "B")));
    assert_false(cook_hash_equal(a, cook_config_hash(f->config, "S", "D")));
    assert_true(cook_hash_is_zero(cook_config_hash(f->config, "S", "E")));
    assert_true(cook_hash_is_zero(cook_config_hash(f->config, "S", "X")));
    assert_false(cook_hash_is_zero(cook_config_hash(f->config, "S", "F")));
}

static const char project_text[] = "[S]\n+A=1\n+A=two\nB=\n-C=1\n[/Script/X.Y]\nZ=1\n";

static void decode__encoded_config__is_the_same(void **state)
{
    struct fixture *f = *state;
    struct cook_buf bytes = COOK_BUF_INIT, again = COOK_BUF_INIT;
    struct cook_config *copy = NULL;
    const struct cook_config_value *values;
    assert_int_equal(load_text(f, project_text), COOK_OK);
    cook_config_encode(f->config, &bytes);
    assert_int_equal(cook_config_decode(&copy, bytes.data, bytes.size, &f->error), COOK_OK);
    ASSERT_VALUES(copy, "S", "A", "1", "two");
    ASSERT_VALUES(copy, "S", "B", "");
    ASSERT_VALUES(copy, "S", "C", NULL);
    assert_int_equal(cook_config_values(copy, "/Script/X.Y", "Z", &values), 1);
    assert_string_equal(values[0].source, "cook.ini");
    assert_int_equal(values[0].line, 7);
    cook_config_encode(copy, &again);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);
    cook_config_destroy(copy);
    cook_buf_finish(&bytes);
    cook_buf_finish(&again);
}

static void decode__cut_or_longer__is_malformed(void **state)
{
    struct fixture *f = *state;
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_config *copy = NULL;
    assert_int_equal(load_text(f, project_text), COOK_OK);
    cook_config_encode(f->config, &bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        assert_int_equal(cook_config_decode(&copy, bytes.data, size, &f->error),
                         COOK_E_MALFORMED);
        assert_null(copy);
    }
    cook_buf_put_u8(&bytes, 0);
    assert_int_equal(cook_config_decode(&copy, bytes.data, bytes.size, NULL), COOK_E_MALFORMED);
    cook_buf_finish(&bytes);
}

static void decode__flipped_bytes__never_break_it(void **state)
{
    struct fixture *f = *state;
    struct cook_buf bytes = COOK_BUF_INIT;
    assert_int_equal(load_text(f, project_text), COOK_OK);
    cook_config_encode(f->config, &bytes);
    for (size_t i = 0; i < bytes.size * 8; i++) {
        struct cook_config *copy = NULL;
        bytes.data[i / 8] ^= (uint8_t)(1u << (i % 8));
        enum cook_status status = cook_config_decode(&copy, bytes.data, bytes.size, &f->error);
        assert_true(status == COOK_OK || status == COOK_E_MALFORMED);
        cook_config_destroy(copy);
        bytes.data[i / 8] ^= (uint8_t)(1u << (i % 8));
    }
    cook_buf_finish(&bytes);
}

static void load__memory_is_short__fails(void **state)
{
    struct fixture *f = *state;
    static const char *const overrides[] = { "S.+A=3" };
    f->options.overrides = overrides;
    f->options.override_count = 1;
    assert_int_equal(test_folder_write(&f->folder, "cook.ini", project_text), 0);
    assert_int_equal(test_folder_write(&f->folder, "Config/DefaultA.ini", project_text), 0);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        cook_alloc_fail_after(after);
        status = load(f);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
}

static void decode__memory_is_short__fails(void **state)
{
    struct fixture *f = *state;
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_config *copy = NULL;
    assert_int_equal(load_text(f, project_text), COOK_OK);
    cook_config_encode(f->config, &bytes);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        cook_alloc_fail_after(after);
        status = cook_config_decode(&copy, bytes.data, bytes.size, &f->error);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
    cook_config_destroy(copy);
    cook_config_destroy(NULL);
    cook_buf_finish(&bytes);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(load__no_cook_ini__is_not_found),
        CASE(load__empty_cook_ini__has_the_built_in_layer),
        CASE(load__values__remember_file_and_line),
        CASE(load__layers__later_wins),
        CASE(load__folder_named_as_a_layer__is_no_layer),
        CASE(merge__array_keys__append_remove_and_replace),
        CASE(load__comments__are_left_out),
        CASE(load__byte_order_mark__is_skipped),
        CASE(load__long_names_and_values__are_whole),
        CASE(load__malformed_files__are_named_with_their_line),
        CASE(load__malformed_layer__is_named),
        CASE(load__limits__are_config_faults),
        CASE(load__nul_byte__is_refused),
        CASE(load__target_that_is_no_name__is_refused),
        CASE(overrides__names_with_dots__find_their_section),
        CASE(overrides__malformed__are_wrong_usage),
        CASE(typed_reads__words_and_numbers),
        CASE(hash__values_and_order__matter),
        CASE(decode__encoded_config__is_the_same),
        CASE(decode__cut_or_longer__is_malformed),
        CASE(decode__flipped_bytes__never_break_it),
        CASE(load__memory_is_short__fails),
        CASE(decode__memory_is_short__fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
