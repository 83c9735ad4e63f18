#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/load_fixture.h"

static const struct cook_shader *load(struct load_fixture *f, const char *name,
                                      const char *text)
{
    load_source(f, name, text, strlen(text));
    load_ok(f, &cook_reader_glsl);
    return load_object(f, "sky");
}

static void glsl__becomes_one_shader_with_text_and_stage(void **state)
{
    const struct cook_shader *shader = load(*state, "A/sky.frag", "void main() {}");
    assert_int_equal(shader->stage, COOK_SHADER_STAGE_FRAGMENT);
    assert_string_equal(shader->text.data, "void main() {}");
}

static void glsl__byte_order_mark_is_dropped(void **state)
{
    const struct cook_shader *shader =
        load(*state, "A/sky.glsl", "\xef\xbb\xbf#pragma shader_stage(vertex)");
    assert_int_equal(shader->stage, COOK_SHADER_STAGE_VERTEX);
    assert_int_equal(shader->text.data[0], '#');
}

static void glsl__empty_file_is_an_empty_library(void **state)
{
    const struct cook_shader *shader = load(*state, "sky.glsl", "");
    assert_int_equal(shader->stage, COOK_SHADER_STAGE_NONE);
    assert_int_equal(shader->text.size, 0);
}

static void glsl__unknown_stage_is_refused_with_its_line(void **state)
{
    struct load_fixture *f = *state;
    static const char text[] = "\n#pragma shader_stage(tessellation)\n";
    load_source(f, "sky.glsl", text, strlen(text));
    load_fails(f, &cook_reader_glsl,
               "Content/sky.glsl:2: shader stage 'tessellation' is not vertex, fragment or"
               " compute");
}

static void glsl__binary_data_is_refused(void **state)
{
    struct load_fixture *f = *state;
    load_source(f, "sky.frag", "a\0b", 3);
    load_fails(f, &cook_reader_glsl, "Content/sky.frag: shader text holds a NUL byte");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, load_set_up, load_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(glsl__becomes_one_shader_with_text_and_stage),
        TEST(glsl__byte_order_mark_is_dropped),
        TEST(glsl__empty_file_is_an_empty_library),
        TEST(glsl__unknown_stage_is_refused_with_its_line),
        TEST(glsl__binary_data_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
