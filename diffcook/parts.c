/* What a result has beside its bytes: runtime references, messages, additional files. */
#include <stdlib.h>
#include <string.h>

#include <cook/reader.h>

#include "compare.h"
#include "cook/base/intern.h"
#include "cook/store/details.h"

#define MAX_REFERRERS 4

/* ---- references ---- */

struct reference {
    bool hard;
    const uint8_t *path;
    size_t length;
    uint64_t package; /* row + 1; 0: it led nowhere */
};

static struct cook_reader_buf open_edges(const struct cook_state *state, uint32_t row,
                                         size_t *count)
{
    size_t size = 0;
    const uint8_t *blob = NULL;
    if (row != COOK_ID_NONE && state->packages[row].edges)
        blob = cook_state_blob(state, state->packages[row].edges, &size);
    struct cook_reader_buf in = cook_read_init(blob, size);
    *count = size ? cook_read_count(&in, 3) : 0;
    return in;
}

/* As edges.c of the planner writes them. */
static struct reference next_reference(struct cook_reader_buf *in)
{
    struct reference reference = { .hard = cook_read_u8(in) == COOK_EDGE_HARD };
    reference.package = cook_read_varint(in);
    reference.path = cook_read_bytes(in, &reference.length);
    if (!reference.path)
        reference.path = (const uint8_t *)"";
    return reference;
}

static bool same_reference(const struct reference *a, const struct reference *b)
{
    return a->hard == b->hard && a->length == b->length &&
           memcmp(a->path, b->path, a->length) == 0;
}

static bool same_blobs(const struct diff_comparison *comparison, uint32_t old, uint32_t new)
{
    size_t sizes[2] = { 0, 0 };
    const uint8_t *a = old ? cook_state_blob(comparison->cooks[0].state, old, &sizes[0]) : NULL;
    const uint8_t *b = new ? cook_state_blob(comparison->cooks[1].state, new, &sizes[1]) : NULL;
    return sizes[0] == sizes[1] && (sizes[0] == 0 || memcmp(a, b, sizes[0]) == 0);
}

/* Both are sorted, so equal sets are equal sequences. Rows of like stores are numbered alike,
 * as a rule: then the whole is equal. */
static bool same_references(const struct diff_comparison *comparison, uint32_t old_row,
                            uint32_t new_row)
{
    const struct cook_state *states[2] = { comparison->cooks[0].state,
                                           comparison->cooks[1].state };
    size_t counts[2];
    if (same_blobs(comparison, states[0]->packages[old_row].edges,
                   states[1]->packages[new_row].edges))
        return true;
    struct cook_reader_buf old = open_edges(states[0], old_row, &counts[0]);
    struct cook_reader_buf new = open_edges(states[1], new_row, &counts[1]);
    if (counts[0] != counts[1])
        return false;
    for (size_t i = 0; i < counts[0]; i++) {
        struct reference a = next_reference(&old);
        struct reference b = next_reference(&new);
        if (!same_reference(&a, &b))
            return false;
    }
    return true;
}

/* ---- comparing ---- */

uint32_t diff_parts_compare(const struct diff_comparison *comparison, uint32_t old_row,
                            uint32_t new_row)
{
    const struct cook_state_result *old = &comparison->cooks[0].state->results[old_row];
    const struct cook_state_result *new = &comparison->cooks[1].state->results[new_row];
    uint32_t parts = 0;
    if (!same_references(comparison, old_row, new_row))
        parts |= DIFF_PART_REFERENCES;
    if (!same_blobs(comparison, old->messages, new->messages))
        parts |= DIFF_PART_MESSAGES;
    if (!same_blobs(comparison, old->details, new->details))
        parts |= DIFF_PART_FILES;
    return parts;
}

/* ---- listing ---- */

void diff_details_add(struct diff_details *list, struct diff_detail detail)
{
    if (!detail.text ||
        !cook_grow(&list->items, &list->capacity, list->count + 1, sizeof(*list->items)))
        list->failed = true;
    else
        list->items[list->count++] = detail;
}

static void add_reference(struct diff_details *list, enum diff_change change,
                          const struct cook_state *state, const struct reference *reference)
{
    const char *package = NULL;
    if (reference->package > 0 && reference->package <= state->packages_count)
        package = cook_state_text(state, state->packages[reference->package - 1].name);
    const char *path =
        cook_arena_strndup(list->arena, (const char *)reference->path, reference->length);
    const char *kind = reference->hard ? "hard" : "soft";
    diff_details_add(list, (struct diff_detail){ .part = DIFF_PART_REFERENCES,
                                                 .change = change,
                                                 .kind = kind,
                                                 .text = path,
                                                 .package = package });
}

static int compare_references(const struct reference *a, const struct reference *b)
{
    if (a->hard != b->hard)
        return a->hard ? -1 : 1;
    int order = memcmp(a->path, b->path, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void list_references(struct diff_details *list, const struct diff_comparison *comparison,
                            uint32_t old_row, uint32_t new_row)
{
    const struct cook_state *states[2] = { comparison->cooks[0].state,
                                           comparison->cooks[1].state };
    size_t counts[2];
    struct cook_reader_buf old = open_edges(states[0], old_row, &counts[0]);
    struct cook_reader_buf new = open_edges(states[1], new_row, &counts[1]);
    struct reference a = counts[0] ? next_reference(&old) : (struct reference){ 0 };
    struct reference b = counts[1] ? next_reference(&new) : (struct reference){ 0 };
    for (size_t i = 0, k = 0; i < counts[0] || k < counts[1];) {
        int order = i == counts[0] ? 1 : k == counts[1] ? -1 : compare_references(&a, &b);
        if (order < 0)
            add_reference(list, DIFF_DELETED, states[0], &a);
        if (order > 0)
            add_reference(list, DIFF_ADDED, states[1], &b);
        if (order <= 0 && ++i < counts[0])
            a = next_reference(&old);
        if (order >= 0 && ++k < counts[1])
            b = next_reference(&new);
    }
}

static void add_file(struct diff_details *list, enum diff_change change, const char *kind,
                     const char *name)
{
    diff_details_add(list, (struct diff_detail){ .part = DIFF_PART_FILES,
                                                 .change = change,
                                                 .kind = kind,
                                                 .text = name });
}

static void list_files(struct diff_details *list, const struct diff_comparison *comparison,
                       uint32_t old_row, uint32_t new_row)
{
    struct cook_details old = { 0 };
    struct cook_details new = { 0 };
    if ((old_row != COOK_ID_NONE &&
         cook_details_of(&old, comparison->cooks[0].state, old_row, list->arena) != COOK_OK) ||
        (new_row != COOK_ID_NONE &&
         cook_details_of(&new, comparison->cooks[1].state, new_row, list->arena) != COOK_OK))
        return; /* damaged: that they differ is said all the same */
    for (size_t i = 0, k = 0; i < old.file_count || k < new.file_count;) {
        int order = i == old.file_count   ? 1
                    : k == new.file_count ? -1
                                          : strcmp(old.files[i].name, new.files[k].name);
        if (order < 0)
            add_file(list, DIFF_DELETED, "file", old.files[i].name);
        else if (order > 0)
            add_file(list, DIFF_ADDED, "file", new.files[k].name);
        else if (!cook_hash_equal(old.files[i].hash, new.files[k].hash))
            add_file(list, DIFF_MODIFIED, "file", new.files[k].name);
        i += order <= 0;
        k += order >= 0;
    }
    if (!cook_hash_equal(old.parts, new.parts))
        add_file(list, DIFF_MODIFIED, "parts", "of cook artifacts");
}

enum cook_status diff_parts_list(struct diff_detail **details, size_t *count,
                                 const struct diff_comparison *comparison, uint32_t old_row,
                                 uint32_t new_row, struct cook_arena *arena)
{
    struct diff_details list = { .arena = arena };
    *details = NULL;
    *count = 0;
    list_references(&list, comparison, old_row, new_row);
    list_files(&list, comparison, old_row, new_row);
    diff_messages_list(&list, comparison, old_row, new_row);
    if (!list.failed && list.count) {
        *details = cook_arena_dup(arena, list.items, list.count * sizeof(*list.items));
        list.failed = !*details;
        *count = *details ? list.count : 0;
    }
    cook_free(list.items);
    return list.failed ? COOK_E_NO_MEMORY : COOK_OK;
}

/* ---- who leads to what was added or deleted ---- */

/* Names of added and deleted packages, and where their entries are, by id of the name. */
struct targets {
    struct cook_intern names;
    size_t *entries;
    size_t capacity;
};

static bool collect_targets(struct targets *targets, const struct diff_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        if (comparison->entries[i].change == DIFF_MODIFIED)
            continue;
        uint32_t id = cook_intern_add(&targets->names, comparison->entries[i].name);
        if (id == COOK_INTERN_NONE ||
            !cook_grow(&targets->entries, &targets->capacity, (size_t)id + 1, sizeof(size_t)))
            return false;
        targets->entries[id] = i;
    }
    return true;
}

static bool add_referrer(struct diff_comparison *comparison, struct diff_entry *entry,
                         const char *referrer)
{
    if (strcmp(entry->name, referrer) == 0)
        return true;
    if (!entry->referrers)
        entry->referrers =
            cook_arena_alloc(&comparison->arena, MAX_REFERRERS * sizeof(*entry->referrers));
    if (!entry->referrers)
        return false;
    size_t count = entry->referrer_count;
    bool known = count && strcmp(entry->referrers[count - 1], referrer) == 0;
    if (!known && count < MAX_REFERRERS)
        entry->referrers[entry->referrer_count++] = referrer;
    return true;
}

static bool follow(struct diff_comparison *comparison, const struct targets *targets,
                   const struct diff_entry *from)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct diff_detail *details;
    size_t count;
    bool ok = diff_parts_list(&details, &count, comparison, from->old_row, from->new_row,
                              &arena) == COOK_OK;
    for (size_t i = 0; ok && i < count; i++) {
        const char *name = details[i].package ? details[i].package : details[i].text;
        uint32_t id = details[i].part == DIFF_PART_REFERENCES
                          ? cook_intern_find(&targets->names, name)
                          : COOK_INTERN_NONE;
        if (id == COOK_INTERN_NONE)
            continue;
        struct diff_entry *entry = &comparison->entries[targets->entries[id]];
        if (entry->change == details[i].change)
            ok = add_referrer(comparison, entry, from->name);
    }
    cook_arena_finish(&arena);
    return ok;
}

enum cook_status diff_find_referrers(struct diff_comparison *comparison,
                                     struct cook_error *error)
{
    struct targets targets = { .names = COOK_INTERN_INIT };
    bool ok = collect_targets(&targets, comparison);
    for (size_t i = 0; ok && i < comparison->count; i++)
        ok = follow(comparison, &targets, &comparison->entries[i]);
    cook_intern_finish(&targets.names);
    cook_free(targets.entries);
    return ok ? COOK_OK : cook_error_no_memory(error);
}
