#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/store/history_inputs.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_arena arena;
    struct cook_history *history;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    *state = &fixture;
    fixture.arena = (struct cook_arena)COOK_ARENA_INIT;
    if (test_folder_open(&fixture.folder) != 0)
        return -1;
    return cook_history_open(&fixture.history, fixture.folder.fd, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    cook_history_close(fixture->history);
    cook_arena_finish(&fixture->arena);
    return test_folder_close(&fixture->folder);
}

/* `value` 0: absent. */
static void add(struct fixture *fixture, int64_t at_ns, uint64_t value)
{
    int64_t run;
    struct cook_history_run facts = { .verb = "full", .target = "T", .started_ns = at_ns,
                                      .ended_ns = at_ns + 1, .summary_json = "{}" };
    struct cook_history_input input = { .package = "/Game/A", .kind = "file", .key = "a.txt",
                                        .value = { value, value }, .text = "text",
                                        .function = "read_it", .file = "a.c", .line = 7 };
    assert_int_equal(cook_history_add_run(fixture->history, &run, &facts, NULL, NULL), COOK_OK);
    assert_int_equal(cook_history_add_inputs(fixture->history, run, "T", &input, 1, NULL),
                     COOK_OK);
}

static bool last(struct fixture *fixture, int64_t at_ns, struct cook_history_input *out)
{
    bool found;
    assert_int_equal(cook_history_last_input(fixture->history, "T", "/Game/A", "file", "a.txt",
                                             at_ns, out, &found, &fixture->arena, NULL),
                     COOK_OK);
    return found;
}

static void last__is_the_value_at_that_time(void **state)
{
    struct fixture *fixture = *state;
    struct cook_history_input out;
    assert_false(last(fixture, 100, &out));
    add(fixture, 10, 1);
    add(fixture, 20, 1);
    add(fixture, 30, 2);
    assert_true(last(fixture, 5, &out)); /* the earliest after it */
    assert_int_equal(out.value.high, 1);
    assert_int_equal(out.first_ns, 10);
    assert_true(last(fixture, 25, &out));
    assert_int_equal(out.value.high, 1);
    assert_int_equal(out.last_ns, 20); /* one row for two runs */
    assert_true(last(fixture, 30, &out));
    assert_int_equal(out.value.high, 2);
    assert_string_equal(out.function, "read_it");
    assert_int_equal(out.line, 7);
}

static void add__keeps_absence_apart(void **state)
{
    struct fixture *fixture = *state;
    struct cook_history_input out;
    add(fixture, 10, 1);
    add(fixture, 20, 0);
    assert_true(last(fixture, 25, &out));
    assert_true(cook_hash_is_zero(out.value));
}

static void add__keeps_a_bounded_number_of_values(void **state)
{
    struct fixture *fixture = *state;
    struct cook_history_input out;
    for (int64_t i = 1; i <= 50; i++)
        add(fixture, i, (uint64_t)i);
    assert_true(last(fixture, 1, &out)); /* the oldest kept */
    assert_int_equal(out.first_ns, 31);
}

static void add__needs_a_run(void **state)
{
    struct fixture *fixture = *state;
    struct cook_history_input input = { .package = "", .kind = "file", .key = "a" };
    assert_int_equal(cook_history_add_inputs(fixture->history, 99, "T", &input, 1, NULL),
                     COOK_E_INVALID);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(last__is_the_value_at_that_time),
        TEST(add__keeps_absence_apart),
        TEST(add__keeps_a_bounded_number_of_values),
        TEST(add__needs_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
