#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "diffcook/operand.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct diff_operand operand;
    struct cook_error error;
};

static int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    *context = fixture;
    fixture->operand = (struct diff_operand)DIFF_OPERAND_INIT;
    return test_folder_open(&fixture->folder);
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    diff_operand_finish(&fixture->operand);
    int result = test_folder_close(&fixture->folder);
    free(fixture);
    return result;
}

/* A store with a cook that ended and one that did not. */
static void make_store(const struct fixture *fixture)
{
    struct cook_store *store;
    struct cook_store_end end = { .summary_json = "{}" };
    uint32_t cook;
    assert_int_equal(test_folder_write(&fixture->folder, "Content/x", ""), 0);
    assert_int_equal(test_folder_write(&fixture->folder, "cook.ini",
                                       "[Project]\nName=T\n+ContentRoot=/Game=Content\n"),
                     0);
    assert_int_equal(
        cook_store_open(&store, fixture->folder.fd, "Desktop", COOK_STORE_WRITE, NULL),
        COOK_OK);
    assert_int_equal(cook_store_begin_cook(store, &cook, "full", "{}", NULL), COOK_OK);
    assert_int_equal(cook_store_end_cook(store, cook, &end, NULL), COOK_OK);
    assert_int_equal(cook_store_begin_cook(store, &cook, "incremental", "{}", NULL), COOK_OK);
    cook_store_close(store);
}

static enum cook_status open_text(struct fixture *fixture, const char *suffix,
                                  const char *target)
{
    char text[256];
    struct cook_project_options options = { .folder = fixture->folder.path, .target = target };
    snprintf(text, sizeof(text), "%s%s", fixture->folder.path, suffix);
    diff_operand_finish(&fixture->operand);
    return diff_operand_open(&fixture->operand, text, &options, &fixture->error);
}

static void split__texts(void **context)
{
    static const struct {
        const char *text, *path;
        bool has_cook;
        uint32_t cook;
    } cases[] = {
        { "a", "a", false, 0 },
        { "a:3", "a", true, 3 },
        { "a:latest", "a", true, DIFF_COOK_LATEST },
        { ":12", "", true, 12 },
        { "a:b:4294967295", "a:b", true, UINT32_MAX },
        { "a:4294967296", "a:4294967296", false, 0 },
        { "a:0", "a:0", false, 0 },
        { "a:", "a:", false, 0 },
        { "c:/x", "c:/x", false, 0 },
        { "a:-1", "a:-1", false, 0 },
        { "a:99999999999999999999", "a:99999999999999999999", false, 0 },
    };
    struct cook_arena arena = COOK_ARENA_INIT;
    (void)context;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *path;
        uint32_t cook;
        bool has_cook;
        assert_int_equal(
            diff_operand_split(&path, &cook, &has_cook, cases[i].text, &arena, NULL), COOK_OK);
        assert_string_equal(path, cases[i].path);
        assert_int_equal(has_cook, cases[i].has_cook);
        if (has_cook)
            assert_int_equal(cook, cases[i].cook);
    }
    cook_arena_finish(&arena);
}

static void open__project__is_its_latest_finished_cook(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    static const char *const suffixes[] = {
        "", "/", ":1", ":latest", "/Saved/Cook/Desktop", "/Saved/Cook/Desktop:1"
    };
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        assert_int_equal(open_text(fixture, suffixes[i], NULL), COOK_OK);
        assert_int_equal(fixture->operand.kind, DIFF_OPERAND_COOK);
        assert_int_equal(fixture->operand.cook, 1);
        assert_non_null(strstr(fixture->operand.text, ": cook 1 (full)"));
    }
}

static void open__mistakes__are_usage(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    assert_int_equal(open_text(fixture, ":9", NULL), COOK_E_USAGE);
    assert_non_null(strstr(fixture->error.message, "there is no cook 9"));
    assert_int_equal(open_text(fixture, "/nowhere", NULL), COOK_E_USAGE);
    assert_int_equal(open_text(fixture, "/cook.ini", NULL), COOK_E_USAGE);
    assert_int_equal(open_text(fixture, "/Content:1", NULL), COOK_E_USAGE);
    assert_int_equal(open_text(fixture, "", "Phone"), COOK_E_NOT_FOUND);
}

static void open__folder_named_like_a_cook__is_that_folder(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(test_folder_write(&fixture->folder, "build:3/file", "x"), 0);
    assert_int_equal(open_text(fixture, "/build:3", NULL), COOK_OK);
    assert_int_equal(fixture->operand.kind, DIFF_OPERAND_FOLDER);
    assert_true(fixture->operand.folder_fd >= 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split__texts),
        TEST(open__project__is_its_latest_finished_cook),
        TEST(open__mistakes__are_usage),
        TEST(open__folder_named_like_a_cook__is_that_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
