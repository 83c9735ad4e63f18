#include "causes_internal.h"

#include <stdlib.h>

/* How many edits of one object to try for the size of a payload. */
#define SCAN_CAP 64

static int64_t bytes_of(const struct diff_side *side, size_t first, size_t count)
{
    return (int64_t)(side->offsets[first + count] - side->offsets[first]);
}

static int compare_sizes(const void *a, const void *b)
{
    const struct cause_size *x = a;
    const struct cause_size *y = b;
    if (x->old_offset != y->old_offset)
        return x->old_offset < y->old_offset ? -1 : 1;
    return x->edit < y->edit ? -1 : x->edit > y->edit;
}

static bool collect_sizes(struct causes *c)
{
    for (size_t i = 0; i < c->edits->count; i++) {
        const struct diff_edit *edit = &c->edits->items[i];
        int64_t growth = bytes_of(c->new, edit->new_first, edit->new_count) -
                         bytes_of(c->old, edit->old_first, edit->old_count);
        if (edit->role == DIFF_ROLE_DERIVED || growth == 0)
            continue;
        if (!cook_grow(&c->sizes, &c->size_capacity, c->size_count + 1, sizeof(*c->sizes)))
            return false;
        c->sizes[c->size_count++] = (struct cause_size){
            .old_offset = c->old->offsets[edit->old_first], .growth_bytes = growth, .edit = i
        };
    }
    /* Nearly in order already: only edits inside moved blocks stand elsewhere. */
    if (c->size_count)
        qsort(c->sizes, c->size_count, sizeof(*c->sizes), compare_sizes);
    return true;
}

/* Chain the sizes of each object, in order. */
static void chain_objects(struct causes *c, const struct diff_texts *texts)
{
    for (size_t i = 0; i < c->object_count; i++)
        c->object_sizes[i] = CAUSE_NONE;
    for (size_t i = c->size_count; i-- > 0;) {
        const struct diff_edit *edit = &c->edits->items[c->sizes[i].edit];
        uint32_t object = COOK_INTERN_NONE;
        if (edit->role != DIFF_ROLE_TABLE)
            object = cause_object(c, edit, texts);
        c->sizes[i].next = CAUSE_NONE;
        if (object != COOK_INTERN_NONE) {
            c->sizes[i].next = c->object_sizes[object];
            c->object_sizes[object] = i;
        }
    }
}

/* The first resized edit of an object whose growth is `growth`, or of any growth. */
static size_t find_in_object(const struct causes *c, uint32_t object, bool any, int64_t growth)
{
    size_t at = c->object_sizes[object];
    for (size_t scanned = 0; at != CAUSE_NONE && scanned < SCAN_CAP; scanned++) {
        if (any || c->sizes[at].growth_bytes == growth)
            return c->sizes[at].edit;
        at = c->sizes[at].next;
    }
    return CAUSE_NONE;
}

/* Whether an offset token of the export table holds the export's size, not its place. */
static bool is_export_size(const struct diff_side *side, size_t token)
{
    if (diff_side_section(side, token) != DIFF_SECTION_EXPORTS ||
        diff_side_depth(side, token) == 0)
        return false;
    uint32_t row = diff_side_index(side, token, 0);
    return row < side->cooked.export_count &&
           diff_side_number(side, token) == side->cooked.exports[row].size_bytes &&
           diff_side_number(side, token) != side->cooked.exports[row].offset;
}

static size_t offset_cause(const struct causes *c, const struct diff_edit *edit,
                           const struct diff_texts *texts)
{
    if (c->size_count == 0)
        return c->first_move;
    size_t first = c->sizes[0].edit;
    size_t token;
    const struct diff_side *side = diff_edit_side(edit, c->old, c->new, &token);
    uint32_t object = cause_object(c, edit, texts);
    if (object == COOK_INTERN_NONE || diff_side_type(side, token) == COOK_TOKEN_PADDING)
        return first;
    size_t found = CAUSE_NONE;
    if (edit->kind != DIFF_CHANGED || is_export_size(side, token)) {
        found = find_in_object(c, object, true, 0);
    } else {
        uint64_t was = diff_side_number(c->old, edit->old_first);
        int64_t growth = (int64_t)(diff_side_number(c->new, edit->new_first) - was);
        found = find_in_object(c, object, false, growth);
        if (found == CAUSE_NONE && was <= c->sizes[0].old_offset)
            found = find_in_object(c, object, true, 0);
    }
    return found != CAUSE_NONE ? found : first;
}

/* Offsets with nothing to move them stand on their own: they are worth a look. */
void causes_find_offsets(struct causes *c, const struct diff_texts *texts)
{
    if (!collect_sizes(c)) {
        c->failed = true;
        return;
    }
    chain_objects(c, texts);
    for (size_t i = 0; i < c->edits->count; i++) {
        struct diff_edit *edit = &c->edits->items[i];
        if (edit->role != DIFF_ROLE_DERIVED)
            continue;
        size_t cause = offset_cause(c, edit, texts);
        if (cause != CAUSE_NONE)
            edit->root = cause_root(c->edits, cause);
    }
}
