#include "emit.h"

#include <inttypes.h>
#include <string.h>

#include "meaning.h"
#include "elements.h"
#include "mesh.h"
#include "texture.h"
#include "value.h"
#include "window.h"

/* The normalised path's length up to what the edit stands for. */
static size_t path_length(const struct diff_edit *edit, const struct diff_side *side,
                          size_t token)
{
    const char *path = cook_intern_text(&side->map->paths, side->map->tokens[token].path);
    size_t length = strlen(path);
    const char *at = path;
    switch (edit->extent) {
    case DIFF_EXTENT_OBJECT:
        return strcspn(path, ":");
    case DIFF_EXTENT_ARRAY:
        return diff_counted_length(path);
    case DIFF_EXTENT_UNORDERED:
        for (uint32_t i = 0; i <= edit->level; i++)
            at = strstr(at, "[]") + 2;
        return (size_t)(at - path) - 2;
    case DIFF_EXTENT_ELEMENTS:
        for (uint32_t i = 0; i <= edit->level; i++)
            at = strstr(at, "[]") + 2;
        return (size_t)(at - path);
    case DIFF_EXTENT_TOKEN:
        break;
    }
    return length;
}

static bool name_difference(struct diff_difference *d, const struct diff_edit *edit,
                            const struct diff_side *side, size_t token,
                            struct cook_arena *arena)
{
    const char *path = cook_intern_text(&side->map->paths, side->map->tokens[token].path);
    size_t length = path_length(edit, side, token);
    const char *text = cook_token_text_prefix(side->map, token, length, arena);
    const char *normalized = cook_arena_strndup(arena, path, length);
    const struct diff_path *facts = diff_side_path(side, token);
    const char *object = "";
    if (diff_side_section(side, token) == DIFF_SECTION_EXPORTS)
        object = diff_side_row_text(side, token);
    else if (facts->object != COOK_INTERN_NONE)
        object = cook_arena_strndup(arena, path, strcspn(path, ":"));
    if (!text || !normalized)
        return false;
    d->object = diff_clean_text(object ? object : "", arena);
    d->property = diff_clean_text(text, arena);
    d->property_normalized = diff_clean_text(normalized, arena);
    d->section = diff_section_text(diff_side_section(side, token));
    return d->object && d->property && d->property_normalized;
}

/* Where one side of an edit stands. */
struct place {
    uint64_t offset;
    uint64_t size;
};

static struct place place_of(const struct diff_side *side, size_t first, size_t count)
{
    struct place place = { DIFF_NO_OFFSET, 0 };
    if (count)
        place = (struct place){ side->offsets[first],
                                side->offsets[first + count] - side->offsets[first] };
    return place;
}

static void show_changed(struct diff_difference *d, const struct diff_version *old,
                         const struct diff_version *new, bool is_data)
{
    const uint8_t *a = old->bytes + d->old_offset;
    const uint8_t *b = new->bytes + d->new_offset;
    struct diff_delta delta = diff_delta_find(a, d->old_bytes, b, d->new_bytes);
    d->differing_bytes = delta.bytes;
    d->inserted_bytes = delta.inserted;
    d->removed_bytes = delta.removed;
    d->differing_ranges = delta.ranges;
    bool together = delta.by_position;
    d->old_hex =
        diff_window_make(old, d->old_offset, delta.first, delta.old_end, together ? b : NULL);
    d->new_hex =
        diff_window_make(new, d->new_offset, delta.first, delta.new_end, together ? a : NULL);
    if (is_data) {
        d->old_offset += delta.first;
        d->new_offset += delta.first;
    }
}

static void show_bytes(struct diff_difference *d, const struct diff_version *old,
                       const struct diff_version *new)
{
    d->old_hex = d->new_hex = diff_window_absent;
    if (d->old_offset != DIFF_NO_OFFSET)
        d->old_hex = diff_window_make(old, d->old_offset, 0, d->old_bytes, NULL);
    if (d->new_offset != DIFF_NO_OFFSET)
        d->new_hex = diff_window_make(new, d->new_offset, 0, d->new_bytes, NULL);
    /* Moved bytes are the same on both sides: where they stand is what counts. */
    if (d->kind == DIFF_MOVED)
        d->old_hex.marked = d->new_hex.marked = 0;
}

/* "120 bytes, 3 differ, 12 inserted in 2 ranges" */
static const char *data_text(const struct diff_difference *d, struct cook_arena *arena)
{
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "%" PRIu64 " bytes", d->new_bytes);
    if (d->differing_bytes || (!d->inserted_bytes && !d->removed_bytes))
        cook_buf_printf(&text, ", %" PRIu64 " differ", d->differing_bytes);
    if (d->inserted_bytes)
        cook_buf_printf(&text, ", %" PRIu64 " inserted", d->inserted_bytes);
    if (d->removed_bytes)
        cook_buf_printf(&text, ", %" PRIu64 " removed", d->removed_bytes);
    cook_buf_printf(&text, " in %" PRIu64 " range%s", d->differing_ranges,
                    d->differing_ranges == 1 ? "" : "s");
    const char *whole = cook_buf_text(&text);
    const char *result = text.failed ? NULL : cook_arena_strdup(arena, whole);
    cook_buf_finish(&text);
    return result;
}

/* Raw data says little by its first bytes: say what differs instead. */
static bool describe_data(struct diff_difference *d, const struct diff_version *old,
                          const struct diff_version *new, struct cook_arena *arena)
{
    const char *meaning = diff_texture_text(d, old, new, arena);
    if (!meaning)
        meaning = diff_mesh_text(d, old, new, arena);
    if (!meaning)
        meaning = diff_elements_text(d, old, new, arena);
    d->old_value = cook_arena_printf(arena, "%" PRIu64 " bytes", d->old_bytes);
    d->new_value = data_text(d, arena);
    if (meaning && d->new_value)
        d->new_value = cook_arena_printf(arena, "%s; %s", d->new_value, meaning);
    return d->old_value && d->new_value;
}

static bool fill(struct diff_difference *d, const struct diff_edit *edit,
                 const struct diff_side *old, const struct diff_side *new,
                 struct cook_arena *arena)
{
    size_t token;
    const struct diff_side *side = diff_edit_side(edit, old, new, &token);
    struct place old_place = place_of(old, edit->old_first, edit->old_count);
    struct place new_place = place_of(new, edit->new_first, edit->new_count);
    *d = (struct diff_difference){
        .kind = edit->kind,
        .old_offset = old_place.offset,
        .new_offset = new_place.offset,
        .old_token = edit->old_first,
        .new_token = edit->new_first,
        .old_write = old_place.offset,
        .new_write = new_place.offset,
        .old_bytes = old_place.size,
        .new_bytes = new_place.size,
        .tokens = (uint32_t)(edit->new_count ? edit->new_count : edit->old_count),
        .old_stack = edit->old_count ? diff_side_stack(old, edit->old_first) : COOK_STACK_NONE,
        .new_stack = edit->new_count ? diff_side_stack(new, edit->new_first) : COOK_STACK_NONE,
        .consequence_of = -1,
        .same_meaning = diff_sameness_text(edit->sameness),
    };
    if (!name_difference(d, edit, side, token, arena))
        return false;
    bool is_data = diff_side_type(side, token) == COOK_TOKEN_DATA && edit->kind == DIFF_CHANGED;
    if (edit->kind == DIFF_CHANGED)
        show_changed(d, old->version, new->version, is_data);
    else
        show_bytes(d, old->version, new->version);
    if (is_data)
        return describe_data(d, old->version, new->version, arena);
    return diff_edit_value(&d->old_value, edit, old, edit->old_first, edit->old_count, arena) &&
           diff_edit_value(&d->new_value, edit, new, edit->new_first, edit->new_count, arena);
}

/* What is shown of each root and its consequences. */
struct selection {
    uint32_t
        *places; /* by edit: of roots, where it stands in the result; UINT32_MAX: dropped */
    uint32_t *children; /* by edit: consequences shown, or still to be filled in */
};

static bool is_root(const struct diff_edits *edits, size_t edit)
{
    return edits->items[edit].root == edit;
}

/* Edits that say something of their own go before shifted indices and offsets. */
static bool is_telling(const struct diff_edit *edit)
{
    return edit->role != DIFF_ROLE_SHIFT && edit->role != DIFF_ROLE_DERIVED;
}

static void select_roots(struct selection *s, struct diff_result *out,
                         const struct diff_edits *edits, const struct diff_options *options)
{
    for (size_t i = 0; i < edits->count; i++) {
        if (!is_root(edits, i))
            continue;
        out->same_meaning_count += edits->items[i].sameness != DIFF_NOT_SAME;
        if (out->root_count < options->max_differences) {
            out->root_count++;
        } else {
            s->places[i] = UINT32_MAX;
            out->dropped_differences++;
        }
    }
}

static void select_consequences(struct selection *s, struct diff_result *out,
                                const struct diff_edits *edits,
                                const struct diff_options *options)
{
    uint32_t place = 0;
    for (size_t i = 0; i < edits->count; i++) {
        size_t root = edits->items[i].root;
        if (root == i)
            continue;
        if (s->places[root] != UINT32_MAX && s->children[root] < options->max_consequences)
            s->children[root]++;
        else
            out->dropped_consequences++;
    }
    for (size_t i = 0; i < edits->count; i++) {
        if (is_root(edits, i) && s->places[i] != UINT32_MAX) {
            s->places[i] = place;
            place += 1 + s->children[i];
        }
    }
    out->count = place;
}

static bool fill_all(struct selection *s, struct diff_result *out,
                     const struct diff_edits *edits, const struct diff_side *old,
                     const struct diff_side *new, struct cook_arena *arena)
{
    for (size_t i = 0; i < edits->count; i++) {
        if (is_root(edits, i) && s->places[i] != UINT32_MAX &&
            !fill(&out->differences[s->places[i]], &edits->items[i], old, new, arena))
            return false;
    }
    uint32_t *filled = cook_calloc(edits->count, sizeof(*filled));
    bool good = filled != NULL;
    for (int pass = 0; good && pass < 2; pass++) {
        for (size_t i = 0; good && i < edits->count; i++) {
            size_t root = edits->items[i].root;
            if (root == i || s->places[root] == UINT32_MAX ||
                filled[root] == s->children[root] ||
                is_telling(&edits->items[i]) != (pass == 0))
                continue;
            struct diff_difference *d = &out->differences[s->places[root] + ++filled[root]];
            good = fill(d, &edits->items[i], old, new, arena);
            d->consequence_of = (int32_t)s->places[root];
        }
    }
    cook_free(filled);
    return good;
}

bool diff_emit(struct diff_result *out, const struct diff_edits *edits,
               const struct diff_side *old, const struct diff_side *new,
               const struct diff_options *options, struct cook_arena *arena)
{
    struct selection s = { .places = cook_calloc(edits->count, sizeof(*s.places)),
                           .children = cook_calloc(edits->count, sizeof(*s.children)) };
    bool good = s.places && s.children;
    if (good) {
        select_roots(&s, out, edits, options);
        select_consequences(&s, out, edits, options);
        out->differences = cook_arena_alloc(arena, out->count * sizeof(*out->differences));
        good = out->differences && fill_all(&s, out, edits, old, new, arena);
    }
    cook_free(s.places);
    cook_free(s.children);
    return good;
}
