/*
 * Two cooks by their manifests: two passes over names in order. What has equal hashes is never
 * opened; its references and messages are compared where the state still holds them.
 */
#include <string.h>

#include "compare.h"
#include "cook/registry/parallel.h"

const char *diff_change_text(enum diff_change change)
{
    switch (change) {
    case DIFF_ADDED:
        return "added";
    case DIFF_MODIFIED:
        return "modified";
    case DIFF_DELETED:
        return "deleted";
    case DIFF_CHANGE_UNKNOWN:
        break;
    }
    return "unknown";
}

struct diff_entry *diff_comparison_add(struct diff_comparison *comparison, const char *name,
                                       enum diff_change change)
{
    if (!cook_grow(&comparison->entries, &comparison->capacity, comparison->count + 1,
                   sizeof(*comparison->entries)))
        return NULL;
    struct diff_entry *entry = &comparison->entries[comparison->count++];
    *entry = (struct diff_entry){
        .name = name, .change = change, .old_row = COOK_ID_NONE, .new_row = COOK_ID_NONE
    };
    comparison->added += change == DIFF_ADDED;
    comparison->modified += change == DIFF_MODIFIED;
    comparison->deleted += change == DIFF_DELETED;
    return entry;
}

/* ---- one side ---- */

/* Both sides are loaded at once: they are stores, arenas and errors of their own. */
struct load {
    struct diff_comparison *comparison;
    void (*step)(struct load *load, unsigned side);
    enum cook_status status[2];
    struct cook_error errors[2];
    _Atomic unsigned next;
};

/* A row tells more than the manifest does, and may be of a later cook. */
static bool row_stands(const struct cook_state *state, uint32_t row,
                       const struct cook_manifest_entry *entry)
{
    return cook_hash_equal(state->packages[row].key, entry->key) &&
           cook_hash_equal(state->results[row].bytes, entry->bytes) &&
           cook_hash_equal(state->results[row].tokens, entry->tokens);
}

/* Manifest and state are both ascending by name. */
static void find_rows(struct diff_cook *cook)
{
    const struct cook_state *state = cook->state;
    uint32_t at = 0;
    for (size_t i = 0; i < cook->count; i++) {
        int order = -1;
        cook->rows[i] = COOK_ID_NONE;
        for (; at < state->order_packages; at++) {
            uint32_t row = state->package_order[at];
            order = strcmp(cook_state_text(state, state->packages[row].name),
                           cook->entries[i].package);
            if (order >= 0)
                break;
        }
        if (order == 0 && row_stands(state, state->package_order[at], &cook->entries[i]))
            cook->rows[i] = state->package_order[at];
    }
}

static void load_manifest(struct load *load, unsigned side)
{
    const struct diff_operand *operand = load->comparison->operands[side];
    struct diff_cook *cook = &load->comparison->cooks[side];
    load->status[side] =
        cook_store_manifest(operand->store, &cook->entries, &cook->count, operand->cook,
                            &load->comparison->arenas[side], &load->errors[side]);
}

static void load_rows(struct load *load, unsigned side)
{
    struct diff_cook *cook = &load->comparison->cooks[side];
    struct cook_state *state = cook_store_state(load->comparison->operands[side]->store);
    cook->store = load->comparison->operands[side]->store;
    cook->state = state;
    load->status[side] = cook_state_sort(state, &load->errors[side]);
    if (load->status[side] != COOK_OK)
        return;
    cook->rows = cook_arena_alloc(&load->comparison->arenas[side],
                                  (cook->count + 1) * sizeof(*cook->rows));
    if (cook->rows)
        find_rows(cook);
    else
        load->status[side] = cook_error_no_memory(&load->errors[side]);
}

static void load_next(void *context)
{
    struct load *load = context;
    for (unsigned side = load->next++; side < 2; side = load->next++)
        load->step(load, side);
}

static enum cook_status run_step(struct load *load,
                                 void (*step)(struct load *load, unsigned side), unsigned first,
                                 struct cook_error *error)
{
    load->step = step;
    load->next = first;
    cook_parallel_run(2 - first, load_next, load);
    for (unsigned side = first; side < 2; side++)
        if (load->status[side] != COOK_OK)
            return cook_error_set(error, load->status[side], "%s: %s",
                                  load->comparison->operands[side]->text,
                                  load->errors[side].message);
    return COOK_OK;
}

/* Manifests are addressed by what they say: an equal one is read once. */
static enum cook_status load_sides(struct diff_comparison *comparison, struct cook_error *error)
{
    struct load load = { .comparison = comparison };
    bool equal =
        !cook_hash_is_zero(comparison->operands[0]->manifest) &&
        cook_hash_equal(comparison->operands[0]->manifest, comparison->operands[1]->manifest);
    enum cook_status status = run_step(&load, load_manifest, equal ? 1 : 0, error);
    if (status == COOK_OK && equal) {
        comparison->cooks[0].entries = comparison->cooks[1].entries;
        comparison->cooks[0].count = comparison->cooks[1].count;
    }
    return status == COOK_OK ? run_step(&load, load_rows, 0, error) : status;
}

/* ---- merging ---- */

static bool add_one(struct diff_comparison *comparison, unsigned side, size_t index)
{
    const struct diff_cook *cook = &comparison->cooks[side];
    const struct cook_manifest_entry *manifest = &cook->entries[index];
    struct diff_entry *entry =
        diff_comparison_add(comparison, manifest->package, side ? DIFF_ADDED : DIFF_DELETED);
    if (!entry)
        return false;
    if (side) {
        entry->new = manifest;
        entry->new_row = cook->rows[index];
        entry->new_bytes = manifest->size_bytes;
    } else {
        entry->old = manifest;
        entry->old_row = cook->rows[index];
        entry->old_bytes = manifest->size_bytes;
    }
    return true;
}

static bool compare_pair(struct diff_comparison *comparison, size_t i, size_t k)
{
    const struct cook_manifest_entry *old = &comparison->cooks[0].entries[i];
    const struct cook_manifest_entry *new = &comparison->cooks[1].entries[k];
    uint32_t rows[2] = { comparison->cooks[0].rows[i], comparison->cooks[1].rows[k] };
    bool known = rows[0] != COOK_ID_NONE && rows[1] != COOK_ID_NONE;
    uint32_t parts = cook_hash_equal(old->bytes, new->bytes) ? 0 : DIFF_PART_BYTES;
    if (known)
        parts |= diff_parts_compare(comparison, rows[0], rows[1]);
    comparison->unknown += !known;
    if (!parts) {
        comparison->identical++;
        return true;
    }
    struct diff_entry *entry = diff_comparison_add(comparison, old->package, DIFF_MODIFIED);
    if (!entry)
        return false;
    entry->parts = parts;
    entry->old = old;
    entry->new = new;
    entry->old_row = rows[0];
    entry->new_row = rows[1];
    entry->old_bytes = old->size_bytes;
    entry->new_bytes = new->size_bytes;
    return true;
}

/* By name; what stands in a manifest that both share needs no look at its text. */
static int compare_names(const struct cook_manifest_entry *old,
                         const struct cook_manifest_entry *new)
{
    return old->package == new->package ? 0 : strcmp(old->package, new->package);
}

static enum cook_status merge(struct diff_comparison *comparison, struct cook_error *error)
{
    const struct diff_cook *old = &comparison->cooks[0];
    const struct diff_cook *new = &comparison->cooks[1];
    size_t i = 0;
    size_t k = 0;
    bool room = true;
    while (room && (i < old->count || k < new->count)) {
        int order = i == old->count   ? 1
                    : k == new->count ? -1
                                      : compare_names(&old->entries[i], &new->entries[k]);
        if (order == 0)
            room = compare_pair(comparison, i, k);
        else
            room = add_one(comparison, order > 0, order > 0 ? k : i);
        i += order <= 0;
        k += order >= 0;
    }
    return room ? COOK_OK : cook_error_no_memory(error);
}

enum cook_status diff_compare_stores(struct diff_comparison *comparison,
                                     struct cook_error *error)
{
    enum cook_status status = load_sides(comparison, error);
    if (status == COOK_OK)
        status = merge(comparison, error);
    if (status == COOK_OK && (comparison->added || comparison->deleted))
        status = diff_find_referrers(comparison, error);
    if (status == COOK_OK)
        status = diff_compare_outputs(comparison, error);
    bool differ = comparison->count || comparison->output_count;
    return status == COOK_OK && differ ? diff_compare_staged(comparison, error) : status;
}

/* ---- any operands ---- */

enum cook_status diff_compare_operands(struct diff_comparison *comparison,
                                       const struct diff_operand *old,
                                       const struct diff_operand *new, struct cook_error *error)
{
    *comparison = (struct diff_comparison){ .operands = { old, new } };
    if (old->kind != new->kind)
        return cook_error_set(error, COOK_E_USAGE,
                              "one of %s and %s is a cook, the other a folder of files; they "
                              "cannot be compared",
                              old->text, new->text);
    return old->kind == DIFF_OPERAND_COOK ? diff_compare_stores(comparison, error)
                                          : diff_compare_folders(comparison, error);
}

void diff_comparison_finish(struct diff_comparison *comparison)
{
    cook_free(comparison->entries);
    cook_free(comparison->outputs);
    cook_free(comparison->staged);
    cook_arena_finish(&comparison->arenas[0]);
    cook_arena_finish(&comparison->arenas[1]);
    cook_arena_finish(&comparison->arena);
    *comparison = (struct diff_comparison){ 0 };
}
