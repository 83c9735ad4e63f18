#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <time.h>

#include "cook/plan/facts.h"
#include "cook/store/history_inputs.h"
#include "cook/trace/compare.h"
#include "support/folder.h"
#include "unit/trace/traced_fixture.h"

#define SECOND INT64_C(1000000000)

struct fixture {
    struct test_folder folder;
    struct cook_arena arena;
    struct cook_traced *traced;
    struct cook_history *history;
    struct cook_trace_compared *list;
    size_t count;
    int64_t now_ns;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    *state = &fixture;
    fixture.arena = (struct cook_arena)COOK_ARENA_INIT;
    fixture.now_ns = (int64_t)time(NULL) * SECOND;
    if (test_folder_open(&fixture.folder) != 0 ||
        cook_traced_create(&fixture.traced, NULL) != COOK_OK)
        return -1;
    return cook_history_open(&fixture.history, fixture.folder.fd, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    cook_history_close(fixture->history);
    cook_traced_destroy(fixture->traced);
    cook_arena_finish(&fixture->arena);
    return test_folder_close(&fixture->folder);
}

/* One input of /Game/A. */
static void see(struct fixture *fixture, enum cook_input_kind kind, const char *key,
                const char *content, bool declared)
{
    struct cook_buf payload = COOK_BUF_INIT;
    put_head(&payload, "", 1);
    put_package(&payload, "/Game/A", false, 1);
    put_input(&payload, kind, key, content, declared);
    put_uses(&payload, NULL);
    assert_int_equal(cook_traced_take(fixture->traced, 0, &payload, NULL), COOK_OK);
    cook_buf_finish(&payload);
}

static void record(struct fixture *fixture, int64_t at_ns, const char *kind, const char *key,
                   const char *content)
{
    int64_t run;
    struct cook_history_run facts = { .verb = "full", .target = "T", .started_ns = at_ns,
                                      .ended_ns = at_ns + SECOND, .summary_json = "{}" };
    struct cook_history_input input = { .package = "/Game/A", .kind = kind, .key = key,
                                        .value = hash_of_text(content),
                                        .text = content ? content : "" };
    assert_int_equal(cook_history_add_run(fixture->history, &run, &facts, NULL, NULL), COOK_OK);
    assert_int_equal(cook_history_add_inputs(fixture->history, run, "T", &input, 1, NULL),
                     COOK_OK);
}

static const struct cook_trace_compared *compare(struct fixture *fixture, int64_t kept_ns,
                                                 const struct cook_run_facts *facts)
{
    struct cook_trace_compare_options options = { .target = "T", .kept_ns = kept_ns,
                                                  .project_fd = fixture->folder.fd,
                                                  .kept_facts = facts };
    assert_int_equal(cook_trace_compare(&fixture->list, &fixture->count, fixture->traced,
                                        "/Game/A", fixture->history, &options, &fixture->arena,
                                        NULL),
                     COOK_OK);
    return fixture->list;
}

static void recorded__tells_changed_from_unchanged(void **state)
{
    struct fixture *fixture = *state;
    record(fixture, 10 * SECOND, "file", "a.txt", "one");
    see(fixture, COOK_INPUT_FILE, "a.txt", "two", false);
    const struct cook_trace_compared *found = compare(fixture, 20 * SECOND, NULL);
    assert_int_equal(found->change, COOK_INPUT_CHANGED);
    assert_string_equal(found->old_text, "one");
    assert_string_equal(found->new_text, "two");
    see(fixture, COOK_INPUT_FILE, "a.txt", "one", false);
    assert_int_equal(compare(fixture, 20 * SECOND, NULL)->change, COOK_INPUT_UNCHANGED);
}

static void recorded__the_value_at_the_kept_cook_counts(void **state)
{
    struct fixture *fixture = *state;
    record(fixture, 10 * SECOND, "file", "a.txt", "one");
    record(fixture, 30 * SECOND, "file", "a.txt", "two");
    see(fixture, COOK_INPUT_FILE, "a.txt", "two", false);
    assert_int_equal(compare(fixture, 20 * SECOND, NULL)->change, COOK_INPUT_CHANGED);
    assert_int_equal(compare(fixture, 40 * SECOND, NULL)->change, COOK_INPUT_UNCHANGED);
}

static void unrecorded__times_say_probably(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(test_folder_write(&fixture->folder, "a.txt", "two"), 0);
    see(fixture, COOK_INPUT_FILE, "a.txt", "two", false);
    assert_int_equal(compare(fixture, fixture->now_ns - 60 * SECOND, NULL)->change,
                     COOK_INPUT_PROBABLY_CHANGED);
    assert_int_equal(compare(fixture, fixture->now_ns + 60 * SECOND, NULL)->change,
                     COOK_INPUT_UNCHANGED);
}

/* The same value in a later run says nothing of the time between. */
static void recorded_later__leaves_it_to_the_times(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(test_folder_write(&fixture->folder, "a.txt", "two"), 0);
    record(fixture, fixture->now_ns - 10 * SECOND, "file", "a.txt", "two");
    see(fixture, COOK_INPUT_FILE, "a.txt", "two", false);
    assert_int_equal(compare(fixture, fixture->now_ns - 60 * SECOND, NULL)->change,
                     COOK_INPUT_PROBABLY_CHANGED);
}

static void facts__speak_for_environment_and_host(void **state)
{
    struct fixture *fixture = *state;
    struct cook_fact variable = { "HOME", "/old" };
    struct cook_run_facts facts = { .host = "build7", .environment = { &variable, 1, true } };
    see(fixture, COOK_INPUT_ENVIRONMENT, "HOME", "/new", false);
    see(fixture, COOK_INPUT_ENVIRONMENT, "UNSET", NULL, false);
    see(fixture, COOK_INPUT_HOST, "host name", "build7", false);
    see(fixture, COOK_INPUT_CLOCK, "wall clock", "", false);
    const struct cook_trace_compared *found = compare(fixture, 20 * SECOND, &facts);
    assert_int_equal(fixture->count, 4);
    assert_string_equal(found[0].input->key, "HOME");
    assert_int_equal(found[0].change, COOK_INPUT_CHANGED);
    assert_string_equal(found[0].old_text, "/old");
    assert_int_equal(found[1].change, COOK_INPUT_CHANGE_UNKNOWN); /* a clock has no value */
    assert_int_equal(found[2].change, COOK_INPUT_UNCHANGED);
    assert_int_equal(found[3].change, COOK_INPUT_UNCHANGED);
}

static void declared__is_no_cause(void **state)
{
    struct fixture *fixture = *state;
    see(fixture, COOK_INPUT_FILE, "a.txt", "two", true);
    (void)compare(fixture, 20 * SECOND, NULL);
    assert_int_equal(fixture->count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(recorded__tells_changed_from_unchanged),
        TEST(recorded__the_value_at_the_kept_cook_counts),
        TEST(unrecorded__times_say_probably),
        TEST(recorded_later__leaves_it_to_the_times),
        TEST(facts__speak_for_environment_and_host),
        TEST(declared__is_no_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
