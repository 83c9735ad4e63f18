/* Texts, blobs and new rows. Each addition thaws the state and fails stickily, see `failed`. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/base/hash.h"
#include "cook/store/state_private.h"

const char *cook_state_text(const struct cook_state *state, uint32_t offset)
{
    return offset < state->pool_count ? state->pool + offset : "";
}

const uint8_t *cook_state_blob(const struct cook_state *state, uint32_t offset, size_t *size)
{
    *size = 0;
    if (offset >= state->pool_count)
        return NULL;
    struct cook_reader_buf in =
        cook_read_init(state->pool + offset, state->pool_count - offset);
    return cook_read_bytes(&in, size);
}

/* Input that may lie in the pool, which moves when the state thaws or grows. */
struct input {
    const void *bytes;
    size_t offset; /* in the pool, or SIZE_MAX */
};

static struct input take_input(const struct cook_state *state, const void *bytes)
{
    uintptr_t pool = (uintptr_t)state->pool;
    uintptr_t at = (uintptr_t)bytes;
    bool inside = state->pool && at >= pool && at - pool < state->pool_count;
    return (struct input){ bytes, inside ? at - pool : SIZE_MAX };
}

static const void *input_bytes(const struct cook_state *state, struct input input)
{
    return input.offset == SIZE_MAX ? input.bytes : state->pool + input.offset;
}

static bool pool_holds(const struct cook_state *state, uint32_t offset, const void *bytes,
                       size_t size)
{
    return offset < state->pool_count && size <= state->pool_count - offset &&
           memcmp(state->pool + offset, bytes, size) == 0;
}

/*
 * Equal entries share an offset through a cache of limited size: the texts that repeat, such as
 * reader names, stay in it, and names that never do cost it nothing. An entry is `head`
 * followed by the bytes; a text's head is empty and its bytes include the NUL.
 */
static uint32_t share(struct cook_state *state, const void *head, size_t head_size,
                      const void *bytes, size_t size)
{
    uint64_t hash = cook_hash64(bytes, size) + head_size;
    uint32_t *slot = cook_state_share_slot(state, hash);
    if (slot && *slot && pool_holds(state, *slot, head, head_size) &&
        pool_holds(state, *slot + (uint32_t)head_size, bytes, size))
        return *slot;
    struct input input = take_input(state, bytes);
    if (size > COOK_STATE_MAX_ROWS || head_size > COOK_STATE_MAX_ROWS - size) {
        cook_state_fail(state, COOK_E_LIMIT);
        return COOK_ID_NONE;
    }
    if (!cook_state_reserve(state, COOK_TABLE_pool, (uint32_t)(head_size + size) + 1))
        return COOK_ID_NONE;
    uint32_t offset = cook_state_push_pool(state, head, head_size);
    (void)cook_state_push_pool(state, input_bytes(state, input), size);
    if (slot)
        *slot = offset;
    return offset;
}

uint32_t cook_state_add_text(struct cook_state *state, const char *text)
{
    if (!*text)
        return 0;
    struct input input = take_input(state, text);
    if (cook_state_thaw(state, NULL) != COOK_OK)
        return COOK_ID_NONE;
    text = input_bytes(state, input);
    return share(state, "", 0, text, strlen(text) + 1);
}

uint32_t cook_state_add_blob(struct cook_state *state, const void *bytes, size_t size)
{
    if (!size)
        return 0;
    struct input input = take_input(state, bytes);
    if (cook_state_thaw(state, NULL) != COOK_OK)
        return COOK_ID_NONE;
    uint8_t head[10];
    size_t head_size = 0;
    for (uint64_t rest = size; rest || !head_size; rest >>= 7)
        head[head_size++] = (uint8_t)((rest & 0x7f) | (rest >= 0x80 ? 0x80 : 0));
    return share(state, head, head_size, input_bytes(state, input), size);
}

/* ---- rows ---- */

/* A new row for a key that no row has, already in the hash index; or COOK_ID_NONE. */
static uint32_t push_keyed(struct cook_state *state, enum cook_state_table table,
                           const struct cook_state_key *key)
{
    if (!cook_state_index_reserve(state, table))
        return COOK_ID_NONE;
    uint32_t id = cook_state_push(state, table, true);
    if (id != COOK_ID_NONE)
        cook_state_index_row(state, table, id, cook_state_key_hash(key));
    return id;
}

/* A text of its own in the pool; names hardly ever repeat. False when memory is short. */
static bool push_text(struct cook_state *state, uint32_t *text, const void *bytes, size_t size)
{
    *text = 0;
    if (!size)
        return true;
    struct input input = take_input(state, bytes);
    if (size > COOK_STATE_MAX_ROWS - 2) {
        cook_state_fail(state, COOK_E_LIMIT);
        return false;
    }
    if (!cook_state_reserve(state, COOK_TABLE_pool, (uint32_t)size + 2))
        return false;
    *text = cook_state_push_pool(state, input_bytes(state, input), size);
    (void)cook_state_push_pool(state, "", 1);
    return true;
}

/*
 * The row that a text (and a number) identifies, or a new one; `*text` gets the pool offset of
 * a new row's text, and `*is_new` tells.
 */
static uint32_t add_named(struct cook_state *state, enum cook_state_table table,
                          struct cook_state_key key, uint32_t *text, bool *is_new)
{
    *is_new = false;
    struct input input = take_input(state, key.bytes);
    if (cook_state_thaw(state, NULL) != COOK_OK)
        return COOK_ID_NONE;
    key.bytes = input_bytes(state, input);
    uint32_t id = cook_state_find(state, table, &key);
    if (id != COOK_ID_NONE || state->failed != COOK_OK)
        return id;
    /* The text first: a row that fails to follow it leaves only unused bytes in the pool. */
    if (!push_text(state, text, key.bytes, key.size))
        return COOK_ID_NONE;
    key.bytes = state->pool + *text;
    id = push_keyed(state, table, &key);
    *is_new = id != COOK_ID_NONE;
    return id;
}

static struct cook_state_key key_of(const char *text, size_t size, uint32_t number)
{
    return (struct cook_state_key){ text, size, number };
}

static uint32_t add_folder(struct cook_state *state, const char *path, size_t size)
{
    bool is_new;
    uint32_t text;
    uint32_t id = add_named(state, COOK_TABLE_folders, key_of(path, size, 0), &text, &is_new);
    if (is_new)
        state->folders[id].path = text;
    return id;
}

uint32_t cook_state_add_folder(struct cook_state *state, const char *path)
{
    return add_folder(state, path, strlen(path));
}

uint32_t cook_state_add_file(struct cook_state *state, const char *path)
{
    struct input input = take_input(state, path);
    const char *slash = strrchr(path, '/');
    size_t folder_size = slash ? (size_t)(slash - path) : 0;
    uint32_t folder = add_folder(state, path, folder_size);
    if (folder == COOK_ID_NONE)
        return COOK_ID_NONE;
    path = input_bytes(state, input);
    const char *name = slash ? path + folder_size + 1 : path;
    bool is_new;
    uint32_t text;
    uint32_t id =
        add_named(state, COOK_TABLE_files, key_of(name, strlen(name), folder), &text, &is_new);
    if (is_new) {
        state->files[id].folder = folder;
        state->files[id].name = text;
        state->files[id].package = COOK_ID_NONE;
    }
    return id;
}

uint32_t cook_state_add_package(struct cook_state *state, const char *name)
{
    struct input input = take_input(state, name);
    /* The parallel row's room first, so that the two tables never differ in length. */
    if (cook_state_thaw(state, NULL) != COOK_OK ||
        !cook_state_reserve(state, COOK_TABLE_results, 1))
        return COOK_ID_NONE;
    name = input_bytes(state, input);
    bool is_new;
    uint32_t text;
    uint32_t id =
        add_named(state, COOK_TABLE_packages, key_of(name, strlen(name), 0), &text, &is_new);
    if (is_new) {
        (void)cook_state_push(state, COOK_TABLE_results, true);
        state->packages[id].name = text;
        state->packages[id].file = COOK_ID_NONE;
        state->packages[id].side_file = COOK_ID_NONE;
        state->packages[id].bundle = COOK_ID_NONE;
    }
    return id;
}

uint32_t cook_state_add_dep(struct cook_state *state, uint32_t kind, const char *args)
{
    bool is_new;
    uint32_t text;
    uint32_t id =
        add_named(state, COOK_TABLE_deps, key_of(args, strlen(args), kind), &text, &is_new);
    if (is_new) {
        state->deps[id].kind = kind;
        state->deps[id].args = text;
        state->deps[id].target = COOK_ID_NONE;
    }
    return id;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static uint32_t sort_unique(uint32_t *ids, uint32_t count)
{
    bool ascending = true;
    for (uint32_t i = 1; i < count && ascending; i++)
        ascending = ids[i - 1] < ids[i];
    if (ascending)
        return count;
    qsort(ids, count, sizeof(*ids), compare_ids);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++) {
        if (ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    }
    return kept;
}

/* Sets and bundles: the row refers to its members in the one table of ids. */
static uint32_t add_members(struct cook_state *state, enum cook_state_table table,
                            uint32_t *ids, uint32_t count, uint32_t number, bool *is_new)
{
    *is_new = false;
    if (cook_state_thaw(state, NULL) != COOK_OK ||
        !cook_state_reserve(state, COOK_TABLE_ids, count))
        return COOK_ID_NONE;
    struct cook_state_key key = { count ? (const void *)ids : "", count * sizeof(*ids), number };
    uint32_t id = cook_state_find(state, table, &key);
    if (id != COOK_ID_NONE || state->failed != COOK_OK)
        return id;
    id = push_keyed(state, table, &key);
    *is_new = id != COOK_ID_NONE;
    if (*is_new && count) {
        memcpy(state->ids + state->ids_count, ids, count * sizeof(*ids));
        state->ids_count += count;
    }
    return id;
}

uint32_t cook_state_add_set(struct cook_state *state, uint32_t *ids, uint32_t count,
                            const void *origins, size_t origins_size)
{
    bool is_new;
    count = sort_unique(ids, count);
    uint32_t number = cook_state_origins_number(origins, origins_size);
    uint32_t id = add_members(state, COOK_TABLE_sets, ids, count, number, &is_new);
    if (!is_new)
        return id;
    state->sets[id] = (struct cook_state_set){ state->ids_count - count, count, 0 };
    uint32_t blob = cook_state_add_blob(state, origins, origins_size);
    if (blob == COOK_ID_NONE) /* the addition failed, and so will the commit */
        return COOK_ID_NONE;
    state->sets[id].origins = blob;
    return id;
}

uint32_t cook_state_add_bundle(struct cook_state *state, uint32_t *set_ids, uint32_t count)
{
    bool is_new;
    count = sort_unique(set_ids, count);
    uint32_t id = add_members(state, COOK_TABLE_bundles, set_ids, count, 0, &is_new);
    if (is_new)
        state->bundles[id] = (struct cook_state_bundle){ state->ids_count - count, count };
    return id;
}

char *cook_state_file_path(const struct cook_state *state, uint32_t file,
                           struct cook_arena *arena)
{
    const char *name = "";
    const char *folder = "";
    if (file < state->files_count) {
        const struct cook_state_file *row = &state->files[file];
        name = cook_state_text(state, row->name);
        if (row->folder < state->folders_count)
            folder = cook_state_text(state, state->folders[row->folder].path);
    }
    return cook_arena_printf(arena, "%s%s%s", folder, *folder ? "/" : "", name);
}
