/*
 * The one adapter over SQLite: a database with a fixed table of queries, prepared at first use
 * and kept. Values are bound, and columns read, in their order in the query, so that a caller
 * reads as the row is laid out. What is wrong with a bound value or a column is remembered and
 * comes out of the next step, so callers check once. Not thread-safe; open a database once per
 * thread.
 */
#ifndef COOK_STORE_SQL_H
#define COOK_STORE_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"
#include "cook/base/hash.h"

struct cook_sql;
struct cook_sql_query;

struct cook_sql_options {
    int folder_fd;              /* of the database file; used while opening */
    const char *file;           /* "cook.db" */
    bool write;                 /* create it when missing; otherwise COOK_E_NOT_FOUND */
    int32_t application_id;     /* marks a file as ours */
    int32_t version;            /* of the schema */
    const char *schema;         /* statements that make a new database, of version 1 where there
                                   are upgrades, else of `version` */
    const char *const *upgrades; /* [0] makes version 2 of version 1, and so on up to `version`;
                                    NULL: an older database is refused */
    const char *const *queries; /* by query number */
    size_t query_count;
    const char
        *damage_advice; /* follows the message of COOK_E_DAMAGED; borrowed until closed */
};

/*
 * Open; create the schema of a new database, and bring an older one up to date in place (one
 * transaction; not where it is opened for reading). COOK_E_UNSUPPORTED for another version,
 * COOK_E_DAMAGED for a file that is no database of ours, COOK_E_NOT_FOUND, COOK_E_NO_SPACE,
 * COOK_E_NO_MEMORY, COOK_E_IO.
 */
enum cook_status cook_sql_open(struct cook_sql **out, const struct cook_sql_options *options,
                               struct cook_error *error) COOK_CHECK_RESULT;
void cook_sql_close(struct cook_sql *sql); /* rolls back what is open; NULL allowed */

/* Run statements that give no rows. */
enum cook_status cook_sql_exec(struct cook_sql *sql, const char *text,
                               struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Begin a transaction that writes. `durable`: its commit waits for the disk, so that a loss of
 * power cannot undo it; otherwise only a later durable one makes it certain. Neither can leave
 * a broken database, and a killed process loses nothing that was committed.
 */
enum cook_status cook_sql_begin(struct cook_sql *sql, bool durable,
                                struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_sql_begin_read(struct cook_sql *sql,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* A commit that fails is rolled back. */
enum cook_status cook_sql_commit(struct cook_sql *sql,
                                 struct cook_error *error) COOK_CHECK_RESULT;
void cook_sql_rollback(struct cook_sql *sql);    /* nothing to do outside a transaction */
int64_t cook_sql_last_row(struct cook_sql *sql); /* id of the row inserted last */
void cook_sql_checkpoint(struct cook_sql *sql);  /* fold the write-ahead log into the file */

/* The prepared query `number`, reset and unbound. Owned by the database. */
enum cook_status cook_sql_query(struct cook_sql_query **out, struct cook_sql *sql,
                                size_t number, struct cook_error *error) COOK_CHECK_RESULT;
/* Bind the next value; texts and blobs are borrowed until the query has run. */
void cook_sql_bind_i64(struct cook_sql_query *query, int64_t value);
void cook_sql_bind_id(struct cook_sql_query *query, uint32_t id); /* NULL for UINT32_MAX */
void cook_sql_bind_hash(struct cook_sql_query *query,
                        struct cook_hash hash); /* NULL for zero */
void cook_sql_bind_text(struct cook_sql_query *query, const char *text); /* NULL for NULL */
void cook_sql_bind_blob(struct cook_sql_query *query, const void *bytes, size_t size);
/* Run to the end, and reset so that the next row can be bound. */
enum cook_status cook_sql_run(struct cook_sql_query *query,
                              struct cook_error *error) COOK_CHECK_RESULT;
/* Step to the next row; `*row` is false at the end, where the query is reset. */
enum cook_status cook_sql_step(bool *row, struct cook_sql_query *query,
                               struct cook_error *error) COOK_CHECK_RESULT;
void cook_sql_reset(struct cook_sql_query *query); /* stop early; NULL allowed */
/* Read the next column of the row. A value out of range makes the next step COOK_E_DAMAGED. */
int64_t cook_sql_i64(struct cook_sql_query *query);
uint32_t cook_sql_u32(struct cook_sql_query *query);
uint32_t cook_sql_id(struct cook_sql_query *query);           /* UINT32_MAX for NULL */
struct cook_hash cook_sql_hash(struct cook_sql_query *query); /* zero for NULL */
const char *cook_sql_text(struct cook_sql_query *query); /* never NULL; until the next step */
const void *cook_sql_blob(struct cook_sql_query *query, size_t *size); /* until the next step */

/* SQLite's own check of the whole file; `*fault` false when sound, else a text in `text`. */
enum cook_status cook_sql_integrity(bool *fault, char *text, size_t text_size,
                                    struct cook_sql *sql,
                                    struct cook_error *error) COOK_CHECK_RESULT;

#endif
