#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "cook/worker/pool.h"
#include "support/folder.h"

/* Workers are shell scripts: enough to die, to be silent and to say one frame. */
struct fixture {
    struct test_folder folder;
    struct cook_project project;
    struct cook_pool *pool;
    struct cook_pool_event event;
    struct cook_error error;
    char worker[128];
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f || test_folder_open(&f->folder) != 0 ||
        test_folder_write(&f->folder, "cook.ini",
                          "[Project]\nName=Test\n+ContentRoot=/Game=Content\n") != 0 ||
        cook_fs_make_folders(f->folder.fd, "Content", NULL) != COOK_OK)
        return -1;
    snprintf(f->worker, sizeof(f->worker), "%s/worker", f->folder.path);
    struct cook_project_options options = { .folder = f->folder.path };
    return cook_project_open(&f->project, &options, &f->error) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_pool_destroy(f->pool);
    cook_project_finish(&f->project);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static void start(struct fixture *f, const char *script, unsigned timeout_seconds)
{
    struct cook_pool_options options = { .project = &f->project,
                                         .plugin_folder_fd = f->folder.fd,
                                         .plugin_folder = f->folder.path,
                                         .worker_path = f->worker,
                                         .count = 2,
                                         .timeout_seconds = timeout_seconds };
    assert_int_equal(test_folder_write(&f->folder, "worker", script), 0);
    assert_int_equal(chmod(f->worker, 0700), 0);
    assert_int_equal(cook_pool_create(&f->pool, &options, &f->error), COOK_OK);
}

static enum cook_status wait_event(struct fixture *f, int timeout_ms)
{
    return cook_pool_wait(f->pool, &f->event, timeout_ms, &f->error);
}

static void wait__worker_that_exits__is_a_death_with_its_status(void **state)
{
    struct fixture *f = *state;
    start(f, "#!/bin/sh\nexit 3\n", 0);
    assert_int_equal(wait_event(f, 20000), COOK_OK);
    assert_int_equal(f->event.type, COOK_FRAME_UNKNOWN);
    assert_int_equal(f->event.worker, 0);
    assert_false(f->event.timed_out);
    assert_int_equal(f->event.crash->size, 0);
    assert_int_equal(wait_event(f, 0), COOK_E_FAILED); /* none is running */
}

static void wait__frame__is_given(void **state)
{
    struct fixture *f = *state;
    char script[128];
    snprintf(script, sizeof(script),
             "#!/bin/sh\nprintf '\\1\\0\\0\\0\\%o\\0\\0\\0x' >&3\nexec cat <&3 >/dev/null\n",
             (unsigned)COOK_FRAME_HELLO);
    start(f, script, 0);
    assert_int_equal(wait_event(f, 20000), COOK_OK);
    assert_int_equal(f->event.type, COOK_FRAME_HELLO);
    assert_int_equal(f->event.payload->size, 1);
    assert_int_equal(wait_event(f, 1), COOK_E_TIMEOUT);
}

static void wait__garbage__ends_the_worker(void **state)
{
    struct fixture *f = *state;
    start(f, "#!/bin/sh\nprintf 'garbage, not a frame' >&3\nexec sleep 60\n", 0);
    assert_int_equal(wait_event(f, 20000), COOK_OK);
    assert_int_equal(f->event.type, COOK_FRAME_UNKNOWN);
    assert_true(WIFSIGNALED(f->event.wait_status));
}

static void wait__silent_worker__times_out(void **state)
{
    struct fixture *f = *state;
    start(f, "#!/bin/sh\nexec sleep 60\n", 1);
    assert_int_equal(wait_event(f, 20000), COOK_OK);
    assert_int_equal(f->event.type, COOK_FRAME_UNKNOWN);
    assert_true(f->event.timed_out);
}

/* Each send starts the worker again; its death comes as an event, never as an error of the
 * send. */
static void send__to_workers_that_die_at_once__is_no_error(void **state)
{
    struct fixture *f = *state;
    start(f, "#!/bin/sh\nexit 0\n", 0);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(cook_pool_send(f->pool, i % 2, COOK_FRAME_SCAN, NULL, &f->error),
                         COOK_OK);
        assert_int_equal(wait_event(f, 20000), COOK_OK);
        assert_int_equal(f->event.type, COOK_FRAME_UNKNOWN);
    }
}

static void create__no_such_program__fails(void **state)
{
    struct fixture *f = *state;
    struct cook_pool_options options = { .project = &f->project,
                                         .plugin_folder_fd = f->folder.fd,
                                         .plugin_folder = f->folder.path,
                                         .worker_path = "/nowhere/worker",
                                         .count = 1 };
    assert_int_not_equal(cook_pool_create(&f->pool, &options, &f->error), COOK_OK);
    assert_null(f->pool);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(wait__worker_that_exits__is_a_death_with_its_status),
        TEST(wait__frame__is_given),
        TEST(wait__garbage__ends_the_worker),
        TEST(wait__silent_worker__times_out),
        TEST(send__to_workers_that_die_at_once__is_no_error),
        TEST(create__no_such_program__fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
