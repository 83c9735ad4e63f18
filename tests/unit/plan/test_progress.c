#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cjson/cJSON.h>

#include "cook/plan/progress.h"
#include "support/folder.h"

static struct test_folder folder;

static int set_up(void **state)
{
    (void)state;
    return test_folder_open(&folder);
}

static int tear_down(void **state)
{
    (void)state;
    return test_folder_close(&folder);
}

static cJSON *read_now(void)
{
    return cook_progress_read(folder.fd, COOK_PROGRESS_FILE);
}

static const char *text_of(const cJSON *json, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
    return text ? text : "";
}

static bool is_running(const cJSON *json)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "running"));
}

static void read__of_no_run_is_null(void **state)
{
    (void)state;
    assert_null(read_now());
    assert_int_equal(test_folder_write(&folder, COOK_PROGRESS_FILE, "{\"phase\":"), 0);
    assert_null(read_now());
    assert_int_equal(test_folder_write(&folder, COOK_PROGRESS_FILE, "[1]"), 0);
    assert_null(read_now());
}

static void phase__is_published_at_once(void **state)
{
    (void)state;
    struct cook_progress progress;
    cook_progress_begin(&progress, folder.fd, "full");
    static const char *const phases[] = { "scan", "evaluate", "cook" };
    for (size_t i = 0; i < 3; i++) {
        cook_progress_phase(&progress, phases[i]);
        cJSON *json = read_now();
        assert_string_equal(text_of(json, "phase"), phases[i]);
        assert_string_equal(text_of(json, "verb"), "full");
        assert_true(is_running(json));
        cJSON_Delete(json);
    }
}

static void figures__are_published_now_and_then(void **state)
{
    (void)state;
    struct cook_progress progress;
    struct cook_progress_figures figures = { .reached = 9, .cooked = 4, .left = 5 };
    cook_progress_begin(&progress, folder.fd, "full");
    cook_progress_figures(&progress, &figures, "/Game/A", 3);
    cJSON *json = read_now();
    assert_string_equal(text_of(json, "slowest"), ""); /* too soon after the phase */
    cJSON_Delete(json);
    progress.published -= 1;
    cook_progress_figures(&progress, &figures, "/Game/A", 3);
    json = read_now();
    assert_string_equal(text_of(json, "slowest"), "/Game/A");
    assert_int_equal(cJSON_GetObjectItemCaseSensitive(json, "left")->valueint, 5);
    cJSON_Delete(json);
}

static void end__stays_with_its_outcome(void **state)
{
    (void)state;
    struct cook_progress progress;
    cook_progress_begin(&progress, folder.fd, "full");
    cook_progress_end(&progress, "no space left");
    cook_progress_phase(&progress, "scan"); /* after the last word nothing is said */
    cook_progress_withdraw(&progress);
    cJSON *json = read_now();
    assert_false(is_running(json));
    assert_string_equal(text_of(json, "outcome"), "error");
    assert_string_equal(text_of(json, "error"), "no space left");
    cJSON_Delete(json);
    cook_progress_begin(&progress, folder.fd, "full");
    cook_progress_end(&progress, NULL);
    json = read_now();
    assert_string_equal(text_of(json, "outcome"), "done");
    cJSON_Delete(json);
}

static void withdraw__leaves_nothing(void **state)
{
    (void)state;
    struct cook_progress progress;
    cook_progress_begin(&progress, folder.fd, "resave");
    cook_progress_withdraw(&progress);
    assert_null(read_now());
    struct cook_progress none = { 0 };
    cook_progress_phase(&none, "scan");
    cook_progress_end(&none, NULL);
    assert_null(read_now());
}

/* A run in a process of its own, which waits for its end. */
static pid_t run_apart(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct cook_progress progress;
        cook_progress_begin(&progress, folder.fd, "full");
        cook_progress_phase(&progress, "cook");
        (void)!write(ready[1], "", 1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void read__tells_a_killed_run(void **state)
{
    (void)state;
    pid_t child = run_apart();
    cJSON *json = read_now();
    assert_true(is_running(json));
    cJSON_Delete(json);
    assert_int_equal(kill(child, SIGKILL), 0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    for (int i = 0; i < 2; i++) { /* before its parent asked, and after */
        json = read_now();
        assert_false(is_running(json));
        assert_string_equal(text_of(json, "outcome"), "killed");
        assert_string_equal(text_of(json, "phase"), "cook");
        cJSON_Delete(json);
        if (i == 0)
            assert_int_equal(waitpid(child, NULL, 0), child);
    }
}

/* Publish, then change a key of what stands in the file. */
static void publish_with(const char *key, cJSON *value)
{
    struct cook_progress progress;
    cook_progress_begin(&progress, folder.fd, "full");
    cJSON *json = read_now();
    cJSON_ReplaceItemInObjectCaseSensitive(json, key, value);
    cJSON_DeleteItemFromObjectCaseSensitive(json, "running");
    char *text = cJSON_PrintUnformatted(json);
    assert_int_equal(test_folder_write(&folder, COOK_PROGRESS_FILE, text), 0);
    cJSON_free(text);
    cJSON_Delete(json);
}

static void read__knows_another_process_of_that_number(void **state)
{
    (void)state;
    publish_with("process_start", cJSON_CreateNumber(1));
    cJSON *json = read_now();
    assert_string_equal(text_of(json, "outcome"), "killed");
    cJSON_Delete(json);
}

static void read__of_another_machine_goes_by_time(void **state)
{
    (void)state;
    publish_with("place", cJSON_CreateString("elsewhere"));
    cJSON *json = read_now();
    assert_true(is_running(json));
    cJSON_Delete(json);
    const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    assert_int_equal(utimensat(folder.fd, COOK_PROGRESS_FILE, old, 0), 0);
    json = read_now();
    assert_string_equal(text_of(json, "outcome"), "killed");
    cJSON_Delete(json);
}

static void read__of_wrong_types_is_no_run(void **state)
{
    (void)state;
    static const char *const values[] = { "\"x\"", "-1", "1e300", "null", "{}", "[]" };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        publish_with("process", cJSON_Parse(values[i]));
        cJSON *json = read_now();
        assert_false(is_running(json));
        cJSON_Delete(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(read__of_no_run_is_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(phase__is_published_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figures__are_published_now_and_then, set_up, tear_down),
        cmocka_unit_test_setup_teardown(end__stays_with_its_outcome, set_up, tear_down),
        cmocka_unit_test_setup_teardown(withdraw__leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__tells_a_killed_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__knows_another_process_of_that_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__of_another_machine_goes_by_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__of_wrong_types_is_no_run, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
