/*
 * Comparing two stores of N equal packages (default 100,000) of three references each beside
 * one pass over their manifests, and two equal folders of 512 KiB files (default 1024) beside
 * two threads of pread and memcmp over the same bytes. Opening the stores is not measured: both
 * maps are ready. Runs alternate; the best of each counts.
 *
 *     bench_compare [packages [files]]
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cook/reader.h>

#include "cook/base/fs.h"
#include "cook/registry/parallel.h"
#include "diffcook/compare.h"

#define REPEATS    7
#define FILE_BYTES ((size_t)512 << 10)
#define READ_BYTES ((size_t)128 << 10)

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void check(enum cook_status status, const struct cook_error *error)
{
    if (status == COOK_OK)
        return;
    fprintf(stderr, "bench_compare: %s\n", error->message);
    exit(1);
}

static void keep_best(double *best, double ms)
{
    if (*best == 0 || ms < *best)
        *best = ms;
}

/* ---- stores ---- */

static void put_edge(struct cook_buf *out, uint32_t package)
{
    char name[96];
    snprintf(name, sizeof(name), "/Game/Area%u/Props/Package_%07u", package / 100, package);
    cook_buf_put_u8(out, COOK_EDGE_HARD);
    cook_buf_put_varint(out, (uint64_t)package + 1);
    cook_buf_put_string(out, name);
}

static void add_package(struct cook_state *state, uint32_t i, uint32_t count)
{
    char name[96];
    struct cook_buf edges = COOK_BUF_INIT;
    snprintf(name, sizeof(name), "/Game/Area%u/Props/Package_%07u", i / 100, i);
    uint32_t id = cook_state_add_package(state, name);
    cook_buf_put_varint(&edges, 3);
    put_edge(&edges, i / 2);
    put_edge(&edges, i / 3);
    put_edge(&edges, count - 1 - i);
    cook_buf_put_bytes(&edges, "", 0);
    struct cook_state_package *row = &state->packages[id];
    row->flags = COOK_PACKAGE_PRESENT | COOK_PACKAGE_HAS_RESULT;
    row->key = cook_hash_bytes(name, strlen(name));
    row->edges = cook_state_add_blob(state, edges.data, edges.size);
    state->results[id].bytes = cook_hash_bytes(&i, sizeof(i));
    state->results[id].tokens = cook_hash_bytes(name, 4);
    state->results[id].size_bytes = i;
    cook_buf_finish(&edges);
}

/* `changed`: a package whose key is another one, so that the manifests differ in one entry. */
static void make_store(int fd, const char *name, uint32_t count, uint32_t changed)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_store *store;
    uint32_t cook;
    check(cook_store_open(&store, fd, name, COOK_STORE_WRITE, &error), &error);
    check(cook_store_begin_cook(store, &cook, "full", "{}", &error), &error);
    struct cook_state *state = cook_store_state(store);
    for (uint32_t i = 0; i < count; i++)
        add_package(state, i, count);
    if (changed < count)
        state->packages[changed].key.low ^= 1;
    check(cook_state_sort(state, &error), &error);
    struct cook_store_end end = { .summary_json = "{}",
                                  .packages = state->package_order,
                                  .package_count = count };
    check(cook_store_end_cook(store, cook, &end, &error), &error);
    cook_store_close(store);
}

/* The yardstick: both manifests read, one after the other. */
static double read_manifests(const struct diff_operand operands[2])
{
    struct cook_error error = COOK_ERROR_INIT;
    double start = now_ms();
    for (int i = 0; i < 2; i++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_manifest_entry *entries;
        size_t count;
        check(cook_store_manifest(operands[i].store, &entries, &count, operands[i].cook, &arena,
                                  &error),
              &error);
        cook_arena_finish(&arena);
    }
    return now_ms() - start;
}

static double compare(const struct diff_operand operands[2], size_t expected)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct diff_comparison comparison;
    double start = now_ms();
    check(diff_compare_operands(&comparison, &operands[0], &operands[1], &error), &error);
    if (comparison.identical != expected || comparison.count || comparison.unknown)
        exit(1);
    diff_comparison_finish(&comparison);
    return now_ms() - start;
}

static void bench_stores(int fd, uint32_t count, const char *other, const char *what)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct diff_operand operands[2];
    double best[2] = { 0, 0 };
    check(diff_operand_open_store(&operands[0], fd, "A", &error), &error);
    check(diff_operand_open_store(&operands[1], fd, other, &error), &error);
    for (int i = 0; i < REPEATS; i++) {
        keep_best(&best[0], read_manifests(operands));
        keep_best(&best[1], compare(operands, count));
    }
    printf("%u packages, %s: manifests %.1f ms, comparing %.1f ms, ratio %.2f (budget 1.3)\n",
           count, what, best[0], best[1], best[1] / best[0]);
    diff_operand_finish(&operands[0]);
    diff_operand_finish(&operands[1]);
}

/* ---- folders ---- */

struct reading {
    const int *fds;
    uint32_t count;
    _Atomic uint32_t next;
};

static void file_name(char *out, size_t size, uint32_t i)
{
    snprintf(out, size, "folder%u/file%u.bin", i / 100, i);
}

static void make_folder(int fd, uint32_t count)
{
    struct cook_error error = COOK_ERROR_INIT;
    uint8_t *bytes = malloc(FILE_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        char path[64];
        char folder[64];
        snprintf(folder, sizeof(folder), "folder%u", i / 100);
        file_name(path, sizeof(path), i);
        memset(bytes, (int)(i & 0xff), FILE_BYTES);
        check(cook_fs_make_folders(fd, folder, &error), &error);
        check(cook_fs_write(fd, path, bytes, FILE_BYTES, false, &error), &error);
    }
    free(bytes);
}

static void read_pairs(void *context)
{
    struct reading *reading = context;
    uint8_t *buffers = malloc(2 * READ_BYTES);
    uint32_t i;
    while ((i = reading->next++) < reading->count) {
        char path[64];
        file_name(path, sizeof(path), i);
        int a = openat(reading->fds[0], path, O_RDONLY | O_CLOEXEC);
        int b = openat(reading->fds[1], path, O_RDONLY | O_CLOEXEC);
        for (size_t at = 0; at < FILE_BYTES; at += READ_BYTES)
            if (pread(a, buffers, READ_BYTES, (off_t)at) != (ssize_t)READ_BYTES ||
                pread(b, buffers + READ_BYTES, READ_BYTES, (off_t)at) != (ssize_t)READ_BYTES ||
                memcmp(buffers, buffers + READ_BYTES, READ_BYTES) != 0)
                exit(1);
        close(a);
        close(b);
    }
    free(buffers);
}

static double read_folders(const int fds[2], uint32_t count)
{
    struct reading reading = { fds, count, 0 };
    double start = now_ms();
    cook_parallel_run(2, read_pairs, &reading);
    return now_ms() - start;
}

static void bench_folders(int fd, uint32_t count)
{
    static const char *const names[] = { "old", "new" };
    struct cook_error error = COOK_ERROR_INIT;
    struct diff_operand operands[2] = { DIFF_OPERAND_INIT, DIFF_OPERAND_INIT };
    int fds[2];
    double best[2] = { 0, 0 };
    for (int i = 0; i < 2; i++) {
        check(cook_fs_make_folders(fd, names[i], &error), &error);
        fds[i] = openat(fd, names[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        make_folder(fds[i], count);
        operands[i].kind = DIFF_OPERAND_FOLDER;
        operands[i].text = names[i];
        operands[i].folder_fd = fds[i];
    }
    for (int i = 0; i < REPEATS; i++) {
        keep_best(&best[0], read_folders(fds, count));
        keep_best(&best[1], compare(operands, count));
    }
    printf("%u files of %zu KiB: pread and memcmp %.1f ms, comparing %.1f ms, ratio %.2f "
           "(budget 1.15)\n",
           count, FILE_BYTES >> 10, best[0], best[1], best[1] / best[0]);
    diff_operand_finish(&operands[0]);
    diff_operand_finish(&operands[1]);
}

int main(int argc, char **argv)
{
    uint32_t packages = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    uint32_t files = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1024;
    char folder[] = "/tmp/bench-compare-XXXXXX";
    if (!mkdtemp(folder))
        return 1;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    make_store(fd, "A", packages, UINT32_MAX);
    make_store(fd, "B", packages, UINT32_MAX);
    make_store(fd, "C", packages, packages / 2);
    bench_stores(fd, packages, "B", "all equal");
    bench_stores(fd, packages, "C", "one key differs");
    bench_folders(fd, files);
    close(fd);
    return cook_fs_remove_tree(AT_FDCWD, folder, NULL) == COOK_OK ? 0 : 1;
}
