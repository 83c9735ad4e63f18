/*
 * Manifests: what is in a cook. One is a root blob that lists chunk blobs; a chunk holds some
 * hundred entries ascending by name. A chunk ends behind a name whose hash says so, wherever
 * the name stands, so that a changed, added or removed package changes its own chunk alone, and
 * cooks that are nearly equal share nearly all. Entry: varint length shared with the name
 * before, rest of the name, key, bytes, tokens, varint size.
 */
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/gc_private.h"

#define MAGIC         0x314E414Du /* "MAN1" */
#define CHUNK_MASK    255u        /* one name of 256 ends a chunk */
#define CHUNK_ENTRIES 2048u       /* and none holds more */
#define NAME_BYTES    ((size_t)64 << 10)
#define ENTRY_BYTES   51u /* at least */

/* ---- writing ---- */

struct builder {
    struct cook_store *store;
    struct cook_buf chunk;
    struct cook_buf hashes; /* of the chunks so far */
    size_t chunk_count;
    uint32_t entries; /* in `chunk` */
    const char *previous;
};

static enum cook_status end_chunk(struct builder *builder, struct cook_error *error)
{
    struct cook_hash hash;
    if (builder->chunk.failed || builder->hashes.failed)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the manifest");
    enum cook_status status = cook_store_put_blob(builder->store, &hash, builder->chunk.data,
                                                  builder->chunk.size, error);
    if (status != COOK_OK)
        return status;
    cook_buf_put_hash(&builder->hashes, hash);
    cook_buf_clear(&builder->chunk);
    builder->chunk_count++;
    builder->entries = 0;
    builder->previous = "";
    return COOK_OK;
}

static size_t shared_length(const char *a, const char *b)
{
    size_t length = 0;
    while (a[length] && a[length] == b[length])
        length++;
    return length;
}

static enum cook_status add_entry(struct builder *builder, uint32_t package,
                                  struct cook_error *error)
{
    const struct cook_state *state = &builder->store->state;
    if (package >= state->packages_count)
        return cook_error_set(error, COOK_E_INVALID, "package row %u does not exist", package);
    const struct cook_state_package *row = &state->packages[package];
    const struct cook_state_result *result = &state->results[package];
    const char *name = cook_state_text(state, row->name);
    size_t shared = shared_length(builder->previous, name);
    size_t length = strlen(name);
    cook_buf_put_varint(&builder->chunk, shared);
    cook_buf_put_bytes(&builder->chunk, name + shared, length - shared);
    cook_buf_put_hash(&builder->chunk, row->key);
    cook_buf_put_hash(&builder->chunk, result->bytes);
    cook_buf_put_hash(&builder->chunk, result->tokens);
    cook_buf_put_varint(&builder->chunk, result->size_bytes);
    builder->previous = name;
    builder->entries++;
    if ((cook_hash_bytes(name, length).low & CHUNK_MASK) && builder->entries < CHUNK_ENTRIES)
        return COOK_OK;
    return end_chunk(builder, error);
}

static enum cook_status put_root(struct cook_hash *hash, struct builder *builder,
                                 uint32_t entries, struct cook_error *error)
{
    struct cook_buf root = COOK_BUF_INIT;
    enum cook_status status = COOK_OK;
    cook_buf_put_u32(&root, MAGIC);
    cook_buf_put_varint(&root, entries);
    cook_buf_put_varint(&root, builder->chunk_count);
    cook_buf_put(&root, builder->hashes.data, builder->hashes.size);
    if (root.failed || builder->hashes.failed)
        status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the manifest");
    if (status == COOK_OK)
        status = cook_store_put_blob(builder->store, hash, root.data, root.size, error);
    cook_buf_finish(&root);
    return status;
}

enum cook_status cook_store_put_manifest(struct cook_hash *hash, struct cook_store *store,
                                         const struct cook_store_end *end,
                                         struct cook_error *error)
{
    struct builder builder = { .store = store, .previous = "" };
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; i < end->package_count && status == COOK_OK; i++)
        status = add_entry(&builder, end->packages[i], error);
    if (status == COOK_OK && builder.entries)
        status = end_chunk(&builder, error);
    if (status == COOK_OK)
        status = put_root(hash, &builder, end->package_count, error);
    cook_buf_finish(&builder.chunk);
    cook_buf_finish(&builder.hashes);
    return status;
}

/* ---- reading ---- */

struct reading {
    struct cook_store *store;
    struct cook_arena *arena;
    struct cook_manifest_entry *entries;
    size_t count;
    size_t capacity;
    char name[NAME_BYTES];
};

static enum cook_status malformed(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_DAMAGED, "the manifest is malformed");
}

/* The name in `name`, made of the one before; false where it does not fit. */
static bool read_name(struct reading *reading, struct cook_reader_buf *in, size_t *length)
{
    uint64_t shared = cook_read_varint(in);
    size_t size;
    const uint8_t *rest = cook_read_bytes(in, &size);
    if (!rest || shared > *length || size >= NAME_BYTES - shared || memchr(rest, 0, size))
        return false;
    memcpy(reading->name + shared, rest, size);
    *length = shared + size;
    return true;
}

static enum cook_status read_chunk(struct reading *reading, const struct cook_buf *chunk,
                                   struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(chunk->data, chunk->size);
    size_t length = 0;
    while (!cook_read_at_end(&in)) {
        struct cook_manifest_entry entry;
        if (!read_name(reading, &in, &length))
            return malformed(error);
        entry.key = cook_read_hash(&in);
        entry.bytes = cook_read_hash(&in);
        entry.tokens = cook_read_hash(&in);
        entry.size_bytes = cook_read_varint(&in);
        if (in.failed)
            return malformed(error);
        entry.package = cook_arena_strndup(reading->arena, reading->name, length);
        if (!entry.package || !cook_grow(&reading->entries, &reading->capacity,
                                         reading->count + 1, sizeof(entry)))
            return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the manifest");
        reading->entries[reading->count++] = entry;
    }
    return COOK_OK;
}

static enum cook_status read_root(struct reading *reading, const struct cook_buf *root,
                                  struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(root->data, root->size);
    struct cook_buf chunk = COOK_BUF_INIT;
    uint32_t magic = cook_read_u32(&in);
    uint64_t entries = cook_read_varint(&in);
    size_t chunks = cook_read_count(&in, sizeof(struct cook_hash));
    enum cook_status status = in.failed || magic != MAGIC ? malformed(error) : COOK_OK;
    for (size_t i = 0; i < chunks && status == COOK_OK; i++) {
        cook_buf_clear(&chunk);
        status = cook_store_get_blob(reading->store, &chunk, cook_read_hash(&in), error);
        if (status == COOK_OK)
            status = read_chunk(reading, &chunk, error);
    }
    if (status == COOK_OK && (!cook_read_at_end(&in) || reading->count != entries))
        status = malformed(error);
    cook_buf_finish(&chunk);
    return status;
}

static enum cook_status find_manifest(struct cook_hash *hash, struct cook_store *store,
                                      uint32_t cook_id, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *hash = (struct cook_hash){ 0, 0 };
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_MANIFEST, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, cook_id);
    status = cook_sql_step(&row, query, error);
    if (status == COOK_OK && row) {
        *hash = cook_sql_hash(query);
        status = cook_sql_run(query, error);
    }
    if (status == COOK_OK && !row)
        return cook_error_set(error, COOK_E_NOT_FOUND, "there is no cook %u", cook_id);
    if (status == COOK_OK && cook_hash_is_zero(*hash))
        return cook_error_set(error, COOK_E_NOT_FOUND,
                              "cook %u did not finish, or its manifest is no longer kept",
                              cook_id);
    return status;
}

enum cook_status cook_store_manifest(struct cook_store *store,
                                     struct cook_manifest_entry **entries, size_t *count,
                                     uint32_t cook_id, struct cook_arena *arena,
                                     struct cook_error *error)
{
    struct cook_hash hash;
    struct cook_buf root = COOK_BUF_INIT;
    *entries = NULL;
    *count = 0;
    enum cook_status status = find_manifest(&hash, store, cook_id, error);
    if (status != COOK_OK)
        return status;
    struct reading *reading = cook_calloc(1, sizeof(*reading));
    if (!reading)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the manifest");
    reading->store = store;
    reading->arena = arena;
    status = cook_store_get_blob(store, &root, hash, error);
    if (status == COOK_OK)
        status = read_root(reading, &root, error);
    if (status == COOK_OK) {
        *entries = cook_arena_dup(arena, reading->entries, reading->count * sizeof(**entries));
        *count = *entries ? reading->count : 0;
        if (!*entries)
            status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the manifest");
    } else {
        cook_error_prefix(error, "cook %u", cook_id);
    }
    cook_buf_finish(&root);
    cook_free(reading->entries);
    cook_free(reading);
    return status;
}

enum cook_status cook_store_manifest_blobs(struct cook_store *store, struct cook_hash manifest,
                                           cook_gc_take_blob take, void *user,
                                           struct cook_error *error)
{
    struct cook_buf root = COOK_BUF_INIT;
    enum cook_status status = cook_store_get_blob(store, &root, manifest, error);
    struct cook_reader_buf in = cook_read_init(root.data, root.size);
    if (status == COOK_OK && cook_read_u32(&in) != MAGIC)
        status = malformed(error);
    (void)cook_read_varint(&in);
    size_t chunks = status == COOK_OK ? cook_read_count(&in, sizeof(struct cook_hash)) : 0;
    if (status == COOK_OK)
        status = in.failed ? malformed(error) : take(user, manifest, error);
    for (size_t i = 0; status == COOK_OK && i < chunks; i++)
        status = take(user, cook_read_hash(&in), error);
    cook_buf_finish(&root);
    return status;
}
