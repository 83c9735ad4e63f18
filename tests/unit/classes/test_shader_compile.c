#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/classes/shader_compile.h"

#define HEAD "#version 450\nlayout(location = 0) out vec4 color;\n"

struct file {
    const char *path, *text;
};

struct fixture {
    struct cook_shader_input input;
    struct cook_shader_output output;
    struct cook_error error;
    const struct file *files; /* ends with a NULL path */
    char reads[1024]; /* "+path" for each file found, "-path" for each one asked in vain */
};

static enum cook_status read_file(void *user, const char *path, struct cook_bytes *bytes)
{
    struct fixture *f = user;
    const struct file *file = f->files;
    size_t used = strlen(f->reads);

    while (file != NULL && file->path != NULL && strcmp(file->path, path) != 0)
        file++;
    bool found = file != NULL && file->path != NULL;
    snprintf(f->reads + used, sizeof(f->reads) - used, "%c%s ", found ? '+' : '-', path);
    if (!found)
        return COOK_E_NOT_FOUND;
    if (file->text == NULL)
        return COOK_E_IO;
    bytes->size = strlen(file->text);
    bytes->data = (uint8_t *)(uintptr_t)file->text;
    return COOK_OK;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return 1;
    f->input.name = "./Lit.frag";
    f->input.stage = COOK_SHADER_STAGE_FRAGMENT;
    f->input.read = read_file;
    f->input.user = f;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_shader_output_finish(&f->output);
    free(f);
    return 0;
}

static enum cook_status compile(struct fixture *f, const char *text)
{
    f->input.text = (struct cook_string){ text, strlen(text) };
    f->reads[0] = '\0';
    cook_shader_output_finish(&f->output);
    return cook_shader_compile(&f->output, &f->input, &f->error);
}

static bool code_holds(struct fixture *f, const char *text)
{
    return memmem(f->output.spirv.data, f->output.spirv.size, text, strlen(text)) != NULL;
}

static void compile__each_stage__gives_spirv(void **state)
{
    static const uint8_t magic[4] = { 0x03, 0x02, 0x23, 0x07 };
    struct fixture *f = *state;

    assert_int_equal(compile(f, HEAD "void main() { color = vec4(1); }\n"), COOK_OK);
    assert_memory_equal(f->output.spirv.data, magic, 4);
    assert_int_equal(f->output.log.size, 0);
    f->input.stage = COOK_SHADER_STAGE_VERTEX;
    assert_int_equal(compile(f, "#version 450\nvoid main() { gl_Position = vec4(0); }\n"),
                     COOK_OK);
    f->input.stage = COOK_SHADER_STAGE_COMPUTE;
    assert_int_equal(compile(f, "#version 450\nlayout(local_size_x = 8) in;\nvoid main() {}\n"),
                     COOK_OK);
}

static void compile__debug_info__is_kept_only_when_wanted(void **state)
{
    static const char *text = HEAD "void main() { vec4 funny_name = vec4(gl_FragCoord.x);\n"
                                   "color = funny_name; }\n";
    struct fixture *f = *state;

    assert_int_equal(compile(f, text), COOK_OK);
    assert_false(code_holds(f, "Lit.frag"));
    assert_false(code_holds(f, "color"));
    f->input.debug_info = true;
    assert_int_equal(compile(f, text), COOK_OK);
    assert_true(code_holds(f, "Lit.frag"));
    assert_true(code_holds(f, "color"));
}

static void compile__error__names_file_and_line(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(compile(f, HEAD "void main() {\n color = missing; }\n"), COOK_E_FAILED);
    assert_non_null(strstr(cook_buf_text(&f->output.log), "./Lit.frag:4: error: 'missing'"));
    assert_null(f->output.spirv.data);
    assert_non_null(strstr(f->error.message, "does not compile"));
}

static void compile__include__looks_beside_the_file_then_in_the_project(void **state)
{
    static const struct file files[] = {
        { "./lib/light.glsl", "#include \"noise.glsl\"\n#include <Shaders/sky.glsl>\n" },
        { "./lib/noise.glsl", "float noise() { return 0.5; }\n" },
        { "Shaders/sky.glsl", "#include \"deep.glsl\"\n" },
        { "deep.glsl", "float sky() { return 0.25; }\n" },
        { NULL, NULL },
    };
    struct fixture *f = *state;

    f->files = files;
    assert_int_equal(compile(f, HEAD "#include \"lib/light.glsl\"\n"
                                     "void main() { color = vec4(noise(), sky(), 0, 0); }\n"),
                     COOK_OK);
    assert_string_equal(f->reads, "+./lib/light.glsl +./lib/noise.glsl +Shaders/sky.glsl "
                                  "-Shaders/deep.glsl +deep.glsl ");
}

static void compile__missing_include__asks_both_places_and_fails(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(compile(f, HEAD "#include \"gone.glsl\"\nvoid main() {}\n"),
                     COOK_E_FAILED);
    assert_string_equal(f->reads, "-./gone.glsl -gone.glsl ");
    assert_non_null(strstr(cook_buf_text(&f->output.log), "./Lit.frag:3: error: '#include'"));
    assert_non_null(strstr(cook_buf_text(&f->output.log), "not found"));
}

static void compile__unreadable_include__fails_although_another_would_do(void **state)
{
    static const struct file files[] = {
        { "./a.glsl", NULL },
        { "a.glsl", "" },
        { NULL, NULL },
    };
    struct fixture *f = *state;

    f->files = files;
    assert_int_equal(compile(f, HEAD "#include \"a.glsl\"\nvoid main() {}\n"), COOK_E_IO);
    assert_null(f->output.spirv.data);
}

static void compile__include_of_itself__ends(void **state)
{
    static const struct file files[] = {
        { "./loop.glsl", "#include \"loop.glsl\"\n#include \"loop.glsl\"\n" },
        { NULL, NULL },
    };
    struct fixture *f = *state;

    f->files = files;
    assert_int_equal(compile(f, HEAD "#include \"loop.glsl\"\nvoid main() {}\n"),
                     COOK_E_FAILED);
    assert_string_equal(f->reads, "+./loop.glsl "); /* read once */
}

static void compile__absolute_include__is_refused(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(compile(f, HEAD "#include \"/etc/passwd\"\nvoid main() {}\n"),
                     COOK_E_FAILED);
    assert_string_equal(f->reads, "");
}

static void compile__defines__later_ones_win(void **state)
{
    struct cook_string defines[] = { { "VALUE=0.3", 9 }, { "FLAG", 4 }, { "VALUE=0.7", 9 } };
    struct fixture *f = *state;

    f->input.defines = defines;
    f->input.define_count = 3;
    assert_int_equal(
        compile(f, HEAD "#if FLAG\nvoid main() { color = vec4(VALUE); }\n#endif\n"), COOK_OK);
    assert_true(memmem(f->output.spirv.data, f->output.spirv.size, "\x33\x33\x33\x3f", 4) !=
                NULL);
    assert_false(memmem(f->output.spirv.data, f->output.spirv.size, "\x9a\x99\x99\x3e", 4) !=
                 NULL);
}

static void compile__wrong_define__is_named(void **state)
{
    static const char *const wrong[] = { "1A=2", "", "=x", "A B=2", "A=1\n#error" };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct cook_string define = { wrong[i], strlen(wrong[i]) };
        f->input.defines = &define;
        f->input.define_count = 1;
        assert_int_equal(compile(f, HEAD "void main() {}\n"), COOK_E_INVALID);
    }
    assert_non_null(strstr(f->error.message, "NAME=VALUE"));
}

static void *compile_in_thread(void *argument)
{
    struct fixture *f = argument;
    bool ok = true;

    for (int i = 0; i < 5; i++)
        ok = ok && compile(f, HEAD "void main() { color = vec4(0.75); }\n") == COOK_OK;
    return ok ? f : NULL;
}

static void compile__two_threads__give_the_same_bytes(void **state)
{
    struct fixture *f = *state;
    struct fixture second = *f;
    pthread_t thread;
    void *result = NULL;

    second.input.user = &second;
    assert_int_equal(pthread_create(&thread, NULL, compile_in_thread, &second), 0);
    assert_non_null(compile_in_thread(f));
    pthread_join(thread, &result);
    assert_non_null(result);
    assert_int_equal(f->output.spirv.size, second.output.spirv.size);
    assert_memory_equal(f->output.spirv.data, second.output.spirv.data,
                        second.output.spirv.size);
    cook_shader_output_finish(&second.output);
}

static void compile__garbage__fails(void **state)
{
    struct fixture *f = *state;
    char text[200];
    uint32_t seed = 3;

    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525u + 1013904223u;
            text[i] = (char)(seed >> 24);
        }
        f->input.text = (struct cook_string){ text, sizeof(text) };
        cook_shader_output_finish(&f->output);
        assert_int_equal(cook_shader_compile(&f->output, &f->input, &f->error), COOK_E_FAILED);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compile__each_stage__gives_spirv),
        TEST(compile__debug_info__is_kept_only_when_wanted),
        TEST(compile__error__names_file_and_line),
        TEST(compile__include__looks_beside_the_file_then_in_the_project),
        TEST(compile__missing_include__asks_both_places_and_fails),
        TEST(compile__unreadable_include__fails_although_another_would_do),
        TEST(compile__include_of_itself__ends),
        TEST(compile__absolute_include__is_refused),
        TEST(compile__defines__later_ones_win),
        TEST(compile__wrong_define__is_named),
        TEST(compile__two_threads__give_the_same_bytes),
        TEST(compile__garbage__fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
