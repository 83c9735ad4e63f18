#include "cook/symbols/ranges.h"

#include <stdlib.h>

#include "cook/base/alloc.h"

/* Ranges hardly ever nest; look back this far for one that starts earlier and ends later. */
#define LOOK_BACK 16

void cook_ranges_finish(struct cook_ranges *ranges)
{
    cook_free(ranges->items);
    *ranges = (struct cook_ranges){ NULL, 0, 0 };
}

bool cook_ranges_add(struct cook_ranges *ranges, uint64_t low, uint64_t high, uint32_t index)
{
    /* Dropped sections are put at 0 or 1 by older linkers, at the very end by newer ones. */
    if (low <= 1 || low >= high)
        return true;
    if (!cook_grow(&ranges->items, &ranges->capacity, ranges->count + 1,
                   sizeof(*ranges->items)))
        return false;
    ranges->items[ranges->count++] = (struct cook_range){ low, high, index };
    return true;
}

/* Wider ranges come first, so that the innermost of equal starts is met first looking back. */
static int compare(const void *a, const void *b)
{
    const struct cook_range *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return (left->high < right->high) - (left->high > right->high);
}

void cook_ranges_sort(struct cook_ranges *ranges)
{
    if (ranges->count > 1)
        qsort(ranges->items, ranges->count, sizeof(*ranges->items), compare);
}

const struct cook_range *cook_ranges_find(const struct cook_ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t steps = 0; low > 0 && steps < LOOK_BACK; steps++, low--) {
        if (address < ranges->items[low - 1].high)
            return &ranges->items[low - 1];
    }
    return NULL;
}
