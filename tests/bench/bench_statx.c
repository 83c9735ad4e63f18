/*
 * The limit of a null cook: stat all files of a list, relative to folder handles, in the list's
 * order, on some threads, with nothing compared. The whole process is the yardstick of null_cook.py.
 *
 *     bench_statx FOLDER LIST [THREADS]
 *
 * LIST names the files below FOLDER, made before: "/folder" and then the names in it, each followed
 * by a NUL; it is mapped, as a cook maps its index. Prints the number of files and milliseconds.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64
#define WANTED      (STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO)

struct part {
    pthread_t thread;
    int root_fd;
    const char *at;
    const char *end;
    size_t files, missing;
};

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void *run_part(void *argument)
{
    struct part *part = argument;
    int fd = -1;
    for (const char *at = part->at; at < part->end; at += strlen(at) + 1) {
        struct statx facts;
        if (*at == '/') {
            if (fd >= 0)
                close(fd);
            fd = openat(part->root_fd, at + 1, O_PATH | O_DIRECTORY | O_CLOEXEC);
            part->missing += fd < 0 || statx(fd, "", AT_EMPTY_PATH, WANTED, &facts) != 0;
        } else {
            part->files++;
            part->missing += statx(fd, at, 0, WANTED, &facts) != 0;
        }
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* The first folder at or behind `at`. */
static const char *next_folder(const char *list, const char *at, const char *end)
{
    while (at < end && (*at != '/' || (at > list && at[-1] != '\0')))
        at++;
    return at;
}

static const char *map_list(const char *path, size_t *size)
{
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &facts) != 0 || facts.st_size == 0)
        return NULL;
    *size = (size_t)facts.st_size;
    void *list = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return list == MAP_FAILED ? NULL : list;
}

int main(int argc, char **argv)
{
    static struct part parts[MAX_THREADS];
    double started = milliseconds();
    size_t size = 0;
    int root_fd = argc > 2 ? open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    const char *list = root_fd >= 0 ? map_list(argv[2], &size) : NULL;
    int threads = argc > 3 ? atoi(argv[3]) : 2;
    if (!list || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "bench_statx: FOLDER LIST [THREADS]\n");
        return 2;
    }
    const char *at = list;
    for (int i = 0; i < threads; i++) {
        const char *end = next_folder(list, list + size * (size_t)(i + 1) / (size_t)threads,
                                      list + size);
        parts[i] = (struct part){ .root_fd = root_fd, .at = at, .end = end };
        at = end;
        if (i > 0 && pthread_create(&parts[i].thread, NULL, run_part, &parts[i]) != 0)
            return 1;
    }
    run_part(&parts[0]);
    size_t files = parts[0].files, missing = parts[0].missing;
    for (int i = 1; i < threads; i++) {
        pthread_join(parts[i].thread, NULL);
        files += parts[i].files;
        missing += parts[i].missing;
    }
    printf("%zu files, %zu missing, %.2f ms\n", files, missing, milliseconds() - started);
    return missing != 0;
}
