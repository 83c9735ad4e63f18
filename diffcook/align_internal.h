/* What the parts of the aligner share. Indices are signed: diagonals are differences of them.
 */
#ifndef DIFFCOOK_ALIGN_INTERNAL_H
#define DIFFCOOK_ALIGN_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#define ALIGN_NONE (-1)
/* Cost cap of one local diff: edits, and equal tokens in a row after which it commits. */
#define ALIGN_EDIT_CAP 96
#define ALIGN_COMMIT   24
/* Anchors within gaps between anchors, and so on: deeper brings nothing more. */
#define ALIGN_DEPTH_CAP 6

/* Half-open ranges on both sides. */
struct align_box {
    int32_t a, a_end;
    int32_t b, b_end;
};

struct aligner {
    const uint64_t *a; /* keys: equal means alike */
    const uint64_t *b;
    int32_t *b_of_a; /* ALIGN_NONE where there is no partner */
    int32_t *a_of_b;
    int32_t *moved_of_a; /* partner out of order; NULL: moves are not looked for */
    int32_t *moved_of_b;
    int32_t *trace; /* scratch of the local diff */
    bool failed;    /* an allocation failed */
};

int32_t *align_trace_create(void);

static inline void align_pair(struct aligner *c, int32_t a, int32_t b)
{
    c->b_of_a[a] = b;
    c->a_of_b[b] = a;
}

/*
 * Myers' greedy diff from the start of `box`, pairing what is equal. With `to_end` it must
 * reach the end of the box; without, it stops after ALIGN_COMMIT equal tokens in a row. On
 * success the box's start moves to where it stopped; false, and nothing paired, beyond the cost
 * cap.
 */
bool align_local(struct aligner *c, struct align_box *box, bool to_end);

/* Align a box between aligned tokens: trim, local diff, then anchors. */
void align_gap(struct aligner *c, struct align_box box, int depth);

/*
 * Align by windows of `window` tokens that are unique on both sides of `box`; false when there
 * are none. Gaps go to align_gap(); anchors out of order become moves.
 */
bool align_by_anchors(struct aligner *c, struct align_box box, int depth, int32_t window);

#endif
