#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/registry/redirects.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_config *config;
    struct cook_redirects *redirects;
    struct cook_arena arena;
    struct cook_error error;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    return f ? test_folder_open(&f->folder) : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_redirects_destroy(f->redirects);
    cook_config_destroy(f->config);
    cook_arena_finish(&f->arena);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static void load_config(struct fixture *f, const char *lines)
{
    struct cook_config_options options = { .project_fd = f->folder.fd, .target = "Desktop" };
    char *text = cook_arena_printf(&f->arena, "[Redirects]\n%s", lines);
    assert_int_equal(test_folder_write(&f->folder, "cook.ini", text), 0);
    cook_config_destroy(f->config);
    assert_int_equal(cook_config_load(&f->config, &options, &f->error), COOK_OK);
}

static enum cook_status create(struct fixture *f, const char *lines)
{
    load_config(f, lines);
    return cook_redirects_create(&f->redirects, f->config, &f->error);
}

static const char *apply(struct fixture *f, const char *path)
{
    return cook_redirects_apply(f->redirects, path, &f->arena);
}

static void apply__no_redirects__gives_the_path_itself(void **state)
{
    struct fixture *f = *state;
    static const char path[] = "/Game/A";
    assert_ptr_equal(apply(f, path), path);
    assert_int_equal(create(f, ""), COOK_OK);
    assert_ptr_equal(apply(f, path), path);
}

static void apply__object__goes_alone(void **state)
{
    struct fixture *f = *state;
    static const char other[] = "/Game/A.Other";
    assert_int_equal(create(f, "+Redirect=/Game/A.Old -> /Game/B.New\n"), COOK_OK);
    assert_string_equal(apply(f, "/Game/A.Old"), "/Game/B.New");
    assert_ptr_equal(apply(f, other), other);
}

static void apply__package__takes_its_objects_along(void **state)
{
    struct fixture *f = *state;
    static const char longer[] = "/Game/Abc.X";
    assert_int_equal(create(f, "+Redirect=/Game/A->/Game/B\n"), COOK_OK);
    assert_string_equal(apply(f, "/Game/A"), "/Game/B");
    assert_string_equal(apply(f, "/Game/A.Main/Sub"), "/Game/B.Main/Sub");
    assert_ptr_equal(apply(f, longer), longer);
}

static void create__two_for_one_path__the_later_wins(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(create(f, "+Redirect=/Game/A -> /Game/B\n+Redirect=/Game/A -> /Game/C\n"),
                     COOK_OK);
    assert_string_equal(apply(f, "/Game/A"), "/Game/C");
}

static void create__malformed__names_the_line(void **state)
{
    struct fixture *f = *state;
    static const char *const lines[] = { "+Redirect=/Game/A\n", "+Redirect=A -> /Game/B\n",
                                         "+Redirect=/Game/A -> \n", "+Redirect=-> /Game/B\n" };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(create(f, lines[i]), COOK_E_CONFIG);
        assert_null(f->redirects);
        assert_memory_equal(f->error.message, "cook.ini:2: ", 12);
    }
}

static void create__no_memory__fails(void **state)
{
    struct fixture *f = *state;
    load_config(f, "+Redirect=/Game/A -> /Game/B\n");
    enum cook_status status = COOK_E_FAILED;
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 100);
        cook_alloc_fail_after(after);
        status = cook_redirects_create(&f->redirects, f->config, &f->error);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
    assert_string_equal(apply(f, "/Game/A"), "/Game/B");
}

static void hash__follows_the_entries(void **state)
{
    struct fixture *f = *state;
    load_config(f, "+Redirect=/Game/A -> /Game/B\n");
    struct cook_hash before = cook_redirects_hash(f->config);
    load_config(f, "; a comment\n+Redirect=/Game/A -> /Game/B\n");
    assert_true(cook_hash_equal(cook_redirects_hash(f->config), before));
    load_config(f, "+Redirect=/Game/A -> /Game/C\n");
    assert_false(cook_hash_equal(cook_redirects_hash(f->config), before));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(apply__no_redirects__gives_the_path_itself),
        TEST(apply__object__goes_alone),
        TEST(apply__package__takes_its_objects_along),
        TEST(create__two_for_one_path__the_later_wins),
        TEST(create__malformed__names_the_line),
        TEST(create__no_memory__fails),
        TEST(hash__follows_the_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
