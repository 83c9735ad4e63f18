#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/symbols/crash_format.h"
#include "cook/symbols/stacks.h"
#include "cook/symbols/symbolize.h"

#if __has_attribute(noipa)
#define NOINLINE __attribute__((noipa))
#else
#define NOINLINE __attribute__((noinline))
#endif

struct fixture {
    struct cook_buf report;
    struct cook_arena arena;
    struct cook_symbolizer *symbolizer;
    struct cook_crash crash;
    struct cook_symbol_frame frames[4 * COOK_STACK_MAX_FRAMES];
    size_t count;
    int status; /* of the child */
};

static int set_up(void **state)
{
    static struct fixture fixture;
    struct cook_symbolizer_options options = { NULL, 0 };
    memset(&fixture, 0, sizeof(fixture));
    *state = &fixture;
    return cook_symbolizer_create(&fixture.symbolizer, &options, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    cook_symbolizer_destroy(fixture->symbolizer);
    cook_buf_finish(&fixture->report);
    cook_arena_finish(&fixture->arena);
    return 0;
}

/* Crashes on purpose must neither dump core nor be taken by a sanitizer. */
static void run_child(int fd, void (*crash)(void))
{
    alarm(20);
    if (cook_crash_install(fd, NULL) != COOK_OK)
        _exit(99);
    crash();
    _exit(98);
}

static void read_report(struct fixture *fixture, int fd)
{
    char bytes[4096];
    ssize_t got;
    while ((got = read(fd, bytes, sizeof(bytes))) > 0)
        cook_buf_put(&fixture->report, bytes, (size_t)got);
    assert_int_equal(0, got);
}

static void crash_in_child(struct fixture *fixture, void (*crash)(void), bool hangs)
{
    int ends[2];
    assert_int_equal(0, pipe(ends));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], crash);
    }
    close(ends[1]);
    if (hangs) {
        usleep(300 * 1000);
        kill(child, SIGUSR2);
    }
    read_report(fixture, ends[0]);
    close(ends[0]);
    assert_int_equal(child, waitpid(child, &fixture->status, 0));
}

static void decode_report(struct fixture *fixture)
{
    struct cook_error error = COOK_ERROR_INIT;
    enum cook_status status = cook_crash_decode(&fixture->crash, fixture->report.data,
                                                fixture->report.size, &fixture->arena, &error);
    assert_string_equal("", error.message);
    assert_int_equal(COOK_OK, status);
    fixture->count =
        cook_symbolizer_stack(fixture->symbolizer, &fixture->crash.set, 0, fixture->frames,
                              sizeof(fixture->frames) / sizeof(fixture->frames[0]));
    assert_true(fixture->count > 0);
}

static void assert_function(const struct fixture *fixture, size_t frame, const char *name)
{
    assert_true(frame < fixture->count);
    assert_non_null(fixture->frames[frame].function);
    assert_string_equal(name, fixture->frames[frame].function);
}

static bool has_function(const struct fixture *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->count; i++) {
        if (fixture->frames[i].function && strcmp(fixture->frames[i].function, name) == 0)
            return true;
    }
    return false;
}

/* The sanitizer would report it before the signal comes. */
#define UNCHECKED __attribute__((no_sanitize("undefined")))

static const int write_line = __LINE__ + 4;
static NOINLINE UNCHECKED void write_through(volatile int *where)
{
    __asm__ volatile("");
    *where = 1;
}

static NOINLINE void crash_on_null(void)
{
    write_through(NULL);
    __asm__ volatile("");
}

static void crash__names_the_faulting_line_and_its_caller(void **state)
{
    struct fixture *fixture = *state;
    crash_in_child(fixture, crash_on_null, false);
    decode_report(fixture);
    assert_true(WIFSIGNALED(fixture->status));
    assert_int_equal(SIGSEGV, WTERMSIG(fixture->status));
    assert_int_equal(SIGSEGV, fixture->crash.signal);
    assert_function(fixture, 0, "write_through");
    assert_int_equal(write_line, fixture->frames[0].line);
    assert_function(fixture, 1, "crash_on_null");
    assert_true(has_function(fixture, "main"));
}

static void (*volatile wild_pointer)(void);

static NOINLINE void call_wild_pointer(void)
{
    wild_pointer();
    __asm__ volatile("");
}

static void crash__wild_call_names_the_caller(void **state)
{
    struct fixture *fixture = *state;
    crash_in_child(fixture, call_wild_pointer, false);
    decode_report(fixture);
    assert_null(fixture->frames[0].function);
    assert_string_equal("?", fixture->frames[0].module);
    assert_function(fixture, 1, "call_wild_pointer");
    assert_function(fixture, 2, "run_child");
}

static NOINLINE unsigned overflow_stack(unsigned depth)
{
    volatile unsigned char block[512];
    block[depth % sizeof(block)] = (unsigned char)depth;
    if (depth == UINT32_MAX)
        return 0;
    return overflow_stack(depth + 1) + block[depth % sizeof(block)];
}

static void crash_by_overflow(void)
{
    overflow_stack(0);
}

static void crash__stack_overflow_is_reported(void **state)
{
    struct fixture *fixture = *state;
    crash_in_child(fixture, crash_by_overflow, false);
    decode_report(fixture);
    assert_int_equal(SIGSEGV, WTERMSIG(fixture->status));
    assert_function(fixture, 0, "overflow_stack");
    assert_function(fixture, 1, "overflow_stack");
    assert_true(fixture->crash.set.stacks[0].count > 100);
}

static void *overflow_on_thread(void *argument)
{
    (void)argument;
    if (cook_crash_install_thread(NULL) != COOK_OK)
        _exit(97);
    overflow_stack(0);
    return NULL;
}

static void crash_by_overflow_on_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, overflow_on_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static void crash__stack_overflow_on_a_thread_is_reported(void **state)
{
    struct fixture *fixture = *state;
    crash_in_child(fixture, crash_by_overflow_on_thread, false);
    decode_report(fixture);
    assert_int_equal(SIGSEGV, WTERMSIG(fixture->status));
    assert_function(fixture, 0, "overflow_stack");
}

static void *finish_thread(void *argument)
{
    (void)argument;
    return cook_crash_install_thread(NULL) == COOK_OK ? argument : NULL;
}

static void crash_after_threads(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, finish_thread, NULL) == 0)
            pthread_join(thread, NULL);
    }
    crash_on_null();
}

static void crash__finished_threads_leave_nothing_behind(void **state)
{
    struct fixture *fixture = *state;
    crash_in_child(fixture, crash_after_threads, false);
    decode_report(fixture);
    assert_function(fixture, 0, "write_through");
}

static void crash__abort_is_reported(void **state)
{
    struct fixture *fixture = *state;
    crash_in_child(fixture, abort, false);
    decode_report(fixture);
    assert_int_equal(SIGABRT, WTERMSIG(fixture->status));
    assert_int_equal(SIGABRT, fixture->crash.signal);
    assert_true(has_function(fixture, "run_child"));
}

static NOINLINE void wait_for_ever(void)
{
    for (volatile int i = 0;; i = i + 1)
        continue;
}

static void crash__hang_is_reported_when_asked(void **state)
{
    struct fixture *fixture = *state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it holds signals back until the next system call, which never comes */
#endif
    crash_in_child(fixture, wait_for_ever, true);
    decode_report(fixture);
    assert_true(WIFEXITED(fixture->status));
    assert_int_equal(1, WEXITSTATUS(fixture->status));
    assert_int_equal(SIGUSR2, fixture->crash.signal);
    assert_function(fixture, 0, "wait_for_ever");
    assert_function(fixture, 1, "run_child");
}

static void crash_with_wild_stack(void)
{
#ifdef __x86_64__
    __asm__ volatile("xor %%esp, %%esp\n\tmov %%rsp, %%rbp\n\tpush %%rax" ::: "memory");
#endif
    abort();
}

static void crash__wild_stack_pointer_still_ends_the_process(void **state)
{
    struct fixture *fixture = *state;
    crash_in_child(fixture, crash_with_wild_stack, false);
    decode_report(fixture);
    assert_true(WIFSIGNALED(fixture->status));
    assert_function(fixture, 0, "crash_with_wild_stack");
}

static void install__needs_a_descriptor_and_comes_before_threads(void **state)
{
    (void)state;
    struct cook_error error = COOK_ERROR_INIT;
    assert_int_equal(COOK_E_INVALID, cook_crash_install(-1, &error));
    assert_int_equal(COOK_E_INVALID, cook_crash_install_thread(&error));
    assert_string_equal("the crash handler is not installed", error.message);
}

static void put_frame(struct cook_buf *bytes, const char *name, const char *build_id)
{
    cook_buf_put_u8(bytes, COOK_CRASH_FRAME);
    cook_buf_put_u16(bytes, (uint16_t)strlen(name));
    cook_buf_put(bytes, name, strlen(name));
    cook_buf_put_u16(bytes, 0);
    cook_buf_put_u16(bytes, (uint16_t)strlen(build_id));
    cook_buf_put(bytes, build_id, strlen(build_id));
    cook_buf_put_u64(bytes, 0x1234);
}

static void put_report(struct cook_buf *bytes, const char *build_id)
{
    cook_buf_put_u32(bytes, COOK_CRASH_MAGIC);
    cook_buf_put_u8(bytes, COOK_CRASH_VERSION);
    cook_buf_put_u32(bytes, SIGSEGV);
    put_frame(bytes, "a.so", build_id);
    put_frame(bytes, "a.so", build_id);
    cook_buf_put_u8(bytes, COOK_CRASH_END);
}

static enum cook_status decode(struct fixture *fixture, size_t size)
{
    return cook_crash_decode(&fixture->crash, fixture->report.data, size, &fixture->arena,
                             NULL);
}

static void decode__accepts_a_report_cut_between_frames_only(void **state)
{
    struct fixture *fixture = *state;
    put_report(&fixture->report, "00ff");
    size_t frame = (fixture->report.size - 10) / 2, accepted = 0;
    for (size_t size = 0; size <= fixture->report.size; size++)
        accepted += decode(fixture, size) == COOK_OK;
    assert_int_equal(4, accepted);
    assert_int_equal(COOK_OK, decode(fixture, 9 + frame));
    assert_int_equal(1, fixture->crash.set.stacks[0].count);
    assert_int_equal(COOK_OK, decode(fixture, fixture->report.size));
    assert_int_equal(2, fixture->crash.set.stacks[0].count);
    assert_int_equal(1, fixture->crash.set.module_count);
}

static void decode__rejects_garbage(void **state)
{
    struct fixture *fixture = *state;
    const char *build_ids[] = { "0", "zz", "../../etc" };
    for (size_t i = 0; i < 3; i++) {
        cook_buf_clear(&fixture->report);
        put_report(&fixture->report, build_ids[i]);
        assert_int_equal(COOK_E_MALFORMED, decode(fixture, fixture->report.size));
    }
    put_report(&fixture->report, "00");
    cook_buf_put_u8(&fixture->report, 0);
    assert_int_equal(COOK_E_MALFORMED, decode(fixture, fixture->report.size));
    assert_int_equal(COOK_E_MALFORMED, decode(fixture, 0));
    assert_int_equal(0, fixture->crash.set.stack_count);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(crash__names_the_faulting_line_and_its_caller),
        TEST(crash__wild_call_names_the_caller),
        TEST(crash__stack_overflow_is_reported),
        TEST(crash__stack_overflow_on_a_thread_is_reported),
        TEST(crash__finished_threads_leave_nothing_behind),
        TEST(crash__abort_is_reported),
        TEST(crash__hang_is_reported_when_asked),
        TEST(crash__wild_stack_pointer_still_ends_the_process),
        TEST(install__needs_a_descriptor_and_comes_before_threads),
        TEST(decode__accepts_a_report_cut_between_frames_only),
        TEST(decode__rejects_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
