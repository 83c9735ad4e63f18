/* What sql.c and sql_query.c share: the only files that see SQLite. */
#ifndef COOK_STORE_SQL_PRIVATE_H
#define COOK_STORE_SQL_PRIVATE_H

#include <sqlite3.h>

#include "cook/store/sql.h"

struct cook_sql_query {
    struct cook_sql *sql;
    sqlite3_stmt *statement;
    int next;       /* value to bind, or column to read */
    int bind_error; /* SQLite's code */
    bool bad_column;
};

struct cook_sql {
    sqlite3 *handle;
    const char *file;
    const char *advice;
    const char *const *texts;
    size_t query_count;
    bool durable; /* the synchronous setting in force */
    struct cook_sql_query queries[];
};

/* Translate SQLite's code and its message; returns the status. */
enum cook_status cook_sql_fail(struct cook_sql *sql, int code, struct cook_error *error);
enum cook_status cook_sql_damaged(const struct cook_sql *sql, const char *reason,
                                  struct cook_error *error);
enum cook_status cook_sql_status(struct cook_sql *sql, int code);

#endif
