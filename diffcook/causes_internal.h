/* What the parts that look for causes share. */
#ifndef DIFFCOOK_CAUSES_INTERNAL_H
#define DIFFCOOK_CAUSES_INTERNAL_H

#include "causes.h"

#define CAUSE_NONE SIZE_MAX

/* Names and references that edits speak of: text -> the first such edit. */
struct cause_mentions {
    struct cook_intern texts;
    size_t *edits; /* by text id */
    size_t capacity;
};

/* An edit that changes where later bytes stand. */
struct cause_size {
    uint64_t old_offset;
    int64_t growth_bytes;
    size_t edit;
    size_t next; /* the next one of the same object, or CAUSE_NONE */
};

struct causes {
    struct diff_edits *edits;
    const struct diff_side *old;
    const struct diff_side *new;
    size_t object_count;
    size_t *object_edits; /* by object: its removal, insertion or move as a whole */
    struct cause_mentions old_mentions;
    struct cause_mentions new_mentions;
    size_t table_edits[DIFF_SECTION_COUNT]; /* the first edit in each table */
    struct cause_size *sizes;               /* by old offset */
    size_t size_count;
    size_t size_capacity;
    size_t *object_sizes; /* by object: its first in sizes, or CAUSE_NONE */
    size_t first_move;
    bool failed;
};

/* The edit that `edit` follows from in the end. */
size_t cause_root(const struct diff_edits *edits, size_t edit);
/* "Rock" of a token "Rock:…", or of a row of the export table; COOK_INTERN_NONE. */
uint32_t cause_object(const struct causes *c, const struct diff_edit *edit,
                      const struct diff_texts *texts);

/* Names: which value brought a table's entry (causes_tables.c). */
void causes_find_tables(struct causes *c, const struct diff_texts *texts);
/* Sizes: what moved an offset (causes_sizes.c). */
void causes_find_offsets(struct causes *c, const struct diff_texts *texts);

#endif
