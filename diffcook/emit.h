/* From edits to the differences of a result, within the limits. */
#ifndef DIFFCOOK_EMIT_H
#define DIFFCOOK_EMIT_H

#include "edits.h"

/* False when memory is short. The limits in `options` are set. */
bool diff_emit(struct diff_result *out, const struct diff_edits *edits,
               const struct diff_side *old, const struct diff_side *new,
               const struct diff_options *options, struct cook_arena *arena);
/* Without token maps: the ranges of bytes that differ. */
bool diff_emit_by_offset(struct diff_result *out, const struct diff_version *old,
                         const struct diff_version *new, const struct diff_options *options,
                         struct cook_arena *arena);

#endif
