/* Which edits follow from which: sets the `root` of each edit. */
#ifndef DIFFCOOK_CAUSES_H
#define DIFFCOOK_CAUSES_H

#include "edits.h"

/*
 * Afterwards an edit's root stands on its own (is its own root). Edits of values do, except
 * payloads of elements and objects that came or went as a whole; a count follows from its
 * elements, a table's entry from the value that names it, a shifted index from the table's
 * edit, offsets and padding from the first edit before them that changed a size. What nothing
 * explains stands on its own. False when memory is short.
 */
bool diff_causes_find(struct diff_edits *edits, const struct diff_side *old,
                      const struct diff_side *new, const struct diff_texts *texts);

#endif
