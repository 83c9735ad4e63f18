#include "refine.h"

#include <string.h>

/* In long runs of like elements all places are equally good. */
#define SLIDE_CAP 1024
/* Of a run made of whole elements of an outermost array. */
#define BEST_SCORE 256u

bool diff_starts_element(const struct diff_side *side, size_t token, uint32_t level)
{
    return diff_side_depth(side, token) > level &&
           (token == 0 || !diff_same_element(side, token - 1, token, level));
}

/* One side of the alignment, with links to the other. */
struct view {
    const struct diff_side *side;
    uint32_t *links;
    uint32_t *back;       /* links of the other side */
    const uint8_t *moved; /* by old token */
    bool is_old;
};

static bool is_moved(const struct view *v, size_t token)
{
    return v->moved[v->is_old ? token : v->links[token]];
}

/* Whether the run [start, end) is made of whole elements: 0 no, larger for outer arrays. */
static unsigned score(const struct diff_side *side, size_t start, size_t end)
{
    for (uint32_t level = 0; level < diff_side_depth(side, start); level++) {
        if (diff_starts_element(side, start, level) &&
            (end == side->count || !diff_same_element(side, end - 1, end, level)))
            return BEST_SCORE - level;
    }
    return 0;
}

/* Whether the run may move up by one token: the one before it says what its last one says. */
static bool can_slide(const struct view *v, size_t start, size_t end)
{
    if (start == 0 || v->links[start - 1] == DIFF_UNALIGNED || is_moved(v, start - 1))
        return false;
    return v->side->paths[start - 1] == v->side->paths[end - 1] &&
           v->side->hashes[start - 1] == v->side->hashes[end - 1];
}

/* The same downwards: the one after it says what its first one says. */
static bool can_sink(const struct view *v, size_t start, size_t end)
{
    if (end == v->side->count || v->links[end] == DIFF_UNALIGNED || is_moved(v, end))
        return false;
    return v->side->paths[end] == v->side->paths[start] &&
           v->side->hashes[end] == v->side->hashes[start];
}

/* Give the partner of token `from` to token `to`. */
static void relink(const struct view *v, size_t from, size_t to)
{
    uint32_t partner = v->links[from];
    v->links[from] = DIFF_UNALIGNED;
    v->links[to] = partner;
    v->back[partner] = (uint32_t)to;
}

/* From the lowest place a run can have, up to the best one. Returns the end of the lowest. */
static size_t slide(const struct view *v, size_t start, size_t end)
{
    for (size_t sunk = 0; sunk < SLIDE_CAP && can_sink(v, start, end); sunk++)
        relink(v, end++, start++);
    size_t lowest = end;
    unsigned best = score(v->side, start, end);
    size_t best_shift = 0;
    size_t from = start;
    size_t to = end;
    for (size_t shift = 1;
         best < BEST_SCORE && shift <= 2 * SLIDE_CAP && can_slide(v, from, to); shift++) {
        unsigned here = score(v->side, --from, --to);
        if (here > best) {
            best = here;
            best_shift = shift;
        }
    }
    for (; best_shift > 0; best_shift--)
        relink(v, --start, --end);
    return lowest;
}

static void slide_runs(const struct view *v)
{
    for (size_t at = 0; at < v->side->count;) {
        size_t end = at + 1;
        if (v->links[at] == DIFF_UNALIGNED) {
            while (end < v->side->count && v->links[end] == DIFF_UNALIGNED)
                end++;
            end = slide(v, at, end);
        }
        at = end;
    }
}

#define SEVERAL (DIFF_UNALIGNED - 1)

/* Where each path is left over exactly once, among paths outside arrays; SEVERAL when more
 * often. */
static uint32_t *find_leftovers(const struct diff_side *side, const uint32_t *links,
                                size_t paths)
{
    uint32_t *found = cook_malloc(paths * sizeof(*found));
    if (!found)
        return NULL;
    memset(found, 0xff, paths * sizeof(*found));
    for (size_t i = 0; i < side->count; i++) {
        uint32_t path = side->paths[i];
        if (links[i] != DIFF_UNALIGNED || path >= paths || diff_side_depth(side, i) > 0)
            continue;
        found[path] = found[path] == DIFF_UNALIGNED ? (uint32_t)i : SEVERAL;
    }
    return found;
}

/* A field outside arrays is written once: if each side has one left over, it is the same. */
static bool pair_fields(struct diff_alignment *alignment, const struct diff_side *old,
                        const struct diff_side *new)
{
    size_t paths = old->map->paths.count; /* common ids beyond are unknown to the old version */
    uint32_t *old_at = find_leftovers(old, alignment->new_of_old, paths);
    uint32_t *new_at = find_leftovers(new, alignment->old_of_new, paths);
    bool good = old_at && new_at;
    for (size_t i = 0; good && i < paths; i++) {
        if (old_at[i] >= SEVERAL || new_at[i] >= SEVERAL)
            continue;
        alignment->new_of_old[old_at[i]] = new_at[i];
        alignment->old_of_new[new_at[i]] = old_at[i];
        alignment->moved[old_at[i]] = 1;
    }
    cook_free(old_at);
    cook_free(new_at);
    return good;
}

bool diff_refine(struct diff_alignment *alignment, const struct diff_side *old,
                 const struct diff_side *new)
{
    struct view old_view = { .side = old,
                             .links = alignment->new_of_old,
                             .back = alignment->old_of_new,
                             .moved = alignment->moved,
                             .is_old = true };
    struct view new_view = { .side = new,
                             .links = alignment->old_of_new,
                             .back = alignment->new_of_old,
                             .moved = alignment->moved,
                             .is_old = false };
    slide_runs(&old_view);
    slide_runs(&new_view);
    return pair_fields(alignment, old, new);
}
