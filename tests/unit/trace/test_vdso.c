/* Clocks that are no system calls come to us; in a child, since the vDSO stays patched. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cook/trace/kernel.h"

static int seen;

static int see_clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    seen |= 1;
    *now = (struct timespec){ 12345, 0 };
    return 0;
}

static int see_gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    seen |= 2;
    *now = (struct timeval){ 12345, 0 };
    return 0;
}

static time_t see_time(time_t *now)
{
    seen |= 4;
    if (now)
        *now = 12345;
    return 12345;
}

static int read_clocks(void)
{
    struct timespec precise;
    struct timeval coarse;
    const struct cook_trace_vdso functions = { see_clock_gettime, see_gettimeofday, see_time };
    if (!cook_trace_vdso_patch(&functions))
        return 77;
    bool right = clock_gettime(CLOCK_REALTIME, &precise) == 0 && precise.tv_sec == 12345;
    right &= gettimeofday(&coarse, NULL) == 0 && coarse.tv_sec == 12345;
    right &= time(NULL) == 12345;
    return right && seen == 7 ? 0 : 1;
}

static void patch__leads_all_clocks_to_us(void **state)
{
    int status;
    pid_t child = fork();
    (void)state;
    if (child == 0)
        _exit(read_clocks());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(patch__leads_all_clocks_to_us) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
