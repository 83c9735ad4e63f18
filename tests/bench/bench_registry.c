/*
 * A registry refresh with nothing changed, beside the limit: the same files stat'ed by plain
 * threads, relative to folder handles, in folder order, with nothing compared.
 *
 *     bench_registry FOLDER [FILES [ROUNDS [THREADS]]]
 *
 * Makes (or reuses) a project of one-file packages in FOLDER, 100 files a folder. Both are run
 * in turn; the ratio of each pair counts, since the machine's speed drifts.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/registry/registry.h"

#define FILES_PER_FOLDER  100
#define FOLDERS_PER_GROUP 100
#define MAX_ROUNDS        101

static const char *const asset_extensions[] = { ".asset", NULL };
static const struct cook_reader_info asset_reader = { "asset", 1, asset_extensions, 0 };

struct bench {
    struct cook_project project;
    struct cook_state state;
    struct cook_registry_options options;
    struct cook_error error;
    long files;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_registry: %s: %s\n", what, why);
    exit(1);
}

static void check(enum cook_status status, const struct cook_error *error)
{
    if (status != COOK_OK)
        fail("failed", error->message);
}

/* ---- the project ---- */

static void folder_path(char path[64], long number)
{
    snprintf(path, 64, "Content/G%03ld/F%02ld", number / FOLDERS_PER_GROUP,
             number % FOLDERS_PER_GROUP);
}

static void make_files(int folder_fd, long first, long end)
{
    char name[32], text[1024];
    memset(text, ' ', sizeof(text));
    for (long i = first; i < end; i++) {
        snprintf(name, sizeof(name), "N%07ld.asset", i);
        int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
        if (fd < 0)
            return; /* made before */
        snprintf(text, sizeof(text), "{\"number\": %ld}", i);
        if (write(fd, text, sizeof(text)) != (ssize_t)sizeof(text))
            fail(name, "cannot write");
        close(fd);
    }
}

static void make_project(struct bench *bench, const char *folder)
{
    static const char ini[] = "[Project]\nName=Bench\n+ContentRoot=/Game=Content\n";
    char path[64];
    check(cook_fs_make_folders(AT_FDCWD, folder, &bench->error), &bench->error);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        fail(folder, "cannot open");
    for (long first = 0; first < bench->files; first += FILES_PER_FOLDER) {
        folder_path(path, first / FILES_PER_FOLDER);
        check(cook_fs_make_folders(fd, path, &bench->error), &bench->error);
        int sub = openat(fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (sub < 0)
            fail(path, "cannot open");
        long end = first + FILES_PER_FOLDER;
        make_files(sub, first, end < bench->files ? end : bench->files);
        close(sub);
    }
    check(cook_fs_write(fd, "cook.ini", ini, sizeof(ini) - 1, false, &bench->error),
          &bench->error);
    close(fd);
    struct cook_project_options options = { .folder = folder };
    check(cook_project_open(&bench->project, &options, &bench->error), &bench->error);
}

/* ---- the limit ---- */

struct limit {
    const struct cook_state *state;
    int project_fd;
    uint32_t first, end; /* files in folder order */
    uint64_t sum;        /* so that nothing is optimised away */
};

static void *stat_files(void *argument)
{
    struct limit *limit = argument;
    const struct cook_state *state = limit->state;
    uint32_t open_folder = COOK_ID_NONE;
    int fd = -1;
    for (uint32_t i = limit->first; i < limit->end; i++) {
        const struct cook_state_file *row = &state->files[state->file_order[i]];
        struct statx now;
        if (row->folder != open_folder) {
            if (fd >= 0)
                close(fd);
            open_folder = row->folder;
            fd = openat(limit->project_fd, state->pool + state->folders[open_folder].path,
                        O_PATH | O_DIRECTORY | O_CLOEXEC);
        }
        if (statx(fd, state->pool + row->name, 0,
                  STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO, &now) == 0)
            limit->sum += now.stx_size;
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

static double run_limit(struct bench *bench)
{
    struct limit limits[64];
    pthread_t threads[64];
    uint32_t count = bench->state.order_files;
    unsigned used = bench->options.threads < 64 ? bench->options.threads : 64;
    double start = seconds();
    for (unsigned i = 0; i < used; i++) {
        uint32_t first = (uint32_t)((uint64_t)count * i / used);
        uint32_t end = (uint32_t)((uint64_t)count * (i + 1) / used);
        limits[i] = (struct limit){ &bench->state, bench->project.fd, first, end, 0 };
        if (pthread_create(&threads[i], NULL, stat_files, &limits[i]) != 0)
            fail("thread", "cannot start");
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < used; i++) {
        pthread_join(threads[i], NULL);
        sum += limits[i].sum;
    }
    double taken = seconds() - start;
    if (sum == 0)
        fail("limit", "found no files");
    return taken;
}

/* ---- the refresh ---- */

static double run_refresh(struct bench *bench, bool expect_nothing)
{
    struct cook_registry_changes changes;
    double start = seconds();
    check(cook_registry_refresh(&changes, &bench->state, &bench->project, &bench->options,
                                &bench->error),
          &bench->error);
    double taken = seconds() - start;
    if (expect_nothing && (changes.stat_changed || changes.to_scan_count))
        fail("refresh", "found changes");
    cook_registry_changes_finish(&changes);
    return taken;
}

/* Facts for all, so that the next refresh has nothing to ask for. */
static void scan_all(struct bench *bench)
{
    struct cook_buf blob = COOK_BUF_INIT;
    struct cook_facts facts = { 0 };
    cook_facts_encode(&facts, &blob);
    for (uint32_t i = 0; i < bench->state.packages_count; i++)
        check(cook_registry_set_facts(&bench->state, i, "asset/1",
                                      cook_registry_source_hash(&bench->state, i), blob.data,
                                      blob.size, &bench->error),
              &bench->error);
    cook_buf_finish(&blob);
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare_doubles);
    return values[count / 2];
}

static void measure(struct bench *bench, int rounds)
{
    double limits[MAX_ROUNDS], refreshes[MAX_ROUNDS], ratios[MAX_ROUNDS];
    struct rusage usage;
    (void)run_limit(bench);
    (void)run_refresh(bench, true);
    for (int i = 0; i < rounds; i++) {
        /* Whichever comes first profits from what the other left in the caches, so take turns.
         */
        if (i % 2)
            refreshes[i] = run_refresh(bench, true);
        limits[i] = run_limit(bench);
        if (i % 2 == 0)
            refreshes[i] = run_refresh(bench, true);
        ratios[i] = refreshes[i] / limits[i];
    }
    double limit = median(limits, rounds);
    double refresh = median(refreshes, rounds);
    double ratio = median(ratios, rounds);
    getrusage(RUSAGE_SELF, &usage);
    printf("files %ld, folders %u, threads %u, rounds %d\n", bench->files,
           bench->state.folders_count, bench->options.threads, rounds);
    printf("limit   %9.3f ms  [%.3f-%.3f]\n", limit * 1e3, limits[0] * 1e3,
           limits[rounds - 1] * 1e3);
    printf("refresh %9.3f ms  [%.3f-%.3f]\n", refresh * 1e3, refreshes[0] * 1e3,
           refreshes[rounds - 1] * 1e3);
    printf("ratio   %9.3f     [%.3f-%.3f]  (budget 1.3)\n", ratio, ratios[0],
           ratios[rounds - 1]);
    printf("peak    %9.1f MiB (with the first scan's)\n", (double)usage.ru_maxrss / 1024.0);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_registry FOLDER [FILES [ROUNDS [THREADS]]]\n");
        return 2;
    }
    struct bench bench = { .files = argc > 2 ? atol(argv[2]) : 100000 };
    int rounds = argc > 3 ? atoi(argv[3]) : 9;
    int threads = argc > 4 ? atoi(argv[4]) : 2;
    if (bench.files < 1 || rounds < 1 || rounds > MAX_ROUNDS || threads < 1 || threads > 64)
        fail("arguments", "out of range");
    bench.options = (struct cook_registry_options){ .readers = &asset_reader,
                                                    .reader_count = 1,
                                                    .threads = (unsigned)threads,
                                                    .trust_stat = true };
    make_project(&bench, argv[1]);
    cook_state_init(&bench.state);
    printf("first scan %.3f s\n", run_refresh(&bench, false));
    scan_all(&bench);
    usleep(50000); /* what was just made is racy */
    (void)run_refresh(&bench, false);
    measure(&bench, rounds);
    cook_state_finish(&bench.state);
    cook_project_finish(&bench.project);
    return 0;
}
