/*
 * Preloaded into the workers of `cook determinism`: answers for the machine where no process
 * setting can (a time namespace does not move the wall clock). Each answer is fixed by a
 * variable, so that the unperturbed cooks agree with each other too; without its variable a
 * function is the library's own. Code that asks the kernel itself is not reached.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cook/worker/perturb.h"

#define RANDOM_FILE_BYTES 65536

/* A function of the library behind this one. */
static void library(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof(found));
}

/* ---- the clock ---- */

/* Time passes with each look, the same in every worker; code that waits for it gets there. */
static int read_clock(struct timespec *now)
{
    static atomic_llong
        looks; /* the clock's own state: an interposer has no other place for it */
    const char *start = getenv(COOK_PERTURB_CLOCK);
    if (!start)
        return -1;
    long long ns = strtoll(start, NULL, 10) + atomic_fetch_add(&looks, 1) * 1000;
    now->tv_sec = (time_t)(ns / 1000000000);
    now->tv_nsec = (long)(ns % 1000000000);
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    if (wall && read_clock(now) == 0)
        return 0;
    return (int)syscall(SYS_clock_gettime, clock, now);
}

time_t time(time_t *out)
{
    struct timespec now = { 0, 0 };
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now = { 0, 0 };
    (void)zone;
    int failed = clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){ .tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000 };
    return failed;
}

/* ---- random bytes ---- */

static bool fill_random(uint8_t *bytes, size_t size)
{
    const char *text = getenv(COOK_PERTURB_SEED);
    if (!text)
        return false;
    uint64_t x = strtoull(text, NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t i = 0; i < size; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes[i] = (uint8_t)(x >> 32);
    }
    return true;
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    if (fill_random(bytes, size))
        return (ssize_t)size;
    return syscall(SYS_getrandom, bytes, size, flags);
}

int getentropy(void *bytes, size_t size)
{
    if (size > 256) {
        errno = EIO;
        return -1;
    }
    return getrandom(bytes, size, 0) == (ssize_t)size ? 0 : -1;
}

/* A file in place of the device; -1 when `path` is another. */
static int open_random(const char *path)
{
    if (strcmp(path, "/dev/urandom") != 0 && strcmp(path, "/dev/random") != 0)
        return -1;
    uint8_t *bytes = malloc(RANDOM_FILE_BYTES);
    int fd = -1;
    if (bytes && fill_random(bytes, RANDOM_FILE_BYTES))
        fd = memfd_create("random", MFD_CLOEXEC);
    if (fd >= 0 && (write(fd, bytes, RANDOM_FILE_BYTES) != RANDOM_FILE_BYTES ||
                    lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        fd = -1;
    }
    free(bytes);
    return fd;
}

static mode_t mode_of(int flags, va_list *arguments)
{
    bool creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    return creates ? (mode_t)va_arg(*arguments, int) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    int fd = open_random(path);
    return fd >= 0 ? fd : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return open(path, flags | O_LARGEFILE, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    FILE *(*real)(const char *, const char *);
    int fd = open_random(path);
    if (fd >= 0)
        return fdopen(fd, "r");
    library("fopen", &real);
    return real(path, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return fopen(path, mode); /* the same on the 64-bit machines that this is built for */
}

/* ---- memory ---- */

/* The library's own, under the names that it exports for this. */
void *__libc_malloc(size_t size);
void __libc_free(void *memory);

static int fill = -1; /* an interposer has no other place for it */

__attribute__((constructor)) static void read_fill(void)
{
    const char *text = getenv(COOK_PERTURB_HEAP);
    fill = text ? (int)strtol(text, NULL, 10) & 255 : -1;
}

/* The library fills what is fresh too, but not what it hands out again soon. */
void *malloc(size_t size)
{
    void *memory = __libc_malloc(size);
    if (memory && fill >= 0)
        memset(memory, 255 - fill, size);
    return memory;
}

void free(void *memory)
{
    if (memory && fill >= 0)
        memset(memory, fill, malloc_usable_size(memory));
    __libc_free(memory);
}

/* ---- folders ---- */

/* What a folder holds, in a known order, from its first read on. */
struct listing {
    DIR *folder;
    struct listing *next;
    struct dirent **entries;
    size_t count;
    size_t at;
};

static pthread_mutex_t listings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct listing *listings; /* an interposer has no other place for them */

static int compare_entries(const void *a, const void *b)
{
    const struct dirent *const *x = a;
    const struct dirent *const *y = b;
    return strcmp((*x)->d_name, (*y)->d_name);
}

static struct listing **find_listing(DIR *folder)
{
    struct listing **at = &listings;
    while (*at && (*at)->folder != folder)
        at = &(*at)->next;
    return at;
}

static void read_entries(struct listing *listing)
{
    struct dirent *(*real)(DIR *);
    struct dirent *entry;
    library("readdir", &real);
    while ((entry = real(listing->folder))) {
        struct dirent **grown =
            realloc(listing->entries, (listing->count + 1) * sizeof(struct dirent *));
        struct dirent *copy = malloc(entry->d_reclen);
        if (grown)
            listing->entries = grown;
        if (!grown || !copy) {
            free(copy);
            break;
        }
        memcpy(copy, entry, entry->d_reclen);
        listing->entries[listing->count++] = copy;
    }
}

static void order_entries(struct listing *listing, const char *order)
{
    if (listing->count)
        qsort(listing->entries, listing->count, sizeof(struct dirent *), compare_entries);
    for (size_t i = 0; strcmp(order, "reversed") == 0 && i < listing->count / 2; i++) {
        struct dirent *moved = listing->entries[i];
        listing->entries[i] = listing->entries[listing->count - 1 - i];
        listing->entries[listing->count - 1 - i] = moved;
    }
}

static void drop_listing(DIR *folder)
{
    pthread_mutex_lock(&listings_lock);
    struct listing **at = find_listing(folder);
    struct listing *listing = *at;
    if (listing)
        *at = listing->next;
    pthread_mutex_unlock(&listings_lock);
    for (size_t i = 0; listing && i < listing->count; i++)
        free(listing->entries[i]);
    if (listing)
        free(listing->entries);
    free(listing);
}

struct dirent *readdir(DIR *folder)
{
    struct dirent *(*real)(DIR *);
    const char *order = getenv(COOK_PERTURB_LISTING);
    if (!order) {
        library("readdir", &real);
        return real(folder);
    }
    pthread_mutex_lock(&listings_lock);
    struct listing *listing = *find_listing(folder);
    if (!listing && (listing = calloc(1, sizeof(*listing)))) {
        listing->folder = folder;
        read_entries(listing);
        order_entries(listing, order);
        listing->next = listings;
        listings = listing;
    }
    struct dirent *entry =
        listing && listing->at < listing->count ? listing->entries[listing->at++] : NULL;
    pthread_mutex_unlock(&listings_lock);
    return entry;
}

struct dirent64 *readdir64(DIR *folder)
{
    struct dirent *entry = readdir(folder);
    struct dirent64 *same;
    memcpy(&same, &entry, sizeof(same)); /* one layout, on the machines that this is built for */
    return same;
}

void rewinddir(DIR *folder)
{
    void (*real)(DIR *);
    library("rewinddir", &real);
    drop_listing(folder);
    real(folder);
}

int closedir(DIR *folder)
{
    int (*real)(DIR *);
    library("closedir", &real);
    drop_listing(folder);
    return real(folder);
}

/* ---- the machine ---- */

pid_t getpid(void)
{
    const char *id = getenv(COOK_PERTURB_PROCESS);
    return id ? (pid_t)strtol(id, NULL, 10) : (pid_t)syscall(SYS_getpid);
}

int get_nprocs(void)
{
    int (*real)(void);
    const char *count = getenv(COOK_PERTURB_PROCESSORS);
    if (count)
        return (int)strtol(count, NULL, 10);
    library("get_nprocs", &real);
    return real();
}

int get_nprocs_conf(void)
{
    return get_nprocs();
}

long sysconf(int name)
{
    long (*real)(int);
    const char *count = getenv(COOK_PERTURB_PROCESSORS);
    if (count && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF))
        return strtol(count, NULL, 10);
    library("sysconf", &real);
    return real(name);
}

int uname(struct utsname *out)
{
    const char *name = getenv(COOK_PERTURB_HOST);
    int failed = (int)syscall(SYS_uname, out);
    if (!failed && name)
        (void)snprintf(out->nodename, sizeof(out->nodename), "%s", name);
    return failed;
}

int gethostname(char *out, size_t size)
{
    struct utsname names;
    if (uname(&names) != 0)
        return -1;
    if (strlen(names.nodename) >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(out, names.nodename, strlen(names.nodename) + 1);
    return 0;
}
