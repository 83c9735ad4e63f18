#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/store/history.h"
#include "store_fixture.h"

static struct cook_history *open_history(struct fixture *fixture)
{
    struct cook_history *history;
    assert_int_equal(cook_history_open(&history, fixture->project_fd, &fixture->error),
                     COOK_OK);
    return history;
}

static int64_t add_run(struct cook_history *history, int64_t ended_ns)
{
    int64_t id;
    const struct cook_history_run run = {
        .verb = "full", .target = "Desktop", .cook_id = 3, .started_ns = 1, .ended_ns = ended_ns
    };
    assert_int_equal(cook_history_add_run(history, &id, &run, NULL), COOK_OK);
    return id;
}

static const struct cook_history_finding finding = {
    .id = "0123456789abcdef",
    .rule = "false_skip",
    .package = "/Game/A",
    .property = "Mesh:Vertices[]",
    .verdict = "false_skip",
    .json = "{}",
};

static void first_seen__stays_with_the_first_run(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history = open_history(fixture);
    int64_t seen_ns;
    int64_t run;
    assert_int_equal(cook_history_first_seen(history, finding.id, &seen_ns, &run, NULL),
                     COOK_OK);
    assert_int_equal(seen_ns, 0);
    assert_int_equal(run, 0);
    int64_t first = add_run(history, 1000);
    assert_int_equal(cook_history_add_findings(history, first, &finding, 1, NULL), COOK_OK);
    int64_t second = add_run(history, 2000);
    assert_int_not_equal(first, second);
    assert_int_equal(cook_history_add_findings(history, second, &finding, 1, NULL), COOK_OK);
    cook_history_close(history);

    history = open_history(fixture);
    assert_int_equal(cook_history_first_seen(history, finding.id, &seen_ns, &run, NULL),
                     COOK_OK);
    assert_int_equal(seen_ns, 1000);
    assert_int_equal(run, first);
    cook_history_close(history);
}

static void add_findings__need_a_run(void **context)
{
    struct cook_history *history = open_history(*context);
    assert_int_equal(cook_history_add_findings(history, 5, &finding, 1, NULL), COOK_E_INVALID);
    int64_t id = add_run(history, 1);
    assert_int_equal(cook_history_add_findings(history, id, NULL, 0, NULL), COOK_OK);
    cook_history_close(history);
}

static void open__two_at_once_may_both_write(void **context)
{
    struct cook_history *a = open_history(*context);
    struct cook_history *b = open_history(*context);
    assert_int_not_equal(add_run(a, 1), add_run(b, 2));
    cook_history_close(a);
    cook_history_close(b);
}

static void open__damaged_says_what_to_do(void **context)
{
    struct fixture *fixture = *context;
    cook_history_close(open_history(fixture));
    fixture_patch(fixture, "Saved/History/history.db", 0, "no database of ours", 19);
    unlinkat(fixture->project_fd, "Saved/History/history.db-wal", 0);
    struct cook_history *history;
    assert_int_equal(cook_history_open(&history, fixture->project_fd, &fixture->error),
                     COOK_E_DAMAGED);
    assert_non_null(strstr(fixture->error.message, "move Saved/History away"));
}

static void open__survives_allocation_failures(void **context)
{
    struct fixture *fixture = *context;
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        struct cook_history *history;
        cook_alloc_fail_after(after);
        status = cook_history_open(&history, fixture->project_fd, &fixture->error);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        cook_history_close(history);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(first_seen__stays_with_the_first_run), TEST(add_findings__need_a_run),
        TEST(open__two_at_once_may_both_write),     TEST(open__damaged_says_what_to_do),
        TEST(open__survives_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
