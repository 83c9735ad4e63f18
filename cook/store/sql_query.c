/* Queries: binding, stepping, reading. */
#include <stdio.h>
#include <string.h>

#include "cook/store/sql_private.h"

enum cook_status cook_sql_query(struct cook_sql_query **out, struct cook_sql *sql,
                                size_t number, struct cook_error *error)
{
    struct cook_sql_query *query = &sql->queries[number];
    *out = NULL;
    if (!query->statement) {
        int code = sqlite3_prepare_v3(sql->handle, sql->texts[number], -1,
                                      SQLITE_PREPARE_PERSISTENT, &query->statement, NULL);
        if (code != SQLITE_OK)
            return cook_sql_fail(sql, code, error);
    }
    query->sql = sql;
    cook_sql_reset(query);
    *out = query;
    return COOK_OK;
}

void cook_sql_reset(struct cook_sql_query *query)
{
    if (!query)
        return;
    (void)sqlite3_reset(query->statement); /* repeats the error of the last step, if any */
    query->next = 0;
    query->bind_error = SQLITE_OK;
    query->bad_column = false;
}

static void note_bind(struct cook_sql_query *query, int code)
{
    if (query->bind_error == SQLITE_OK)
        query->bind_error = code;
}

void cook_sql_bind_i64(struct cook_sql_query *query, int64_t value)
{
    note_bind(query, sqlite3_bind_int64(query->statement, ++query->next, value));
}

void cook_sql_bind_id(struct cook_sql_query *query, uint32_t id)
{
    if (id == UINT32_MAX)
        note_bind(query, sqlite3_bind_null(query->statement, ++query->next));
    else
        cook_sql_bind_i64(query, id);
}

static void store_big_endian(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> (56 - 8 * i));
}

static uint64_t load_big_endian(const unsigned char *from)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | from[i];
    return value;
}

void cook_sql_bind_hash(struct cook_sql_query *query, struct cook_hash hash)
{
    unsigned char bytes[16];
    if (cook_hash_is_zero(hash)) {
        note_bind(query, sqlite3_bind_null(query->statement, ++query->next));
        return;
    }
    store_big_endian(bytes, hash.high);
    store_big_endian(bytes + 8, hash.low);
    note_bind(query, sqlite3_bind_blob(query->statement, ++query->next, bytes, sizeof(bytes),
                                       SQLITE_TRANSIENT));
}

void cook_sql_bind_text(struct cook_sql_query *query, const char *text)
{
    int at = ++query->next;
    if (!text)
        note_bind(query, sqlite3_bind_null(query->statement, at));
    else
        note_bind(query, sqlite3_bind_text64(query->statement, at, text, strlen(text),
                                             SQLITE_STATIC, SQLITE_UTF8));
}

void cook_sql_bind_blob(struct cook_sql_query *query, const void *bytes, size_t size)
{
    int at = ++query->next;
    if (!size)
        note_bind(query, sqlite3_bind_null(query->statement, at));
    else
        note_bind(query, sqlite3_bind_blob64(query->statement, at, bytes, size, SQLITE_STATIC));
}

enum cook_status cook_sql_step(bool *row, struct cook_sql_query *query,
                               struct cook_error *error)
{
    *row = false;
    enum cook_status status = COOK_OK;
    int code = query->bind_error;
    if (query->bad_column)
        status = cook_sql_damaged(query->sql, "a value is out of range", error);
    else if (code == SQLITE_OK)
        code = sqlite3_step(query->statement);
    if (status == COOK_OK && code == SQLITE_ROW) {
        query->next = 0;
        *row = true;
        return COOK_OK;
    }
    if (status == COOK_OK && code != SQLITE_DONE)
        status = cook_sql_fail(query->sql, code, error);
    cook_sql_reset(query);
    return status;
}

enum cook_status cook_sql_run(struct cook_sql_query *query, struct cook_error *error)
{
    bool row;
    enum cook_status status;
    do {
        status = cook_sql_step(&row, query, error);
    } while (status == COOK_OK && row);
    return status;
}

int64_t cook_sql_i64(struct cook_sql_query *query)
{
    return sqlite3_column_int64(query->statement, query->next++);
}

uint32_t cook_sql_u32(struct cook_sql_query *query)
{
    int64_t value = cook_sql_i64(query);
    if (value >= 0 && value <= UINT32_MAX)
        return (uint32_t)value;
    query->bad_column = true;
    return 0;
}

uint32_t cook_sql_id(struct cook_sql_query *query)
{
    if (sqlite3_column_type(query->statement, query->next) != SQLITE_NULL)
        return cook_sql_u32(query);
    query->next++;
    return UINT32_MAX;
}

struct cook_hash cook_sql_hash(struct cook_sql_query *query)
{
    size_t size;
    const unsigned char *bytes = cook_sql_blob(query, &size);
    if (size == 16)
        return (struct cook_hash){ load_big_endian(bytes), load_big_endian(bytes + 8) };
    query->bad_column |= size != 0;
    return (struct cook_hash){ 0, 0 };
}

const char *cook_sql_text(struct cook_sql_query *query)
{
    const unsigned char *text = sqlite3_column_text(query->statement, query->next++);
    return text ? (const char *)text : "";
}

const void *cook_sql_blob(struct cook_sql_query *query, size_t *size)
{
    int at = query->next++;
    const void *bytes = sqlite3_column_blob(query->statement, at);
    *size = bytes ? (size_t)sqlite3_column_bytes(query->statement, at) : 0;
    return bytes;
}

enum cook_status cook_sql_integrity(bool *fault, char *text, size_t text_size,
                                    struct cook_sql *sql, struct cook_error *error)
{
    sqlite3_stmt *statement = NULL;
    *fault = false;
    int code =
        sqlite3_prepare_v2(sql->handle, "PRAGMA integrity_check(1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    const char *answer = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0)
                                            : sqlite3_errmsg(sql->handle);
    enum cook_status status = COOK_OK;
    if (code != SQLITE_ROW && cook_sql_status(sql, code) != COOK_E_DAMAGED) {
        status = cook_sql_fail(sql, code, error);
    } else if (!answer || code != SQLITE_ROW || strcmp(answer, "ok") != 0) {
        *fault = true;
        snprintf(text, text_size, "%s", answer ? answer : "unknown fault");
    }
    sqlite3_finalize(statement);
    return status;
}
