/*
 * Reads the world behind the SDK's back in every way that traced workers must see, one way an object,
 * beside a clean twin (Clean set) that gets the same through the SDK. What is read does not reach the
 * bytes: seeing it must not depend on that.
 */
#include <alloca.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cook/cook.h>

extern char **environ;

#define NOINLINE __attribute__((noinline))
/* Keeps the frame: what comes last in a function must not become a jump. */
#define KEEP_FRAME __asm__ volatile("" ::: "memory")
#define CO_STACK_BYTES ((size_t)8192)

struct subject {
    struct cook_object object;
    struct cook_string way;
    struct cook_string path;
    bool clean;
};

static const struct cook_property subject_properties[] = {
    COOK_PROPERTY(struct subject, way, "Way", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct subject, path, "Path", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct subject, clean, "Clean", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_END,
};

static char sink[64];

static void take(int fd)
{
    if (fd >= 0) {
        (void)!read(fd, sink, 8);
        close(fd);
    }
}

/* ---- files ---- */

NOINLINE static void read_open(const char *path)
{
    take(open(path, O_RDONLY));
    KEEP_FRAME;
}

NOINLINE static void read_openat(const char *path)
{
    int folder = open(".", O_PATH | O_DIRECTORY);
    take(openat(folder, path, O_RDONLY));
    close(folder);
}

#ifdef __x86_64__
static long raw(long number, long a, long b, long c, long d)
{
    long result;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}
#else
static long raw(long number, long a, long b, long c, long d)
{
    return syscall(number, a, b, c, d);
}
#endif

NOINLINE static void read_raw(const char *path)
{
    take((int)raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0));
    KEEP_FRAME;
}

NOINLINE static void read_syscall(const char *path)
{
    take((int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY));
    KEEP_FRAME;
}

NOINLINE static void read_fopen(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file) {
        (void)!fread(sink, 1, 8, file);
        fclose(file);
    }
}

NOINLINE static void read_mmap(const char *path)
{
    int fd = open(path, O_RDONLY);
    void *memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory != MAP_FAILED) {
        sink[0] = *(char *)memory;
        munmap(memory, 4096);
    }
    close(fd);
}

NOINLINE static void read_alloca(const char *path)
{
    volatile size_t size = 100 + strlen(path);
    char *block = alloca(size);
    memset(block, 1, size);
    take((int)raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0));
    sink[2] = block[3];
}

NOINLINE static void read_blocked(const char *path)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    take((int)raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

NOINLINE static void read_absent(const char *path)
{
    take(open(path, O_RDONLY));
    KEEP_FRAME;
}

NOINLINE static void read_written(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    (void)!write(fd, "x", 1);
    close(fd);
    take(open(path, O_RDONLY));
    (void)unlink(path);
}

/* ---- folders, stats, links ---- */

NOINLINE static void list_opendir(const char *path)
{
    DIR *folder = opendir(path);
    if (folder) {
        sink[0] = readdir(folder) != NULL;
        closedir(folder);
    }
}

NOINLINE static void list_raw(const char *path)
{
    int fd = (int)raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_DIRECTORY, 0);
    (void)!syscall(SYS_getdents64, fd, sink, sizeof(sink));
    close(fd);
}

NOINLINE static void ask_stat(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0)
        sink[1] = (char)facts.st_mtime;
}

NOINLINE static void ask_access(const char *path)
{
    sink[1] = (char)access(path, F_OK);
}

NOINLINE static void ask_statx(const char *path)
{
    struct statx facts;
    sink[1] = (char)statx(AT_FDCWD, path, 0, STATX_MTIME, &facts);
}

NOINLINE static void ask_readlink(const char *path)
{
    sink[1] = (char)readlink(path, sink + 2, 8);
}

/* ---- other threads of execution ---- */

static void *read_in_thread(void *path)
{
    read_open(path);
    KEEP_FRAME;
    return NULL;
}

NOINLINE static void read_thread(const char *path)
{
    pthread_t thread;
    char *copy = strdup(path);
    if (pthread_create(&thread, NULL, read_in_thread, copy) == 0)
        pthread_join(thread, NULL);
    free(copy);
}

static void *read_raw_in_thread(void *path)
{
    read_raw(path);
    KEEP_FRAME;
    return NULL;
}

NOINLINE static void read_thread_raw(const char *path)
{
    pthread_t thread;
    char *copy = strdup(path);
    if (pthread_create(&thread, NULL, read_raw_in_thread, copy) == 0)
        pthread_join(thread, NULL);
    free(copy);
}

/* A thread that outlives the package it was started for, and works for later ones. */
struct helper {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *job;
    bool started;
};
static struct helper helper = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, false };

static void *help(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&helper.lock);
    for (;;) {
        while (!helper.job)
            pthread_cond_wait(&helper.changed, &helper.lock);
        const char *job = helper.job;
        pthread_mutex_unlock(&helper.lock);
        read_open(job);
        pthread_mutex_lock(&helper.lock);
        helper.job = NULL;
        pthread_cond_broadcast(&helper.changed);
    }
    return NULL;
}

NOINLINE static void read_helper(const char *path)
{
    pthread_t thread;
    pthread_mutex_lock(&helper.lock);
    if (!helper.started && pthread_create(&thread, NULL, help, NULL) == 0) {
        pthread_detach(thread);
        helper.started = true;
    }
    helper.job = path;
    pthread_cond_broadcast(&helper.changed);
    while (helper.job)
        pthread_cond_wait(&helper.changed, &helper.lock);
    pthread_mutex_unlock(&helper.lock);
}

static ucontext_t main_context;
static ucontext_t co_context;
static const char *co_path;

static void run_coroutine(void)
{
    read_open(co_path);
    read_raw(co_path);
    KEEP_FRAME;
}

NOINLINE static void read_coroutine(const char *path)
{
    char *stack = mmap(NULL, CO_STACK_BYTES + 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)mprotect(stack, 4096, PROT_NONE); /* an overflow must not go unseen */
    co_path = path;
    getcontext(&co_context);
    co_context.uc_stack.ss_sp = stack + 4096;
    co_context.uc_stack.ss_size = CO_STACK_BYTES;
    co_context.uc_link = &main_context;
    makecontext(&co_context, run_coroutine, 0);
    swapcontext(&main_context, &co_context);
    (void)munmap(stack, CO_STACK_BYTES + 4096);
}

/* ---- processes ---- */

NOINLINE static void start_fork(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        read_open(path);
        _exit(0);
    }
    (void)waitpid(child, NULL, 0);
}

NOINLINE static void start_spawn(const char *path)
{
    pid_t child;
    char *copy = strdup(path);
    char name[] = "cat";
    char *const arguments[] = { name, copy, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&child, "cat", &actions, NULL, arguments, environ) == 0)
        (void)waitpid(child, NULL, 0);
    posix_spawn_file_actions_destroy(&actions);
    free(copy);
}

NOINLINE static void start_system(const char *path)
{
    char command[300];
    (void)snprintf(command, sizeof(command), "cat %s >/dev/null", path);
    sink[0] = (char)system(command);
}

/* ---- what is no file ---- */

NOINLINE static void ask_getenv(const char *path)
{
    const char *text = getenv(path);
    sink[0] = text ? text[0] : 0;
}

NOINLINE static void ask_clock_gettime(const char *path)
{
    struct timespec now;
    (void)path;
    clock_gettime(CLOCK_REALTIME, &now);
    sink[0] = (char)now.tv_nsec;
}

NOINLINE static void ask_clock_raw(const char *path)
{
    struct timespec now;
    (void)path;
    sink[0] = (char)raw(SYS_clock_gettime, CLOCK_REALTIME, (long)&now, 0, 0);
    KEEP_FRAME;
}

NOINLINE static void ask_gettimeofday(const char *path)
{
    struct timeval now;
    (void)path;
    gettimeofday(&now, NULL);
    sink[0] = (char)now.tv_usec;
}

NOINLINE static void ask_time(const char *path)
{
    (void)path;
    sink[0] = (char)time(NULL);
}

/* The library reads its clock by itself, in the vDSO. */
NOINLINE static void ask_timespec_get(const char *path)
{
    struct timespec now;
    (void)path;
    sink[0] = (char)timespec_get(&now, TIME_UTC);
}

NOINLINE static void ask_getrandom(const char *path)
{
    (void)path;
    (void)!getrandom(sink, 8, 0);
}

NOINLINE static void ask_arc4random(const char *path)
{
    (void)path;
    (void)!syscall(SYS_getrandom, sink, 8, 0);
    KEEP_FRAME;
}

NOINLINE static void ask_urandom(const char *path)
{
    (void)path;
    take(open("/dev/urandom", O_RDONLY));
    KEEP_FRAME;
}

NOINLINE static void ask_uname(const char *path)
{
    struct utsname names;
    (void)path;
    uname(&names);
    sink[0] = names.nodename[0];
}

NOINLINE static void ask_gethostname(const char *path)
{
    (void)path;
    gethostname(sink, sizeof(sink));
    KEEP_FRAME;
}

NOINLINE static void ask_sysinfo(const char *path)
{
    struct sysinfo facts;
    (void)path;
    sysinfo(&facts);
    sink[0] = (char)facts.uptime;
}

NOINLINE static void ask_affinity(const char *path)
{
    cpu_set_t processors;
    (void)path;
    sink[0] = (char)sched_getaffinity(0, sizeof(processors), &processors);
}

NOINLINE static void ask_nprocs(const char *path)
{
    (void)path;
    sink[0] = (char)get_nprocs();
}

NOINLINE static void ask_getpid(const char *path)
{
    (void)path;
    sink[0] = (char)getpid();
}

/* Refused, so that nothing is read behind the filter's back. */
NOINLINE static void ask_io_uring(const char *path)
{
    (void)path;
    long fd = syscall(SYS_io_uring_setup, 4, sink);
    if (fd >= 0) {
        close((int)fd);
        read_open("Content/Data/io_uring_is_there.txt");
    }
}

/* For the benchmark: eight files, and the work of about a millisecond. */
NOINLINE static void read_many(const char *path)
{
    uint64_t sum = 1;
    for (int i = 0; i < 8; i++) {
        char name[300];
        (void)snprintf(name, sizeof(name), "%s/%d.txt", path, i);
        take(open(name, O_RDONLY));
    }
    for (int i = 0; i < 1000000; i++) {
        sum = sum * UINT64_C(6364136223846793005) + 1;
        __asm__ volatile("" : "+r"(sum));
    }
    sink[3] = (char)sum;
}

NOINLINE static void read_nothing(const char *path)
{
    (void)path;
}

struct way {
    const char *name;
    void (*function)(const char *path);
};
#define WAY(name) { #name, name }
static const struct way ways[] = {
    WAY(read_open), WAY(read_openat), WAY(read_raw), WAY(read_syscall), WAY(read_fopen),
    WAY(read_mmap), WAY(read_alloca), WAY(read_blocked), WAY(read_absent), WAY(read_written),
    WAY(list_opendir), WAY(list_raw), WAY(ask_stat), WAY(ask_access), WAY(ask_statx),
    WAY(ask_readlink), WAY(read_thread), WAY(read_thread_raw), WAY(read_helper),
    WAY(read_coroutine), WAY(start_fork), WAY(start_spawn), WAY(start_system), WAY(ask_getenv),
    WAY(ask_clock_gettime), WAY(ask_clock_raw), WAY(ask_gettimeofday), WAY(ask_time),
    WAY(ask_timespec_get), WAY(ask_getrandom), WAY(ask_arc4random), WAY(ask_urandom),
    WAY(ask_uname), WAY(ask_gethostname), WAY(ask_sysinfo), WAY(ask_affinity), WAY(ask_nprocs),
    WAY(ask_getpid), WAY(ask_io_uring), WAY(read_many), WAY(read_nothing),
};

/* ---- the class ---- */

static void perform(const struct subject *self)
{
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (self->way.data && strcmp(ways[i].name, self->way.data) == 0)
            ways[i].function(self->path.data ? self->path.data : "");
}

static void perform_clean(struct cook_context *context, const struct subject *self)
{
    struct cook_bytes bytes;
    struct cook_array names;
    const char *path = self->path.data ? self->path.data : "";
    if (strncmp(self->way.data, "list_", 5) == 0)
        (void)!cook_list_folder(context, path, &names);
    else if (strcmp(self->way.data, "ask_getenv") == 0)
        (void)cook_environment(context, path);
    else if (*path)
        (void)!cook_read_file(context, path, &bytes);
}

/* Without its supervisor's answer an open fails, as if there were no such file. */
static void insist(struct cook_context *context, const char *path)
{
    for (int i = 0; i < 300; i++) {
        int fd = (int)raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0);
        if (fd < 0)
            cook_log(context, COOK_SEVERITY_ERROR, "%s is there and cannot be opened: %s", path,
                     strerror(-fd));
        else
            close(fd);
    }
}

NOINLINE static void crash_here(void)
{
    abort();
}

NOINLINE static void hang_here(void)
{
    for (;;)
        (void)usleep(1000);
}

static enum cook_status subject_pre_save(struct cook_context *context, void *object)
{
    const struct subject *self = object;
    if (self->clean)
        perform_clean(context, self);
    else if (self->way.data && strcmp(self->way.data, "insist") == 0)
        insist(context, self->path.data);
    else if (self->way.data && strcmp(self->way.data, "crash") == 0)
        crash_here();
    else if (self->way.data && strcmp(self->way.data, "hang") == 0)
        hang_here();
    else if (self->way.data && strncmp(self->way.data, "load_", 5) != 0)
        perform(self);
    return COOK_OK;
}

static enum cook_status subject_post_load(struct cook_context *context, void *object)
{
    const struct subject *self = object;
    (void)context;
    if (!self->clean && self->way.data && strcmp(self->way.data, "load_open") == 0)
        read_open(self->path.data);
    return COOK_OK;
}

static const struct cook_class subject_class = {
    .name = "Subject",
    .size = sizeof(struct subject),
    .properties = subject_properties,
    .pre_save = subject_pre_save,
    .post_load = subject_post_load,
};

__attribute__((constructor)) NOINLINE static void read_at_load(void)
{
    take(open("Content/Data/at_load.txt", O_RDONLY));
    KEEP_FRAME;
}

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Traced");
    cook_register_class(registrar, &subject_class);
    return COOK_OK;
}
