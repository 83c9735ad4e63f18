/*
 * Files of cook artifacts as lists of entries, and two halves of the input compared: what is read is in
 * order, and a file compared with itself has no changes.
 */
#include <stdlib.h>
#include <string.h>

#include "diffcook/entries.h"
#include "diffcook/resync.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_order(const struct diff_file_entries *entries)
{
    for (size_t i = 1; i < entries->count; i++)
        require(strcmp(entries->items[i - 1].key, entries->items[i].key) <= 0);
}

/* The ranges must make the second half of the first. */
static void check_ranges(const uint8_t *old, size_t old_size, const uint8_t *new, size_t new_size)
{
    struct diff_ranges ranges;
    uint64_t at = 0, from = 0;
    require(diff_resync(&ranges, old, old_size, new, new_size) == COOK_OK);
    for (size_t i = 0; i < ranges.count; i++) {
        const struct diff_range *range = &ranges.items[i];
        require(range->old_at >= from && range->old_at + range->old_size <= old_size);
        require(range->new_at == at + (range->old_at - from) && range->new_at + range->new_size <= new_size);
        require(memcmp(old + from, new + at, range->old_at - from) == 0);
        at = range->new_at + range->new_size;
        from = range->old_at + range->old_size;
    }
    require(old_size - from == new_size - at && memcmp(old + from, new + at, old_size - from) == 0);
    diff_ranges_finish(&ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t nothing;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct diff_file_entries entries = { .arena = &arena };
    struct diff_output output = { 0 };
    const uint8_t *bytes = size ? data : &nothing;
    if (diff_entries_read(&entries, bytes, size)) {
        check_order(&entries);
        require(diff_entries_compare(&output, &entries, &entries, &arena) == COOK_OK);
        require(output.entry_count == 0 && output.dropped_entries == 0);
    }
    diff_entries_finish(&entries);
    cook_arena_finish(&arena);
    check_ranges(bytes, size / 2, bytes + size / 2, size - size / 2);
    return 0;
}
