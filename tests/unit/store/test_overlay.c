#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "cook/store/overlay.h"
#include "support/folder.h"

#define FIRST  "0123456789abcdef"
#define SECOND "fedcba9876543210"

static int set_up(void **context)
{
    struct test_folder *folder = calloc(1, sizeof(*folder));
    *context = folder;
    return test_folder_open(folder);
}

static int tear_down(void **context)
{
    int result = test_folder_close(*context);
    free(*context);
    return result;
}

static void put(struct test_folder *folder, const char *id, const char *text)
{
    const struct cook_overlay_part parts[] = { { "kept.bytes", text, strlen(text) },
                                               { "facts.json", "{}", 2 } };
    assert_int_equal(cook_overlay_put(folder->fd, id, parts, 2, NULL), COOK_OK);
}

static enum cook_status get(struct test_folder *folder, const char *id, const char *name)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status = cook_overlay_get(&bytes, folder->fd, id, name, NULL);
    cook_buf_finish(&bytes);
    return status;
}

static void put__replaces_the_overlay_before(void **context)
{
    struct test_folder *folder = *context;
    struct cook_buf bytes = COOK_BUF_INIT;
    const struct cook_overlay_part only = { "facts.json", "[]", 2 };
    put(folder, FIRST, "one");
    assert_int_equal(cook_overlay_put(folder->fd, FIRST, &only, 1, NULL), COOK_OK);
    assert_int_equal(get(folder, FIRST, "kept.bytes"), COOK_E_NOT_FOUND);
    assert_int_equal(cook_overlay_get(&bytes, folder->fd, FIRST, "facts.json", NULL), COOK_OK);
    assert_string_equal(cook_buf_text(&bytes), "[]");
    cook_buf_finish(&bytes);
}

static void names__lead_nowhere_else(void **context)
{
    assert_int_equal(get(*context, "../../etc", "x"), COOK_E_INVALID);
    assert_int_equal(get(*context, FIRST, "../x"), COOK_E_INVALID);
    assert_int_equal(get(*context, FIRST, ".."), COOK_E_INVALID);
}

static void trim__the_oldest_go_first(void **context)
{
    struct test_folder *folder = *context;
    const struct timespec times[2] = { { 1000, 0 }, { 1000, 0 } };
    assert_int_equal(cook_overlay_trim(folder->fd, 10, NULL), COOK_OK); /* none at all */
    put(folder, FIRST, "12345678");
    put(folder, SECOND, "12345678");
    assert_int_equal(
        utimensat(folder->fd, "Saved/History/overlays/" SECOND "/facts.json", times, 0), 0);
    assert_int_equal(cook_overlay_trim(folder->fd, 0, NULL), COOK_OK);
    assert_int_equal(cook_overlay_trim(folder->fd, 20, NULL), COOK_OK);
    assert_int_equal(get(folder, SECOND, "kept.bytes"), COOK_OK);
    assert_int_equal(cook_overlay_trim(folder->fd, 19, NULL), COOK_OK);
    assert_int_equal(get(folder, SECOND, "kept.bytes"), COOK_E_NOT_FOUND);
    assert_int_equal(get(folder, FIRST, "kept.bytes"), COOK_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(put__replaces_the_overlay_before),
        TEST(names__lead_nowhere_else),
        TEST(trim__the_oldest_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
