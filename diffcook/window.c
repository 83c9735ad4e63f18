#include "window.h"

#include <string.h>

#include "resync.h"

#define BLOCK_BYTES  256
#define RESYNC_FROM  4096 /* bytes of equal sizes */
#define UNLIKE_SHARE 8    /* and this part of them differs by position */

const struct diff_window diff_window_absent = { .offset = DIFF_NO_OFFSET };

static struct diff_delta by_position(const uint8_t *old, const uint8_t *new, uint64_t size)
{
    struct diff_delta delta = { .by_position = true };
    bool inside = false;
    for (uint64_t at = 0; at < size;) {
        uint64_t block = size - at < BLOCK_BYTES ? size - at : BLOCK_BYTES;
        if (memcmp(old + at, new + at, block) == 0) {
            inside = false;
            at += block;
            continue;
        }
        for (uint64_t end = at + block; at < end; at++) {
            bool differs = old[at] != new[at];
            if (differs && delta.bytes++ == 0)
                delta.first = at;
            if (differs) {
                delta.ranges += !inside;
                delta.old_end = delta.new_end = at + 1;
            }
            inside = differs;
        }
    }
    return delta;
}

/* Short of memory: all between what both begin and end with. */
static struct diff_delta as_one(const uint8_t *old, uint64_t old_size, const uint8_t *new,
                                uint64_t new_size)
{
    uint64_t shorter = old_size < new_size ? old_size : new_size;
    uint64_t first = 0;
    while (first < shorter && old[first] == new[first])
        first++;
    uint64_t tail = 0;
    while (tail < shorter - first && old[old_size - 1 - tail] == new[new_size - 1 - tail])
        tail++;
    uint64_t old_bytes = old_size - tail - first, new_bytes = new_size - tail - first;
    return (struct diff_delta){ .first = first,
                                .old_end = first + old_bytes,
                                .new_end = first + new_bytes,
                                .bytes = old_bytes < new_bytes ? old_bytes : new_bytes,
                                .inserted = new_bytes > old_bytes ? new_bytes - old_bytes : 0,
                                .removed = old_bytes > new_bytes ? old_bytes - new_bytes : 0,
                                .ranges = 1 };
}

static struct diff_delta resynchronised(const uint8_t *old, uint64_t old_size, const uint8_t *new,
                                        uint64_t new_size)
{
    struct diff_delta delta = { 0 };
    struct diff_ranges ranges;
    enum cook_status status = diff_resync(&ranges, old, old_size, new, new_size);
    for (size_t i = 0; status == COOK_OK && i < ranges.count; i++) {
        const struct diff_range *range = &ranges.items[i];
        uint64_t both = range->old_size < range->new_size ? range->old_size : range->new_size;
        delta.bytes += both;
        delta.removed += range->old_size - both;
        delta.inserted += range->new_size - both;
    }
    delta.ranges = ranges.count;
    if (status == COOK_OK && ranges.count) { /* the first stands at one place on both sides */
        delta.first = ranges.items[0].old_at;
        delta.old_end = delta.first + ranges.items[0].old_size;
        delta.new_end = delta.first + ranges.items[0].new_size;
    }
    diff_ranges_finish(&ranges);
    return status == COOK_OK ? delta : as_one(old, old_size, new, new_size);
}

struct diff_delta diff_delta_find(const uint8_t *old, uint64_t old_size, const uint8_t *new,
                                  uint64_t new_size)
{
    if (old_size != new_size)
        return resynchronised(old, old_size, new, new_size);
    struct diff_delta delta = by_position(old, new, old_size);
    if (old_size < RESYNC_FROM || delta.bytes < old_size / UNLIKE_SHARE)
        return delta;
    /* As much inserted as removed: worth it where that says less. */
    struct diff_delta other = resynchronised(old, old_size, new, new_size);
    return other.bytes + other.inserted + other.removed < delta.bytes / 2 ? other : delta;
}

struct diff_window diff_window_make(const struct diff_version *version, uint64_t offset,
                                    uint64_t first, uint64_t end, const uint8_t *other)
{
    uint64_t from = offset + first;
    uint64_t start = from > DIFF_CONTEXT_BYTES ? from - DIFF_CONTEXT_BYTES : 0;
    uint64_t stop = offset + end + DIFF_CONTEXT_BYTES;
    if (stop > version->size)
        stop = version->size;
    if (stop - start > DIFF_WINDOW_BYTES)
        stop = start + DIFF_WINDOW_BYTES;
    struct diff_window window = { .offset = start,
                                  .size = (uint32_t)(stop - start),
                                  .bytes = version->bytes + start };
    for (uint32_t i = 0; i < window.size; i++) {
        uint64_t at = start + i;
        bool inside = at >= from && at < offset + end;
        if (inside && (!other || other[at - offset] != version->bytes[at]))
            window.marked |= (uint64_t)1 << i;
    }
    return window;
}
