#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cook/trace/remote.h"

#define PAGE 4096

/* A text that ends just before a page that is not there. */
static void text__is_read_up_to_the_end_of_memory(void **state)
{
    char out[64];
    char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_int_equal(mprotect(memory + PAGE, PAGE, PROT_NONE), 0);
    strcpy(memory + PAGE - 6, "a.txt");
    assert_true(cook_trace_remote_text(out, sizeof(out), getpid(), (uintptr_t)memory + PAGE - 6));
    assert_string_equal(out, "a.txt");
    assert_false(cook_trace_remote_text(out, sizeof(out), getpid(), (uintptr_t)memory + PAGE));
    assert_string_equal(out, "");
    assert_false(cook_trace_remote_text(out, sizeof(out), getpid(), 0));
    munmap(memory, 2 * PAGE);
}

static void text__over_pages_and_cut(void **state)
{
    static char text[3 * PAGE];
    static char out[2 * PAGE];
    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    assert_true(cook_trace_remote_text(out, sizeof(out), getpid(), (uintptr_t)text));
    assert_int_equal(strlen(out), sizeof(out) - 1);
}

static void resolve__makes_relative_paths_absolute(void **state)
{
    char path[8192] = "a.txt";
    (void)state;
    cook_trace_remote_resolve(path, sizeof(path), getpid(), AT_FDCWD, false);
    assert_string_equal(path, "a.txt"); /* the reader knows the folder */
    int fd = open("/usr", O_RDONLY | O_DIRECTORY);
    cook_trace_remote_resolve(path, sizeof(path), getpid(), fd, false);
    assert_string_equal(path, "/usr/a.txt");
    cook_trace_remote_resolve(path, sizeof(path), getpid(), fd, false);
    assert_string_equal(path, "/usr/a.txt");
    strcpy(path, "b");
    assert_int_equal(fchdir(fd), 0);
    cook_trace_remote_resolve(path, sizeof(path), getpid(), AT_FDCWD, true);
    assert_string_equal(path, "/usr/b");
    close(fd);
}

static void process__facts(void **state)
{
    char program[4096];
    sigset_t set;
    (void)state;
    cook_trace_remote_program(program, sizeof(program), getpid());
    assert_non_null(strstr(program, "unit_trace_remote"));
    assert_int_equal(cook_trace_remote_parent(getpid()), getppid());
    assert_int_equal(cook_trace_remote_group(gettid()), getpid());
    assert_false(cook_trace_remote_blocks(gettid(), SIGUSR1));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    assert_true(cook_trace_remote_blocks(gettid(), SIGUSR1));
    assert_int_equal(cook_trace_remote_parent(0), 0);
    int processor = cook_trace_remote_processor(gettid());
    assert_true(processor >= 0 && processor < sysconf(_SC_NPROCESSORS_CONF));
    assert_int_equal(cook_trace_remote_processor(0), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text__is_read_up_to_the_end_of_memory),
        cmocka_unit_test(text__over_pages_and_cut),
        cmocka_unit_test(resolve__makes_relative_paths_absolute),
        cmocka_unit_test(process__facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
