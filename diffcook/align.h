/*
 * Alignment of two sequences of written tokens, each given as a path id (common to both
 * sequences) and a hash of what was written. Array indices must not be part of the path: with
 * them one inserted element would change every token after it.
 *
 * Technique: trim what is common at both ends; walk in lockstep with a local Myers diff of
 * capped cost that commits wherever a long run of equal tokens begins; where that gives up,
 * tokens (then 16-token windows) that are unique on both sides are anchors, compressed to runs,
 * of which the heaviest increasing subsequence stays in order and the rest are moves; last,
 * what is left between aligned tokens is paired by path alone. Linear for near-equal sequences,
 * bounded for unlike ones.
 */
#ifndef DIFFCOOK_ALIGN_H
#define DIFFCOOK_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"

#define DIFF_UNALIGNED   UINT32_MAX
#define DIFF_ALIGN_LIMIT ((size_t)1 << 30) /* tokens on one side */

struct diff_sequence {
    const uint32_t *paths;
    const uint64_t *hashes;
    size_t count;
};

struct diff_alignment {
    uint32_t *new_of_old; /* owned; by old token: the new one, or DIFF_UNALIGNED */
    uint32_t *old_of_new; /* owned; the inverse */
    uint8_t *moved;       /* owned; by old token: aligned, but out of order */
};

/*
 * Align; every pair has equal paths, equal hashes or not. Pairs that are not moved are in order
 * on both sides. COOK_E_NO_MEMORY, COOK_E_LIMIT. Finish the result also after a failure.
 */
enum cook_status diff_align(struct diff_alignment *out, const struct diff_sequence *old,
                            const struct diff_sequence *new,
                            struct cook_error *error) COOK_CHECK_RESULT;
void diff_alignment_finish(struct diff_alignment *alignment);

#endif
