/* Writing the rows that are marked dirty, and the oplog records, within one transaction. */
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/state_private.h"
#include "cook/store/store_private.h"

/* What a table's writer works on. */
struct save {
    struct cook_store *store;
    struct cook_sql_query *query;
    struct cook_buf members;
    uint32_t value_cook; /* that a changed dependency's value belongs to */
};

static void bind_pool_text(struct save *save, uint32_t offset)
{
    cook_sql_bind_text(save->query, cook_state_text(&save->store->state, offset));
}

static void bind_pool_blob(struct cook_sql_query *query, const struct cook_state *state,
                           uint32_t offset)
{
    size_t size;
    const uint8_t *bytes = cook_state_blob(state, offset, &size);
    cook_sql_bind_blob(query, bytes, size);
}

static enum cook_status save_folder(struct save *save, uint32_t id, struct cook_error *error)
{
    const struct cook_state_folder *row = &save->store->state.folders[id];
    cook_sql_bind_id(save->query, id);
    bind_pool_text(save, row->path);
    cook_sql_bind_i64(save->query, row->flags);
    cook_sql_bind_i64(save->query, row->mtime_ns);
    cook_sql_bind_i64(save->query, row->ctime_ns);
    cook_sql_bind_i64(save->query, (int64_t)row->inode);
    return cook_sql_run(save->query, error);
}

static enum cook_status save_file(struct save *save, uint32_t id, struct cook_error *error)
{
    const struct cook_state_file *row = &save->store->state.files[id];
    cook_sql_bind_id(save->query, id);
    cook_sql_bind_id(save->query, row->folder);
    bind_pool_text(save, row->name);
    cook_sql_bind_i64(save->query, (int64_t)row->size_bytes);
    cook_sql_bind_i64(save->query, row->mtime_ns);
    cook_sql_bind_i64(save->query, row->ctime_ns);
    cook_sql_bind_i64(save->query, (int64_t)row->inode);
    cook_sql_bind_hash(save->query, row->content);
    cook_sql_bind_i64(save->query, row->flags);
    cook_sql_bind_id(save->query, row->package);
    return cook_sql_run(save->query, error);
}

static enum cook_status save_package(struct save *save, uint32_t id, struct cook_error *error)
{
    const struct cook_state *state = &save->store->state;
    const struct cook_state_package *row = &state->packages[id];
    const struct cook_state_result *result = &state->results[id];
    cook_sql_bind_id(save->query, id);
    bind_pool_text(save, row->name);
    cook_sql_bind_id(save->query, row->file);
    cook_sql_bind_id(save->query, row->side_file);
    cook_sql_bind_id(save->query, row->bundle);
    bind_pool_blob(save->query, state, row->edges);
    cook_sql_bind_i64(save->query, row->flags);
    cook_sql_bind_hash(save->query, row->key);
    bind_pool_blob(save->query, state, result->facts);
    bind_pool_text(save, result->reader);
    cook_sql_bind_hash(save->query, result->facts_source);
    cook_sql_bind_hash(save->query, result->bytes);
    cook_sql_bind_hash(save->query, result->tokens);
    cook_sql_bind_i64(save->query, (int64_t)result->size_bytes);
    bind_pool_blob(save->query, state, result->messages);
    cook_sql_bind_i64(save->query, result->cook);
    cook_sql_bind_i64(save->query, result->sequence);
    cook_sql_bind_i64(save->query, result->duration_us);
    bind_pool_blob(save->query, state, result->details);
    return cook_sql_run(save->query, error);
}

/* Keep the value that the database has, where it is not the one to be written. */
static enum cook_status save_old_value(struct save *save, uint32_t id, struct cook_error *error)
{
    const struct cook_state *state = &save->store->state;
    const struct cook_state_dep *row = &state->deps[id];
    struct cook_sql_query *old;
    struct cook_sql_query *put = NULL;
    bool found = false;
    enum cook_status status = cook_store_query(&old, save->store, COOK_QUERY_DEP, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_id(old, id);
    status = cook_sql_step(&found, old, error);
    if (status != COOK_OK || !found)
        return status;
    const char *text = cook_sql_text(old);
    struct cook_hash value = cook_sql_hash(old);
    if (!cook_hash_equal(value, row->value) ||
        strcmp(text, cook_state_text(state, row->text)) != 0) {
        status = cook_store_query(&put, save->store, COOK_QUERY_PUT_OLD_VALUE, error);
        if (status == COOK_OK) {
            cook_sql_bind_id(put, id);
            cook_sql_bind_i64(put, save->value_cook);
            cook_sql_bind_text(put, text);
            cook_sql_bind_hash(put, value);
            status = cook_sql_run(put, error);
        }
    }
    cook_sql_reset(old);
    return status;
}

static enum cook_status save_dep(struct save *save, uint32_t id, struct cook_error *error)
{
    const struct cook_state_dep *row = &save->store->state.deps[id];
    if (id < save->store->saved_deps) {
        enum cook_status status = save_old_value(save, id, error);
        if (status != COOK_OK)
            return status;
    }
    cook_sql_bind_id(save->query, id);
    cook_sql_bind_i64(save->query, row->kind);
    bind_pool_text(save, row->args);
    cook_sql_bind_id(save->query, row->target);
    bind_pool_text(save, row->text);
    cook_sql_bind_hash(save->query, row->value);
    cook_sql_bind_i64(save->query, save->value_cook);
    return cook_sql_run(save->query, error);
}

static enum cook_status bind_members(struct save *save, uint32_t id, uint32_t first,
                                     uint32_t count, struct cook_error *error)
{
    const struct cook_state *state = &save->store->state;
    uint32_t next = 0;
    cook_buf_clear(&save->members);
    for (uint32_t i = 0; i < count; i++) {
        cook_buf_put_varint(&save->members, state->ids[first + i] - next);
        next = state->ids[first + i] + 1;
    }
    if (save->members.failed)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory committing the store");
    cook_sql_bind_id(save->query, id);
    cook_sql_bind_blob(save->query, save->members.data, save->members.size);
    return COOK_OK;
}

static enum cook_status save_set(struct save *save, uint32_t id, struct cook_error *error)
{
    const struct cook_state_set *row = &save->store->state.sets[id];
    enum cook_status status = bind_members(save, id, row->first, row->count, error);
    bind_pool_blob(save->query, &save->store->state, row->origins);
    return status == COOK_OK ? cook_sql_run(save->query, error) : status;
}

static enum cook_status save_bundle(struct save *save, uint32_t id, struct cook_error *error)
{
    const struct cook_state_bundle *row = &save->store->state.bundles[id];
    enum cook_status status = bind_members(save, id, row->first, row->count, error);
    return status == COOK_OK ? cook_sql_run(save->query, error) : status;
}

struct table {
    enum cook_state_table table;
    enum cook_store_query query;
    enum cook_status (*save_row)(struct save *save, uint32_t id, struct cook_error *error);
};

static const struct table tables[] = {
    { COOK_TABLE_folders, COOK_QUERY_PUT_FOLDER, save_folder },
    { COOK_TABLE_files, COOK_QUERY_PUT_FILE, save_file },
    { COOK_TABLE_packages, COOK_QUERY_PUT_PACKAGE, save_package },
    { COOK_TABLE_deps, COOK_QUERY_PUT_DEP, save_dep },
    { COOK_TABLE_sets, COOK_QUERY_PUT_SET, save_set },
    { COOK_TABLE_bundles, COOK_QUERY_PUT_BUNDLE, save_bundle },
};

static enum cook_status save_table(struct save *save, bool *changed, const struct table *table,
                                   struct cook_error *error)
{
    const uint8_t *marks = save->store->state.dirty[table->table];
    uint32_t count;
    size_t row_size;
    (void)cook_state_rows(&save->store->state, table->table, &count, &row_size);
    enum cook_status status = COOK_OK;
    for (uint32_t id = 0; marks && id < count && status == COOK_OK; id++) {
        const uint8_t *mark = memchr(marks + id, 1, count - id);
        if (!mark)
            break;
        id = (uint32_t)(mark - marks);
        *changed = true;
        /* Another query may have run since, as a dependency's does. */
        status = cook_store_query(&save->query, save->store, table->query, error);
        if (status == COOK_OK)
            status = table->save_row(save, id, error);
    }
    return status;
}

enum cook_status cook_store_save_state(bool *changed, struct cook_store *store,
                                       struct cook_error *error)
{
    struct save save = { .store = store, .members = COOK_BUF_INIT };
    *changed = false;
    enum cook_status status = cook_store_value_cook(&save.value_cook, store, error);
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && status == COOK_OK; i++)
        status = save_table(&save, changed, &tables[i], error);
    cook_buf_finish(&save.members);
    return status;
}

static enum cook_status save_op(struct cook_store *store, const struct cook_pending_op *op,
                                struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_PUT_OP, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, op->result.sequence);
    cook_sql_bind_i64(query, op->cook);
    cook_sql_bind_id(query, op->package);
    cook_sql_bind_i64(query, op->op);
    cook_sql_bind_i64(query, op->row.flags);
    cook_sql_bind_hash(query, op->row.key);
    cook_sql_bind_hash(query, op->result.bytes);
    cook_sql_bind_hash(query, op->result.tokens);
    cook_sql_bind_i64(query, (int64_t)op->result.size_bytes);
    cook_sql_bind_id(query, op->row.bundle);
    bind_pool_blob(query, &store->state, op->row.edges);
    bind_pool_blob(query, &store->state, op->result.messages);
    cook_sql_bind_i64(query, op->result.cook);
    cook_sql_bind_i64(query, op->result.duration_us);
    bind_pool_blob(query, &store->state, op->result.details);
    return cook_sql_run(query, error);
}

enum cook_status cook_store_save_ops(struct cook_store *store, struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < store->op_count && status == COOK_OK; i++)
        status = save_op(store, &store->ops[i], error);
    return status;
}
