#include "causes_internal.h"

#include <string.h>

/* How far to look along the edits of one object; beyond, an edit stands on its own. */
#define SCAN_CAP 4096

size_t cause_root(const struct diff_edits *edits, size_t edit)
{
    while (edits->items[edit].root != edit)
        edit = edits->items[edit].root;
    return edit;
}

uint32_t cause_object(const struct causes *c, const struct diff_edit *edit,
                      const struct diff_texts *texts)
{
    size_t token;
    const struct diff_side *side = diff_edit_side(edit, c->old, c->new, &token);
    uint32_t object = diff_side_path(side, token)->object;
    if (object == COOK_INTERN_NONE && diff_side_section(side, token) == DIFF_SECTION_EXPORTS) {
        const char *text = diff_side_row_text(side, token);
        object = text ? cook_intern_find(&texts->objects, text) : COOK_INTERN_NONE;
    }
    return object;
}

static void note_objects(struct causes *c)
{
    for (size_t i = 0; i < c->object_count; i++)
        c->object_edits[i] = CAUSE_NONE;
    for (size_t i = 0; i < c->edits->count; i++) {
        const struct diff_edit *edit = &c->edits->items[i];
        size_t token;
        const struct diff_side *side = diff_edit_side(edit, c->old, c->new, &token);
        if (edit->extent == DIFF_EXTENT_OBJECT)
            c->object_edits[diff_side_path(side, token)->object] = i;
        if (edit->kind == DIFF_MOVED && c->first_move == CAUSE_NONE)
            c->first_move = i;
    }
}

/* Whether a group of elements in the data holds the element that a payload belongs to. */
static bool holds(const struct diff_side *side, const struct diff_edit *edit, size_t payload)
{
    size_t first;
    diff_edit_side(edit, side, side, &first);
    size_t count = edit->new_count ? edit->new_count : edit->old_count;
    if (edit->extent == DIFF_EXTENT_ELEMENTS)
        return diff_same_array(side, first, payload, edit->level) &&
               diff_side_index(side, payload, edit->level) >=
                   diff_side_index(side, first, edit->level) &&
               diff_side_index(side, payload, edit->level) <=
                   diff_side_index(side, first + count - 1, edit->level);
    return edit->extent == DIFF_EXTENT_ARRAY &&
           diff_same_array(side, first + 1, payload, edit->level);
}

/*
 * A payload in the bulk section came, went or moved with its object or element. Elements are
 * looked for among the edits before it, nearest first.
 */
static size_t payload_cause(const struct causes *c, size_t index)
{
    const struct diff_edit *edit = &c->edits->items[index];
    size_t token;
    const struct diff_side *side = diff_edit_side(edit, c->old, c->new, &token);
    if (diff_side_section(side, token) != DIFF_SECTION_BULK || edit->kind == DIFF_CHANGED)
        return CAUSE_NONE;
    uint32_t object = diff_side_path(side, token)->object;
    size_t whole = object == COOK_INTERN_NONE ? CAUSE_NONE : c->object_edits[object];
    if (whole != CAUSE_NONE && c->edits->items[whole].kind == edit->kind)
        return whole;
    for (size_t i = index, scanned = 0; i-- > 0 && scanned < SCAN_CAP; scanned++) {
        const struct diff_edit *other = &c->edits->items[i];
        if (other->kind == edit->kind && other->extent != DIFF_EXTENT_TOKEN &&
            holds(side, other, token))
            return i;
    }
    return CAUSE_NONE;
}

static bool changes_size(const struct causes *c, const struct diff_edit *edit)
{
    return edit->kind == DIFF_INSERTED || edit->kind == DIFF_REMOVED ||
           (edit->kind == DIFF_CHANGED &&
            diff_side_size(c->old, edit->old_first) != diff_side_size(c->new, edit->new_first));
}

/* Whether an edit lies in the array that the count token at `count` counts, on the same side.
 */
static bool is_counted(const struct diff_side *side, size_t count, size_t token)
{
    uint32_t level = diff_side_depth(side, count);
    if (diff_side_depth(side, token) <= level ||
        side->prefix_ids[diff_side_path(side, token)->first_prefix + level] !=
            diff_side_path(side, count)->elements)
        return false;
    for (uint32_t i = 0; i < level; i++) {
        if (diff_side_index(side, count, i) != diff_side_index(side, token, i))
            return false;
    }
    return true;
}

/* The elements follow their count, so their edits do too. */
static size_t count_cause(const struct causes *c, size_t index)
{
    const struct diff_edit *count = &c->edits->items[index];
    size_t end = index + 1 + SCAN_CAP;
    for (size_t i = index + 1; i < c->edits->count && i < end; i++) {
        const struct diff_edit *edit = &c->edits->items[i];
        size_t token;
        const struct diff_side *side = diff_edit_side(edit, c->old, c->new, &token);
        size_t counting = side == c->new ? count->new_first : count->old_first;
        if (!is_counted(side, counting, token))
            break;
        if (changes_size(c, edit) && edit->role == DIFF_ROLE_VALUE)
            return i;
    }
    return CAUSE_NONE;
}

static void find_value_causes(struct causes *c)
{
    for (size_t i = 0; i < c->edits->count; i++) {
        struct diff_edit *edit = &c->edits->items[i];
        size_t cause = CAUSE_NONE;
        if (edit->role == DIFF_ROLE_VALUE)
            cause = payload_cause(c, i);
        else if (edit->role == DIFF_ROLE_COUNT)
            cause = count_cause(c, i);
        if (cause != CAUSE_NONE)
            edit->root = cause;
    }
}

static void causes_finish(struct causes *c)
{
    cook_free(c->object_edits);
    cook_free(c->object_sizes);
    cook_intern_finish(&c->old_mentions.texts);
    cook_intern_finish(&c->new_mentions.texts);
    cook_free(c->old_mentions.edits);
    cook_free(c->new_mentions.edits);
    cook_free(c->sizes);
}

bool diff_causes_find(struct diff_edits *edits, const struct diff_side *old,
                      const struct diff_side *new, const struct diff_texts *texts)
{
    struct causes c = {
        .edits = edits,
        .old = old,
        .new = new,
        .object_count = texts->objects.count,
        .object_edits = cook_malloc(texts->objects.count * sizeof(*c.object_edits)),
        .object_sizes = cook_malloc(texts->objects.count * sizeof(*c.object_sizes)),
        .first_move = CAUSE_NONE,
    };
    for (int i = 0; i < DIFF_SECTION_COUNT; i++)
        c.table_edits[i] = CAUSE_NONE;
    c.failed = !c.object_edits || !c.object_sizes;
    if (!c.failed) {
        note_objects(&c);
        find_value_causes(&c);
        causes_find_tables(&c, texts);
    }
    if (!c.failed)
        causes_find_offsets(&c, texts);
    for (size_t i = 0; i < edits->count; i++)
        edits->items[i].root = cause_root(edits, i);
    bool good = !c.failed;
    causes_finish(&c);
    return good;
}
