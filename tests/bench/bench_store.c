/*
 * The store at N packages (default 100,000) of five dependencies each: adding, committing,
 * opening from the database and from the index, thawing, look-ups, and a null cook's share.
 * Yardsticks are measured in the same run: memcpy of the index for mapping and thawing, a plain
 * write of the same bytes for blobs.
 *
 *     bench_store [packages]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/store/store.h"

#define REPEATS 5

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
    fprintf(stderr, "bench_store: %s\n", error->message);
    exit(1);
}

static struct cook_store *open_store(int fd, enum cook_store_mode mode)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_store *store;
    check(cook_store_open(&store, fd, "Bench", mode, &error), &error);
    return store;
}

/* Files of a folder share a texture; a package depends on itself, its side and four shared. */
static void add_package(struct cook_state *state, uint32_t i)
{
    char path[96];
    char name[96];
    snprintf(path, sizeof(path), "Content/Area%u/Props/Package_%06u.asset", i / 100, i);
    snprintf(name, sizeof(name), "/Game/Area%u/Props/Package_%06u", i / 100, i);
    uint32_t file = cook_state_add_file(state, path);
    uint32_t package = cook_state_add_package(state, name);
    uint32_t own[] = { cook_state_add_dep(state, 1, name), cook_state_add_dep(state, 2, path),
                       cook_state_add_dep(state, 3, name) };
    uint32_t shared[] = { i / 100 * 3, i % 7 * 3 };
    uint32_t sets[] = { cook_state_add_set(state, own, 3, NULL, 0),
                        cook_state_add_set(state, shared, 2, NULL, 0) };
    struct cook_state_package *row = &state->packages[package];
    row->file = file;
    row->flags = COOK_PACKAGE_PRESENT | COOK_PACKAGE_HAS_RESULT;
    row->bundle = cook_state_add_bundle(state, sets, 2);
    row->key = cook_hash_bytes(name, strlen(name));
    row->edges = cook_state_add_blob(state, name, 16);
    state->files[file].package = package;
    state->files[file].content = row->key;
    state->results[package].facts = cook_state_add_blob(state, path, strlen(path));
    state->results[package].reader = cook_state_add_text(state, "asset/1");
    state->results[package].bytes = row->key;
}

static void fill(int fd, uint32_t count)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_store *store = open_store(fd, COOK_STORE_WRITE);
    struct cook_state *state = cook_store_state(store);
    double start = now_ms();
    for (uint32_t i = 0; i < count; i++)
        add_package(state, i);
    check(state->failed, &error);
    printf("add rows             %9.1f ms  %6.0f k packages/s, %u dependencies\n",
           now_ms() - start, count / (now_ms() - start), state->deps_count);
    start = now_ms();
    check(cook_state_sort(state, &error), &error);
    printf("sort                 %9.1f ms\n", now_ms() - start);
    uint64_t rows = (uint64_t)state->folders_count + state->files_count +
                    state->packages_count + state->deps_count + state->sets_count +
                    state->bundles_count;
    start = now_ms();
    check(cook_store_commit(store, &error), &error);
    printf("commit               %9.1f ms  %6.0f k rows/s\n", now_ms() - start,
           (double)rows / (now_ms() - start));
    start = now_ms();
    check(cook_store_write_index(store, &error), &error);
    printf("write index          %9.1f ms\n", now_ms() - start);
    cook_store_close(store);
}

/* The best of some runs of opening, thawing and closing; times add up in `ms`. */
static void open_once(int fd, double ms[3])
{
    struct cook_error error = COOK_ERROR_INIT;
    double times[4];
    times[0] = now_ms();
    struct cook_store *store = open_store(fd, COOK_STORE_WRITE);
    times[1] = now_ms();
    check(cook_state_thaw(cook_store_state(store), &error), &error);
    times[2] = now_ms();
    cook_store_close(store);
    times[3] = now_ms();
    for (int i = 0; i < 3; i++) {
        if (times[i + 1] - times[i] < ms[i])
            ms[i] = times[i + 1] - times[i];
    }
}

static double copy_index(int fd)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_buf bytes = COOK_BUF_INIT;
    check(cook_fs_read(&bytes, NULL, fd, "Saved/Cook/Bench/index.bin", UINT32_MAX, &error),
          &error);
    char *copy = malloc(bytes.size);
    memset(copy, 1, bytes.size);
    double start = now_ms();
    memcpy(copy, bytes.data, bytes.size);
    double ms = now_ms() - start;
    if (memcmp(copy, bytes.data, bytes.size) != 0)
        exit(1);
    printf("index                %9.1f MB  memcpy of it %.1f ms\n", (double)bytes.size / 1e6,
           ms);
    free(copy);
    cook_buf_finish(&bytes);
    return ms;
}

static void bench_open(int fd)
{
    double ms[3] = { 1e9, 1e9, 1e9 };
    double rebuilt[3] = { 1e9, 1e9, 1e9 };
    double copy_ms = copy_index(fd);
    for (int i = 0; i < REPEATS; i++)
        open_once(fd, ms);
    printf("open, mapped         %9.2f ms  %.2f x memcpy\n", ms[0], ms[0] / copy_ms);
    printf("thaw                 %9.2f ms  %.2f x memcpy\n", ms[1], ms[1] / copy_ms);
    printf("close                %9.2f ms\n", ms[2]);
    renameat(fd, "Saved/Cook/Bench/index.bin", fd, "index.bin");
    open_once(fd, rebuilt);
    renameat(fd, "index.bin", fd, "Saved/Cook/Bench/index.bin");
    printf("open from database   %9.1f ms\n", rebuilt[0]);
}

/* What a null cook asks of the store: open, begin, end unchanged, close. */
static void bench_null_cook(int fd)
{
    struct cook_error error = COOK_ERROR_INIT;
    double best = 1e9;
    double total = now_ms();
    const int rounds = 50;
    for (int i = 0; i < rounds; i++) {
        uint32_t id;
        double start = now_ms();
        struct cook_store *store = open_store(fd, COOK_STORE_WRITE);
        check(cook_store_begin_cook(store, &id, "incremental", "{}", &error), &error);
        struct cook_state *state = cook_store_state(store);
        struct cook_store_end end = {
            .summary_json = "{}",
            .packages = state->package_order,
            .package_count = state->packages_count,
            .manifest_unchanged = true,
            .keep_cooks = 50,
        };
        check(cook_store_end_cook(store, id, &end, &error), &error);
        cook_store_close(store);
        if (i && now_ms() - start < best) /* the first one makes the manifest */
            best = now_ms() - start;
    }
    printf("null cook            %9.2f ms  mean of %d with the manifest %.2f ms\n", best,
           rounds, (now_ms() - total) / rounds);
}

/* What an incremental cook of one package asks of the store, and its parts. */
static void bench_one_package(int fd, uint32_t count)
{
    struct cook_error error = COOK_ERROR_INIT;
    double best[5] = { 1e9, 1e9, 1e9, 1e9, 1e9 };
    for (uint32_t i = 0; i < REPEATS; i++) {
        double times[6];
        times[0] = now_ms();
        struct cook_store *store = open_store(fd, COOK_STORE_WRITE);
        struct cook_state *state = cook_store_state(store);
        times[1] = now_ms();
        check(cook_state_thaw(state, &error), &error);
        times[2] = now_ms();
        add_package(state, count + i);
        times[3] = now_ms();
        check(cook_store_commit(store, &error), &error);
        times[4] = now_ms();
        check(cook_store_write_index(store, &error), &error);
        cook_store_close(store);
        times[5] = now_ms();
        for (int j = 0; j < 5; j++) {
            if (times[j + 1] - times[j] < best[j])
                best[j] = times[j + 1] - times[j];
        }
    }
    printf("one package          %9.1f ms  open %.1f, thaw %.1f, add %.1f, commit %.1f, "
           "index %.1f\n",
           best[0] + best[1] + best[2] + best[3] + best[4], best[0], best[1], best[2], best[3],
           best[4]);
}

static void bench_lookups(int fd, uint32_t count)
{
    char name[96];
    uint32_t found = 0;
    for (int thawed = 0; thawed < 2; thawed++) {
        struct cook_error error = COOK_ERROR_INIT;
        struct cook_store *store = open_store(fd, COOK_STORE_READ);
        struct cook_state *state = cook_store_state(store);
        if (thawed)
            check(cook_state_thaw(state, &error), &error);
        double start = now_ms();
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = (uint32_t)((uint64_t)i * 7919 % count);
            snprintf(name, sizeof(name), "/Game/Area%u/Props/Package_%06u", at / 100, at);
            found += cook_state_find_package(state, name) == at;
        }
        printf("find package, %s %7.0f ns\n", thawed ? "thawed" : "mapped",
               (now_ms() - start) * 1e6 / count);
        cook_store_close(store);
    }
    if (found != 2 * count)
        exit(1);
}

static void bench_blobs(int fd)
{
    enum { BLOBS = 50000, BYTES = 2048 };
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_store *store = open_store(fd, COOK_STORE_WRITE);
    struct cook_hash hash;
    uint32_t words[BYTES / 4];
    uint32_t random = 1;
    for (uint32_t i = 0; i < BYTES / 4; i++)
        words[i] = random = random * 1664525u + 1013904223u;
    double start = now_ms();
    for (uint32_t i = 0; i < BLOBS; i++) {
        words[0] = i;
        check(cook_store_put_blob(store, &hash, words, BYTES, &error), &error);
    }
    double put_ms = now_ms() - start;
    check(cook_store_commit(store, &error), &error);
    double commit_ms = now_ms() - start - put_ms;
    start = now_ms();
    int file = openat(fd, "plain", O_WRONLY | O_CREAT, 0666);
    for (uint32_t i = 0; i < BLOBS; i++) {
        if (write(file, words, BYTES) != BYTES)
            exit(1);
    }
    fdatasync(file);
    close(file);
    double plain_ms = now_ms() - start;
    printf("put %d blobs      %9.1f ms  and commit %.1f ms: %.2f x plain write and sync\n",
           BLOBS, put_ms, commit_ms, (put_ms + commit_ms) / plain_ms);
    cook_store_close(store);
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    char path[] = "/tmp/bench-store-XXXXXX";
    if (!mkdtemp(path))
        return 1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    printf("%u packages\n", count);
    fill(fd, count);
    bench_open(fd);
    bench_null_cook(fd);
    bench_one_package(fd, count);
    bench_lookups(fd, count);
    bench_blobs(fd);
    close(fd);
    return cook_fs_remove_tree(AT_FDCWD, path, NULL) != COOK_OK;
}
