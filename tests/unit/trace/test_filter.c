/* What the filter refuses, lets pass and tells of; in children, since it stays. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cook/trace/calls.h"

#define REFUSED 77 /* by the kernel */

/* A sanitizer's runtime looks around when a thread begins, and nobody answers here. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define THREADS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define THREADS 0
#endif
#endif
#ifndef THREADS
#define THREADS 1
#endif

static int in_child(int (*function)(int listener))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int listener;
        if (cook_trace_filter_install(&listener, NULL) != COOK_OK)
            _exit(REFUSED);
        _exit(function(listener));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED)
        skip();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int ask_for_what_is_refused(int listener)
{
    static const long numbers[] = { SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
                                    SYS_clone3, SYS_getpid | 0x40000000 };
    (void)listener;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (syscall(numbers[i], 0, 0, 0, 0) != -1 || errno != ENOSYS)
            return 1;
    return 0;
}

static void filter__refuses_what_would_escape(void **state)
{
    (void)state;
    assert_int_equal(in_child(ask_for_what_is_refused), 0);
}

static void *end_at_once(void *unused)
{
    return unused;
}

/* Not one notice: the listener has nothing to say. */
static int do_what_passes(int listener)
{
    pthread_t thread;
    struct pollfd fds = { .fd = listener, .events = POLLIN };
    if (pthread_create(&thread, NULL, end_at_once, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    if (cook_trace_call(SYS_getpid, 0, 0, 0, 0, 0, 0) <= 0 ||
        cook_trace_call(SYS_openat, -1, (long)"/nowhere/at/all", 0, 0, 0, 0) != -ENOENT)
        return 2;
    return poll(&fds, 1, 0) == 0 ? 0 : 3;
}

static void filter__lets_threads_and_our_own_calls_pass(void **state)
{
    (void)state;
    if (!THREADS)
        skip();
    assert_int_equal(in_child(do_what_passes), 0);
}

static void *open_something(void *unused)
{
    (void)!syscall(SYS_openat, -1, "/nowhere/at/all", 0);
    return unused;
}

static int do_what_is_told(int listener)
{
    pthread_t thread;
    struct pollfd fds = { .fd = listener, .events = POLLIN };
    if (pthread_create(&thread, NULL, open_something, NULL) != 0)
        return 1;
    return poll(&fds, 1, 5000) == 1 && (fds.revents & POLLIN) ? 0 : 2;
}

static void filter__tells_of_a_raw_call(void **state)
{
    (void)state;
    if (!THREADS)
        skip();
    assert_int_equal(in_child(do_what_is_told), 0);
}

static void calls__are_found_by_number(void **state)
{
    (void)state;
    assert_int_equal(cook_trace_call_find(SYS_openat)->class, COOK_TRACE_OPEN);
    assert_int_equal(cook_trace_call_find(SYS_openat)->path, 1);
    assert_null(cook_trace_call_find(SYS_write));
    assert_null(cook_trace_call_find(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter__refuses_what_would_escape),
        cmocka_unit_test(filter__lets_threads_and_our_own_calls_pass),
        cmocka_unit_test(filter__tells_of_a_raw_call),
        cmocka_unit_test(calls__are_found_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
