#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/classes/shader_compile.h"

static int set_up(void **state)
{
    static const struct cook_arena empty = COOK_ARENA_INIT;
    struct cook_arena *arena = test_calloc(1, sizeof(*arena));
    *arena = empty;
    *state = arena;
    return 0;
}

static int tear_down(void **state)
{
    cook_arena_finish(*state);
    test_free(*state);
    return 0;
}

static void include_path__relative__is_from_the_including_file(void **state)
{
    static const char *const cases[][3] = {
        { "./Lit.frag", "fog.glsl", "./fog.glsl" },
        { "./Lit.frag", "lib/fog.glsl", "./lib/fog.glsl" },
        { "./lib/fog.glsl", "noise.glsl", "./lib/noise.glsl" },
        { "./lib/fog.glsl", "../a.glsl", "./a.glsl" },
        { "./lib/fog.glsl", ".././/a.glsl", "./a.glsl" },
        { "./Lit.frag", "../Common/fog.glsl", "../Common/fog.glsl" },
        { "../Common/fog.glsl", "noise.glsl", "../Common/noise.glsl" },
        { "../Common/fog.glsl", "../../x", "../../x" },
        { "Shaders/fog.glsl", "noise.glsl", "Shaders/noise.glsl" },
        { "Shaders/fog.glsl", "../a.glsl", "a.glsl" },
        { "", "./Shaders/a.glsl", "Shaders/a.glsl" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(cook_shader_include_path(*state, cases[i][0], cases[i][1]),
                            cases[i][2]);
}

static void include_path__not_a_path__is_refused(void **state)
{
    static const char *const wrong[] = { "", "/etc/passwd", "a\\b.glsl", "a\nb.glsl" };
    char text[5000];

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_null(cook_shader_include_path(*state, "./Lit.frag", wrong[i]));
        assert_null(cook_shader_include_path(*state, "", wrong[i]));
    }
    assert_null(cook_shader_include_path(*state, "Shaders/fog.glsl", "../../a.glsl"));
    assert_null(cook_shader_include_path(*state, "", "../a.glsl"));
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_null(cook_shader_include_path(*state, "./Lit.frag", text));
}

static void display_path__is_relative_to_the_source(void **state)
{
    const char *source = "Content/Shaders/Lit.frag";

    assert_string_equal(cook_shader_display_path(*state, source, "./a.glsl"),
                        "Content/Shaders/a.glsl");
    assert_string_equal(cook_shader_display_path(*state, source, "../Common/a.glsl"),
                        "Content/Common/a.glsl");
    assert_string_equal(cook_shader_display_path(*state, source, "Engine/a.glsl"),
                        "Engine/a.glsl");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(include_path__relative__is_from_the_including_file),
        TEST(include_path__not_a_path__is_refused),
        TEST(display_path__is_relative_to_the_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
