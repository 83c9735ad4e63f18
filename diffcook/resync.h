/*
 * Long stretches of bytes compared though something was inserted or removed in them: both are cut into
 * chunks where their content says so (a gear hash, as in FastCDC: Xia et al., USENIX ATC 2016), the chunks
 * are aligned by their hashes, and what lies between equal chunks is narrowed to the byte. Linear; memory
 * for a chunk each 2 KiB or so.
 */
#ifndef DIFFCOOK_RESYNC_H
#define DIFFCOOK_RESYNC_H

#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"

/* Old bytes that stand there no more, and what stands in their place; one of the two may be empty. */
struct diff_range {
    uint64_t old_at, old_size;
    uint64_t new_at, new_size;
};
struct diff_ranges {
    struct diff_range *items; /* owned; ascending on both sides, none empty on both */
    size_t count, capacity;
};

/* The ranges that differ; none where the bytes are equal. COOK_E_NO_MEMORY. Finish in any case. */
enum cook_status diff_resync(struct diff_ranges *ranges, const uint8_t *old, uint64_t old_size,
                             const uint8_t *new, uint64_t new_size) COOK_CHECK_RESULT;
void diff_ranges_finish(struct diff_ranges *ranges);

#endif
