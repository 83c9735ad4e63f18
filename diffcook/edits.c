#include "edits.h"

#include <assert.h>
#include <string.h>

#include "refine.h"

void diff_edits_finish(struct diff_edits *edits)
{
    cook_free(edits->items);
    *edits = (struct diff_edits){ NULL, 0, 0 };
}

const struct diff_side *diff_edit_side(const struct diff_edit *edit,
                                       const struct diff_side *old, const struct diff_side *new,
                                       size_t *token)
{
    *token = edit->new_count ? edit->new_first : edit->old_first;
    return edit->new_count ? new : old;
}

struct walk {
    struct diff_edits *edits;
    const struct diff_side *old;
    const struct diff_side *new;
    const struct diff_alignment *alignment;
    size_t old_at;
    size_t new_at;
};

/* A stretch of tokens on one side that one edit stands for. */
struct group {
    enum diff_extent extent;
    uint32_t level;
    size_t end;
};

static uint32_t object_of(const struct diff_side *side, size_t token)
{
    return diff_side_path(side, token)->object;
}

/* The end of the element that begins at `token`; `end` or beyond means that it goes on. */
static size_t element_end(const struct diff_side *side, size_t token, size_t end,
                          uint32_t level)
{
    size_t at = token + 1;
    while (at < end && diff_same_element(side, token, at, level))
        at++;
    bool goes_on = at == end && at < side->count && diff_same_element(side, token, at, level);
    return goes_on ? SIZE_MAX : at;
}

/* Whole elements of the array that `token` begins one of, from there on; `token` when none is.
 */
static size_t elements_end(const struct diff_side *side, size_t token, size_t end,
                           uint32_t level)
{
    size_t done = token;
    while (done < end && diff_same_array(side, token, done, level)) {
        size_t next = element_end(side, done, end, level);
        if (next > end)
            break;
        done = next;
    }
    return done;
}

static bool find_object_group(struct group *group, const struct diff_side *side, size_t first,
                              size_t end)
{
    uint32_t object = object_of(side, first);
    if (object == COOK_INTERN_NONE || diff_side_section(side, first) != DIFF_SECTION_DATA ||
        (first > 0 && object_of(side, first - 1) == object))
        return false;
    size_t at = first + 1;
    while (at < end && object_of(side, at) == object)
        at++;
    if (at == end && at < side->count && object_of(side, at) == object)
        return false;
    *group = (struct group){ DIFF_EXTENT_OBJECT, 0, at };
    return true;
}

/* A count token with the elements it counts. */
static bool find_array_group(struct group *group, const struct diff_side *side, size_t first,
                             size_t end)
{
    uint32_t elements = diff_side_path(side, first)->elements;
    uint32_t level = diff_side_depth(side, first);
    if (elements == COOK_INTERN_NONE || first + 1 >= end ||
        diff_side_depth(side, first + 1) <= level ||
        side->prefix_ids[diff_side_path(side, first + 1)->first_prefix + level] != elements)
        return false;
    size_t done = elements_end(side, first + 1, end, level);
    bool whole = done == side->count || !diff_same_array(side, first + 1, done, level);
    if (done == first + 1 || !whole)
        return false;
    *group = (struct group){ DIFF_EXTENT_ARRAY, level, done };
    return true;
}

/* The largest thing that begins at `first` and lies within the run that ends at `end`. */
static struct group next_group(const struct diff_side *side, size_t first, size_t end)
{
    struct group group = { DIFF_EXTENT_TOKEN, 0, first + 1 };
    if (find_object_group(&group, side, first, end))
        return group;
    for (uint32_t level = 0; level < diff_side_depth(side, first); level++) {
        if (!diff_starts_element(side, first, level))
            continue;
        size_t done = elements_end(side, first, end, level);
        if (done == first + 1)
            return group; /* one write is best named by its own path */
        if (done > first)
            return (struct group){ DIFF_EXTENT_ELEMENTS, level, done };
    }
    find_array_group(&group, side, first, end);
    return group;
}

static bool is_reference(enum cook_token_type type)
{
    return type == COOK_TOKEN_NAME || type == COOK_TOKEN_REF || type == COOK_TOKEN_SOFT_REF;
}

static bool is_derived(const struct diff_side *side, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        enum cook_token_type type = diff_side_type(side, i);
        if (type != COOK_TOKEN_OFFSET && type != COOK_TOKEN_PADDING)
            return false;
    }
    return true;
}

static enum diff_role role_of(const struct walk *w, const struct diff_edit *edit)
{
    size_t first;
    const struct diff_side *side = diff_edit_side(edit, w->old, w->new, &first);
    size_t count = edit->new_count ? edit->new_count : edit->old_count;
    enum cook_token_type type = diff_side_type(side, first);
    bool changed = edit->kind == DIFF_CHANGED;
    if (is_derived(side, first, count))
        return DIFF_ROLE_DERIVED;
    if (changed && is_reference(type) &&
        w->old->hashes[edit->old_first] == w->new->hashes[edit->new_first])
        return DIFF_ROLE_SHIFT;
    if (diff_side_path(side, first)->is_table)
        return DIFF_ROLE_TABLE;
    return changed && type == COOK_TOKEN_COUNT ? DIFF_ROLE_COUNT : DIFF_ROLE_VALUE;
}

static bool add(struct walk *w, struct diff_edit edit)
{
    struct diff_edits *edits = w->edits;
    if (!cook_grow(&edits->items, &edits->capacity, edits->count + 1, sizeof(*edits->items)))
        return false;
    edit.role = role_of(w, &edit);
    edit.root = edits->count;
    edits->items[edits->count++] = edit;
    return true;
}

/* One index may stand for different names in the two versions, so bytes are not all. */
static bool is_same(const struct walk *w, size_t old, size_t new)
{
    uint32_t size = diff_side_size(w->old, old);
    if (is_reference(diff_side_type(w->new, new)) && w->old->hashes[old] != w->new->hashes[new])
        return false;
    return size == diff_side_size(w->new, new) &&
           memcmp(diff_side_bytes(w->old, old), diff_side_bytes(w->new, new), size) == 0;
}

static bool add_changed(struct walk *w, size_t old, size_t new)
{
    if (is_same(w, old, new))
        return true;
    return add(w, (struct diff_edit){ .kind = DIFF_CHANGED,
                                      .old_first = old,
                                      .new_first = new,
                                      .old_count = 1,
                                      .new_count = 1 });
}

static bool add_removed(struct walk *w)
{
    size_t end = w->old_at;
    while (end < w->old->count && w->alignment->new_of_old[end] == DIFF_UNALIGNED)
        end++;
    while (w->old_at < end) {
        struct group group = next_group(w->old, w->old_at, end);
        if (!add(w, (struct diff_edit){ .kind = DIFF_REMOVED,
                                        .extent = group.extent,
                                        .level = group.level,
                                        .old_first = w->old_at,
                                        .new_first = w->new_at,
                                        .old_count = group.end - w->old_at }))
            return false;
        w->old_at = group.end;
    }
    return true;
}

static bool add_inserted(struct walk *w)
{
    size_t end = w->new_at;
    while (end < w->new->count && w->alignment->old_of_new[end] == DIFF_UNALIGNED)
        end++;
    while (w->new_at < end) {
        struct group group = next_group(w->new, w->new_at, end);
        if (!add(w, (struct diff_edit){ .kind = DIFF_INSERTED,
                                        .extent = group.extent,
                                        .level = group.level,
                                        .old_first = w->old_at,
                                        .new_first = w->new_at,
                                        .new_count = group.end - w->new_at }))
            return false;
        w->new_at = group.end;
    }
    return true;
}

static bool is_moved(const struct walk *w, size_t new)
{
    uint32_t old = w->alignment->old_of_new[new];
    return old != DIFF_UNALIGNED && w->alignment->moved[old];
}

/* Single fields that moved together are one edit, up to where the object ends. */
static void extend_moved(const struct walk *w, struct group *group, size_t first, size_t end)
{
    if (group->extent != DIFF_EXTENT_TOKEN)
        return;
    while (group->end < end && object_of(w->new, group->end) == object_of(w->new, first))
        group->end++;
}

static bool add_moved(struct walk *w)
{
    const uint32_t *old_of_new = w->alignment->old_of_new;
    size_t end = w->new_at + 1;
    while (end < w->new->count && is_moved(w, end) &&
           old_of_new[end] == old_of_new[end - 1] + 1)
        end++;
    while (w->new_at < end) {
        struct group group = next_group(w->new, w->new_at, end);
        extend_moved(w, &group, w->new_at, end);
        size_t count = group.end - w->new_at;
        size_t old = old_of_new[w->new_at];
        struct diff_edit edit = { .kind = DIFF_MOVED,
                                  .extent = group.extent,
                                  .level = group.level,
                                  .old_first = old,
                                  .new_first = w->new_at,
                                  .old_count = count,
                                  .new_count = count };
        /* A single write that moved and changed is told as changed. */
        bool alone = count == 1 && !is_same(w, old, w->new_at);
        if (!alone && !add(w, edit))
            return false;
        for (; w->new_at < group.end; w->new_at++, old++) {
            if (!add_changed(w, old, w->new_at))
                return false;
        }
    }
    return true;
}

static bool step(struct walk *w)
{
    const struct diff_alignment *alignment = w->alignment;
    bool old_left = w->old_at < w->old->count;
    bool new_left = w->new_at < w->new->count;
    if (old_left && alignment->new_of_old[w->old_at] == DIFF_UNALIGNED)
        return add_removed(w);
    if (old_left && alignment->moved[w->old_at]) {
        w->old_at++; /* told where it is now */
        return true;
    }
    if (new_left && alignment->old_of_new[w->new_at] == DIFF_UNALIGNED)
        return add_inserted(w);
    if (new_left && is_moved(w, w->new_at))
        return add_moved(w);
    assert(old_left && new_left && alignment->new_of_old[w->old_at] == w->new_at);
    return add_changed(w, w->old_at++, w->new_at++);
}

bool diff_edits_build(struct diff_edits *edits, const struct diff_side *old,
                      const struct diff_side *new, struct diff_alignment *alignment)
{
    *edits = (struct diff_edits){ NULL, 0, 0 };
    if (!diff_refine(alignment, old, new))
        return false;
    struct walk walk = { .edits = edits, .old = old, .new = new, .alignment = alignment };
    while (walk.old_at < old->count || walk.new_at < new->count) {
        if (!step(&walk))
            return false;
    }
    return true;
}
