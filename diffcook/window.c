#include "window.h"

#include <string.h>

#define BLOCK_BYTES 256

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

struct diff_delta diff_delta_find(const uint8_t *old, uint64_t old_size, const uint8_t *new,
                                  uint64_t new_size)
{
    if (old_size == new_size)
        return by_position(old, new, old_size);
    uint64_t shorter = old_size < new_size ? old_size : new_size;
    uint64_t first = 0;
    while (first < shorter && old[first] == new[first])
        first++;
    uint64_t tail = 0;
    while (tail < shorter - first && old[old_size - 1 - tail] == new[new_size - 1 - tail])
        tail++;
    struct diff_delta delta = {
        .first = first, .old_end = old_size - tail, .new_end = new_size - tail, .ranges = 1
    };
    uint64_t old_bytes = delta.old_end - first;
    uint64_t new_bytes = delta.new_end - first;
    delta.bytes = old_bytes > new_bytes ? old_bytes : new_bytes;
    return delta;
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
