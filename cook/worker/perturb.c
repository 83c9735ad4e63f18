#include "cook/worker/perturb.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

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
    else
        return false;
    return true;
}

int cook_perturb_apply(int argc, char **argv)
{
    if (argc < 2)
        return 0;
    bool understood = argc == 3 && strcmp(argv[1], "--perturb") == 0;
    for (const char *at = understood ? argv[2] : ""; *at && understood;) {
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
