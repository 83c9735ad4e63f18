#include "meaning.h"

#include <stdlib.h>
#include <string.h>

#define NO_ARRAY UINT32_MAX
#define MIX      0x9E3779B97F4A7C15ull

const char *diff_sameness_text(enum diff_sameness sameness)
{
    switch (sameness) {
    case DIFF_SAME_ENTRIES:
        return "the same entries in another order";
    case DIFF_SAME_ROWS:
        return "the same rows in another order";
    case DIFF_SAME_NAN:
        return "not a number in both, with other spare bits";
    case DIFF_SAME_PADDING:
        return "padding, which nobody reads";
    case DIFF_NOT_SAME:
        break;
    }
    return NULL;
}

/* ---- maps and sets ---- */

/* One map or set: an outermost one, since what is inside counts as its content. */
struct unordered {
    uint64_t identity; /* of path and outer indices: equal in both versions */
    uint64_t content;  /* of the entries, whatever their order */
    uint32_t level;    /* which "[]" of the paths */
    size_t first, end; /* tokens */
};

struct unordered_side {
    const struct diff_side *side;
    uint8_t *is_set; /* by prefix id; owned */
    size_t prefix_count;
    struct unordered *items; /* ascending by first; owned */
    size_t count, capacity;
};

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * MIX;
    return sum ^ (sum >> 29);
}

static uint32_t prefix_of(const struct diff_side *side, size_t token, uint32_t level)
{
    return side->prefix_ids[diff_side_path(side, token)->first_prefix + level];
}

/* The outermost level at which a token lies in a map or set; its depth when in none. */
static uint32_t unordered_level(const struct unordered_side *u, size_t token)
{
    uint32_t depth = diff_side_depth(u->side, token);
    if (diff_side_path(u->side, token)->is_table)
        return depth;
    for (uint32_t level = 0; level < depth; level++) {
        uint32_t prefix = prefix_of(u->side, token, level);
        if (diff_side_index(u->side, token, level) & COOK_TOKEN_KEY_FLAG ||
            (prefix < u->prefix_count && u->is_set[prefix]))
            return level;
    }
    return depth;
}

static uint64_t index_hash(const struct diff_side *side, uint32_t index)
{
    if (!(index & COOK_TOKEN_KEY_FLAG))
        return index;
    const char *key = cook_intern_text(&side->map->keys, index & ~COOK_TOKEN_KEY_FLAG);
    return cook_hash64(key, strlen(key));
}

static uint64_t identity_of(const struct diff_side *side, size_t token, uint32_t level)
{
    uint64_t sum = mix(1, prefix_of(side, token, level));
    for (uint32_t i = 0; i < level; i++)
        sum = mix(sum, index_hash(side, diff_side_index(side, token, i)));
    return sum;
}

/* What one entry says: its fields in their order, its key where it has one. */
static size_t add_entry(struct unordered *array, const struct diff_side *side, size_t token)
{
    uint32_t index = diff_side_index(side, token, array->level);
    uint64_t sum = mix(2, index & COOK_TOKEN_KEY_FLAG ? index_hash(side, index) : 0);
    size_t at = token;
    for (; at < side->count && diff_same_element(side, token, at, array->level); at++) {
        sum = mix(mix(sum, side->paths[at]), side->hashes[at]);
        for (uint32_t i = array->level + 1; i < diff_side_depth(side, at); i++)
            sum = mix(sum, index_hash(side, diff_side_index(side, at, i)));
    }
    array->content += sum; /* a sum has no order */
    return at;
}

static bool find_sets(struct unordered_side *u, const struct diff_texts *texts)
{
    const struct cook_token_map *map = u->side->map;
    u->prefix_count = texts->prefixes.count;
    u->is_set = cook_calloc(u->prefix_count + 1, 1);
    for (uint32_t i = 0; u->is_set && i < map->paths.count; i++) {
        const char *path = cook_intern_text(&map->paths, i);
        if (u->side->path_facts[i].elements != COOK_INTERN_NONE && diff_counts_set(path))
            u->is_set[u->side->path_facts[i].elements] = 1;
    }
    return u->is_set != NULL;
}

static bool find_unordered(struct unordered_side *u, const struct diff_side *side,
                           const struct diff_texts *texts)
{
    *u = (struct unordered_side){ .side = side };
    if (!find_sets(u, texts))
        return false;
    for (size_t at = 0; at < side->count;) {
        uint32_t level = unordered_level(u, at);
        if (level == diff_side_depth(side, at)) {
            at++;
            continue;
        }
        if (!cook_grow(&u->items, &u->capacity, u->count + 1, sizeof(*u->items)))
            return false;
        struct unordered *array = &u->items[u->count++];
        *array = (struct unordered){ identity_of(side, at, level), 0, level, at, at };
        while (array->end < side->count && diff_same_array(side, at, array->end, level))
            array->end = add_entry(array, side, array->end);
        at = array->end;
    }
    return true;
}

static void unordered_finish(struct unordered_side *u)
{
    cook_free(u->is_set);
    cook_free(u->items);
}

static uint32_t array_of(const struct unordered_side *u, size_t token)
{
    size_t low = 0;
    size_t high = u->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->items[middle].end <= token)
            low = middle + 1;
        else
            high = middle;
    }
    return low < u->count && u->items[low].first <= token ? (uint32_t)low : NO_ARRAY;
}

static int compare_identity(const void *a, const void *b)
{
    const struct unordered *const *x = a;
    const struct unordered *const *y = b;
    return ((*x)->identity > (*y)->identity) - ((*x)->identity < (*y)->identity);
}

static const struct unordered **sort_arrays(const struct unordered_side *u)
{
    const struct unordered **sorted = cook_malloc((u->count + 1) * sizeof(struct unordered *));
    for (size_t i = 0; sorted && i < u->count; i++)
        sorted[i] = &u->items[i];
    if (sorted && u->count)
        qsort(sorted, u->count, sizeof(struct unordered *), compare_identity);
    return sorted;
}

/* Maps and sets that hold the same entries in both versions, by array of each. */
struct partners {
    uint32_t *new_of_old; /* owned; NO_ARRAY: none, or other entries */
    uint32_t *old_of_new;
};

static uint32_t *no_partners(size_t count)
{
    uint32_t *links = cook_malloc((count + 1) * sizeof(*links));
    if (links)
        memset(links, 0xff, (count + 1) * sizeof(*links));
    return links;
}

static void pair_arrays(struct partners *p, const struct unordered_side *old,
                        const struct unordered_side *new, const struct unordered **a,
                        const struct unordered **b)
{
    for (size_t i = 0, j = 0; i < old->count && j < new->count;) {
        if (a[i]->identity < b[j]->identity) {
            i++;
            continue;
        }
        if (a[i]->identity > b[j]->identity) {
            j++;
            continue;
        }
        /* What lies twice at one place has no partner that could be told. */
        bool alone = (i + 1 == old->count || a[i + 1]->identity != a[i]->identity) &&
                     (j + 1 == new->count || b[j + 1]->identity != b[j]->identity);
        if (alone && a[i]->content == b[j]->content &&
            a[i]->end - a[i]->first == b[j]->end - b[j]->first) {
            p->new_of_old[a[i] - old->items] = (uint32_t)(b[j] - new->items);
            p->old_of_new[b[j] - new->items] = (uint32_t)(a[i] - old->items);
        }
        i++;
        j++;
    }
}

static bool find_partners(struct partners *p, const struct unordered_side *old,
                          const struct unordered_side *new)
{
    const struct unordered **a = sort_arrays(old);
    const struct unordered **b = sort_arrays(new);
    *p = (struct partners){ no_partners(old->count), no_partners(new->count) };
    bool good = a && b && p->new_of_old && p->old_of_new;
    if (good)
        pair_arrays(p, old, new, a, b);
    cook_free(a);
    cook_free(b);
    return good;
}

/* The array of the new version, with the same entries, that an edit lies in; or NO_ARRAY. */
static uint32_t edited_array(const struct diff_edit *edit, const struct unordered_side *old,
                             const struct unordered_side *new, const struct partners *p)
{
    uint32_t there = edit->old_count ? array_of(old, edit->old_first) : NO_ARRAY;
    uint32_t here = edit->new_count ? array_of(new, edit->new_first) : NO_ARRAY;
    if (edit->old_count && (there == NO_ARRAY || p->new_of_old[there] == NO_ARRAY))
        return NO_ARRAY;
    if (!edit->new_count)
        return p->new_of_old[there];
    if (here == NO_ARRAY || p->old_of_new[here] == NO_ARRAY)
        return NO_ARRAY;
    return !edit->old_count || p->old_of_new[here] == there ? here : NO_ARRAY;
}

/* All edits of one place become one: the first; the others follow from it. */
static void join(struct diff_edits *edits, size_t index, size_t *first,
                 enum diff_sameness sameness)
{
    if (*first == SIZE_MAX)
        *first = index;
    edits->items[index].root = *first;
    edits->items[*first].sameness = sameness;
}

/* Let an edit stand for a whole map or set. */
static void widen(struct diff_edit *edit, const struct unordered *old,
                  const struct unordered *new)
{
    edit->kind = DIFF_MOVED;
    edit->extent = DIFF_EXTENT_UNORDERED;
    edit->role = DIFF_ROLE_VALUE;
    edit->level = new->level;
    edit->old_first = old->first;
    edit->new_first = new->first;
    edit->old_count = old->end - old->first;
    edit->new_count = new->end - new->first;
}

static bool mark_arrays(struct diff_edits *edits, const struct unordered_side *old,
                        const struct unordered_side *new)
{
    struct partners p;
    size_t *firsts = cook_malloc((new->count + 1) * sizeof(*firsts));
    bool good = find_partners(&p, old, new) && firsts;
    for (size_t i = 0; good && i < new->count; i++)
        firsts[i] = SIZE_MAX;
    for (size_t i = 0; good && i < edits->count; i++) {
        struct diff_edit *edit = &edits->items[i];
        bool own = edit->root == i || edit->role == DIFF_ROLE_VALUE;
        uint32_t array = own ? edited_array(edit, old, new, &p) : NO_ARRAY;
        if (array == NO_ARRAY)
            continue;
        join(edits, i, &firsts[array], DIFF_SAME_ENTRIES);
        if (firsts[array] == i)
            widen(edit, &old->items[p.old_of_new[array]], &new->items[array]);
    }
    cook_free(p.new_of_old);
    cook_free(p.old_of_new);
    cook_free(firsts);
    return good;
}

/* ---- tables ---- */

static uint64_t text_hash(const char *text)
{
    return mix(3, cook_hash64(text, strlen(text)));
}

static uint64_t table_sum(const struct cook_cooked *cooked, enum diff_section section)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; section == DIFF_SECTION_NAMES && i < cooked->name_count; i++)
        sum += text_hash(cooked->names[i]);
    for (uint32_t i = 0; section == DIFF_SECTION_SOFT && i < cooked->soft_count; i++)
        sum += text_hash(cooked->soft[i]);
    for (uint32_t i = 0; section == DIFF_SECTION_IMPORTS && i < cooked->import_count; i++) {
        const struct cook_cooked_import *import = &cooked->imports[i];
        sum += mix(mix(text_hash(import->package), text_hash(import->inner)),
                   text_hash(import->class_name));
    }
    return sum;
}

static void mark_tables(struct diff_edits *edits, const struct diff_side *old,
                        const struct diff_side *new)
{
    size_t firsts[DIFF_SECTION_COUNT];
    bool same[DIFF_SECTION_COUNT] = { false };
    bool parsed = old->cooked.names_offset && new->cooked.names_offset;
    for (int i = 0; i < DIFF_SECTION_COUNT; i++)
        firsts[i] = SIZE_MAX;
    for (int i = DIFF_SECTION_NAMES; i <= DIFF_SECTION_SOFT; i++)
        same[i] = parsed && table_sum(&old->cooked, (enum diff_section)i) ==
                                table_sum(&new->cooked, (enum diff_section)i);
    for (size_t i = 0; i < edits->count; i++) {
        const struct diff_edit *edit = &edits->items[i];
        size_t token;
        const struct diff_side *side = diff_edit_side(edit, old, new, &token);
        enum diff_section section = diff_side_section(side, token);
        if (edit->root == i && edit->role == DIFF_ROLE_TABLE && same[section])
            join(edits, i, &firsts[section], DIFF_SAME_ROWS);
    }
}

/* ---- single values ---- */

static bool is_nan(const struct diff_side *side, size_t token)
{
    uint64_t bits = diff_side_number(side, token);
    enum cook_token_type type = diff_side_type(side, token);
    if (type == COOK_TOKEN_F32)
        return (bits & 0x7f800000u) == 0x7f800000u && (bits & 0x7fffffu);
    return type == COOK_TOKEN_F64 && (bits >> 52 & 0x7ff) == 0x7ff && (bits << 12) != 0;
}

static enum diff_sameness value_sameness(const struct diff_edit *edit,
                                         const struct diff_side *old,
                                         const struct diff_side *new)
{
    if (edit->kind != DIFF_CHANGED)
        return DIFF_NOT_SAME;
    if (is_nan(old, edit->old_first) && is_nan(new, edit->new_first))
        return DIFF_SAME_NAN;
    bool padding = diff_side_type(old, edit->old_first) == COOK_TOKEN_PADDING &&
                   diff_side_type(new, edit->new_first) == COOK_TOKEN_PADDING;
    return padding ? DIFF_SAME_PADDING : DIFF_NOT_SAME;
}

bool diff_meaning_find(struct diff_edits *edits, const struct diff_side *old,
                       const struct diff_side *new, const struct diff_texts *texts)
{
    struct unordered_side a = { 0 };
    struct unordered_side b = { 0 };
    if (!edits->count)
        return true;
    bool good = find_unordered(&a, old, texts) && find_unordered(&b, new, texts);
    if (good && a.count && b.count)
        good = mark_arrays(edits, &a, &b);
    unordered_finish(&a);
    unordered_finish(&b);
    mark_tables(edits, old, new);
    for (size_t i = 0; i < edits->count; i++) {
        struct diff_edit *edit = &edits->items[i];
        while (edits->items[edit->root].root != edit->root)
            edit->root = edits->items[edit->root].root;
        if (edit->root == i && edit->sameness == DIFF_NOT_SAME)
            edit->sameness = value_sameness(edit, old, new);
    }
    return good;
}
