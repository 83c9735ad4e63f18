/*
 * Which blob lies where. Addresses are rows of SQLite, asked one at a time; those put since the
 * last commit are in a hash index here.
 */
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/store_private.h"

enum cook_status cook_store_open_segments(struct cook_store *store, struct cook_error *error)
{
    if (store->segments)
        return COOK_OK;
    struct cook_sql_query *query;
    bool row = false;
    uint32_t number = 0;
    uint64_t bytes = 0;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_LAST_SEGMENT, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    if (status == COOK_OK && row) {
        number = cook_sql_u32(query);
        bytes = (uint64_t)cook_sql_i64(query);
        status = cook_sql_run(query, error);
    }
    if (status != COOK_OK)
        return status;
    return cook_segments_open(&store->segments, store->folder_fd, number, bytes, error);
}

/* ---- blobs that wait for the commit ---- */

static struct cook_pending_blob *find_pending(const struct cook_store *store,
                                              struct cook_hash hash)
{
    size_t mask = store->blob_slot_count - 1;
    if (!store->blob_slot_count)
        return NULL;
    for (size_t at = hash.low & mask; store->blob_slots[at]; at = (at + 1) & mask) {
        struct cook_pending_blob *blob = &store->blobs[store->blob_slots[at] - 1];
        if (cook_hash_equal(blob->hash, hash))
            return blob;
    }
    return NULL;
}

static void insert_slot(uint32_t *slots, size_t count, const struct cook_store *store,
                        size_t index)
{
    size_t mask = count - 1;
    size_t at = store->blobs[index].hash.low & mask;
    while (slots[at])
        at = (at + 1) & mask;
    slots[at] = (uint32_t)index + 1;
}

static bool grow_slots(struct cook_store *store)
{
    size_t wanted = store->blob_slot_count ? store->blob_slot_count : 256;
    while (wanted * 2 / 3 <= store->blob_count + 1)
        wanted *= 2;
    if (wanted == store->blob_slot_count)
        return true;
    uint32_t *slots = cook_calloc(wanted, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < store->blob_count; i++)
        insert_slot(slots, wanted, store, i);
    cook_free(store->blob_slots);
    store->blob_slots = slots;
    store->blob_slot_count = wanted;
    return true;
}

/* Room for one more pending blob, so that adding it after the append cannot fail. */
static enum cook_status reserve_pending(struct cook_store *store, struct cook_error *error)
{
    if (store->blob_count < UINT32_MAX - 1 && grow_slots(store) &&
        cook_grow(&store->blobs, &store->blob_capacity, store->blob_count + 1,
                  sizeof(*store->blobs)))
        return COOK_OK;
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the store's blobs");
}

static struct cook_pending_blob *add_pending(struct cook_store *store, struct cook_hash hash)
{
    struct cook_pending_blob *blob = &store->blobs[store->blob_count];
    memset(blob, 0, sizeof(*blob));
    blob->hash = hash;
    insert_slot(store->blob_slots, store->blob_slot_count, store, store->blob_count++);
    return blob;
}

void cook_store_clear_blobs(struct cook_store *store)
{
    store->blob_count = 0;
    if (store->blob_slot_count)
        memset(store->blob_slots, 0, store->blob_slot_count * sizeof(*store->blob_slots));
    if (store->segments)
        cook_segments_committed(store->segments);
}

/* ---- addresses ---- */

static enum cook_status find_saved(struct cook_blob_address *address, bool *found,
                                   struct cook_store *store, struct cook_hash hash,
                                   struct cook_error *error)
{
    struct cook_sql_query *query;
    *found = false;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_BLOB, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_hash(query, hash);
    status = cook_sql_step(found, query, error);
    if (status != COOK_OK || !*found)
        return status;
    address->segment = cook_sql_u32(query);
    address->offset = (uint64_t)cook_sql_i64(query);
    address->size_bytes = (uint64_t)cook_sql_i64(query);
    address->stored_bytes = (uint64_t)cook_sql_i64(query);
    return cook_sql_run(query, error);
}

static enum cook_status find_address(struct cook_blob_address *address, bool *found,
                                     struct cook_store *store, struct cook_hash hash,
                                     struct cook_error *error)
{
    const struct cook_pending_blob *blob = find_pending(store, hash);
    if (!blob)
        return find_saved(address, found, store, hash, error);
    *found = !blob->dropped;
    *address = blob->address;
    return COOK_OK;
}

bool cook_store_has_blob(struct cook_store *store, struct cook_hash hash)
{
    struct cook_blob_address address;
    bool found;
    return find_address(&address, &found, store, hash, NULL) == COOK_OK && found;
}

enum cook_status cook_store_put_blob(struct cook_store *store, struct cook_hash *hash,
                                     const void *bytes, size_t size, struct cook_error *error)
{
    struct cook_blob_address address;
    bool found = false;
    *hash = cook_hash_bytes(bytes, size);
    enum cook_status status = cook_store_check_writable(store, error);
    if (status == COOK_OK)
        status = find_address(&address, &found, store, *hash, error);
    if (status != COOK_OK || found)
        return status;
    status = cook_store_open_segments(store, error);
    if (status == COOK_OK)
        status = reserve_pending(store, error);
    if (status == COOK_OK)
        status = cook_segments_append(&address, store->segments, *hash, bytes, size, error);
    if (status != COOK_OK)
        return status;
    struct cook_pending_blob *blob = find_pending(store, *hash); /* one that was dropped */
    if (!blob)
        blob = add_pending(store, *hash);
    blob->address = address;
    blob->dropped = false;
    return COOK_OK;
}

enum cook_status cook_store_move_blob(struct cook_store *store, struct cook_hash hash,
                                      struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_blob_address address;
    enum cook_status status = cook_store_get_blob(store, &bytes, hash, error);
    if (status == COOK_OK)
        status = reserve_pending(store, error);
    if (status == COOK_OK)
        status = cook_segments_append(&address, store->segments, hash, bytes.data, bytes.size, error);
    cook_buf_finish(&bytes);
    if (status != COOK_OK)
        return status;
    add_pending(store, hash)->address = address;
    return COOK_OK;
}

enum cook_status cook_store_drop_blob(struct cook_store *store, struct cook_hash hash,
                                      struct cook_error *error)
{
    struct cook_pending_blob *blob = find_pending(store, hash);
    if (!blob) {
        enum cook_status status = reserve_pending(store, error);
        if (status != COOK_OK)
            return status;
        blob = add_pending(store, hash);
    }
    blob->dropped = true;
    return COOK_OK;
}

static enum cook_status not_found(struct cook_hash hash, struct cook_error *error)
{
    char text[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(hash, text);
    return cook_error_set(error, COOK_E_NOT_FOUND, "the store has no blob %s", text);
}

/* A collection may have moved the blob after its address was read: the record is gone, not damaged. */
static enum cook_status read_again(struct cook_buf *out, struct cook_store *store,
                                   const struct cook_blob_address *before, struct cook_hash hash,
                                   struct cook_error *error)
{
    struct cook_blob_address address;
    bool found = false;
    if (store->write || find_saved(&address, &found, store, hash, NULL) != COOK_OK || !found ||
        (address.segment == before->segment && address.offset == before->offset))
        return COOK_E_DAMAGED;
    return cook_segments_read(out, store->segments, &address, hash, error);
}

enum cook_status cook_store_get_blob(struct cook_store *store, struct cook_buf *out,
                                     struct cook_hash hash, struct cook_error *error)
{
    struct cook_blob_address address;
    bool found = false;
    enum cook_status status = find_address(&address, &found, store, hash, error);
    if (status != COOK_OK)
        return status;
    if (!found)
        return not_found(hash, error);
    status = cook_store_open_segments(store, error);
    if (status == COOK_OK)
        status = cook_segments_read(out, store->segments, &address, hash, error);
    if (status == COOK_E_DAMAGED)
        status = read_again(out, store, &address, hash, error);
    if (status != COOK_E_DAMAGED)
        return status;
    char text[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(hash, text);
    cook_error_prefix(error, "blob %s", text);
    /* A recook may give these very bytes: they must then be stored anew. */
    if (store->write && cook_store_drop_blob(store, hash, NULL) != COOK_OK)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the store's blobs");
    return status;
}

/* ---- commit ---- */

static enum cook_status save_blob(struct cook_store *store,
                                  const struct cook_pending_blob *blob,
                                  struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_store_query(
        &query, store, blob->dropped ? COOK_QUERY_DROP_BLOB : COOK_QUERY_PUT_BLOB, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_hash(query, blob->hash);
    if (!blob->dropped) {
        cook_sql_bind_i64(query, blob->address.segment);
        cook_sql_bind_i64(query, (int64_t)blob->address.offset);
        cook_sql_bind_i64(query, (int64_t)blob->address.size_bytes);
        cook_sql_bind_i64(query, (int64_t)blob->address.stored_bytes);
    }
    return cook_sql_run(query, error);
}

static enum cook_status save_segments(struct cook_store *store, struct cook_error *error)
{
    uint32_t number;
    uint64_t bytes;
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && store->segments &&
                       cook_segments_grown(store->segments, i, &number, &bytes);
         i++) {
        struct cook_sql_query *query;
        status = cook_store_query(&query, store, COOK_QUERY_PUT_SEGMENT, error);
        if (status != COOK_OK)
            break;
        cook_sql_bind_i64(query, number);
        cook_sql_bind_i64(query, (int64_t)bytes);
        status = cook_sql_run(query, error);
    }
    return status;
}

enum cook_status cook_store_save_blobs(struct cook_store *store, struct cook_error *error)
{
    enum cook_status status = save_segments(store, error);
    for (size_t i = 0; i < store->blob_count && status == COOK_OK; i++)
        status = save_blob(store, &store->blobs[i], error);
    return status;
}
