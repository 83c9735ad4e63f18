/*
 * The differ on large packages, beside memcmp over the same bytes in the same run:
 *
 *     bench_gigabyte [MIB]      default 1024
 *
 * Equal; with 1,000 scattered edits (a byte changed, a write inserted or removed); and two unlike
 * packages of a tenth of the size; then single payloads of that size, whose bytes have no tokens to align.
 * Prints time, ratio, what was found, and the memory that the
 * comparison took beside the bytes and token maps it was given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cook/base/alloc.h"
#include "diffcook/diff.h"
#include "diffcook/resync.h"

#define BLOCK_BYTES 256u
#define EDITS       1000u

struct package {
    uint8_t *bytes;
    size_t size;
    struct cook_token_map tokens;
    size_t capacity;
};

static uint64_t random_state;

static uint64_t any(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static size_t peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss / 1024;
}

static void start(struct package *package, size_t capacity)
{
    *package = (struct package){ .bytes = malloc(capacity), .capacity = capacity };
    if (!package->bytes)
        exit(1);
    cook_token_map_init(&package->tokens);
}

static void finish(struct package *package)
{
    free(package->bytes);
    cook_token_map_finish(&package->tokens);
}

static void put(struct package *package, const uint8_t *block, uint32_t index)
{
    uint32_t path = cook_token_map_path(&package->tokens, "Rock:Blocks[]", COOK_TOKEN_DATA);
    memcpy(package->bytes + package->size, block, BLOCK_BYTES);
    package->size += BLOCK_BYTES;
    cook_token_map_add(&package->tokens, path, BLOCK_BYTES, &index);
}

static void make_block(uint8_t *block)
{
    for (unsigned i = 0; i < BLOCK_BYTES; i += 8) {
        uint64_t value = any();
        memcpy(block + i, &value, 8);
    }
}

static void fill(struct package *package, size_t count, uint64_t seed)
{
    uint8_t block[BLOCK_BYTES];
    random_state = seed;
    start(package, count * BLOCK_BYTES);
    for (size_t i = 0; i < count; i++) {
        make_block(block);
        put(package, block, (uint32_t)i);
    }
}

/* A copy with an edit every count / EDITS blocks, of three kinds in turn. */
static void edit(struct package *package, const struct package *from, size_t count)
{
    uint8_t block[BLOCK_BYTES];
    size_t step = count / EDITS;
    uint32_t index = 0;
    start(package, (count + EDITS) * BLOCK_BYTES);
    for (size_t i = 0; i < count; i++) {
        memcpy(block, from->bytes + i * BLOCK_BYTES, BLOCK_BYTES);
        size_t kind = i % step == step / 2 && i / step < EDITS ? 1 + i / step % 3 : 0;
        if (kind == 1)
            block[100] ^= 0x55;
        if (kind != 2)
            put(package, block, index++);
        if (kind == 3) {
            make_block(block);
            put(package, block, index++);
        }
    }
}

static void measure(const char *name, const struct package *a, const struct package *b)
{
    const struct diff_version old = { .bytes = a->bytes, .size = a->size, .tokens = &a->tokens };
    const struct diff_version new = { .bytes = b->bytes, .size = b->size, .tokens = &b->tokens };
    struct cook_arena arena = COOK_ARENA_INIT;
    struct diff_result result;
    size_t shorter = a->size < b->size ? a->size : b->size;
    /* In pieces, as memcmp would stop at the first difference. */
    volatile int different = 0;
    double begun = now();
    for (size_t at = 0; at < shorter; at += BLOCK_BYTES)
        different += memcmp(a->bytes + at, b->bytes + at, BLOCK_BYTES) != 0;
    double yardstick = now() - begun;
    size_t before = peak_mib();
    begun = now();
    if (diff_compare(&result, &old, &new, NULL, &arena, NULL) != COOK_OK)
        exit(1);
    double seconds = now() - begun;
    printf("%-36s %7.0f ms, %5.1f x memcmp; %d blocks differ: %u differences, %llu dropped, %zu MiB "
           "more memory\n",
           name, seconds * 1e3, seconds / yardstick, different, result.root_count,
           (unsigned long long)result.dropped_differences, peak_mib() - before);
    cook_arena_finish(&arena);
}

/* Bytes without tokens: 100 runs inserted, or nothing alike. */
static void measure_payload(const char *name, const struct package *from, bool unlike)
{
    size_t step = from->size / 100, size = 0;
    uint8_t *bytes = malloc(from->size + 100 * BLOCK_BYTES);
    struct diff_ranges ranges;
    if (!bytes)
        exit(1);
    for (size_t at = 0; !unlike && at < from->size; at += step) {
        size_t length = from->size - at < step ? from->size - at : step;
        memcpy(bytes + size, from->bytes + at, length);
        size += length;
        if (at / step < 100)
            make_block(bytes + size), size += BLOCK_BYTES;
    }
    for (; unlike && size < from->size; size += BLOCK_BYTES)
        make_block(bytes + size);
    size_t different = 0;
    double begun = now();
    for (size_t at = 0; at + BLOCK_BYTES <= from->size; at += BLOCK_BYTES)
        different += memcmp(from->bytes + at, bytes + at, BLOCK_BYTES) != 0;
    double yardstick = now() - begun;
    begun = now();
    if (diff_resync(&ranges, from->bytes, from->size, bytes, size) != COOK_OK)
        exit(1);
    double took = now() - begun;
    printf("%-36s %7.0f ms, %5.1f x memcmp (%zu blocks); %zu ranges\n", name, took * 1e3,
           took / yardstick, different, ranges.count);
    diff_ranges_finish(&ranges);
    free(bytes);
}

int main(int argc, char **argv)
{
    size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 1024;
    size_t count = (mib << 20) / BLOCK_BYTES;
    struct package old;
    struct package new;
    fill(&old, count, 88172645463325252ull);
    fill(&new, count, 88172645463325252ull);
    printf("%zu MiB, %zu writes of %u bytes\n", mib, count, BLOCK_BYTES);
    measure("equal", &old, &new);
    finish(&new);
    edit(&new, &old, count);
    measure("1,000 scattered edits", &old, &new);
    finish(&old);
    finish(&new);
    fill(&old, count / 10, 88172645463325252ull);
    fill(&new, count / 10, 1234567ull);
    measure("unlike, a tenth of the size", &old, &new);
    measure_payload("payload, 100 runs inserted", &old, false);
    measure_payload("payload, unlike", &old, true);
    finish(&old);
    finish(&new);
    return 0;
}
