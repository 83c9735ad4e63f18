#include "align.h"

#include <string.h>

#include "align_internal.h"
#include "cook/base/alloc.h"

#define ANCHOR_WINDOW 16
/* Where nothing is unique, how often the lockstep may skip ahead before it leaves the rest. */
#define SKIP_CAP 64
/* Fewer tokens in a row are no move: in arrays of small numbers they are chance. */
#define MOVE_MIN_TOKENS 4

static void trim(struct aligner *c, struct align_box *box)
{
    while (box->a < box->a_end && box->b < box->b_end && c->a[box->a] == c->b[box->b])
        align_pair(c, box->a++, box->b++);
    while (box->a < box->a_end && box->b < box->b_end &&
           c->a[box->a_end - 1] == c->b[box->b_end - 1])
        align_pair(c, --box->a_end, --box->b_end);
}

static bool is_empty(const struct align_box *box)
{
    return box->a >= box->a_end || box->b >= box->b_end;
}

/* Low entropy or nothing alike: walk on, skipping a little on both sides at each failure. */
static void skip_ahead(struct aligner *c, struct align_box box)
{
    for (int skips = 0; skips < SKIP_CAP; skips++) {
        trim(c, &box);
        if (is_empty(&box))
            return;
        if (align_local(c, &box, false)) {
            skips--;
            continue;
        }
        box.a += ALIGN_EDIT_CAP / 2;
        box.b += ALIGN_EDIT_CAP / 2;
    }
}

static void align_hard(struct aligner *c, struct align_box box, int depth)
{
    if (align_by_anchors(c, box, depth, 1) || align_by_anchors(c, box, depth, ANCHOR_WINDOW))
        return;
    skip_ahead(c, box);
}

void align_gap(struct aligner *c, struct align_box box, int depth)
{
    trim(c, &box);
    if (is_empty(&box) || c->failed)
        return;
    if (!align_local(c, &box, true) && depth < ALIGN_DEPTH_CAP)
        align_hard(c, box, depth + 1);
}

static void align_keys(struct aligner *c, struct align_box box)
{
    trim(c, &box);
    while (!is_empty(&box)) {
        if (!align_local(c, &box, false)) {
            align_hard(c, box, 0);
            return;
        }
        trim(c, &box);
    }
}

/* Forget moves of fewer than MOVE_MIN_TOKENS tokens in a row. */
static void drop_small_moves(struct aligner *c, int32_t count)
{
    for (int32_t a = 0; a < count;) {
        int32_t end = a + 1;
        if (c->moved_of_a[a] < 0) {
            a = end;
            continue;
        }
        while (end < count && c->moved_of_a[end] == c->moved_of_a[end - 1] + 1)
            end++;
        for (bool small = end - a < MOVE_MIN_TOKENS; small && a < end; a++) {
            c->moved_of_b[c->moved_of_a[a]] = ALIGN_NONE;
            c->moved_of_a[a] = ALIGN_NONE;
        }
        a = end;
    }
}

/* What is left between two aligned tokens, without what moved, to be paired by path. */
struct leftover {
    uint64_t *a; /* path ids as keys */
    uint64_t *b;
    int32_t *a_index; /* into the whole sequences */
    int32_t *b_index;
    struct aligner c;
};

static void leftover_finish(struct leftover *l)
{
    cook_free(l->a);
    cook_free(l->b);
    cook_free(l->a_index);
    cook_free(l->b_index);
    cook_free(l->c.b_of_a);
    cook_free(l->c.a_of_b);
}

static bool leftover_init(struct leftover *l, size_t a_count, size_t b_count, int32_t *trace)
{
    *l = (struct leftover){
        .a = cook_malloc(a_count * sizeof(*l->a)),
        .b = cook_malloc(b_count * sizeof(*l->b)),
        .a_index = cook_malloc(a_count * sizeof(*l->a_index)),
        .b_index = cook_malloc(b_count * sizeof(*l->b_index)),
        .c = { .b_of_a = cook_malloc(a_count * sizeof(*l->c.b_of_a)),
               .a_of_b = cook_malloc(b_count * sizeof(*l->c.a_of_b)),
               .trace = trace },
    };
    l->c.a = l->a;
    l->c.b = l->b;
    return l->a && l->b && l->a_index && l->b_index && l->c.b_of_a && l->c.a_of_b;
}

static void pair_by_path(struct aligner *c, struct leftover *l, struct align_box box,
                         const struct diff_sequence *old, const struct diff_sequence *new)
{
    int32_t a_count = 0;
    int32_t b_count = 0;
    for (int32_t i = box.a; i < box.a_end; i++) {
        if (c->moved_of_a[i] >= 0)
            continue;
        l->a[a_count] = old->paths[i];
        l->c.b_of_a[a_count] = ALIGN_NONE;
        l->a_index[a_count++] = i;
    }
    for (int32_t i = box.b; i < box.b_end; i++) {
        if (c->moved_of_b[i] >= 0)
            continue;
        l->b[b_count] = new->paths[i];
        l->c.a_of_b[b_count] = ALIGN_NONE;
        l->b_index[b_count++] = i;
    }
    align_gap(&l->c, (struct align_box){ 0, a_count, 0, b_count }, 0);
    for (int32_t i = 0; i < a_count; i++) {
        if (l->c.b_of_a[i] >= 0)
            align_pair(c, l->a_index[i], l->b_index[l->c.b_of_a[i]]);
    }
    c->failed |= l->c.failed;
}

static void pair_leftovers(struct aligner *c, const struct diff_sequence *old,
                           const struct diff_sequence *new)
{
    struct leftover leftover;
    if (!leftover_init(&leftover, old->count, new->count, c->trace))
        c->failed = true;
    struct align_box box = { 0, 0, 0, 0 };
    int32_t a_count = (int32_t)old->count;
    int32_t b_count = (int32_t) new->count;
    while ((box.a < a_count || box.b < b_count) && !c->failed) {
        box.a_end = box.a;
        box.b_end = box.b;
        while (box.a_end < a_count && c->b_of_a[box.a_end] < 0)
            box.a_end++;
        while (box.b_end < b_count && c->a_of_b[box.b_end] < 0)
            box.b_end++;
        int32_t next_a = box.a_end + 1; /* past the pair that ends this stretch */
        int32_t next_b = box.b_end + 1;
        if (!is_empty(&box))
            pair_by_path(c, &leftover, box, old, new);
        box.a = next_a;
        box.b = next_b;
    }
    leftover_finish(&leftover);
}

static uint64_t *make_keys(const struct diff_sequence *sequence)
{
    uint64_t *keys = cook_malloc(sequence->count * sizeof(*keys));
    for (size_t i = 0; keys && i < sequence->count; i++) {
        uint64_t key = (sequence->paths[i] + 1) * 0x9E3779B97F4A7C15ull;
        keys[i] = (key ^ (key >> 29)) + sequence->hashes[i];
    }
    return keys;
}

static int32_t *make_links(size_t count)
{
    int32_t *links = cook_malloc(count * sizeof(*links));
    if (links)
        memset(links, 0xff, count * sizeof(*links));
    return links;
}

/* Moves into the result; the arrays of links become its own (-1 is DIFF_UNALIGNED). */
static void take_result(struct diff_alignment *out, struct aligner *c,
                        const struct diff_sequence *old, const struct diff_sequence *new)
{
    for (size_t i = 0; i < old->count; i++) {
        int32_t b = c->moved_of_a[i];
        /* A hole inside a moved block was paired by position alone. */
        if (b >= 0 && old->paths[i] == new->paths[b]) {
            align_pair(c, (int32_t)i, b);
            out->moved[i] = 1;
        }
    }
    _Static_assert((uint32_t)ALIGN_NONE == DIFF_UNALIGNED, "links are taken as they are");
    out->new_of_old = (uint32_t *)c->b_of_a;
    out->old_of_new = (uint32_t *)c->a_of_b;
    c->b_of_a = c->a_of_b = NULL;
}

enum cook_status diff_align(struct diff_alignment *out, const struct diff_sequence *old,
                            const struct diff_sequence *new, struct cook_error *error)
{
    *out = (struct diff_alignment){ .new_of_old = NULL };
    if (old->count > DIFF_ALIGN_LIMIT || new->count > DIFF_ALIGN_LIMIT)
        return cook_error_set(error, COOK_E_LIMIT, "too many tokens to align");
    uint64_t *a = make_keys(old);
    uint64_t *b = make_keys(new);
    struct aligner c = {
        .a = a,
        .b = b,
        .b_of_a = make_links(old->count),
        .a_of_b = make_links(new->count),
        .moved_of_a = make_links(old->count),
        .moved_of_b = make_links(new->count),
        .trace = align_trace_create(),
    };
    out->moved = cook_calloc(old->count, 1);
    c.failed = !a || !b || !c.b_of_a || !c.a_of_b || !c.moved_of_a || !c.moved_of_b ||
               !c.trace || !out->moved;
    if (!c.failed) {
        align_keys(&c, (struct align_box){ 0, (int32_t)old->count, 0, (int32_t) new->count });
        drop_small_moves(&c, (int32_t)old->count);
        pair_leftovers(&c, old, new);
    }
    if (!c.failed)
        take_result(out, &c, old, new);
    cook_free(a);
    cook_free(b);
    cook_free(c.b_of_a);
    cook_free(c.a_of_b);
    cook_free(c.moved_of_a);
    cook_free(c.moved_of_b);
    cook_free(c.trace);
    if (c.failed)
        return cook_error_set(error, COOK_E_NO_MEMORY, "alignment: out of memory");
    return COOK_OK;
}

void diff_alignment_finish(struct diff_alignment *alignment)
{
    cook_free(alignment->new_of_old);
    cook_free(alignment->old_of_new);
    cook_free(alignment->moved);
    *alignment = (struct diff_alignment){ .new_of_old = NULL };
}
