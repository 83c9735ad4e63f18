#include "cook/trace/noise.h"

#include "cook/base/path.h"

#define NOISE COOK_INPUT_UNKNOWN, NULL

/* The first that matches counts. */
static const struct cook_trace_rule rules[] = {
    { "/dev/urandom", COOK_INPUT_RANDOM, NULL, "random bytes" },
    { "/dev/random", COOK_INPUT_RANDOM, NULL, "random bytes" },
    { "/dev/hwrng", COOK_INPUT_RANDOM, NULL, "random bytes" },
    { "/proc/sys/kernel/random/*", COOK_INPUT_RANDOM, NULL, "random bytes" },
    { "/proc/sys/kernel/hostname", COOK_INPUT_HOST, "host name", "the host's name" },
    { "/etc/hostname", COOK_INPUT_HOST, "host name", "the host's name" },
    { "/etc/machine-id", COOK_INPUT_HOST, NULL, "the host's identity" },
    { "/var/lib/dbus/machine-id", COOK_INPUT_HOST, NULL, "the host's identity" },
    { "/sys/devices/system/cpu/*", COOK_INPUT_HOST, "processor count", "the host's processors" },
    { "/proc/cpuinfo", COOK_INPUT_HOST, "processor count", "the host's processors" },
    { "/proc/stat", COOK_INPUT_HOST, "processor count", "the C library counts processors in it" },
    { "/proc/meminfo", COOK_INPUT_HOST, "memory and load", "the host's memory" },
    { "/proc/loadavg", COOK_INPUT_HOST, "memory and load", "the host's load" },
    { "/proc/uptime", COOK_INPUT_CLOCK, "time since boot", "a clock" },
    { "/proc/self/environ", COOK_INPUT_ENVIRONMENT, "(all)", "the whole environment" },
    { "/proc/self/cmdline", COOK_INPUT_HOST, "command line of the worker", "differs by run" },
    { "/proc/self/cwd", COOK_INPUT_HOST, "working folder", "where the project lies" },
    { "/proc/*", NOISE, "the process itself: addresses, threads, descriptors" },
    { "/sys/fs/cgroup/*", COOK_INPUT_HOST, "processor count", "limits of the machine" },
    { "/sys/kernel/mm/*", NOISE, "page sizes, asked by allocators" },
    { "/dev/null", NOISE, "has no content" },
    { "/dev/zero", NOISE, "has no content" },
    { "/dev/full", NOISE, "has no content" },
    { "/dev/tty*", NOISE, "a terminal" },
    { "/dev/pts/*", NOISE, "a terminal" },
    { "/dev/fd*", NOISE, "descriptors that are open already" },
    { "/dev/std*", NOISE, "descriptors that are open already" },
    { "/dev/shm", NOISE, "memory shared by processes" },
    { "/dev/shm/*", NOISE, "memory shared by processes" },
    { "/etc/ld.so.*", NOISE, "the dynamic linker; libraries are compared by build id" },
    { "/lib/*.so", NOISE, "a library; compared by build id" },
    { "/lib/*.so.*", NOISE, "a library; compared by build id" },
    { "/lib64/*.so*", NOISE, "a library; compared by build id" },
    { "/usr/*.so", NOISE, "a library; compared by build id" },
    { "/usr/*.so.*", NOISE, "a library; compared by build id" },
    { "/usr/lib/debug/*", NOISE, "debug information, read to name a callstack" },
    { "/usr/lib/locale/*", NOISE, "the C library's locales; the variable that chose one counts" },
    { "/usr/share/locale/*", NOISE, "translations of messages" },
    { "/usr/*/gconv/*", NOISE, "the C library's character sets" },
    { "/etc/nsswitch.conf", NOISE, "how the C library finds names" },
    { "/var/run/nscd/*", NOISE, "how the C library finds names" },
    { "/run/nscd/*", NOISE, "how the C library finds names" },
    { "/var/run/setrans/*", NOISE, "how the C library finds names" },
    { "/etc/selinux/*", NOISE, "whether the host labels files, asked by programs at start" },
    { "/sys/fs/selinux*", NOISE, "whether the host labels files, asked by programs at start" },
    { "Saved/Cook/*", NOISE, "written by the cook itself: plugin copies, the store" },
    { "Saved/History*", NOISE, "written by the cook itself" },
};

const struct cook_trace_rule *cook_trace_rule_of(const char *path)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (cook_glob_match(rules[i].pattern, path))
            return &rules[i];
    return NULL;
}

bool cook_trace_is_noise(const char *path)
{
    const struct cook_trace_rule *rule = cook_trace_rule_of(path);
    return rule && rule->kind == COOK_INPUT_UNKNOWN;
}
