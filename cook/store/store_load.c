/* Reading a whole state from the database: where there is no index that matches it. */
#include <string.h>

#include "cook/store/state_private.h"
#include "cook/store/store_private.h"

/* What a table's loader works on. */
struct load {
    struct cook_state *state;
    struct cook_sql_query *query;
    bool damaged; /* a row holds what no writer writes */
};

static uint32_t load_text(struct load *load)
{
    return cook_state_add_text(load->state, cook_sql_text(load->query));
}

static uint32_t load_blob(struct load *load)
{
    size_t size;
    const void *bytes = cook_sql_blob(load->query, &size);
    return cook_state_add_blob(load->state, bytes, size);
}

static void load_folder(struct load *load, uint32_t id)
{
    struct cook_state_folder row;
    row.path = load_text(load);
    row.flags = cook_sql_u32(load->query);
    row.mtime_ns = cook_sql_i64(load->query);
    row.ctime_ns = cook_sql_i64(load->query);
    row.inode = (uint64_t)cook_sql_i64(load->query);
    load->state->folders[id] = row;
}

static void load_file(struct load *load, uint32_t id)
{
    struct cook_state_file row;
    row.folder = cook_sql_id(load->query);
    row.name = load_text(load);
    row.size_bytes = (uint64_t)cook_sql_i64(load->query);
    row.mtime_ns = cook_sql_i64(load->query);
    row.ctime_ns = cook_sql_i64(load->query);
    row.inode = (uint64_t)cook_sql_i64(load->query);
    row.content = cook_sql_hash(load->query);
    row.flags = cook_sql_u32(load->query);
    row.package = cook_sql_id(load->query);
    load->state->files[id] = row;
}

static void load_package(struct load *load, uint32_t id)
{
    struct cook_state_package row;
    struct cook_state_result result = { 0 };
    row.name = load_text(load);
    row.file = cook_sql_id(load->query);
    row.side_file = cook_sql_id(load->query);
    row.bundle = cook_sql_id(load->query);
    row.edges = load_blob(load);
    row.flags = cook_sql_u32(load->query);
    row.key = cook_sql_hash(load->query);
    result.facts = load_blob(load);
    result.reader = load_text(load);
    result.facts_source = cook_sql_hash(load->query);
    result.bytes = cook_sql_hash(load->query);
    result.tokens = cook_sql_hash(load->query);
    result.size_bytes = (uint64_t)cook_sql_i64(load->query);
    result.messages = load_blob(load);
    result.cook = cook_sql_u32(load->query);
    result.sequence = cook_sql_u32(load->query);
    result.duration_us = cook_sql_u32(load->query);
    result.details = load_blob(load);
    load->state->packages[id] = row;
    if (cook_state_push(load->state, COOK_TABLE_results, false) == id)
        load->state->results[id] = result;
}

static void load_dep(struct load *load, uint32_t id)
{
    struct cook_state_dep row;
    row.kind = cook_sql_u32(load->query);
    row.args = load_text(load);
    row.target = cook_sql_id(load->query);
    row.text = load_text(load);
    row.value = cook_sql_hash(load->query);
    load->state->deps[id] = row;
}

/* Members as ascending ids in varint differences, the first from -1; `*first` and `*count` out.
 */
static void load_members(struct load *load, uint32_t *first, uint32_t *count)
{
    size_t size;
    const void *bytes = cook_sql_blob(load->query, &size);
    struct cook_reader_buf in = cook_read_init(bytes, size);
    uint64_t next = 0;
    *first = load->state->ids_count;
    *count = 0;
    while (in.offset < in.size && !load->damaged) {
        next += cook_read_varint(&in);
        load->damaged = in.failed || next > COOK_STATE_MAX_ROWS;
        uint32_t at = cook_state_push(load->state, COOK_TABLE_ids, false);
        if (at == COOK_ID_NONE)
            return;
        load->state->ids[at] = (uint32_t)next++;
        (*count)++;
    }
}

static void load_set(struct load *load, uint32_t id)
{
    struct cook_state_set row;
    load_members(load, &row.first, &row.count);
    row.origins = load_blob(load);
    load->state->sets[id] = row;
}

static void load_bundle(struct load *load, uint32_t id)
{
    struct cook_state_bundle row;
    load_members(load, &row.first, &row.count);
    load->state->bundles[id] = row;
}

struct table {
    enum cook_state_table table;
    enum cook_store_query query;
    void (*load_row)(struct load *load, uint32_t id);
};

static const struct table tables[] = {
    { COOK_TABLE_folders, COOK_QUERY_FOLDERS, load_folder },
    { COOK_TABLE_files, COOK_QUERY_FILES, load_file },
    { COOK_TABLE_packages, COOK_QUERY_PACKAGES, load_package },
    { COOK_TABLE_deps, COOK_QUERY_DEPS, load_dep },
    { COOK_TABLE_sets, COOK_QUERY_SETS, load_set },
    { COOK_TABLE_bundles, COOK_QUERY_BUNDLES, load_bundle },
};

static enum cook_status damaged(const struct cook_store *store, const char *what,
                                struct cook_error *error)
{
    return cook_error_set(error, COOK_E_DAMAGED, "cook.db is damaged (%s); %s", what,
                          store->advice);
}

/* Ids are dense: rows are never removed. */
static enum cook_status load_table(struct cook_state *state, struct cook_store *store,
                                   const struct table *table, struct cook_error *error)
{
    struct load load = { state, NULL, false };
    bool row = false;
    enum cook_status status = cook_store_query(&load.query, store, table->query, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, load.query, error);
    while (status == COOK_OK && row) {
        uint32_t id = cook_state_push(state, table->table, false);
        if (id != COOK_ID_NONE && cook_sql_i64(load.query) != id)
            status = damaged(store, "rows are missing", error);
        else if (id != COOK_ID_NONE)
            table->load_row(&load, id);
        if (status == COOK_OK && load.damaged)
            status = damaged(store, "the members of a set are malformed", error);
        if (status == COOK_OK && state->failed != COOK_OK)
            status = cook_error_set(error, state->failed, "cannot load the store: %s",
                                    cook_status_text(state->failed));
        if (status == COOK_OK)
            status = cook_sql_step(&row, load.query, error);
    }
    cook_sql_reset(load.query);
    return status;
}

enum cook_status cook_store_load_state(struct cook_state *state, struct cook_store *store,
                                       struct cook_error *error)
{
    struct cook_error detail = COOK_ERROR_INIT;
    enum cook_status status = COOK_OK;
    cook_state_init(state);
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && status == COOK_OK; i++)
        status = load_table(state, store, &tables[i], error);
    if (status == COOK_OK && cook_state_check(state, &detail) != COOK_OK)
        status = damaged(store, detail.message, error);
    if (status == COOK_OK)
        status = cook_state_sort(state, error);
    if (status != COOK_OK)
        cook_state_finish(state);
    return status;
}
