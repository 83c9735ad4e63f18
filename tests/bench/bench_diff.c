/*
 * The aligner and a whole comparison over packages of many tokens.
 *
 *     bench_diff [TOKENS]
 *
 * One line a case: milliseconds (the best of three) and what was found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diffcook/align.h"
#include "unit/diffcook/package_builder.h"

#include "diffcook/diff.h"

#define ROUNDS 3

struct tokens {
    uint32_t *paths;
    uint64_t *hashes;
    size_t count;
};

struct bench {
    struct tokens old;
    struct tokens new;
    uint64_t random;
};

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static uint64_t any(struct bench *b, uint64_t below)
{
    b->random ^= b->random << 13;
    b->random ^= b->random >> 7;
    b->random ^= b->random << 17;
    return (b->random >> 11) % below;
}

static void insert(struct tokens *t, size_t at, uint32_t path, uint64_t hash)
{
    memmove(t->paths + at + 1, t->paths + at, (t->count - at) * sizeof(*t->paths));
    memmove(t->hashes + at + 1, t->hashes + at, (t->count - at) * sizeof(*t->hashes));
    t->paths[at] = path;
    t->hashes[at] = hash;
    t->count++;
}

static void copy_tokens(struct tokens *to, const struct tokens *from)
{
    memcpy(to->paths, from->paths, from->count * sizeof(*to->paths));
    memcpy(to->hashes, from->hashes, from->count * sizeof(*to->hashes));
    to->count = from->count;
}

/* Kinds of content: every path once; an array of structs; few distinct tokens. */
enum content { UNIQUE, STRUCTS, FEW };

static void fill(struct bench *b, struct tokens *t, enum content content, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t field = (uint32_t)(i % 10);
        t->paths[i] = content == UNIQUE ? (uint32_t)i : content == STRUCTS ? field : 7;
        uint64_t range = content == STRUCTS && field < 6 ? 4 : content == FEW ? 16 : 1u << 30;
        t->hashes[i] = any(b, range);
    }
    t->count = count;
}

static void change_values(struct bench *b, int count)
{
    for (int i = 0; i < count; i++)
        b->new.hashes[any(b, b->new.count)] ^= 1;
}

static void move_blocks(struct bench *b)
{
    size_t size = b->new.count / 200;
    for (int i = 0; i < 10; i++) {
        struct tokens copy = { malloc(size * 4), malloc(size * 8), size };
        size_t from = any(b, b->new.count - size);
        memcpy(copy.paths, b->new.paths + from, size * 4);
        memcpy(copy.hashes, b->new.hashes + from, size * 8);
        size_t to = from > size ? from - size : from + size;
        memmove(b->new.paths + from, b->new.paths + to, size * 4);
        memmove(b->new.hashes + from, b->new.hashes + to, size * 8);
        memcpy(b->new.paths + to, copy.paths, size * 4);
        memcpy(b->new.hashes + to, copy.hashes, size * 8);
        free(copy.paths);
        free(copy.hashes);
    }
}

static void shuffle(struct bench *b)
{
    for (size_t i = b->new.count - 1; i > 0; i--) {
        size_t k = any(b, i + 1);
        uint32_t path = b->new.paths[i];
        uint64_t hash = b->new.hashes[i];
        b->new.paths[i] = b->new.paths[k];
        b->new.hashes[i] = b->new.hashes[k];
        b->new.paths[k] = path;
        b->new.hashes[k] = hash;
    }
}

static void run(struct bench *b, const char *name)
{
    double best = 1e9;
    size_t equal = 0, changed = 0, moved = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct diff_alignment alignment;
        const struct diff_sequence old = { b->old.paths, b->old.hashes, b->old.count };
        const struct diff_sequence new = { b->new.paths, b->new.hashes, b->new.count };
        double start = milliseconds();
        if (diff_align(&alignment, &old, &new, NULL) != COOK_OK)
            exit(1);
        double took = milliseconds() - start;
        best = took < best ? took : best;
        equal = changed = moved = 0;
        for (size_t i = 0; i < b->old.count; i++) {
            uint32_t k = alignment.new_of_old[i];
            bool paired = k != DIFF_UNALIGNED;
            equal += paired && b->old.hashes[i] == b->new.hashes[k];
            changed += paired && b->old.hashes[i] != b->new.hashes[k];
            moved += alignment.moved[i];
        }
        diff_alignment_finish(&alignment);
    }
    printf("align %-44s %8.1f ms  equal %zu changed %zu removed %zu inserted %zu moved %zu\n",
           name, best, equal, changed, b->old.count - equal - changed,
           b->new.count - equal - changed, moved);
}

static void bench_align(struct bench *b, size_t count)
{
    fill(b, &b->old, UNIQUE, count);
    copy_tokens(&b->new, &b->old);
    run(b, "equal");
    insert(&b->new, count / 2, UINT32_MAX, 1);
    run(b, "one token inserted");
    change_values(b, 1000);
    run(b, "and 1,000 values changed");
    move_blocks(b);
    run(b, "and 10 blocks swapped");
    shuffle(b);
    run(b, "shuffled");
    fill(b, &b->old, STRUCTS, count);
    copy_tokens(&b->new, &b->old);
    for (uint32_t field = 0; field < 10; field++)
        insert(&b->new, count / 20 * 10 + field, field, any(b, 1u << 30));
    change_values(b, 1000);
    run(b, "structs, 1 element inserted, 1,000 changed");
    fill(b, &b->new, STRUCTS, count);
    run(b, "structs, unlike");
    fill(b, &b->old, FEW, count);
    fill(b, &b->new, FEW, count);
    run(b, "16 distinct tokens, unlike");
}

static void build_package(struct builder *b, size_t count, size_t extra_at)
{
    build_init(b);
    build_export(b, "Rock", "/Script/Test.Mesh");
    for (size_t i = 0; i < count / 4; i++) {
        uint32_t at = (uint32_t)i;
        build_number(b, "Items[].A", COOK_TOKEN_U32, i == extra_at ? 7 : i * 3, at);
        build_number(b, "Items[].B", COOK_TOKEN_F32, i, at);
        build_text(b, "Items[].Kind", COOK_TOKEN_NAME, i == extra_at ? "Birch" : "Oak", at);
        build_number(b, "Items[].Flag", COOK_TOKEN_BOOL, i & 1, at);
    }
    build(b);
}

static void bench_compare(size_t count)
{
    struct builder old;
    struct builder new;
    build_package(&old, count, SIZE_MAX);
    build_package(&new, count, count / 8);
    const struct diff_version a = {
        old.bytes.data, old.bytes.size, &old.tokens, NULL, 0, NULL
    };
    const struct diff_version b = {
        new.bytes.data, new.bytes.size, &new.tokens, NULL, 0, NULL
    };
    double best = 1e9;
    struct diff_result result = { .count = 0 };
    for (int round = 0; round < ROUNDS; round++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        double start = milliseconds();
        if (diff_compare(&result, &a, &b, NULL, &arena, NULL) != COOK_OK)
            exit(1);
        double took = milliseconds() - start;
        best = took < best ? took : best;
        cook_arena_finish(&arena);
    }
    printf("compare %zu tokens, a name and a value changed: %.1f ms, %u differences of which "
           "%u on their own, %zu consequences not listed\n",
           old.tokens.count, best, result.count, result.root_count,
           (size_t)result.dropped_consequences);
    build_finish(&old);
    build_finish(&new);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    struct bench b = { .random = 88172645463325252ull };
    struct tokens *both[] = { &b.old, &b.new };
    for (int i = 0; i < 2; i++) {
        both[i]->paths = malloc((count + 64) * sizeof(*both[i]->paths));
        both[i]->hashes = malloc((count + 64) * sizeof(*both[i]->hashes));
        if (!both[i]->paths || !both[i]->hashes || count < 1000)
            return 1;
    }
    bench_align(&b, count);
    for (int i = 0; i < 2; i++) {
        free(both[i]->paths);
        free(both[i]->hashes);
    }
    bench_compare(count);
    return 0;
}
