/* The sorted orders of packages and files: rows added since are sorted and merged in. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/state_private.h"

static int compare_packages(const struct cook_state *state, uint32_t a, uint32_t b)
{
    int order = strcmp(cook_state_text(state, state->packages[a].name),
                       cook_state_text(state, state->packages[b].name));
    return order ? order : (a > b) - (a < b);
}

static int compare_files(const struct cook_state *state, uint32_t a, uint32_t b)
{
    const struct cook_state_file *left = &state->files[a];
    const struct cook_state_file *right = &state->files[b];
    if (left->folder != right->folder)
        return left->folder < right->folder ? -1 : 1;
    int order = strcmp(cook_state_text(state, left->name), cook_state_text(state, right->name));
    return order ? order : (a > b) - (a < b);
}

typedef int (*compare_rows)(const struct cook_state *state, uint32_t a, uint32_t b);

struct sorter {
    const struct cook_state *state;
    compare_rows compare;
};

static int compare_ids(const void *a, const void *b, void *context)
{
    const struct sorter *sorter = context;
    return sorter->compare(sorter->state, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Rows mostly come in order, from sorted folder listings: then this is all there is to do. */
static bool is_sorted(struct sorter *sorter, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (sorter->compare(sorter->state, ids[i - 1], ids[i]) > 0)
            return false;
    }
    return true;
}

static void merge(struct sorter *sorter, uint32_t *to, const uint32_t *a, uint32_t a_count,
                  const uint32_t *b, uint32_t b_count)
{
    while (a_count && b_count) {
        if (sorter->compare(sorter->state, *a, *b) <= 0) {
            *to++ = *a++;
            a_count--;
        } else {
            *to++ = *b++;
            b_count--;
        }
    }
    if (a_count)
        memcpy(to, a, a_count * sizeof(*to));
    if (b_count)
        memcpy(to, b, b_count * sizeof(*to));
}

/* Replace `*order`, which covers the ids before `sorted`, by one that covers all `count`. */
static bool extend_order(uint32_t **order, struct sorter *sorter, uint32_t sorted,
                         uint32_t count)
{
    uint32_t added = count - sorted;
    uint32_t *whole = cook_realloc_array(NULL, count, sizeof(*whole));
    uint32_t *tail = cook_realloc_array(NULL, added, sizeof(*tail));
    bool done = whole && tail;
    if (done) {
        for (uint32_t i = 0; i < added; i++)
            tail[i] = sorted + i;
        if (!is_sorted(sorter, tail, added))
            qsort_r(tail, added, sizeof(*tail), compare_ids, sorter);
        merge(sorter, whole, *order, sorted, tail, added);
        cook_free(*order);
        *order = whole;
        whole = NULL;
    }
    cook_free(whole);
    cook_free(tail);
    return done;
}

static bool sort_packages(struct cook_state *state)
{
    struct sorter sorter = { state, compare_packages };
    uint32_t count = state->packages_count;
    if (state->order_packages == count)
        return true;
    if (!extend_order(&state->package_order, &sorter, state->order_packages, count))
        return false;
    state->order_packages = count;
    return true;
}

static bool sort_files(struct cook_state *state)
{
    struct sorter sorter = { state, compare_files };
    uint32_t count = state->files_count;
    if (state->order_files == count)
        return true;
    if (!extend_order(&state->file_order, &sorter, state->order_files, count))
        return false;
    state->order_files = count;
    return true;
}

enum cook_status cook_state_sort(struct cook_state *state, struct cook_error *error)
{
    if (state->order_packages == state->packages_count &&
        state->order_files == state->files_count)
        return COOK_OK;
    enum cook_status status = cook_state_thaw(state, error);
    if (status != COOK_OK)
        return status;
    bool sorted = sort_packages(state) && sort_files(state);
    cook_state_lookup_sorted(state);
    if (!sorted)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the sorted orders");
    return COOK_OK;
}
