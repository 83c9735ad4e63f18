/* From an alignment to edits: whole elements and objects where the writes of one came or went.
 */
#ifndef DIFFCOOK_EDITS_H
#define DIFFCOOK_EDITS_H

#include "align.h"
#include "side.h"

/* What an edit stands for, besides single writes. */
enum diff_extent {
    DIFF_EXTENT_TOKEN = 0,
    DIFF_EXTENT_ELEMENTS, /* whole elements of one array, in a row */
    DIFF_EXTENT_ARRAY,    /* a count and its elements */
    DIFF_EXTENT_OBJECT,
    DIFF_EXTENT_UNORDERED, /* a map or set whose entries stand in another order */
};

/* How an edit may follow from others. */
enum diff_role {
    DIFF_ROLE_VALUE = 0,
    DIFF_ROLE_COUNT,   /* of elements */
    DIFF_ROLE_TABLE,   /* in the package's own tables */
    DIFF_ROLE_SHIFT,   /* the same name or reference, at another index of its table */
    DIFF_ROLE_DERIVED, /* offsets and padding */
};

/* Why an edit changes bytes, but not what they say. */
enum diff_sameness {
    DIFF_NOT_SAME = 0,
    DIFF_SAME_ENTRIES, /* of a map or set */
    DIFF_SAME_ROWS,    /* of a table */
    DIFF_SAME_NAN,
    DIFF_SAME_PADDING,
};

struct diff_edit {
    enum diff_kind kind;
    enum diff_extent extent;
    enum diff_role role;
    enum diff_sameness sameness; /* of an edit that stands on its own */
    uint32_t level;   /* elements, unordered: which "[]" */
    size_t old_first; /* tokens; where the place would be on the side that has none */
    size_t new_first;
    size_t old_count;
    size_t new_count;
    size_t root; /* the edit it follows from; itself when it stands on its own */
};

struct diff_edits {
    struct diff_edit *items; /* owned */
    size_t count;
    size_t capacity;
};

/* In file order. False when memory is short. `alignment` is refined in place. */
bool diff_edits_build(struct diff_edits *edits, const struct diff_side *old,
                      const struct diff_side *new, struct diff_alignment *alignment);
void diff_edits_finish(struct diff_edits *edits);

/* The side and first token that name the edit: the new one where it has one. */
const struct diff_side *diff_edit_side(const struct diff_edit *edit,
                                       const struct diff_side *old, const struct diff_side *new,
                                       size_t *token);

#endif
