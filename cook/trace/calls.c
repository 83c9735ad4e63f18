/* The system calls that read the world: one table for the filter and for the supervisor. */
#include <stddef.h>
#include <sys/syscall.h>

#include "cook/trace/calls.h"

#if COOK_TRACE_SUPPORTED

/* What reads through a descriptor is not here: the descriptor was opened by one that is. */
static const struct cook_trace_call_info calls[] = {
    { SYS_openat, COOK_TRACE_OPEN, 0, 1, 2, NULL },
    { SYS_open, COOK_TRACE_OPEN, -1, 0, 1, NULL },
    { SYS_openat2, COOK_TRACE_OPEN, 0, 1, -1, NULL },
    { SYS_open_by_handle_at, COOK_TRACE_OPEN, -1, -1, -1, "a file by its handle" },
    { SYS_newfstatat, COOK_TRACE_STAT, 0, 1, 3, NULL },
    { SYS_stat, COOK_TRACE_STAT, -1, 0, -1, NULL },
    { SYS_lstat, COOK_TRACE_STAT, -1, 0, -1, NULL },
    { SYS_statx, COOK_TRACE_STAT, 0, 1, 2, NULL },
    { SYS_access, COOK_TRACE_STAT, -1, 0, -1, NULL },
    { SYS_faccessat, COOK_TRACE_STAT, 0, 1, -1, NULL },
    { SYS_faccessat2, COOK_TRACE_STAT, 0, 1, 3, NULL },
    { SYS_getxattr, COOK_TRACE_STAT, -1, 0, -1, NULL },
    { SYS_lgetxattr, COOK_TRACE_STAT, -1, 0, -1, NULL },
    { SYS_listxattr, COOK_TRACE_STAT, -1, 0, -1, NULL },
    { SYS_llistxattr, COOK_TRACE_STAT, -1, 0, -1, NULL },
    { SYS_statfs, COOK_TRACE_STAT, -1, 0, -1, NULL },
    { SYS_readlink, COOK_TRACE_LINK, -1, 0, -1, NULL },
    { SYS_readlinkat, COOK_TRACE_LINK, 0, 1, -1, NULL },
    { SYS_execve, COOK_TRACE_EXEC, -1, 0, -1, NULL },
    { SYS_execveat, COOK_TRACE_EXEC, 0, 1, 4, NULL },
    { SYS_fork, COOK_TRACE_FORK, -1, -1, -1, "a copy of the worker" },
    { SYS_vfork, COOK_TRACE_FORK, -1, -1, -1, "a copy of the worker" },
    { SYS_clone, COOK_TRACE_FORK, -1, -1, 0, "a copy of the worker" },
    { SYS_clock_gettime, COOK_TRACE_CLOCK, -1, -1, 0, "wall clock" },
    { SYS_gettimeofday, COOK_TRACE_CLOCK, -1, -1, -1, "wall clock" },
    { SYS_time, COOK_TRACE_CLOCK, -1, -1, -1, "wall clock" },
    { SYS_adjtimex, COOK_TRACE_CLOCK, -1, -1, -1, "wall clock" },
    { SYS_getrandom, COOK_TRACE_RANDOM, -1, -1, -1, "getrandom" },
    { SYS_uname, COOK_TRACE_HOST, -1, -1, -1, "host name" },
    { SYS_sysinfo, COOK_TRACE_HOST, -1, -1, -1, "memory and load" },
    { SYS_sched_getaffinity, COOK_TRACE_HOST, -1, -1, -1, "processor count" },
    { SYS_getcpu, COOK_TRACE_HOST, -1, -1, -1, "processor at work" },
    { SYS_getpid, COOK_TRACE_HOST, -1, -1, -1, "process id" },
    { SYS_getppid, COOK_TRACE_HOST, -1, -1, -1, "process id" },
    { SYS_getcwd, COOK_TRACE_HOST, -1, -1, -1, "working folder" },
    { SYS_chdir, COOK_TRACE_MOVE, -1, 0, -1, NULL },
    { SYS_fchdir, COOK_TRACE_MOVE, -1, -1, -1, NULL },
    { SYS_connect, COOK_TRACE_CONNECT, -1, -1, -1, "network" },
};

const struct cook_trace_call_info *cook_trace_call_list(size_t *count)
{
    *count = sizeof(calls) / sizeof(calls[0]);
    return calls;
}

#else

const struct cook_trace_call_info *cook_trace_call_list(size_t *count)
{
    *count = 0;
    return NULL;
}

#endif

const struct cook_trace_call_info *cook_trace_call_find(int number)
{
    size_t count;
    const struct cook_trace_call_info *list = cook_trace_call_list(&count);
    for (size_t i = 0; i < count; i++)
        if (list[i].number == number)
            return &list[i];
    return NULL;
}
