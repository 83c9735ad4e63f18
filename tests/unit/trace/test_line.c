/* A supervisor that dies is noticed before the first call fails for it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cook/trace/kernel.h"
#include "cook/trace/supervisor.h"

enum { NOTICED = 0, MISSED = 1, REFUSED = 2, BROKEN = 3 };

/* In the worker: how the supervisor's death shows. */
static int outlive(struct cook_trace_shared *shared, const struct cook_trace_line *line)
{
    int listener;
    if (cook_trace_filter_install(&listener, NULL) != COOK_OK)
        return REFUSED;
    if (!cook_trace_line_send(line, listener) || !cook_trace_line_holds(line))
        return BROKEN;
    close(listener);
    int tid = (int)cook_trace_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    atomic_store(&cook_trace_slot_make(shared, tid)->covered, 1); /* it is not asked for stacks */
    if (syscall(SYS_getppid) <= 0)
        return BROKEN;
    kill((pid_t)cook_trace_call(SYS_getppid, 0, 0, 0, 0, 0, 0), SIGKILL);
    while (syscall(SYS_getppid) >= 0)
        continue;
    return cook_trace_line_holds(line) ? MISSED : NOTICED;
}

/* The worker's answer, through a pipe: its parent, the supervisor, is dead by then. */
static int try_once(struct cook_trace_shared *shared)
{
    int pipes[2];
    uint8_t answer = BROKEN;
    assert_int_equal(pipe(pipes), 0);
    pid_t supervisor = fork();
    if (supervisor == 0) {
        struct cook_trace_line worker_line, own_line;
        if (!cook_trace_line_make(&worker_line, &own_line))
            _exit(1);
        pid_t worker = fork();
        if (worker > 0)
            cook_trace_supervise(shared, worker, &own_line);
        cook_trace_line_close(&own_line);
        answer = (uint8_t)outlive(shared, &worker_line);
        _exit(write(pipes[1], &answer, 1) != 1);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &answer, 1), 1);
    close(pipes[0]);
    assert_int_equal(waitpid(supervisor, NULL, 0), supervisor);
    return answer;
}

static void death__is_noticed_before_a_call_fails(void **state)
{
    struct cook_trace_shared *shared;
    (void)state;
    assert_int_equal(cook_trace_shared_create(&shared, NULL), COOK_OK);
    for (int i = 0; i < 50; i++) {
        int answer = try_once(shared);
        if (answer == REFUSED)
            skip();
        assert_int_equal(answer, NOTICED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(death__is_noticed_before_a_call_fails) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
