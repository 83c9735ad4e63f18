/* Address ranges of units, functions and inlined calls, sorted once and searched by address. */
#ifndef COOK_SYMBOLS_RANGES_H
#define COOK_SYMBOLS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cook_range {
    uint64_t low;
    uint64_t high;  /* first address beyond */
    uint32_t index; /* of what the range belongs to */
};

struct cook_ranges {
    struct cook_range *items; /* owned */
    size_t count;
    size_t capacity;
};

void cook_ranges_finish(struct cook_ranges *ranges);
/* Empty ranges are left out, and so are those of code that the linker dropped. */
bool cook_ranges_add(struct cook_ranges *ranges, uint64_t low, uint64_t high, uint32_t index);
void cook_ranges_sort(struct cook_ranges *ranges);
/* Of the ranges that hold `address` the one that starts last, or NULL; after sorting. */
const struct cook_range *cook_ranges_find(const struct cook_ranges *ranges, uint64_t address);

#endif
