/*
 * The database of a store: its schema and queries. Row ids are the state's ids. Texts are
 * stored as such, as pool offsets do not outlive an index; a hash is 16 bytes, NULL for zero; a
 * reference to no row is NULL; members of sets and bundles are ascending ids as varint
 * differences.
 *
 * dep_values keeps what a dependency's value was before it changed: the row with the smallest
 * `until` above a cook is the value as of that cook, and without one the row in deps is. A
 * first cook so writes each value once.
 */
#include <string.h>

#include "cook/store/store_private.h"

#define APPLICATION_ID 0x434B5046 /* "CKPF" */
#define SCHEMA_VERSION 6

static const char schema[] =
    "CREATE TABLE meta(id INTEGER PRIMARY KEY, generation INTEGER NOT NULL,"
    " token INTEGER NOT NULL, kept_since INTEGER NOT NULL);"
    "INSERT INTO meta VALUES(0, 0, 0, 0);"
    "CREATE TABLE folders(id INTEGER PRIMARY KEY, path TEXT NOT NULL, flags INTEGER NOT NULL,"
    " mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL);"
    "CREATE TABLE files(id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, name TEXT NOT NULL,"
    " size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,"
    " inode INTEGER NOT NULL, content BLOB, flags INTEGER NOT NULL, package INTEGER);"
    "CREATE TABLE packages(id INTEGER PRIMARY KEY, name TEXT NOT NULL, file INTEGER,"
    " side_file INTEGER, bundle INTEGER, edges BLOB, flags INTEGER NOT NULL, key BLOB,"
    " facts BLOB, reader TEXT NOT NULL, facts_source BLOB, bytes BLOB, tokens BLOB,"
    " size INTEGER NOT NULL, messages BLOB, cook INTEGER NOT NULL, sequence INTEGER NOT NULL,"
    " duration_us INTEGER NOT NULL, details BLOB);"
    "CREATE TABLE deps(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, args TEXT NOT NULL,"
    " target INTEGER, text TEXT NOT NULL, value BLOB, since INTEGER NOT NULL);"
    "CREATE TABLE dep_values(dep INTEGER NOT NULL, until INTEGER NOT NULL, text TEXT NOT NULL,"
    " value BLOB, PRIMARY KEY(dep, until)) WITHOUT ROWID;"
    "CREATE TABLE sets(id INTEGER PRIMARY KEY, members BLOB);"
    "CREATE TABLE bundles(id INTEGER PRIMARY KEY, members BLOB);"
    "CREATE TABLE ops(seq INTEGER PRIMARY KEY, cook INTEGER NOT NULL, package INTEGER NOT NULL,"
    " op INTEGER NOT NULL, flags INTEGER NOT NULL, key BLOB, bytes BLOB, tokens BLOB,"
    " size INTEGER NOT NULL, bundle INTEGER, edges BLOB, messages BLOB,"
    " result_cook INTEGER NOT NULL, duration_us INTEGER NOT NULL, details BLOB);"
    "CREATE TABLE cooks(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, started_ns INTEGER NOT "
    "NULL,"
    " ended_ns INTEGER NOT NULL DEFAULT 0, manifest BLOB, outputs BLOB, facts TEXT NOT NULL,"
    " summary TEXT NOT NULL DEFAULT '');"
    "CREATE TABLE blobs(hash BLOB PRIMARY KEY, segment INTEGER NOT NULL,"
    " offset INTEGER NOT NULL, size INTEGER NOT NULL, stored INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE segments(id INTEGER PRIMARY KEY, size INTEGER NOT NULL);";

/* `unreached`: packages that the last collection (gc.h) found unreached, and since when. The schema above is
 * that of version 2, the first of which stores exist. */
static const char *const upgrades[SCHEMA_VERSION - 1] = {
    "",
    "CREATE TABLE unreached(package INTEGER PRIMARY KEY, since_ns INTEGER NOT NULL);",
    "ALTER TABLE cooks ADD COLUMN explanation BLOB;",
    "CREATE TABLE stack_frames(id INTEGER PRIMARY KEY, module TEXT NOT NULL, build_id TEXT NOT NULL,"
    " offset INTEGER NOT NULL, names BLOB);"
    "CREATE TABLE stacks(id INTEGER PRIMARY KEY, frames BLOB);",
    "ALTER TABLE sets ADD COLUMN origins BLOB;",
};

static const char *const queries[] = {
#define QUERY_TEXT(name, text) text,
    COOK_STORE_QUERIES(QUERY_TEXT)
#undef QUERY_TEXT
};

enum cook_status cook_store_read_meta(struct cook_store *store, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row;
    enum cook_status status = cook_store_query(&query, store, COOK_QUERY_META, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    if (status != COOK_OK)
        return status;
    if (!row)
        return cook_error_set(error, COOK_E_DAMAGED,
                              "cook.db is damaged (a row is missing); %s", store->advice);
    store->stamp.generation = (uint64_t)cook_sql_i64(query);
    store->stamp.token = (uint64_t)cook_sql_i64(query);
    store->kept_since = cook_sql_u32(query);
    return cook_sql_run(query, error);
}

enum cook_status cook_store_open_sql(struct cook_store *store, struct cook_error *error)
{
    const struct cook_sql_options options = {
        .folder_fd = store->folder_fd,
        .file = "cook.db",
        .write = store->write,
        .application_id = APPLICATION_ID,
        .version = SCHEMA_VERSION,
        .schema = schema,
        .upgrades = upgrades,
        .queries = queries,
        .query_count = COOK_QUERY_COUNT,
        .damage_advice = store->advice,
    };
    enum cook_status status = cook_sql_open(&store->sql, &options, error);
    return status == COOK_OK ? cook_store_read_meta(store, error) : status;
}

enum cook_status cook_store_query(struct cook_sql_query **out, struct cook_store *store,
                                  enum cook_store_query number, struct cook_error *error)
{
    return cook_sql_query(out, store->sql, number, error);
}

enum cook_status cook_store_query_u32(uint32_t *value, struct cook_store *store,
                                      enum cook_store_query number, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *value = 0;
    enum cook_status status = cook_store_query(&query, store, number, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    if (status != COOK_OK || !row)
        return status;
    *value = cook_sql_u32(query);
    return cook_sql_run(query, error);
}
