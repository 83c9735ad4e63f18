#include "cook/worker/perturb.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 262144

/* It holds for programs started from now on, so this one is started again, once. */
static void fix_addresses(char **argv)
{
    int now = personality(0xffffffff);
    if (now < 0 || (now & ADDR_NO_RANDOMIZE))
        return;
    if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0)
        execv("/proc/self/exe", argv);
}

static void limit_processors(unsigned count)
{
    cpu_set_t allowed;
    cpu_set_t limited;
    CPU_ZERO(&limited);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return;
    for (size_t i = 0; i < CPU_SETSIZE && count; i++) {
        if (!CPU_ISSET(i, &allowed))
            continue;
        CPU_SET(i, &limited);
        count--;
    }
    (void)sched_setaffinity(0, sizeof(limited), &limited);
}

static void rename_host(const char *name)
{
    if (unshare(CLONE_NEWUTS) == 0)
        (void)!sethostname(name, strlen(name));
}

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, text, strlen(text));
    close(fd);
}

/* A mount namespace, in a user namespace of our own where we have no right to one. */
static bool leave_mounts(void)
{
    char map[64];
    unsigned user = geteuid();
    unsigned group = getegid();
    if (unshare(CLONE_NEWNS) == 0)
        return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    write_text("/proc/self/setgroups", "deny");
    (void)snprintf(map, sizeof(map), "%u %u 1", user, user);
    write_text("/proc/self/uid_map", map);
    (void)snprintf(map, sizeof(map), "%u %u 1", group, group);
    write_text("/proc/self/gid_map", map);
    return true;
}

/* The project's folder, which we are in, seen at another place too; we go there. */
static bool move_project(const char *folder)
{
    return leave_mounts() && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(".", folder, NULL, MS_BIND, NULL) == 0 && chdir(folder) == 0;
}

bool cook_perturb_can_move(const char *project, const char *folder)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        _exit(chdir(project) == 0 && move_project(folder) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void cook_perturb_enter_folder(void)
{
    const char *folder = getenv(COOK_PERTURB_FOLDER);
    if (folder)
        (void)!chdir(folder);
}

int cook_perturb_stack_byte(void)
{
    const char *byte = getenv(COOK_PERTURB_STACK);
    return byte ? (int)strtol(byte, NULL, 10) & 255 : -1;
}

__attribute__((noinline)) void cook_perturb_fill_stack(int byte)
{
    unsigned char bytes[STACK_BYTES];
    memset(bytes, byte, sizeof(bytes));
    __asm__ volatile("" : : "r"(bytes) : "memory"); /* it is not left out */
}

/* One "key=value". */
static bool apply(const char *item, char **argv)
{
    const char *value = strchr(item, '=');
    if (!value)
        return false;
    size_t length = (size_t)(value++ - item);
    if (length == 4 && strncmp(item, "aslr", length) == 0)
        fix_addresses(argv);
    else if (length == 5 && strncmp(item, "umask", length) == 0)
        (void)umask((mode_t)strtoul(value, NULL, 8));
    else if (length == 4 && strncmp(item, "cpus", length) == 0)
        limit_processors((unsigned)strtoul(value, NULL, 10));
    else if (length == 4 && strncmp(item, "host", length) == 0)
        rename_host(value);
    else if (length == 7 && strncmp(item, "project", length) == 0)
        (void)!move_project(value);
    else
        return false;
    return true;
}

int cook_perturb_apply(int argc, char **argv, int first)
{
    if (argc <= first)
        return 0;
    bool understood = argc == first + 2 && strcmp(argv[first], "--perturb") == 0;
    for (const char *at = understood ? argv[first + 1] : ""; *at && understood;) {
        char item[256];
        size_t length = strcspn(at, ",");
        understood = length < sizeof(item);
        if (!understood)
            break;
        memcpy(item, at, length);
        item[length] = '\0';
        understood = apply(item, argv);
        at += length + (at[length] == ',');
    }
    if (!understood)
        fprintf(stderr, "cook-worker: started by 'cook' only; unknown arguments\n");
    return understood ? 0 : 2;
}
