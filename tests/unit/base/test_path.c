#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/base/path.h"

#include <string.h>

static int open_arena(void **state)
{
    static const struct cook_arena empty = COOK_ARENA_INIT;
    struct cook_arena *arena = cook_malloc(sizeof(*arena));
    if (!arena)
        return -1;
    *arena = empty;
    *state = arena;
    return 0;
}

static int close_arena(void **state)
{
    cook_alloc_fail_after(-1);
    cook_arena_finish(*state);
    cook_free(*state);
    return 0;
}

static void join__harmless_parts__are_normalised(void **state)
{
    static const struct {
        const char *base, *relative, *joined;
    } cases[] = {
        { "", "a", "a" },
        { "", "", "" },
        { "a/b", "", "a/b" },
        { "a", "b/c", "a/b/c" },
        { "a/", "./b//c/", "a/b/c" },
        { "a/b", "../c", "a/c" },
        { "a/b", "../..", "" },
        { "a", "b/../../c", "c" },
        { "a/./b/..", "c", "a/c" },
        { "", "..a/b..", "..a/b.." },
        { "Content", "M\xC3\xBCll.png", "Content/M\xC3\xBCll.png" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *joined = cook_path_join(*state, cases[i].base, cases[i].relative);
        assert_non_null(joined);
        assert_string_equal(joined, cases[i].joined);
    }
}

static void join__anything_that_leaves_the_root__is_refused(void **state)
{
    assert_null(cook_path_join(*state, "", ".."));
    assert_null(cook_path_join(*state, "a", "../.."));
    assert_null(cook_path_join(*state, "a", "../../a"));
    assert_null(cook_path_join(*state, "a/b", "c/../../../../x"));
    assert_null(cook_path_join(*state, "a", "/etc/passwd"));
    assert_null(cook_path_join(*state, "/a", "b"));
}

static void join__strange_characters__are_refused(void **state)
{
    assert_null(cook_path_join(*state, "a", "b\\c"));
    assert_null(cook_path_join(*state, "a\\b", "c"));
    assert_null(cook_path_join(*state, "a", "b\nc"));
    assert_null(cook_path_join(*state, "a", "b\x7f"));
}

static void join__longest_path__is_4096_bytes(void **state)
{
    char name[4098];
    memset(name, 'a', sizeof(name));
    name[4096] = '\0';
    assert_int_equal(strlen(cook_path_join(*state, "", name)), 4096);
    assert_null(cook_path_join(*state, "b", name));
    name[4096] = 'a';
    name[4097] = '\0';
    assert_null(cook_path_join(*state, "", name));
    assert_null(cook_path_join(*state, name, ""));
}

static void join__memory_is_short__is_null(void **state)
{
    cook_alloc_fail_after(0);
    assert_null(cook_path_join(*state, "a", "b"));
    assert_null(cook_path_folder(*state, "a/b"));
    assert_null(cook_path_from_uri(*state, "a"));
}

static void parts__paths__are_taken_apart(void **state)
{
    assert_string_equal(cook_path_folder(*state, "a/b/c.png"), "a/b");
    assert_string_equal(cook_path_folder(*state, "c.png"), "");
    assert_string_equal(cook_path_name("a/b/c.png"), "c.png");
    assert_string_equal(cook_path_name("c.png"), "c.png");
    assert_string_equal(cook_path_name("a/"), "");
}

static void extension__of_the_name__has_its_dot(void **state)
{
    (void)state;
    assert_string_equal(cook_path_extension("a.b/c.tar.gz"), ".gz");
    assert_string_equal(cook_path_extension("a.b/c"), "");
    assert_string_equal(cook_path_extension("a/.hidden"), "");
    assert_string_equal(cook_path_extension("a/.hidden.txt"), ".txt");
    assert_string_equal(cook_path_extension("a/c."), "");
    assert_string_equal(cook_path_extension(""), "");
}

static void has_prefix__whole_parts_only(void **state)
{
    (void)state;
    assert_true(cook_path_has_prefix("/Game/Maps/A", "/Game/Maps"));
    assert_true(cook_path_has_prefix("/Game/Maps/A", "/Game/Maps/"));
    assert_true(cook_path_has_prefix("/Game/Maps", "/Game/Maps"));
    assert_true(cook_path_has_prefix("/Game", "/"));
    assert_true(cook_path_has_prefix("a", ""));
    assert_false(cook_path_has_prefix("/Game/MapsOld/A", "/Game/Maps"));
    assert_false(cook_path_has_prefix("/Game", "/Game/Maps"));
}

static void from_uri__escapes__are_decoded(void **state)
{
    assert_string_equal(cook_path_from_uri(*state, "Rock%20A.png"), "Rock A.png");
    assert_string_equal(cook_path_from_uri(*state, "%c3%BC/x"), "\xC3\xBC/x");
    assert_string_equal(cook_path_from_uri(*state, ""), "");
    assert_string_equal(cook_path_from_uri(*state, "a/b:c"), "a/b:c");
    assert_string_equal(cook_path_from_uri(*state, "1:2"), "1:2");
}

static void from_uri__bad_escape_or_scheme__is_null(void **state)
{
    static const char *const uris[] = { "%",       "a%2",         "%g0",      "%0g",
                                        "%00",     "%2%0",        "http:",    "a:b",
                                        "data:,x", "file:///etc", "x-y.z+1:q" };
    for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++)
        assert_null(cook_path_from_uri(*state, uris[i]));
}

static void glob__matching_texts(void **state)
{
    (void)state;
    assert_true(cook_glob_match("", ""));
    assert_true(cook_glob_match("*", ""));
    assert_true(cook_glob_match("*", "/Game/Any/Thing"));
    assert_true(cook_glob_match("/Game/UI/*", "/Game/UI/A/B"));
    assert_true(cook_glob_match("*.png", "a/b.png.png"));
    assert_true(cook_glob_match("a*b*c", "axxbyybzc"));
    assert_true(cook_glob_match("a?c", "abc"));
    assert_true(cook_glob_match("a?c", "a\xC3\xBC"
                                       "c"));
    assert_true(cook_glob_match("***a***", "a"));
    assert_true(cook_glob_match("[a]", "[a]"));
}

static void glob__other_texts(void **state)
{
    (void)state;
    assert_false(cook_glob_match("", "a"));
    assert_false(cook_glob_match("a", ""));
    assert_false(cook_glob_match("?", ""));
    assert_false(cook_glob_match("/Game/UI/*", "/Game/UIX/A"));
    assert_false(cook_glob_match("a*b", "axxc"));
    assert_false(cook_glob_match("a?c", "abbc"));
    assert_false(cook_glob_match("A", "a"));
    assert_false(cook_glob_match("[ab]", "a"));
}

static void glob__pattern_of_many_stars__does_not_explode(void **state)
{
    (void)state;
    char text[4001];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_false(cook_glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(join__harmless_parts__are_normalised, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(join__anything_that_leaves_the_root__is_refused,
                                        open_arena, close_arena),
        cmocka_unit_test_setup_teardown(join__strange_characters__are_refused, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(join__longest_path__is_4096_bytes, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(join__memory_is_short__is_null, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(parts__paths__are_taken_apart, open_arena, close_arena),
        cmocka_unit_test(extension__of_the_name__has_its_dot),
        cmocka_unit_test(has_prefix__whole_parts_only),
        cmocka_unit_test_setup_teardown(from_uri__escapes__are_decoded, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(from_uri__bad_escape_or_scheme__is_null, open_arena,
                                        close_arena),
        cmocka_unit_test(glob__matching_texts),
        cmocka_unit_test(glob__other_texts),
        cmocka_unit_test(glob__pattern_of_many_stars__does_not_explode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
