/*
 * Look-ups. Packages and files are found by binary search in the sorted orders, which the index
 * file carries; rows added since they were sorted are in a small hash index behind them.
 * Folders, dependencies, sets and bundles have a hash index alone, built when it is first
 * needed.
 */
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/hash.h"
#include "cook/store/state_private.h"

#define SHARE_SLOTS ((size_t)1 << 14)

struct slot {
    uint32_t tag; /* low half of the hash: spares most look-ups the row and its text */
    uint32_t id;  /* + 1; 0 is a free slot */
};

/* Open addressing over the rows [first, next). */
struct hash_index {
    struct slot *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t used;
    uint32_t first; /* rows before it are found in the sorted order */
    uint32_t next;
    uint32_t searches; /* of the sorted order, since thawed */
};

struct cook_state_lookup {
    struct hash_index tables[COOK_STATE_TABLE_COUNT];
    uint32_t *shared; /* SHARE_SLOTS pool offsets */
};

static struct cook_state_lookup *get_lookup(struct cook_state *state)
{
    if (!state->lookup)
        state->lookup = cook_calloc(1, sizeof(*state->lookup));
    if (!state->lookup)
        cook_state_fail(state, COOK_E_NO_MEMORY);
    return state->lookup;
}

void cook_state_lookup_finish(struct cook_state_lookup *lookup)
{
    if (!lookup)
        return;
    for (int table = 0; table < COOK_STATE_TABLE_COUNT; table++)
        cook_free(lookup->tables[table].slots);
    cook_free(lookup->shared);
    cook_free(lookup);
}

uint64_t cook_state_key_hash(const struct cook_state_key *key)
{
    uint64_t hash = cook_hash64(key->bytes, key->size);
    return hash ^ (key->number * UINT64_C(0x9E3779B97F4A7C15));
}

static struct cook_state_key text_key(const struct cook_state *state, uint32_t text,
                                      uint32_t number)
{
    const char *bytes = cook_state_text(state, text);
    return (struct cook_state_key){ bytes, strlen(bytes), number };
}

static struct cook_state_key ids_key(const struct cook_state *state, uint32_t first,
                                     uint32_t count)
{
    bool fits = first <= state->ids_count && count <= state->ids_count - first;
    if (!fits || !count)
        return (struct cook_state_key){ "", 0, 0 };
    return (struct cook_state_key){ state->ids + first, count * sizeof(uint32_t), 0 };
}

uint32_t cook_state_origins_number(const void *origins, size_t size)
{
    return size ? (uint32_t)cook_hash64(origins, size) : 0;
}

static struct cook_state_key set_key(const struct cook_state *state, const struct cook_state_set *row)
{
    struct cook_state_key key = ids_key(state, row->first, row->count);
    size_t size;
    const uint8_t *origins = cook_state_blob(state, row->origins, &size);
    key.number = cook_state_origins_number(origins, size);
    return key;
}

static struct cook_state_key row_key(const struct cook_state *state,
                                     enum cook_state_table table, uint32_t id)
{
    switch ((int)table) {
    case COOK_TABLE_folders:
        return text_key(state, state->folders[id].path, 0);
    case COOK_TABLE_files:
        return text_key(state, state->files[id].name, state->files[id].folder);
    case COOK_TABLE_packages:
        return text_key(state, state->packages[id].name, 0);
    case COOK_TABLE_deps:
        return text_key(state, state->deps[id].args, state->deps[id].kind);
    case COOK_TABLE_sets:
        return set_key(state, &state->sets[id]);
    default:
        return ids_key(state, state->bundles[id].first, state->bundles[id].count);
    }
}

static bool row_is(const struct cook_state *state, enum cook_state_table table, uint32_t id,
                   const struct cook_state_key *key)
{
    struct cook_state_key row = row_key(state, table, id);
    return row.number == key->number && row.size == key->size &&
           memcmp(row.bytes, key->bytes, key->size) == 0;
}

/* ---- the hash index ---- */

static void insert_slot(struct hash_index *index, struct slot slot)
{
    uint32_t mask = index->slot_count - 1;
    uint32_t at = slot.tag & mask;
    while (index->slots[at].id)
        at = (at + 1) & mask;
    index->slots[at] = slot;
    index->used++;
}

/* At most two thirds full, so that a probe always meets a free slot. */
static bool make_room(struct hash_index *index, uint32_t rows)
{
    uint64_t wanted = index->slot_count ? index->slot_count : 64;
    while (wanted * 2 / 3 <= rows)
        wanted *= 2;
    if (wanted == index->slot_count)
        return true;
    if (wanted > UINT32_MAX)
        return false;
    struct hash_index grown = *index;
    grown.slots = cook_calloc(wanted, sizeof(*grown.slots));
    if (!grown.slots)
        return false;
    cook_state_advise(grown.slots, wanted * sizeof(*grown.slots));
    grown.slot_count = (uint32_t)wanted;
    grown.used = 0;
    for (uint32_t i = 0; i < index->slot_count; i++) {
        if (index->slots[i].id)
            insert_slot(&grown, index->slots[i]);
    }
    cook_free(index->slots);
    *index = grown;
    return true;
}

/* In batches, whose slots are on their way from memory while the next texts are hashed. */
static void insert_rows(const struct cook_state *state, struct hash_index *index,
                        enum cook_state_table table, uint32_t end)
{
    struct slot batch[32];
    while (index->next < end) {
        uint32_t left = end - index->next;
        uint32_t count = left < 32 ? left : 32;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t id = index->next + i;
            struct cook_state_key key = row_key(state, table, id);
            batch[i] = (struct slot){ (uint32_t)cook_state_key_hash(&key), id + 1 };
            __builtin_prefetch(&index->slots[batch[i].tag & (index->slot_count - 1)], 1);
        }
        for (uint32_t i = 0; i < count; i++)
            insert_slot(index, batch[i]);
        index->next += count;
    }
}

static uint32_t sorted_rows(const struct cook_state *state, enum cook_state_table table)
{
    if (table == COOK_TABLE_packages)
        return state->order_packages;
    return table == COOK_TABLE_files ? state->order_files : 0;
}

static uint32_t row_count(const struct cook_state *state, enum cook_state_table table)
{
    uint32_t count;
    size_t row_size;
    (void)cook_state_rows(state, table, &count, &row_size);
    return count;
}

/*
 * A binary search in a large order touches twenty texts, a hash index one; but the index must
 * be built first. So a few look-ups search, and many build.
 */
static bool worth_hashing(struct cook_state *state, struct hash_index *index)
{
    return !state->mapped && index->first > 0 && index->searches > 1024 &&
           index->searches > index->first / 16;
}

static void drop_slots(struct hash_index *index)
{
    cook_free(index->slots);
    memset(index, 0, sizeof(*index));
}

/* The index with all rows behind the sorted ones in it, and room for one more. */
static struct hash_index *get_index(struct cook_state *state, enum cook_state_table table)
{
    struct cook_state_lookup *lookup = get_lookup(state);
    if (!lookup)
        return NULL;
    struct hash_index *index = &lookup->tables[table];
    if (!index->slots) {
        index->first = sorted_rows(state, table);
        index->next = index->first;
    } else if (worth_hashing(state, index)) {
        drop_slots(index);
    }
    uint32_t count = row_count(state, table);
    if (!make_room(index, count - index->first + 1)) {
        cook_state_fail(state, COOK_E_NO_MEMORY);
        return NULL;
    }
    insert_rows(state, index, table, count);
    return index;
}

bool cook_state_index_reserve(struct cook_state *state, enum cook_state_table table)
{
    return get_index(state, table) != NULL;
}

void cook_state_index_row(struct cook_state *state, enum cook_state_table table, uint32_t id,
                          uint64_t hash)
{
    struct hash_index *index = &state->lookup->tables[table];
    insert_slot(index, (struct slot){ (uint32_t)hash, id + 1 });
    index->next = id + 1;
}

static uint32_t probe(const struct cook_state *state, const struct hash_index *index,
                      enum cook_state_table table, const struct cook_state_key *key)
{
    uint32_t tag = (uint32_t)cook_state_key_hash(key);
    uint32_t mask = index->slot_count - 1;
    for (uint32_t at = tag & mask; index->slots[at].id; at = (at + 1) & mask) {
        const struct slot *slot = &index->slots[at];
        if (slot->tag == tag && row_is(state, table, slot->id - 1, key))
            return slot->id - 1;
    }
    return COOK_ID_NONE;
}

void cook_state_lookup_sorted(struct cook_state *state)
{
    if (!state->lookup)
        return;
    static const enum cook_state_table sorted[] = { COOK_TABLE_files, COOK_TABLE_packages };
    for (int i = 0; i < 2; i++) {
        struct hash_index *index = &state->lookup->tables[sorted[i]];
        if (index->first > 0 || !index->slots) /* one that covers every row stays right */
            drop_slots(index);
    }
}

/* ---- the sorted orders ---- */

static int compare_texts(const void *a, size_t a_size, const void *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    if (order)
        return order;
    return (a_size > b_size) - (a_size < b_size);
}

static int compare_row(const struct cook_state *state, enum cook_state_table table, uint32_t id,
                       const struct cook_state_key *key)
{
    struct cook_state_key row = row_key(state, table, id);
    if (row.number != key->number)
        return row.number < key->number ? -1 : 1;
    return compare_texts(row.bytes, row.size, key->bytes, key->size);
}

static uint32_t search_order(const struct cook_state *state, enum cook_state_table table,
                             const struct cook_state_key *key)
{
    const uint32_t *order =
        table == COOK_TABLE_files ? state->file_order : state->package_order;
    uint32_t low = 0;
    uint32_t high = sorted_rows(state, table);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int compared = compare_row(state, table, order[middle], key);
        if (compared == 0)
            return order[middle];
        if (compared < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return COOK_ID_NONE;
}

uint32_t cook_state_find(struct cook_state *state, enum cook_state_table table,
                         const struct cook_state_key *key)
{
    uint32_t sorted = sorted_rows(state, table);
    uint32_t count = row_count(state, table);
    if (!count)
        return COOK_ID_NONE;
    if (state->mapped && sorted == count)
        return search_order(state, table, key);

    struct hash_index *index = get_index(state, table);
    if (!index)
        return COOK_ID_NONE;
    uint32_t id = probe(state, index, table, key);
    if (id != COOK_ID_NONE || index->first == 0)
        return id;
    index->searches++;
    return search_order(state, table, key);
}

uint32_t *cook_state_share_slot(struct cook_state *state, uint64_t hash)
{
    struct cook_state_lookup *lookup = get_lookup(state);
    if (!lookup)
        return NULL;
    if (!lookup->shared)
        lookup->shared = cook_calloc(SHARE_SLOTS, sizeof(*lookup->shared));
    return lookup->shared ? &lookup->shared[hash & (SHARE_SLOTS - 1)] : NULL;
}

/* ---- public look-ups ---- */

static struct cook_state_key key_of(const char *text, size_t size, uint32_t number)
{
    return (struct cook_state_key){ text, size, number };
}

uint32_t cook_state_find_folder(struct cook_state *state, const char *path)
{
    struct cook_state_key key = key_of(path, strlen(path), 0);
    return cook_state_find(state, COOK_TABLE_folders, &key);
}

uint32_t cook_state_find_file(struct cook_state *state, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    struct cook_state_key folder_key = key_of(path, slash ? (size_t)(slash - path) : 0, 0);
    uint32_t folder = cook_state_find(state, COOK_TABLE_folders, &folder_key);
    if (folder == COOK_ID_NONE)
        return COOK_ID_NONE;
    struct cook_state_key key = key_of(name, strlen(name), folder);
    return cook_state_find(state, COOK_TABLE_files, &key);
}

uint32_t cook_state_find_package(struct cook_state *state, const char *name)
{
    struct cook_state_key key = key_of(name, strlen(name), 0);
    return cook_state_find(state, COOK_TABLE_packages, &key);
}

uint32_t cook_state_find_dep(struct cook_state *state, uint32_t kind, const char *args)
{
    struct cook_state_key key = key_of(args, strlen(args), kind);
    return cook_state_find(state, COOK_TABLE_deps, &key);
}
