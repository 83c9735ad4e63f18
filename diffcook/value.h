/* Values, paths and bytes as text for people; all of it untrusted, so escaped and cut. */
#ifndef DIFFCOOK_VALUE_H
#define DIFFCOOK_VALUE_H

#include "edits.h"

/* Each returns text in `arena`, or NULL when memory is short. */

/* A token's value by its type: "3", "1.5", "\"text\"", "/Game/Rock.Mesh", "null", "12 bytes:
 * 0a…". */
const char *diff_value_text(const struct diff_side *side, size_t token,
                            struct cook_arena *arena);
/* Text as valid UTF-8 on one line: other bytes and control characters as \xNN. */
const char *diff_clean_text(const char *text, struct cook_arena *arena);
/* What an edit holds on one side; NULL in `*out` when it is absent there. False: no memory. */
bool diff_edit_value(const char **out, const struct diff_edit *edit,
                     const struct diff_side *side, size_t first, size_t count,
                     struct cook_arena *arena);

#endif
