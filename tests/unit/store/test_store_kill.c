/*
 * Writers killed at random moments. A child cooks in an endless loop and tells through a pipe
 * what it has committed; after the kill the store must open, hold all of that, and hold nothing
 * torn.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "store_fixture.h"

#define ROUNDS           100
#define PACKAGES_A_COOK  20
#define LONGEST_SLEEP_US 12000 /* longer on a machine too slow to commit anything in it */

/* What the child reports after each commit: package rows and oplog records that must be there.
 */
struct promise {
    uint32_t packages;
    uint32_t cook;
};

static void cook_once(struct cook_store *store, uint32_t round, int pipe_fd)
{
    struct cook_state *state = cook_store_state(store);
    char name[64];
    char bytes[2048];
    uint32_t id;
    if (cook_store_begin_cook(store, &id, "full", "{}", NULL) != COOK_OK)
        _exit(1);
    for (uint32_t i = 0; i < PACKAGES_A_COOK; i++) {
        snprintf(name, sizeof(name), "/Game/P%u", state->packages_count);
        memset(bytes, 'a' + (int)(i % 26), sizeof(bytes));
        snprintf(bytes, 64, "%u %u ", round, state->packages_count);
        bytes[sizeof(bytes) - 1] = '\0';
        fixture_add_package(store, name, bytes);
        if (i % 8 == 7 && cook_store_commit(store, NULL) != COOK_OK)
            _exit(1);
    }
    if (cook_state_sort(state, NULL) != COOK_OK)
        _exit(1);
    const struct cook_store_end end = {
        .summary_json = "{}",
        .packages = state->package_order,
        .package_count = state->packages_count,
        .keep_cooks = 20,
    };
    if (cook_store_end_cook(store, id, &end, NULL) != COOK_OK)
        _exit(1);
    const struct promise promise = { state->packages_count, id };
    if (write(pipe_fd, &promise, sizeof(promise)) != (ssize_t)sizeof(promise))
        _exit(1);
}

static void run_child(struct fixture *fixture, uint32_t round, int pipe_fd)
{
    for (;;) {
        struct cook_store *store;
        if (cook_store_open(&store, fixture->project_fd, "Desktop", COOK_STORE_WRITE, NULL) !=
            COOK_OK)
            _exit(1);
        for (int i = 0; i < 3; i++)
            cook_once(store, round, pipe_fd);
        cook_store_close(store);
    }
}

/* Kill a child after a while; the last promise it made, or `promise` as it was. */
static void kill_a_writer(struct fixture *fixture, uint32_t round, uint32_t sleep_us,
                          struct promise *promise)
{
    int pipe_fds[2];
    struct promise got;
    assert_int_equal(pipe(pipe_fds), 0);
    pid_t child = fork();
    if (child == 0)
        run_child(fixture, round, pipe_fds[1]);
    close(pipe_fds[1]);
    const struct timespec delay = { 0, (long)sleep_us * 1000 };
    nanosleep(&delay, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    while (read(pipe_fds[0], &got, sizeof(got)) == (ssize_t)sizeof(got))
        *promise = got;
    close(pipe_fds[0]);
}

static void check_store(struct fixture *fixture, const struct promise *promise)
{
    struct cook_store_fault *faults;
    struct cook_manifest_entry *entries;
    size_t count;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    assert_true(cook_store_state(store)->packages_count >= promise->packages);
    assert_int_equal(cook_store_verify(store, &faults, &count, &fixture->arena, NULL), COOK_OK);
    if (count)
        fail_msg("%s", faults[0].what);
    if (promise->cook) {
        if (cook_store_manifest(store, &entries, &count, promise->cook, &fixture->arena,
                                &fixture->error) != COOK_OK)
            fail_msg("%s", fixture->error.message);
        assert_int_equal(count, promise->packages);
    }
    cook_store_close(store);
    cook_arena_finish(&fixture->arena);
}

static void kill__at_any_moment_loses_nothing_committed(void **context)
{
    struct fixture *fixture = *context;
    struct promise promise = { 0, 0 };
    uint32_t random = (uint32_t)getpid();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        random = random * 1664525u + 1013904223u;
        uint32_t longest = LONGEST_SLEEP_US * (promise.packages ? 1 : 1 + round);
        kill_a_writer(fixture, round, (random >> 8) % longest, &promise);
        check_store(fixture, &promise);
    }
    assert_true(promise.packages > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kill__at_any_moment_loses_nothing_committed,
                                        fixture_set_up, fixture_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
