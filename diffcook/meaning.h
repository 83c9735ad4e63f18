/* Edits that change bytes but not what they say. */
#ifndef DIFFCOOK_MEANING_H
#define DIFFCOOK_MEANING_H

#include "edits.h"

/*
 * Mark edits that stand on their own and say the same on both sides: tables of names, imports
 * and soft references with the same rows in another order; maps and sets with the same entries
 * in another order, which become one edit; numbers that are no number on both sides; padding.
 * Negative zero is not zero: class code can tell them apart. After diff_causes_find(). False
 * when memory is short.
 */
bool diff_meaning_find(struct diff_edits *edits, const struct diff_side *old,
                       const struct diff_side *new, const struct diff_texts *texts);

const char *diff_sameness_text(enum diff_sameness sameness); /* NULL for DIFF_NOT_SAME */

#endif
