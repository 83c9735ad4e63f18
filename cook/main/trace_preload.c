/*
 * Preloaded into traced workers: the calls by which class code reads the world are noted with their
 * caller's stack, which is cheaper here than from the kernel; environment reads are seen nowhere else.
 * Where the tracer has not filled in its hooks (hooks.h), a wrapper does what the library does.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cook/trace/hooks.h"

struct cook_trace_hooks cook_trace_hooks;

#define CALLER __builtin_return_address(0)

/* The library's own functions; all found once, at load. X(result, name, parameters) */
#define FUNCTIONS(X)                                                                            \
    X(int, open, (const char *, int, ...))                                                      \
    X(int, openat, (int, const char *, int, ...))                                               \
    X(FILE *, fopen, (const char *, const char *))                                              \
    X(FILE *, freopen, (const char *, const char *, FILE *))                                    \
    X(DIR *, opendir, (const char *))                                                           \
    X(char *, realpath, (const char *, char *))                                                 \
    X(char *, getenv, (const char *))                                                           \
    X(char *, secure_getenv, (const char *))                                                    \
    X(char *, setlocale, (int, const char *))                                                   \
    X(struct tm *, localtime, (const time_t *))                                                 \
    X(struct tm *, localtime_r, (const time_t *, struct tm *))                                  \
    X(time_t, mktime, (struct tm *))                                                            \
    X(void, tzset, (void))                                                                      \
    X(int, clock_gettime, (clockid_t, struct timespec *))                                       \
    X(int, gettimeofday, (struct timeval *, void *))                                            \
    X(time_t, time, (time_t *))                                                                 \
    X(ssize_t, getrandom, (void *, size_t, unsigned))                                           \
    X(int, system, (const char *))                                                              \
    X(FILE *, popen, (const char *, const char *))                                              \
    X(pid_t, fork, (void))                                                                      \
    X(int, posix_spawn,                                                                         \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,    \
       char *const *, char *const *))                                                           \
    X(int, posix_spawnp,                                                                        \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,    \
       char *const *, char *const *))                                                           \
    X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))

static struct {
#define MEMBER(result, name, parameters) result(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
} library;
/* Another preloaded library answers for the machine: what it wraps must go through it. */
static bool chained;

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof(found));
}

__attribute__((constructor)) static void find_all(void)
{
#define FIND(result, name, parameters) find(#name, &library.name);
    FUNCTIONS(FIND)
#undef FIND
    const void *next = dlsym(RTLD_NEXT, "open");
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    chained = !libc || next != dlsym(libc, "open");
    if (libc)
        (void)dlclose(libc);
}

/* Before that, an initialiser of another library may call already. */
#define LIBRARY(name) (library.name ? library.name : (find(#name, &library.name), library.name))

static bool enter(long number, int folder_fd, const char *path, int flags, const void *caller)
{
    return cook_trace_hooks.enter &&
           cook_trace_hooks.enter(number, folder_fd, path, flags, caller);
}

static void leave(void)
{
    cook_trace_hooks.leave();
}

static long call(long number, long a, long b, long c, long d)
{
    long result = cook_trace_hooks.call(number, a, b, c, d, 0, 0);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

/* ---- files ---- */

static mode_t mode_of(int flags, va_list *arguments)
{
    bool creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    return creates ? (mode_t)va_arg(*arguments, int) : 0;
}

static int open_at(int folder_fd, const char *path, int flags, mode_t mode, const void *caller)
{
    if (!enter(SYS_openat, folder_fd, path, flags, caller))
        return LIBRARY(openat)(folder_fd, path, flags, mode);
    int fd = chained ? LIBRARY(openat)(folder_fd, path, flags, mode)
                     : (int)call(SYS_openat, folder_fd, (long)path, flags, (long)mode);
    leave();
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    if (!chained)
        return open_at(AT_FDCWD, path, flags, mode, CALLER);
    bool entered = enter(SYS_openat, AT_FDCWD, path, flags, CALLER);
    int fd = LIBRARY(open)(path, flags, mode);
    if (entered)
        leave();
    return fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int openat(int folder_fd, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return open_at(folder_fd, path, flags, mode, CALLER);
}

int openat64(int folder_fd, const char *path, int flags, ...) __attribute__((alias("openat")));

/* What _FORTIFY_SOURCE makes of an open without a mode. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0, CALLER);
}

int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));

int __openat_2(int folder_fd, const char *path, int flags);
int __openat_2(int folder_fd, const char *path, int flags)
{
    return open_at(folder_fd, path, flags, 0, CALLER);
}

int __openat64_2(int folder_fd, const char *path, int flags)
    __attribute__((alias("__openat_2")));

static int flags_of(const char *mode)
{
    int flags = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    return mode[0] == 'w' ? flags | O_CREAT | O_TRUNC : flags;
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    bool entered = enter(SYS_openat, AT_FDCWD, path, flags_of(mode), CALLER);
    FILE *file = LIBRARY(fopen)(path, mode);
    if (entered)
        leave();
    return file;
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
    __attribute__((alias("fopen")));

FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    bool entered = enter(SYS_openat, AT_FDCWD, path, flags_of(mode), CALLER);
    FILE *file = LIBRARY(freopen)(path, mode, stream);
    if (entered)
        leave();
    return file;
}

DIR *opendir(const char *path)
{
    bool entered = enter(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY, CALLER);
    DIR *folder = LIBRARY(opendir)(path);
    if (entered)
        leave();
    return folder;
}

char *realpath(const char *restrict path, char *restrict resolved)
{
    bool entered = enter(SYS_readlink, AT_FDCWD, path, 0, CALLER);
    char *result = LIBRARY(realpath)(path, resolved);
    if (entered)
        leave();
    return result;
}

/* ---- stats ---- */

static int stat_at(int folder_fd, const char *path, struct stat *out, int flags,
                   const void *caller)
{
    bool entered = enter(SYS_newfstatat, folder_fd, path, flags, caller);
    if (!entered)
        return (int)syscall(SYS_newfstatat, folder_fd, path, out, flags);
    int failed = (int)call(SYS_newfstatat, folder_fd, (long)path, (long)out, flags);
    leave();
    return failed;
}

int stat(const char *restrict path, struct stat *restrict out)
{
    return stat_at(AT_FDCWD, path, out, 0, CALLER);
}

int lstat(const char *restrict path, struct stat *restrict out)
{
    return stat_at(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW, CALLER);
}

int fstatat(int folder_fd, const char *restrict path, struct stat *restrict out, int flags)
{
    return stat_at(folder_fd, path, out, flags, CALLER);
}

/* An open file was seen when it was opened. */
int fstat(int fd, struct stat *out)
{
    return (int)syscall(SYS_fstat, fd, out);
}

/* On 64-bit machines the two structures are one. */
int stat64(const char *restrict path, struct stat64 *restrict out)
{
    return stat_at(AT_FDCWD, path, (struct stat *)out, 0, CALLER);
}

int lstat64(const char *restrict path, struct stat64 *restrict out)
{
    return stat_at(AT_FDCWD, path, (struct stat *)out, AT_SYMLINK_NOFOLLOW, CALLER);
}

int fstatat64(int folder_fd, const char *restrict path, struct stat64 *restrict out, int flags)
{
    return stat_at(folder_fd, path, (struct stat *)out, flags, CALLER);
}

int fstat64(int fd, struct stat64 *out)
{
    return (int)syscall(SYS_fstat, fd, out);
}

int access(const char *path, int mode)
{
    if (!enter(SYS_access, AT_FDCWD, path, 0, CALLER))
        return (int)syscall(SYS_access, path, mode);
    int failed = (int)call(SYS_access, (long)path, mode, 0, 0);
    leave();
    return failed;
}

ssize_t readlink(const char *restrict path, char *restrict out, size_t size)
{
    if (!enter(SYS_readlink, AT_FDCWD, path, 0, CALLER))
        return syscall(SYS_readlink, path, out, size);
    ssize_t length = call(SYS_readlink, (long)path, (long)out, (long)size, 0);
    leave();
    return length;
}

/* ---- the environment ---- */

static void note_variable(const char *name, const void *caller)
{
    if (enter(COOK_TRACE_ENVIRONMENT, AT_FDCWD, name, 0, caller))
        leave();
}

char *getenv(const char *name)
{
    note_variable(name, CALLER);
    return LIBRARY(getenv)(name);
}

char *secure_getenv(const char *name)
{
    note_variable(name, CALLER);
    return LIBRARY(secure_getenv)(name);
}

/* The library looks into the environment by itself. */
char *setlocale(int category, const char *name)
{
    static const char *const variables[] = { "LC_ALL", "LANG" };
    for (size_t i = 0; name && !*name && i < 2; i++)
        note_variable(variables[i], CALLER);
    return LIBRARY(setlocale)(category, name);
}

struct tm *localtime(const time_t *now)
{
    note_variable("TZ", CALLER);
    return LIBRARY(localtime)(now);
}

struct tm *localtime_r(const time_t *restrict now, struct tm *restrict out)
{
    note_variable("TZ", CALLER);
    return LIBRARY(localtime_r)(now, out);
}

time_t mktime(struct tm *time)
{
    note_variable("TZ", CALLER);
    return LIBRARY(mktime)(time);
}

void tzset(void)
{
    note_variable("TZ", CALLER);
    LIBRARY(tzset)();
}

/* ---- clocks, random bytes ---- */

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!enter(SYS_clock_gettime, AT_FDCWD, "", clock, CALLER))
        return LIBRARY(clock_gettime)(clock, now);
    int failed = chained ? LIBRARY(clock_gettime)(clock, now)
                         : (int)call(SYS_clock_gettime, clock, (long)now, 0, 0);
    leave();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    if (!enter(SYS_gettimeofday, AT_FDCWD, "", 0, CALLER))
        return LIBRARY(gettimeofday)(now, zone);
    int failed = chained ? LIBRARY(gettimeofday)(now, zone)
                         : (int)call(SYS_gettimeofday, (long)now, (long)zone, 0, 0);
    leave();
    return failed;
}

time_t time(time_t *now)
{
    if (!enter(SYS_time, AT_FDCWD, "", 0, CALLER))
        return LIBRARY(time)(now);
    time_t result = chained ? LIBRARY(time)(now) : call(SYS_time, (long)now, 0, 0, 0);
    leave();
    return result;
}

ssize_t getrandom(void *out, size_t size, unsigned flags)
{
    bool entered = enter(SYS_getrandom, AT_FDCWD, "", 0, CALLER);
    ssize_t result = LIBRARY(getrandom)(out, size, flags);
    if (entered)
        leave();
    return result;
}

/* ---- processes and threads ---- */

int system(const char *command)
{
    bool entered = enter(SYS_execve, AT_FDCWD, "/bin/sh", 0, CALLER);
    int status = LIBRARY(system)(command);
    if (entered)
        leave();
    return status;
}

FILE *popen(const char *command, const char *mode)
{
    bool entered = enter(SYS_execve, AT_FDCWD, "/bin/sh", 0, CALLER);
    FILE *stream = LIBRARY(popen)(command, mode);
    if (entered)
        leave();
    return stream;
}

/* A fork reads nothing; its stack is what its child's reads are told with. */
pid_t fork(void)
{
    bool entered = enter(SYS_fork, AT_FDCWD, "", 0, CALLER);
    pid_t pid = LIBRARY(fork)();
    if (entered && pid != 0)
        leave();
    return pid;
}

int posix_spawn(pid_t *restrict pid, const char *restrict path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                char *const environment[restrict])
{
    bool entered = enter(SYS_execve, AT_FDCWD, path, 0, CALLER);
    int failed = LIBRARY(posix_spawn)(pid, path, actions, attributes, arguments, environment);
    if (entered)
        leave();
    return failed;
}

/* Where the program lies, its search in the child tells. */
int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                 const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                 char *const environment[restrict])
{
    bool entered = enter(SYS_fork, AT_FDCWD, "", 0, CALLER);
    int failed = LIBRARY(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
    if (entered)
        leave();
    return failed;
}

struct start {
    void *(*function)(void *);
    void *argument;
};

static void end_thread(void *unused)
{
    (void)unused;
    if (cook_trace_hooks.thread)
        cook_trace_hooks.thread(false);
}

static void *start_thread(void *memory)
{
    struct start start = *(struct start *)memory;
    void *result = NULL;
    free(memory);
    cook_trace_hooks.thread(true);
    pthread_cleanup_push(end_thread, NULL);
    result = start.function(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*function)(void *), void *restrict argument)
{
    struct start *start = cook_trace_hooks.thread ? malloc(sizeof(*start)) : NULL;
    if (!start)
        return LIBRARY(pthread_create)(thread, attributes, function, argument);
    *start = (struct start){ function, argument };
    int failed = LIBRARY(pthread_create)(thread, attributes, start_thread, start);
    if (failed)
        free(start);
    return failed;
}
