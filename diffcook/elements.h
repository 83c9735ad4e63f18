/* Raw data with a layout (cook/archive/layout.h), compared element by element. Bytes are untrusted. */
#ifndef DIFFCOOK_ELEMENTS_H
#define DIFFCOOK_ELEMENTS_H

#include "diff.h"

/*
 * "2 of 100 elements differ: [12] (1, 2, 3) -> (1, 2, 4), …", or "100 -> 101 elements: [12] (1, 2, 3)
 * inserted", of a changed difference, in `arena`; NULL when its layout is not known, or when memory is short.
 */
const char *diff_elements_text(const struct diff_difference *difference, const struct diff_version *old,
                               const struct diff_version *new, struct cook_arena *arena);

#endif
