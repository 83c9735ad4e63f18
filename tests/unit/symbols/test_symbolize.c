#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/symbols/symbolize.h"

#if __has_attribute(noipa)
#define NOINLINE __attribute__((noipa))
#else
#define NOINLINE __attribute__((noinline))
#endif
#define MAX_FRAMES 64

struct fixture {
    char folder[64]; /* temporary */
    struct cook_stacks *stacks;
    struct cook_symbolizer *symbolizer;
    struct cook_arena arena;
    struct cook_stack_set set;
    struct cook_symbol_frame frames[MAX_FRAMES];
    size_t count;
    uint32_t id;
    unsigned depth;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    memset(&fixture, 0, sizeof(fixture));
    snprintf(fixture.folder, sizeof(fixture.folder), "/tmp/cook-symbols-XXXXXX");
    const char *folders[] = { fixture.folder };
    struct cook_symbolizer_options options = { folders, 1 };
    *state = &fixture;
    if (!mkdtemp(fixture.folder) || cook_stacks_create(&fixture.stacks, NULL) != COOK_OK)
        return -1;
    return cook_symbolizer_create(&fixture.symbolizer, &options, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    cook_symbolizer_destroy(fixture->symbolizer);
    cook_stacks_destroy(fixture->stacks);
    cook_arena_finish(&fixture->arena);
    return cook_fs_remove_tree(AT_FDCWD, fixture->folder, NULL) == COOK_OK ? 0 : -1;
}

static void decode_stacks(struct fixture *fixture)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    cook_stacks_encode(fixture->stacks, &bytes);
    assert_false(bytes.failed);
    assert_int_equal(COOK_OK, cook_stack_set_decode(&fixture->set, bytes.data, bytes.size,
                                                    &fixture->arena, NULL));
    cook_buf_finish(&bytes);
}

static void name_stack(struct fixture *fixture)
{
    fixture->count = cook_symbolizer_stack(fixture->symbolizer, &fixture->set, fixture->id,
                                           fixture->frames, MAX_FRAMES);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = text ? strlen(text) : 0;
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static void assert_frame(const struct cook_symbol_frame *frame, const char *function,
                         const char *file, unsigned line, bool inlined)
{
    assert_non_null(frame->function);
    assert_string_equal(function, frame->function);
    assert_true(ends_with(frame->file, file));
    assert_int_equal(line, frame->line);
    assert_int_equal(inlined, frame->inlined);
}

/* A hook within this program, with a helper inlined into it. */

static const unsigned capture_line = __LINE__ + 3;
static NOINLINE void capture(struct fixture *fixture)
{
    fixture->id = cook_stacks_capture(fixture->stacks, 0, fixture->depth);
    __asm__ volatile("");
}

static const unsigned inlined_line = __LINE__ + 3;
static inline __attribute__((always_inline)) void inlined_helper(struct fixture *fixture)
{
    capture(fixture);
    __asm__ volatile("");
}

static const unsigned hook_line = __LINE__ + 3;
static NOINLINE void hook(struct fixture *fixture)
{
    inlined_helper(fixture);
    __asm__ volatile("");
}

static NOINLINE void call_hook(struct fixture *fixture)
{
    fixture->depth = cook_stacks_depth();
    hook(fixture);
    __asm__ volatile("");
}

static void name__captured_stack_has_functions_files_and_lines(void **state)
{
    struct fixture *fixture = *state;
    call_hook(fixture);
    decode_stacks(fixture);
    name_stack(fixture);
    assert_int_equal(3, fixture->count);
    assert_frame(&fixture->frames[0], "capture", "test_symbolize.c", capture_line, false);
    assert_frame(&fixture->frames[1], "inlined_helper", "test_symbolize.c", inlined_line, true);
    assert_frame(&fixture->frames[2], "hook", "test_symbolize.c", hook_line, false);
    assert_int_equal(fixture->frames[1].offset, fixture->frames[2].offset);
    assert_int_equal(40, strlen(fixture->frames[0].build_id));
}

static void name__no_more_than_the_room_given(void **state)
{
    struct fixture *fixture = *state;
    call_hook(fixture);
    decode_stacks(fixture);
    for (size_t max = 0; max <= 3; max++)
        assert_int_equal(max, cook_symbolizer_stack(fixture->symbolizer, &fixture->set,
                                                    fixture->id, fixture->frames, max));
    assert_int_equal(0, cook_symbolizer_stack(fixture->symbolizer, &fixture->set, 99,
                                              fixture->frames, MAX_FRAMES));
}

static void name__short_memory_gives_fewer_names_and_no_fault(void **state)
{
    struct fixture *fixture = *state;
    call_hook(fixture);
    decode_stacks(fixture);
    for (long after = 0; after < 400; after++) {
        struct cook_symbolizer_options options = { NULL, 0 };
        struct cook_symbolizer *symbolizer;
        cook_alloc_fail_after(after);
        if (cook_symbolizer_create(&symbolizer, &options, NULL) == COOK_OK) {
            size_t count = cook_symbolizer_stack(symbolizer, &fixture->set, fixture->id,
                                                 fixture->frames, MAX_FRAMES);
            assert_true(count >= 2);
        }
        cook_alloc_fail_after(-1);
        cook_symbolizer_destroy(symbolizer);
    }
}

/* Plugins are compiled here, so that each test has the debug information that it is about. */

static const char c_plugin[] = "void helper(void (*back)(void *), void *data)\n"
                               "{\n"
                               "    back(data);\n" /* line 3 */
                               "    __asm__ volatile(\"\");\n"
                               "}\n"
                               "void plugin_hook(void (*back)(void *), void *data)\n"
                               "{\n"
                               "    helper(back, data);\n" /* line 8 */
                               "    __asm__ volatile(\"\");\n"
                               "}\n";

static const char cpp_plugin[] =
    "namespace game { namespace {\n"
    "template <class T> struct Item {\n"
    "    struct Part { void cook(void (*back)(void *), void *data); };\n"
    "};\n"
    "template <class T> __attribute__((noinline))\n"
    "void Item<T>::Part::cook(void (*back)(void *), void *data)\n"
    "{ back(data); __asm__ volatile(\"\"); }\n" /* line 7 */
    "} }\n"
    "extern \"C\" void plugin_hook(void (*back)(void *), void *data)\n"
    "{\n"
    "    game::Item<int>::Part().cook(back, data);\n" /* line 11 */
    "    __asm__ volatile(\"\");\n"
    "}\n";

static const char *in_folder(struct fixture *fixture, const char *name)
{
    return cook_arena_printf(&fixture->arena, "%s/%s", fixture->folder, name);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(0, fclose(file));
}

/* Skips the test where there is no such compiler, or it does not know the flags. */
static const char *build_plugin(struct fixture *fixture, const char *source,
                                const char *compiler, const char *flags)
{
    const char *path = in_folder(fixture, "arena.so");
    const char *code = strstr(compiler, "++") ? "plugin.cc" : "plugin.c";
    write_text(in_folder(fixture, code), source);
    const char *command = cook_arena_printf(
        &fixture->arena,
        "cd %s && %s -shared -fPIC -fno-optimize-sibling-calls %s %s -o arena.so 2>/dev/null",
        fixture->folder, compiler, flags, code);
    if (system(command) != 0)
        skip();
    return path;
}

static void capture_back(void *data)
{
    struct fixture *fixture = data;
    fixture->id = cook_stacks_capture(fixture->stacks, 1, fixture->depth);
    __asm__ volatile("");
}

static void run_plugin(struct fixture *fixture, const char *path)
{
    void (*plugin_hook)(void (*)(void *), void *) = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* never closed, as in a worker */
    assert_non_null(library);
    *(void **)&plugin_hook = dlsym(library, "plugin_hook");
    assert_non_null(plugin_hook);
    fixture->depth = cook_stacks_depth();
    plugin_hook(capture_back, fixture);
    decode_stacks(fixture);
}

static void assert_named_plugin(struct fixture *fixture)
{
    name_stack(fixture);
    assert_int_equal(2, fixture->count);
    assert_frame(&fixture->frames[0], "helper", "plugin.c", 3, false);
    assert_frame(&fixture->frames[1], "plugin_hook", "plugin.c", 8, false);
    assert_string_equal("arena.so", fixture->frames[0].module);
}

static void assert_raw_plugin(struct fixture *fixture)
{
    name_stack(fixture);
    assert_int_equal(2, fixture->count);
    assert_null(fixture->frames[0].function);
    assert_null(fixture->frames[0].file);
    assert_string_equal("arena.so", fixture->frames[0].module);
    char *text = cook_symbol_text(&fixture->frames[0], &fixture->arena);
    assert_non_null(strstr(text, "arena.so+0x"));
}

#define PLAIN "-g -O0 -Wl,--build-id"

static void plugin__is_named_with_each_kind_of_debug_information(void **state)
{
    struct fixture *fixture = *state;
    const char *flags[] = { "-gdwarf-5 -gno-column-info -O0 -Wl,--build-id",
                            "-gdwarf-4 -O0 -Wl,--build-id=md5", PLAIN " -gz",
                            PLAIN " -gz=zlib-gnu", PLAIN " -flto" };
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        tear_down(state);
        set_up(state);
        run_plugin(fixture, build_plugin(fixture, c_plugin, "cc", flags[i]));
        assert_named_plugin(fixture);
    }
}

static void plugin__built_by_clang_is_named(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, c_plugin, "clang", PLAIN));
    assert_named_plugin(fixture);
}

static void plugin__cpp_names_are_qualified(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, cpp_plugin, "c++", PLAIN));
    name_stack(fixture);
    assert_int_equal(2, fixture->count);
    assert_frame(&fixture->frames[0], "game::(anonymous namespace)::Item<int>::Part::cook",
                 "plugin.cc", 7, false);
    assert_frame(&fixture->frames[1], "plugin_hook", "plugin.cc", 11, false);
}

static void plugin__replaced_at_its_path_stays_raw(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, c_plugin, "cc", PLAIN));
    assert_int_equal(0, unlink(in_folder(fixture, "arena.so")));
    build_plugin(fixture, c_plugin, "cc", PLAIN " -DOTHER -g3");
    assert_raw_plugin(fixture);
}

static void plugin__copy_by_build_id_is_found_when_the_path_is_gone(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, c_plugin, "cc", PLAIN));
    const char *copy = cook_arena_printf(&fixture->arena, "%s/%s.so", fixture->folder,
                                         fixture->set.modules[0].build_id);
    assert_int_equal(0, rename(in_folder(fixture, "arena.so"), copy));
    assert_named_plugin(fixture);
}

static void plugin__false_copy_is_not_taken(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, c_plugin, "cc", PLAIN));
    assert_int_equal(0, unlink(in_folder(fixture, "arena.so")));
    build_plugin(fixture, c_plugin, "cc", PLAIN " -g3");
    const char *copy = cook_arena_printf(&fixture->arena, "%s/%s.so", fixture->folder,
                                         fixture->set.modules[0].build_id);
    assert_int_equal(0, rename(in_folder(fixture, "arena.so"), copy));
    assert_raw_plugin(fixture);
}

static void plugin__loaded_from_a_copy_keeps_its_soname(void **state)
{
    struct fixture *fixture = *state;
    build_plugin(fixture, c_plugin, "cc", PLAIN " -Wl,-soname,arena.so");
    const char *copy = in_folder(fixture, "0123.so");
    assert_int_equal(0, rename(in_folder(fixture, "arena.so"), copy));
    run_plugin(fixture, copy);
    assert_named_plugin(fixture);
}

static void plugin__without_debug_information_has_symbols(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, c_plugin, "cc", "-O0 -s -Wl,--build-id"));
    name_stack(fixture);
    assert_int_equal(2, fixture->count);
    assert_string_equal("helper", fixture->frames[0].function);
    assert_null(fixture->frames[0].file);
    char *text = cook_symbol_text(&fixture->frames[0], &fixture->arena);
    assert_non_null(strstr(text, "helper (arena.so+0x"));
}

static void plugin__with_split_debug_information_has_symbols(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, c_plugin, "cc", PLAIN " -gsplit-dwarf"));
    name_stack(fixture);
    assert_string_equal("helper", fixture->frames[0].function);
    assert_int_equal(0, fixture->frames[0].line);
}

static void plugin__without_a_build_id_stays_raw(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, c_plugin, "cc", "-g -O0 -Wl,--build-id=none"));
    assert_raw_plugin(fixture);
}

static void plugin__missing_everywhere_stays_raw(void **state)
{
    struct fixture *fixture = *state;
    run_plugin(fixture, build_plugin(fixture, c_plugin, "cc", PLAIN));
    assert_int_equal(0, unlink(in_folder(fixture, "arena.so")));
    assert_raw_plugin(fixture);
}

static void plugin__compiled_by_a_climbing_path_shows_no_build_folder(void **state)
{
    struct fixture *fixture = *state;
    const char *flags =
        cook_arena_printf(&fixture->arena, PLAIN " -ffile-prefix-map=%s=.", fixture->folder);
    write_text(in_folder(fixture, "plugin.c"), c_plugin);
    const char *command = cook_arena_printf(
        &fixture->arena, "mkdir %s/out && cd %s/out && cc -shared -fPIC %s ../plugin.c -o %s",
        fixture->folder, fixture->folder, flags, in_folder(fixture, "arena.so"));
    if (system(command) != 0)
        skip();
    run_plugin(fixture, in_folder(fixture, "arena.so"));
    assert_named_plugin(fixture);
    assert_string_equal("plugin.c", fixture->frames[0].file);
}

static void plugin__cut_short_stays_raw(void **state)
{
    struct fixture *fixture = *state;
    const char *path = build_plugin(fixture, c_plugin, "cc", PLAIN);
    run_plugin(fixture, path);
    const char *copy = in_folder(fixture, "copy.so");
    char *command = cook_arena_printf(&fixture->arena, "cp %s %s && rm %s", path, copy, path);
    assert_int_equal(0, system(command));
    for (off_t size = 0; size < 9000; size += 500) {
        struct cook_symbolizer_options options = { NULL, 0 };
        struct cook_symbolizer *symbolizer;
        assert_int_equal(0, truncate(copy, size));
        fixture->set.modules[0].path = copy;
        assert_int_equal(COOK_OK, cook_symbolizer_create(&symbolizer, &options, NULL));
        assert_int_equal(2, cook_symbolizer_stack(symbolizer, &fixture->set, fixture->id,
                                                  fixture->frames, MAX_FRAMES));
        cook_symbolizer_destroy(symbolizer);
    }
}

static void text__has_a_form_for_each_degree_of_knowledge(void **state)
{
    struct fixture *fixture = *state;
    struct cook_symbol_frame frame = { .module = "arena.so", .build_id = "", .offset = 0x1a };
    struct cook_arena *arena = &fixture->arena;
    assert_string_equal("arena.so+0x1a", cook_symbol_text(&frame, arena));
    frame.function = "cook";
    assert_string_equal("cook (arena.so+0x1a)", cook_symbol_text(&frame, arena));
    frame.file = "src/arena.c";
    assert_string_equal("cook (src/arena.c)", cook_symbol_text(&frame, arena));
    frame.line = 7;
    assert_string_equal("cook (src/arena.c:7)", cook_symbol_text(&frame, arena));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(name__captured_stack_has_functions_files_and_lines),
        TEST(name__no_more_than_the_room_given),
        TEST(name__short_memory_gives_fewer_names_and_no_fault),
        TEST(plugin__is_named_with_each_kind_of_debug_information),
        TEST(plugin__built_by_clang_is_named),
        TEST(plugin__cpp_names_are_qualified),
        TEST(plugin__replaced_at_its_path_stays_raw),
        TEST(plugin__copy_by_build_id_is_found_when_the_path_is_gone),
        TEST(plugin__false_copy_is_not_taken),
        TEST(plugin__loaded_from_a_copy_keeps_its_soname),
        TEST(plugin__without_debug_information_has_symbols),
        TEST(plugin__with_split_debug_information_has_symbols),
        TEST(plugin__without_a_build_id_stays_raw),
        TEST(plugin__missing_everywhere_stays_raw),
        TEST(plugin__compiled_by_a_climbing_path_shows_no_build_folder),
        TEST(plugin__cut_short_stays_raw),
        TEST(text__has_a_form_for_each_degree_of_knowledge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
