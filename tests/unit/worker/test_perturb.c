#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cook/worker/perturb.h"
#include "support/folder.h"

/* What is applied to a process stays with it: each test does it in a child. */
static int in_child(int (*body)(char *item), const char *item)
{
    char text[256];
    int status = -1;
    (void)snprintf(text, sizeof(text), "%s", item);
    pid_t child = fork();
    if (child == 0)
        _exit(body(text));
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int apply(char *item)
{
    char program[] = "cook-worker";
    char option[] = "--perturb";
    char *argv[] = { program, option, item, NULL };
    return cook_perturb_apply(3, argv, 1);
}

static int umask_after(char *item)
{
    return apply(item) == 0 ? (int)umask(0) : 255;
}

static int processors_after(char *item)
{
    cpu_set_t set;
    if (apply(item) != 0 || sched_getaffinity(0, sizeof(set), &set) != 0)
        return 255;
    return CPU_COUNT(&set);
}

static int understood(char *item)
{
    if (freopen("/dev/null", "w", stderr) == NULL)
        return 255;
    return apply(item);
}

static void apply__umask__is_set(void **state)
{
    (void)state;
    assert_int_equal(in_child(umask_after, "umask=027"), 027);
}

static void apply__processors__are_limited(void **state)
{
    (void)state;
    assert_int_equal(in_child(processors_after, "umask=022,cpus=1"), 1);
}

static void apply__unknown_or_malformed__is_refused(void **state)
{
    (void)state;
    assert_int_equal(in_child(understood, "colour=red"), 2);
    assert_int_equal(in_child(understood, "umask"), 2);
    assert_int_equal(in_child(understood, "umask=022,,"), 2);
    assert_int_equal(in_child(understood, "umask=022"), 0);
}

static void apply__no_arguments__is_fine(void **state)
{
    char program[] = "cook-worker";
    char *argv[] = { program, NULL };
    (void)state;
    assert_int_equal(cook_perturb_apply(1, argv, 1), 0);
}

static void stack_byte__is_read_from_the_environment(void **state)
{
    (void)state;
    unsetenv(COOK_PERTURB_STACK);
    assert_int_equal(cook_perturb_stack_byte(), -1);
    setenv(COOK_PERTURB_STACK, "170", 1);
    assert_int_equal(cook_perturb_stack_byte(), 170);
    unsetenv(COOK_PERTURB_STACK);
}

__attribute__((noinline)) static unsigned char look_at_unused_stack(void)
{
    unsigned char block[4096];
    __asm__ volatile("" : : "r"(block) : "memory");
    return block[1000];
}

static void fill_stack__is_what_the_next_call_finds(void **state)
{
    (void)state;
    cook_perturb_fill_stack(0x5a);
    assert_int_equal(look_at_unused_stack(), 0x5a);
    cook_perturb_fill_stack(0xa5);
    assert_int_equal(look_at_unused_stack(), 0xa5);
}

static int folder_after(char *item)
{
    char here[4096];
    setenv(COOK_PERTURB_FOLDER, item, 1);
    cook_perturb_enter_folder();
    return getcwd(here, sizeof(here)) && strcmp(here, item) == 0 ? 0 : 1;
}

static void enter_folder__goes_there(void **state)
{
    struct test_folder folder;
    char path[4096];
    (void)state;
    assert_int_equal(test_folder_open(&folder), 0);
    assert_non_null(realpath(folder.path, path));
    assert_int_equal(in_child(folder_after, path), 0);
    assert_int_equal(test_folder_close(&folder), 0);
}

/* Whether it can or not, the process that asks stays where it is. */
static void can_move__leaves_this_process_alone(void **state)
{
    struct test_folder folder;
    char before[4096];
    char after[4096];
    (void)state;
    assert_int_equal(test_folder_open(&folder), 0);
    assert_non_null(getcwd(before, sizeof(before)));
    (void)cook_perturb_can_move("/", folder.path);
    assert_non_null(getcwd(after, sizeof(after)));
    assert_string_equal(before, after);
    assert_int_equal(access("/proc/self", F_OK), 0);
    assert_int_equal(test_folder_close(&folder), 0);
    assert_false(cook_perturb_can_move("/no/such/folder", "/nor/this"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apply__umask__is_set),
        cmocka_unit_test(apply__processors__are_limited),
        cmocka_unit_test(apply__unknown_or_malformed__is_refused),
        cmocka_unit_test(apply__no_arguments__is_fine),
        cmocka_unit_test(stack_byte__is_read_from_the_environment),
        cmocka_unit_test(fill_stack__is_what_the_next_call_finds),
        cmocka_unit_test(enter_folder__goes_there),
        cmocka_unit_test(can_move__leaves_this_process_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
