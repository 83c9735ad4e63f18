#include "align_internal.h"

#include "cook/base/alloc.h"

/* E. Myers, "An O(ND) difference algorithm and its variations", 1986: the greedy forward form.
 */

#define ROW_SIZE (2 * ALIGN_EDIT_CAP + 3)
#define MIDDLE   (ALIGN_EDIT_CAP + 1)

int32_t *align_trace_create(void)
{
    return cook_calloc((size_t)(ALIGN_EDIT_CAP + 1) * ROW_SIZE, sizeof(int32_t));
}

/* The furthest position on each diagonal after `edits` edits; diagonal k stands at [k]. */
static int32_t *row(const struct aligner *c, int32_t edits)
{
    return c->trace + (size_t)edits * ROW_SIZE + MIDDLE;
}

/* Whether the furthest path to diagonal `k` came down from k + 1 (a token of b was inserted).
 */
static bool came_down(const int32_t *before, int32_t k, int32_t edits)
{
    return k == -edits || (k != edits && before[k - 1] < before[k + 1]);
}

static void backtrack(struct aligner *c, const struct align_box *box, int32_t x, int32_t k,
                      int32_t edits)
{
    for (; edits > 0; edits--) {
        const int32_t *before = row(c, edits - 1);
        bool down = came_down(before, k, edits);
        int32_t from = down ? before[k + 1] : before[k - 1];
        int32_t snake_start = down ? from : from + 1;
        for (; x > snake_start; x--)
            align_pair(c, box->a + x - 1, box->b + x - 1 - k);
        x = from;
        k += down ? 1 : -1;
    }
    for (; x > 0; x--)
        align_pair(c, box->a + x - 1, box->b + x - 1 - k);
}

/* Extend one diagonal; true when the diff may end here. */
static bool extend(const struct aligner *c, const struct align_box *box, int32_t k, int32_t *at,
                   bool to_end)
{
    int32_t a_count = box->a_end - box->a;
    int32_t b_count = box->b_end - box->b;
    int32_t start = *at;
    int32_t x = start;
    while (x < a_count && x - k < b_count && x - k >= 0 &&
           c->a[box->a + x] == c->b[box->b + x - k]) {
        x++;
        if (!to_end && x - start >= ALIGN_COMMIT)
            break;
    }
    *at = x;
    return (x >= a_count && x - k >= b_count) || (!to_end && x - start >= ALIGN_COMMIT);
}

bool align_local(struct aligner *c, struct align_box *box, bool to_end)
{
    for (int32_t edits = 0; edits <= ALIGN_EDIT_CAP; edits++) {
        int32_t *now = row(c, edits);
        const int32_t *before = edits ? row(c, edits - 1) : NULL;
        for (int32_t k = -edits; k <= edits; k += 2) {
            int32_t x = 0;
            if (before)
                x = came_down(before, k, edits) ? before[k + 1] : before[k - 1] + 1;
            bool done = extend(c, box, k, &x, to_end);
            now[k] = x;
            if (done) {
                backtrack(c, box, x, k, edits);
                box->a += x;
                box->b += x - k;
                return true;
            }
        }
    }
    return false;
}
