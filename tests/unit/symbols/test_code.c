#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cook/symbols/code.h"
#include "support/folder.h"

/* A class with hooks, a helper two calls deep, a table, a literal with an embedded NUL, a
 * switch with a jump table, and a call out. Each macro is one edit. */
static const char source[] =
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "struct k { const char *name; unsigned size; int (*hook)(int); int (*other)(int); };\n"
    "#ifndef ODDS\n#define ODDS 3\n#endif\n"
    "#ifndef DEEP\n#define DEEP 7\n#endif\n"
    "#ifndef TEXT\n#define TEXT \"a\\0b\"\n#endif\n"
    "#ifndef CASE\n#define CASE 50\n#endif\n"
    "#ifdef BEFORE\n"
    "__attribute__((noinline, used)) static int unrelated(int x) { return abs(x) * 77 + 5; }\n"
    "#endif\n"
    "static const int odds[] = { 1, 2, ODDS, 4 };\n"
    "#ifndef FIRST\n#define FIRST 1\n#endif\n"
    "extern const int *third(void);\n"
    "const int *third(void) { return &odds[FIRST]; }\n"
    "static const double factor = 1.5;\n"
    "__attribute__((noinline)) static int deep(int x) { return x * DEEP + odds[x & 3]; }\n"
    "__attribute__((noinline)) static int middle(int x) { return deep(x + 1) + 1; }\n"
    "__attribute__((noipa)) static const char *text(int x) { return x ? TEXT : \"none\"; }\n"
    "__attribute__((noinline)) static int choose(int x) {\n"
    "    switch (x) { case 0: return 10; case 1: return abs(x) + 3; case 2: return 30;\n"
    "    case 3: return 11; case 4: return CASE; case 5: return 9; default: return middle(x); "
    "} }\n"
    "static int hook(int x) { return middle(x) + text(x)[2] + (int)(x * factor); }\n"
    "static int other(int x) { return choose(x) + 1; }\n"
    "extern const struct k thing;\n"
    "const struct k thing = { \"Thing\", 4, hook, other };\n";

struct fixture {
    struct test_folder folder;
    struct cook_code *old;
    struct cook_code *new;
    struct cook_arena arena;
    struct cook_code_comparison result;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    return f && test_folder_open(&f->folder) == 0 &&
                   test_folder_write(&f->folder, "a.c", source) == 0
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_code_close(f->old);
    cook_code_close(f->new);
    cook_arena_finish(&f->arena);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static void build(struct fixture *f, const char *name, const char *flags)
{
    char command[1024];
    (void)snprintf(command, sizeof(command), "cc -O2 -g -fPIC -shared %s -o %s/%s.so %s/a.c",
                   flags, f->folder.path, name, f->folder.path);
    assert_int_equal(system(command), 0);
}

#define FLAGS "-ffunction-sections -fdata-sections -Wl,--build-id,--emit-relocs "

static void open_both(struct fixture *f, const char *flags, const char *change)
{
    char path[256];
    char text[512];
    (void)snprintf(text, sizeof(text), "%s %s", flags, change);
    build(f, "old", flags);
    build(f, "new", text);
    (void)snprintf(path, sizeof(path), "%s/old.so", f->folder.path);
    assert_int_equal(cook_code_open(&f->old, path, NULL), COOK_OK);
    (void)snprintf(path, sizeof(path), "%s/new.so", f->folder.path);
    assert_int_equal(cook_code_open(&f->new, path, NULL), COOK_OK);
}

static void compare(struct fixture *f, const char *flags, const char *change, const char *root)
{
    open_both(f, flags, change);
    assert_int_equal(cook_code_compare(&f->result, f->old, f->new, &root, 1, &f->arena, NULL),
                     COOK_OK);
}

static void assert_one(struct fixture *f, const char *symbol, const char *path)
{
    assert_int_equal(f->result.count, 1);
    assert_string_equal(f->result.changes[0].symbol, symbol);
    assert_string_equal(f->result.changes[0].path, path);
}

static void compare__same_code_at_other_addresses__is_equal(void **state)
{
    struct fixture *f = *state;
    compare(f, FLAGS, "-DBEFORE", "thing");
    assert_int_equal(f->result.count, 0);
    assert_true(f->result.compared > 7);
}

static void compare__function_two_calls_deep__is_named_with_its_path(void **state)
{
    struct fixture *f = *state;
    compare(f, FLAGS, "-DDEEP=9 -DBEFORE", "hook");
    assert_one(f, "deep", "hook > middle > deep");
}

static void compare__constant_table__is_named(void **state)
{
    struct fixture *f = *state;
    compare(f, FLAGS, "-DODDS=30 -DBEFORE", "hook");
    assert_one(f, "odds", "hook > middle > deep > odds");
    assert_true(f->result.changes[0].data);
}

static void compare__another_element_of_a_table__is_another_reference(void **state)
{
    struct fixture *f = *state;
    compare(f, FLAGS, "-DFIRST=2 -DBEFORE", "third");
    assert_one(f, "third", "third");
}

static void compare__literal_behind_a_nul__is_seen(void **state)
{
    struct fixture *f = *state;
    compare(f, FLAGS, "-DTEXT='\"a\\0c\"' -DBEFORE", "hook");
    assert_one(f, "a constant", "hook > text > a constant");
}

static void compare__case_of_a_switch__is_only_of_its_function(void **state)
{
    struct fixture *f = *state;
    compare(f, FLAGS, "-DCASE=51 -DBEFORE", "hook");
    assert_int_equal(f->result.count, 0); /* hook does not reach it */
    const char *root = "other";
    assert_int_equal(cook_code_compare(&f->result, f->old, f->new, &root, 1, &f->arena, NULL),
                     COOK_OK);
    assert_true(f->result.count >= 1);
    assert_true(strstr(f->result.changes[0].path, "choose") != NULL);
}

static void compare__without_function_sections__still_follows_calls(void **state)
{
    struct fixture *f = *state;
    compare(f, "-Wl,--emit-relocs", "-DDEEP=9 -DBEFORE", "hook");
    assert_one(f, "deep", "hook > middle > deep");
}

static void compare__from_the_descriptor__reaches_all_hooks_and_calls_out(void **state)
{
    struct fixture *f = *state;
    open_both(f, FLAGS, "-DDEEP=9");
    const char *root = cook_code_descriptor(f->new, "Thing");
    assert_non_null(root);
    assert_string_equal(root, "thing");
    assert_null(cook_code_descriptor(f->new, "Thin"));
    assert_int_equal(cook_code_compare(&f->result, f->old, f->new, &root, 1, &f->arena, NULL),
                     COOK_OK);
    assert_one(f, "deep", "thing > hook > middle > deep");
}

static void open__without_relocations__says_so(void **state)
{
    struct fixture *f = *state;
    struct cook_error error = COOK_ERROR_INIT;
    char path[256];
    build(f, "plain", "");
    (void)snprintf(path, sizeof(path), "%s/plain.so", f->folder.path);
    assert_int_equal(cook_code_open(&f->old, path, &error), COOK_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "--emit-relocs"));
    (void)snprintf(path, sizeof(path), "%s/a.c", f->folder.path);
    assert_int_equal(cook_code_open(&f->old, path, &error), COOK_E_MALFORMED);
}

/* Cut at many lengths a file is refused or read, never more than that. */
static void open__cut_file__does_no_harm(void **state)
{
    struct fixture *f = *state;
    struct cook_buf bytes = COOK_BUF_INIT;
    char path[256];
    build(f, "whole", FLAGS);
    assert_int_equal(cook_fs_read(&bytes, NULL, f->folder.fd, "whole.so", 1u << 24, NULL),
                     COOK_OK);
    (void)snprintf(path, sizeof(path), "%s/cut.so", f->folder.path);
    for (size_t size = 0; size < bytes.size; size += bytes.size / 97 + 1) {
        struct cook_code *code;
        assert_int_equal(cook_fs_write(f->folder.fd, "cut.so", bytes.data, size, false, NULL),
                         COOK_OK);
        if (cook_code_open(&code, path, NULL) == COOK_OK) {
            const char *root = "hook";
            (void)!cook_code_compare(&f->result, code, code, &root, 1, &f->arena, NULL);
            cook_code_close(code);
        }
    }
    cook_buf_finish(&bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__same_code_at_other_addresses__is_equal),
        TEST(compare__function_two_calls_deep__is_named_with_its_path),
        TEST(compare__constant_table__is_named),
        TEST(compare__another_element_of_a_table__is_another_reference),
        TEST(compare__literal_behind_a_nul__is_seen),
        TEST(compare__case_of_a_switch__is_only_of_its_function),
        TEST(compare__without_function_sections__still_follows_calls),
        TEST(compare__from_the_descriptor__reaches_all_hooks_and_calls_out),
        TEST(open__without_relocations__says_so),
        TEST(open__cut_file__does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
