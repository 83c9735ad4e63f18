/*
 * What the aligner cannot know, because it sees neither elements nor indices: where a run of
 * inserted tokens may as well begin a little earlier, it should begin with a whole element; and
 * a field that vanished in one place and came up in another has moved.
 */
#ifndef DIFFCOOK_REFINE_H
#define DIFFCOOK_REFINE_H

#include "align.h"
#include "side.h"

bool diff_refine(struct diff_alignment *alignment, const struct diff_side *old,
                 const struct diff_side *new);
/* Whether the token is the first of its element, at "[]" number `level`. */
bool diff_starts_element(const struct diff_side *side, size_t token, uint32_t level);

#endif
