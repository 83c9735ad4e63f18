#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/reader/glsl_stage.h"

static enum cook_shader_stage stage_of(const char *path, const char *text)
{
    enum cook_shader_stage stage;
    uint32_t line;
    struct cook_error error = COOK_ERROR_INIT;
    if (cook_glsl_stage(&stage, &line, path, text, &error) != COOK_OK) {
        fail_msg("%u: %s", line, error.message);
    }
    return stage;
}

static void stage__extension_decides(void **state)
{
    (void)state;
    assert_int_equal(stage_of("A/sky.vert", ""), COOK_SHADER_STAGE_VERTEX);
    assert_int_equal(stage_of("A/sky.frag", "#pragma shader_stage(vertex)"),
                     COOK_SHADER_STAGE_FRAGMENT);
    assert_int_equal(stage_of("A/sky.comp", ""), COOK_SHADER_STAGE_COMPUTE);
}

static void stage__pragma_decides_for_glsl(void **state)
{
    (void)state;
    assert_int_equal(
        stage_of("a.glsl", "#version 450\r\n # pragma shader_stage ( fragment )\n"),
        COOK_SHADER_STAGE_FRAGMENT);
    assert_int_equal(stage_of("a.glsl", "#pragma shader_stage(compute)"),
                     COOK_SHADER_STAGE_COMPUTE);
}

static void stage__glsl_without_pragma_is_a_library(void **state)
{
    (void)state;
    assert_int_equal(stage_of("a.glsl", ""), COOK_SHADER_STAGE_NONE);
    assert_int_equal(stage_of("a.glsl", "float f() { return 1.0; }"), COOK_SHADER_STAGE_NONE);
}

static void stage__pragma_in_a_comment_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(stage_of("a.glsl", "// #pragma shader_stage(vertex)\n"),
                     COOK_SHADER_STAGE_NONE);
    assert_int_equal(stage_of("a.glsl", "/*\n#pragma shader_stage(vertex)\n*/\n"
                                        "#pragma shader_stage(fragment)"),
                     COOK_SHADER_STAGE_FRAGMENT);
}

static void stage__unknown_one_is_refused_with_its_line(void **state)
{
    (void)state;
    enum cook_shader_stage stage;
    uint32_t line = 0;
    struct cook_error error = COOK_ERROR_INIT;
    assert_int_equal(
        cook_glsl_stage(&stage, &line, "a.glsl", "\n\n#pragma shader_stage(geometry)", &error),
        COOK_E_MALFORMED);
    assert_int_equal(line, 3);
    assert_string_equal(error.message,
                        "shader stage 'geometry' is not vertex, fragment or compute");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stage__extension_decides),
        cmocka_unit_test(stage__pragma_decides_for_glsl),
        cmocka_unit_test(stage__glsl_without_pragma_is_a_library),
        cmocka_unit_test(stage__pragma_in_a_comment_does_not_count),
        cmocka_unit_test(stage__unknown_one_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
