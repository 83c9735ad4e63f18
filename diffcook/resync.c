#include "resync.h"

#include <stdbool.h>
#include <string.h>

#include "align.h"
#include "cook/base/alloc.h"
#include "cook/base/hash.h"

#define MIN_CHUNK  256u
#define MAX_CHUNK  16384u
#define CUT_MASK   (UINT64_C(0x7ff) << 53) /* 2 KiB on average; high bits have seen 64 bytes */
#define JOIN_BYTES 16u /* equal bytes that do not part two ranges of equal sizes */

/* ---- chunks ---- */

struct chunks {
    uint64_t *ends; /* by chunk */
    uint32_t *paths;
    uint64_t *hashes;
    size_t count, ends_capacity, paths_capacity, hashes_capacity;
};

static void make_gear(uint64_t gear[256])
{
    uint64_t seed = 0;
    for (unsigned i = 0; i < 256; i++) { /* splitmix64 (Steele et al., 2014) */
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        gear[i] = z ^ z >> 31;
    }
}

static uint64_t chunk_size(const uint8_t *bytes, uint64_t size, const uint64_t gear[256])
{
    uint64_t hash = 0;
    uint64_t most = size < MAX_CHUNK ? size : MAX_CHUNK;
    for (uint64_t i = MIN_CHUNK - 64; i < most; i++) {
        hash = (hash << 1) + gear[bytes[i]];
        if (i >= MIN_CHUNK && !(hash & CUT_MASK))
            return i + 1;
    }
    return most;
}

static bool cut(struct chunks *chunks, const uint8_t *bytes, uint64_t size, const uint64_t gear[256])
{
    for (uint64_t at = 0; at < size;) {
        uint64_t length = chunk_size(bytes + at, size - at, gear);
        size_t n = chunks->count + 1;
        if (!cook_grow(&chunks->ends, &chunks->ends_capacity, n, sizeof(uint64_t)) ||
            !cook_grow(&chunks->paths, &chunks->paths_capacity, n, sizeof(uint32_t)) ||
            !cook_grow(&chunks->hashes, &chunks->hashes_capacity, n, sizeof(uint64_t)))
            return false;
        uint64_t hash = cook_hash64(bytes + at, length);
        at += length;
        chunks->ends[chunks->count] = at;
        chunks->paths[chunks->count] = (uint32_t)hash; /* so that only equal chunks are paired */
        chunks->hashes[chunks->count++] = hash;
    }
    return true;
}

static void chunks_finish(struct chunks *chunks)
{
    cook_free(chunks->ends);
    cook_free(chunks->paths);
    cook_free(chunks->hashes);
}

/* ---- ranges ---- */

struct gap {
    struct diff_ranges *ranges;
    const uint8_t *old, *new;
    bool failed;
};

static void add(struct gap *gap, struct diff_range range)
{
    struct diff_ranges *ranges = gap->ranges;
    if (!range.old_size && !range.new_size)
        return;
    if (!cook_grow(&ranges->items, &ranges->capacity, ranges->count + 1, sizeof(*ranges->items)))
        gap->failed = true;
    else
        ranges->items[ranges->count++] = range;
}

/* Byte by byte: a few changed values in a chunk are ranges of their own. */
static void add_by_position(struct gap *gap, struct diff_range range)
{
    const uint8_t *a = gap->old + range.old_at, *b = gap->new + range.new_at;
    for (uint64_t i = 0; i < range.old_size;) {
        if (a[i] == b[i]) {
            i++;
            continue;
        }
        uint64_t start = i, end = i + 1;
        while (++i < range.old_size && i - end < JOIN_BYTES)
            if (a[i] != b[i])
                end = i + 1;
        add(gap, (struct diff_range){ range.old_at + start, end - start, range.new_at + start,
                                      end - start });
        i = end;
    }
}

static void add_gap(struct gap *gap, struct diff_range range)
{
    const uint8_t *a = gap->old, *b = gap->new;
    while (range.old_size && range.new_size && a[range.old_at] == b[range.new_at]) {
        range.old_at++, range.old_size--;
        range.new_at++, range.new_size--;
    }
    while (range.old_size && range.new_size &&
           a[range.old_at + range.old_size - 1] == b[range.new_at + range.new_size - 1]) {
        range.old_size--;
        range.new_size--;
    }
    if (range.old_size == range.new_size)
        add_by_position(gap, range);
    else
        add(gap, range);
}

static uint64_t start_of(const struct chunks *chunks, size_t chunk)
{
    return chunk ? chunks->ends[chunk - 1] : 0;
}

/* What lies between chunks that both have, in order. A chunk that moved counts as gone and come. */
static void walk(struct gap *gap, const struct chunks *old, const struct chunks *new,
                 const struct diff_alignment *alignment)
{
    uint64_t old_at = 0, new_at = 0;
    for (size_t i = 0; i < old->count; i++) {
        uint32_t k = alignment->new_of_old[i];
        if (k == DIFF_UNALIGNED || alignment->moved[i] || old->hashes[i] != new->hashes[k])
            continue;
        uint64_t old_start = start_of(old, i), new_start = start_of(new, k);
        uint64_t length = old->ends[i] - old_start;
        if (length != new->ends[k] - new_start ||
            memcmp(gap->old + old_start, gap->new + new_start, length) != 0)
            continue;
        add_gap(gap, (struct diff_range){ old_at, old_start - old_at, new_at, new_start - new_at });
        old_at = old->ends[i];
        new_at = new->ends[k];
    }
    uint64_t old_size = start_of(old, old->count), new_size = start_of(new, new->count);
    add_gap(gap, (struct diff_range){ old_at, old_size - old_at, new_at, new_size - new_at });
}

enum cook_status diff_resync(struct diff_ranges *ranges, const uint8_t *old, uint64_t old_size,
                             const uint8_t *new, uint64_t new_size)
{
    *ranges = (struct diff_ranges){ 0 };
    struct chunks a = { 0 }, b = { 0 };
    struct diff_alignment alignment = { 0 };
    struct gap gap = { .ranges = ranges, .old = old, .new = new };
    uint64_t gear[256];
    make_gear(gear);
    enum cook_status status = COOK_E_NO_MEMORY;
    if (cut(&a, old, old_size, gear) && cut(&b, new, new_size, gear)) {
        const struct diff_sequence left = { a.paths, a.hashes, a.count };
        const struct diff_sequence right = { b.paths, b.hashes, b.count };
        status = diff_align(&alignment, &left, &right, NULL);
    }
    if (status == COOK_OK)
        walk(&gap, &a, &b, &alignment);
    diff_alignment_finish(&alignment);
    chunks_finish(&a);
    chunks_finish(&b);
    return status == COOK_OK && gap.failed ? COOK_E_NO_MEMORY : status;
}

void diff_ranges_finish(struct diff_ranges *ranges)
{
    cook_free(ranges->items);
    *ranges = (struct diff_ranges){ 0 };
}
