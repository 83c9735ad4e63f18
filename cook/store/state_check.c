/*
 * Range checks of a whole state that came from a file. They are on the null path, so each is
 * one branch-free pass over its table; results are left out, as they hold nothing but pool
 * offsets.
 */
#include "cook/store/state_private.h"

static uint32_t outside(uint32_t id, uint32_t count)
{
    return id >= count;
}

/* The same where the row may refer to nothing. */
static uint32_t outside_or_none(uint32_t id, uint32_t count)
{
    return (uint32_t)(id >= count) & (uint32_t)(id != COOK_ID_NONE);
}

static bool files_fit(const struct cook_state *state)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < state->files_count; i++) {
        bad |= outside(state->files[i].folder, state->folders_count);
        bad |= outside_or_none(state->files[i].package, state->packages_count);
    }
    return !bad;
}

static bool packages_fit(const struct cook_state *state)
{
    uint32_t bad = state->results_count != state->packages_count;
    for (uint32_t i = 0; i < state->packages_count; i++) {
        const struct cook_state_package *row = &state->packages[i];
        bad |= outside_or_none(row->file, state->files_count);
        bad |= outside_or_none(row->side_file, state->files_count);
        bad |= outside_or_none(row->bundle, state->bundles_count);
    }
    return !bad;
}

static bool deps_fit(const struct cook_state *state)
{
    uint32_t rows =
        state->files_count > state->packages_count ? state->files_count : state->packages_count;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < state->deps_count; i++)
        bad |= outside_or_none(state->deps[i].target, rows);
    return !bad;
}

/* `*total` counts members over a table: ranges never overlap, so it is bounded. */
static bool members_fit(const struct cook_state *state, uint32_t first, uint32_t count,
                        uint32_t limit, uint64_t *total)
{
    *total += count;
    if (first > state->ids_count || count > state->ids_count - first ||
        *total > state->ids_count)
        return false;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++)
        bad |= outside(state->ids[first + i], limit);
    return !bad;
}

static bool sets_fit(const struct cook_state *state)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < state->sets_count; i++) {
        const struct cook_state_set *row = &state->sets[i];
        if (!members_fit(state, row->first, row->count, state->deps_count, &total))
            return false;
    }
    return true;
}

static bool bundles_fit(const struct cook_state *state)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < state->bundles_count; i++) {
        const struct cook_state_bundle *row = &state->bundles[i];
        if (!members_fit(state, row->first, row->count, state->sets_count, &total))
            return false;
    }
    return true;
}

static bool order_fits(const uint32_t *order, uint32_t order_count, uint32_t rows)
{
    uint32_t bad = order_count > rows;
    for (uint32_t i = 0; i < order_count; i++)
        bad |= outside(order[i], rows);
    return !bad;
}

enum cook_status cook_state_check(const struct cook_state *state, struct cook_error *error)
{
    const char *table = NULL;
    if (!files_fit(state))
        table = "files";
    else if (!packages_fit(state))
        table = "packages";
    else if (!deps_fit(state))
        table = "dependencies";
    else if (!sets_fit(state))
        table = "sets";
    else if (!bundles_fit(state))
        table = "bundles";
    else if (!order_fits(state->package_order, state->order_packages, state->packages_count) ||
             !order_fits(state->file_order, state->order_files, state->files_count))
        table = "orders";
    if (!table)
        return COOK_OK;
    return cook_error_set(error, COOK_E_DAMAGED, "a row of the %s refers to no row", table);
}
