/* A copy of a state whose pool holds only what rows refer to; ids stay. */
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/state_private.h"
#include "cook/store/store_private.h"

struct copy {
    struct cook_state *to;
    const struct cook_state *from;
};

static void move_text(struct copy *copy, uint32_t *offset)
{
    *offset = cook_state_add_text(copy->to, cook_state_text(copy->from, *offset));
}

static void move_blob(struct copy *copy, uint32_t *offset)
{
    size_t size;
    const uint8_t *bytes = cook_state_blob(copy->from, *offset, &size);
    *offset = cook_state_add_blob(copy->to, bytes, size);
}

static void move_texts(struct copy *copy)
{
    struct cook_state *to = copy->to;
    for (uint32_t i = 0; i < to->folders_count; i++)
        move_text(copy, &to->folders[i].path);
    for (uint32_t i = 0; i < to->files_count; i++)
        move_text(copy, &to->files[i].name);
    for (uint32_t i = 0; i < to->packages_count; i++) {
        move_text(copy, &to->packages[i].name);
        move_blob(copy, &to->packages[i].edges);
    }
    for (uint32_t i = 0; i < to->results_count; i++) {
        move_blob(copy, &to->results[i].facts);
        move_text(copy, &to->results[i].reader);
        move_blob(copy, &to->results[i].messages);
        move_blob(copy, &to->results[i].details);
    }
    for (uint32_t i = 0; i < to->deps_count; i++) {
        move_text(copy, &to->deps[i].args);
        move_text(copy, &to->deps[i].text);
    }
}

static bool copy_rows(struct cook_state *to, const struct cook_state *from)
{
    for (int table = 0; table < COOK_TABLE_pool; table++) {
        uint32_t count;
        size_t row_size;
        const void *rows =
            cook_state_rows(from, (enum cook_state_table)table, &count, &row_size);
        if (!cook_state_append(to, (enum cook_state_table)table, rows, count))
            return false;
    }
    return true;
}

static bool copy_order(uint32_t **to, uint32_t *to_count, const uint32_t *from, uint32_t count)
{
    *to = cook_realloc_array(NULL, count, sizeof(**to));
    if (*to && count)
        memcpy(*to, from, count * sizeof(**to));
    *to_count = *to ? count : 0;
    return *to != NULL;
}

enum cook_status cook_state_compact(struct cook_state *out, const struct cook_state *state,
                                    struct cook_error *error)
{
    struct copy copy = { out, state };
    cook_state_init(out);
    bool copied =
        copy_rows(out, state) &&
        copy_order(&out->package_order, &out->order_packages, state->package_order,
                   state->order_packages) &&
        copy_order(&out->file_order, &out->order_files, state->file_order, state->order_files);
    if (copied)
        move_texts(&copy);
    if (copied && out->failed == COOK_OK)
        return COOK_OK;
    cook_state_finish(out);
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory writing the index");
}
