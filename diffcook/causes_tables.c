#include "causes_internal.h"

#include <string.h>

static void mention(struct causes *c, struct cause_mentions *mentions, const char *text,
                    size_t edit)
{
    size_t before = mentions->texts.count;
    uint32_t id = text ? cook_intern_add(&mentions->texts, text) : 0;
    if (!text || (id != COOK_INTERN_NONE && mentions->texts.count == before))
        return; /* the first edit that speaks of it counts */
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&mentions->edits, &mentions->capacity, (size_t)id + 1, sizeof(size_t))) {
        c->failed = true;
        return;
    }
    mentions->edits[id] = edit;
}

static size_t find_mention(const struct cause_mentions *mentions, const char *text)
{
    uint32_t id = text ? cook_intern_find(&mentions->texts, text) : COOK_INTERN_NONE;
    return id == COOK_INTERN_NONE ? CAUSE_NONE : mentions->edits[id];
}

/* A reference brings an import, and names of the target's package and class. */
static void mention_reference(struct causes *c, struct cause_mentions *mentions,
                              const struct diff_side *side, size_t token, size_t edit)
{
    int64_t value = (int32_t)diff_side_number(side, token);
    const char *text = diff_side_resolve(side, token);
    mention(c, mentions, text, edit);
    if (text && value < 0) {
        const struct cook_cooked_import *import = &side->cooked.imports[-value - 1];
        mention(c, mentions, import->package, edit);
        mention(c, mentions, import->class_name, edit);
    }
}

static void mention_tokens(struct causes *c, struct cause_mentions *mentions,
                           const struct diff_side *side, size_t first, size_t count,
                           size_t edit)
{
    for (size_t i = first; i < first + count; i++) {
        enum cook_token_type type = diff_side_type(side, i);
        if (type == COOK_TOKEN_REF)
            mention_reference(c, mentions, side, i, edit);
        else if (type == COOK_TOKEN_NAME || type == COOK_TOKEN_SOFT_REF)
            mention(c, mentions, diff_side_resolve(side, i), edit);
    }
}

static void mention_edit(struct causes *c, size_t index)
{
    const struct diff_edit *edit = &c->edits->items[index];
    size_t root = cause_root(c->edits, index);
    mention_tokens(c, &c->old_mentions, c->old, edit->old_first, edit->old_count, root);
    mention_tokens(c, &c->new_mentions, c->new, edit->new_first, edit->new_count, root);
}

/* An object that came or went as a whole brings its row, its name and its class. */
static void mention_exports(struct causes *c, struct cause_mentions *mentions,
                            const struct diff_side *side, const struct diff_texts *texts)
{
    for (uint32_t i = 0; i < side->cooked.export_count; i++) {
        uint32_t object = cook_intern_find(&texts->objects, side->export_texts[i]);
        size_t edit = object == COOK_INTERN_NONE ? CAUSE_NONE : c->object_edits[object];
        if (edit == CAUSE_NONE)
            continue;
        mention(c, mentions, side->export_texts[i], edit);
        mention(c, mentions, side->cooked.exports[i].name, edit);
        mention(c, mentions, side->cooked.exports[i].class_name, edit);
    }
}

static void mention_values(struct causes *c, const struct diff_texts *texts)
{
    for (size_t i = 0; i < c->edits->count && !c->failed; i++) {
        if (c->edits->items[i].role == DIFF_ROLE_VALUE)
            mention_edit(c, i);
    }
    mention_exports(c, &c->old_mentions, c->old, texts);
    mention_exports(c, &c->new_mentions, c->new, texts);
}

static enum diff_section section_of(const struct causes *c, const struct diff_edit *edit)
{
    size_t token;
    const struct diff_side *side = diff_edit_side(edit, c->old, c->new, &token);
    return diff_side_section(side, token);
}

/* Rows in a row are one edit: the first that is mentioned decides. */
static size_t find_rows(const struct cause_mentions *mentions, const struct diff_side *side,
                        size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        size_t found = find_mention(mentions, diff_side_row_text(side, i));
        if (found != CAUSE_NONE)
            return found;
    }
    return CAUSE_NONE;
}

static void find_row_cause(struct causes *c, size_t index)
{
    struct diff_edit *edit = &c->edits->items[index];
    size_t cause = find_rows(&c->new_mentions, c->new, edit->new_first, edit->new_count);
    if (cause == CAUSE_NONE)
        cause = find_rows(&c->old_mentions, c->old, edit->old_first, edit->old_count);
    if (cause != CAUSE_NONE)
        edit->root = cause;
    else
        mention_edit(c, index);
}

static bool is_count(const struct causes *c, const struct diff_edit *edit)
{
    size_t token;
    const struct diff_side *side = diff_edit_side(edit, c->old, c->new, &token);
    return diff_side_type(side, token) == COOK_TOKEN_COUNT;
}

/* The names come last: rows of the other tables that stand on their own may have brought them.
 */
static void find_rows_of(struct causes *c, bool names)
{
    for (size_t i = 0; i < c->edits->count && !c->failed; i++) {
        const struct diff_edit *edit = &c->edits->items[i];
        enum diff_section section = section_of(c, edit);
        if (edit->role != DIFF_ROLE_TABLE || section < DIFF_SECTION_NAMES ||
            (section == DIFF_SECTION_NAMES) != names)
            continue;
        find_row_cause(c, i);
        if (c->table_edits[section] == CAUSE_NONE)
            c->table_edits[section] = i;
    }
}

/* The table whose edits shift the indices of a token. */
static enum diff_section table_of(const struct diff_side *side, size_t token)
{
    enum cook_token_type type = diff_side_type(side, token);
    if (type == COOK_TOKEN_NAME)
        return DIFF_SECTION_NAMES;
    if (type == COOK_TOKEN_SOFT_REF)
        return DIFF_SECTION_SOFT;
    bool is_export = (int32_t)diff_side_number(side, token) > 0;
    return is_export ? DIFF_SECTION_EXPORTS : DIFF_SECTION_IMPORTS;
}

/* The header's counts of names, imports, soft references and exports, by their fixed places. */
static enum diff_section counted_table(const struct causes *c, const struct diff_edit *edit)
{
    static const enum diff_section tables[] = { DIFF_SECTION_NAMES, DIFF_SECTION_IMPORTS,
                                                DIFF_SECTION_SOFT, DIFF_SECTION_EXPORTS };
    uint64_t offset = c->old->offsets[edit->old_first];
    uint64_t first = 68;
    bool known = offset >= first && offset < first + 16;
    return known ? tables[(offset - first) / 4] : DIFF_SECTION_UNKNOWN;
}

static void find_shift_causes(struct causes *c)
{
    for (size_t i = 0; i < c->edits->count; i++) {
        struct diff_edit *edit = &c->edits->items[i];
        size_t cause = CAUSE_NONE;
        if (edit->role == DIFF_ROLE_SHIFT)
            cause = c->table_edits[table_of(c->new, edit->new_first)];
        else if (edit->role == DIFF_ROLE_TABLE && section_of(c, edit) == DIFF_SECTION_HEADER &&
                 edit->kind == DIFF_CHANGED && is_count(c, edit))
            cause = c->table_edits[counted_table(c, edit)];
        if (cause != CAUSE_NONE)
            edit->root = cause_root(c->edits, cause);
    }
}

void causes_find_tables(struct causes *c, const struct diff_texts *texts)
{
    bool any = false;
    for (size_t i = 0; i < c->edits->count; i++) {
        enum diff_role role = c->edits->items[i].role;
        any = any || role == DIFF_ROLE_TABLE || role == DIFF_ROLE_SHIFT;
    }
    if (!any)
        return;
    mention_values(c, texts);
    find_rows_of(c, false);
    find_rows_of(c, true);
    find_shift_causes(c);
}
