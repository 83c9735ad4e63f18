#include "cook/store/sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/store/sql_private.h"

#define BUSY_TIMEOUT_MS 10000

/* ---- errors ---- */

enum cook_status cook_sql_status(struct cook_sql *sql, int code)
{
    int reason = sql->handle ? sqlite3_system_errno(sql->handle) : 0;
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return COOK_E_NO_MEMORY;
    case SQLITE_FULL:
        return COOK_E_NO_SPACE;
    case SQLITE_IOERR:
        return reason == ENOSPC || reason == EDQUOT ? COOK_E_NO_SPACE : COOK_E_IO;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR: /* our statements are right, so the schema is not ours */
        return COOK_E_DAMAGED;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return COOK_E_LOCKED;
    case SQLITE_CANTOPEN:
        return reason == ENOENT ? COOK_E_NOT_FOUND : COOK_E_IO;
    default:
        return COOK_E_IO;
    }
}

enum cook_status cook_sql_damaged(const struct cook_sql *sql, const char *reason,
                                  struct cook_error *error)
{
    return cook_error_set(error, COOK_E_DAMAGED, "%s is damaged (%s); %s", sql->file, reason,
                          sql->advice);
}

enum cook_status cook_sql_fail(struct cook_sql *sql, int code, struct cook_error *error)
{
    enum cook_status status = cook_sql_status(sql, code);
    int system_reason = sql->handle ? sqlite3_system_errno(sql->handle) : 0;
    const char *reason = sql->handle ? sqlite3_errmsg(sql->handle) : sqlite3_errstr(code);
    if (status == COOK_E_IO && (code & 0xff) == SQLITE_IOERR && system_reason)
        reason = strerror(system_reason); /* "disk I/O error" is all that SQLite says */
    if (status == COOK_E_DAMAGED)
        return cook_sql_damaged(sql, reason, error);
    if (status == COOK_E_NO_SPACE)
        reason = strerror(ENOSPC);
    return cook_error_set(error, status, "cannot access %s: %s", sql->file, reason);
}

/* ---- opening ---- */

enum cook_status cook_sql_exec(struct cook_sql *sql, const char *text, struct cook_error *error)
{
    int code = sqlite3_exec(sql->handle, text, NULL, NULL, NULL);
    return code == SQLITE_OK ? COOK_OK : cook_sql_fail(sql, code, error);
}

static enum cook_status pragma_value(int64_t *value, struct cook_sql *sql, const char *text,
                                     struct cook_error *error)
{
    sqlite3_stmt *statement = NULL;
    *value = 0;
    int code = sqlite3_prepare_v2(sql->handle, text, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *value = sqlite3_column_int64(statement, 0);
    enum cook_status status = COOK_OK;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = cook_sql_fail(sql, code, error);
    sqlite3_finalize(statement);
    return status;
}

/* The file is opened through its folder's handle, as everything else is. */
static int open_path(struct cook_sql *sql, const struct cook_sql_options *options,
                     const char *parameters)
{
    char path[128];
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    flags |= options->write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    snprintf(path, sizeof(path), "file:/proc/self/fd/%d/%s%s", options->folder_fd,
             options->file, parameters);
    int code = sqlite3_open_v2(path, &sql->handle, flags, NULL);
    if (code == SQLITE_OK) /* whoever makes the database holds it for a moment */
        sqlite3_busy_timeout(sql->handle, BUSY_TIMEOUT_MS);
    if (code == SQLITE_OK && !options->write)
        code = sqlite3_exec(sql->handle, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
    return code;
}

static bool has_log(const struct cook_sql_options *options)
{
    char name[64];
    struct stat facts;
    snprintf(name, sizeof(name), "%s-wal", options->file);
    return fstatat(options->folder_fd, name, &facts, 0) == 0 && facts.st_size > 0;
}

/* On a read-only disk no lock file can lie beside the database; without a log it needs none. */
static int open_handle(struct cook_sql *sql, const struct cook_sql_options *options)
{
    int code = open_path(sql, options, "");
    bool no_locks = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
    if (options->write || !no_locks || has_log(options) ||
        faccessat(options->folder_fd, options->file, R_OK, 0) != 0)
        return code;
    sqlite3_close(sql->handle);
    sql->handle = NULL;
    return open_path(sql, options, "?immutable=1");
}

/* The file's bytes may be anyone's: no function or trigger in it may act on its own. */
static enum cook_status configure(struct cook_sql *sql, bool write, struct cook_error *error)
{
    sqlite3_extended_result_codes(sql->handle, 1);
    sqlite3_db_config(sql->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(sql->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(sql->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(sql->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    /* Closing would wait for the disk; commits fold the log in when it is worth it. */
    sqlite3_db_config(sql->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sql->durable = false;
    return cook_sql_exec(sql,
                         write ? "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                                 "PRAGMA wal_autocheckpoint=512; PRAGMA cache_size=-32768;"
                                 "PRAGMA journal_size_limit=16777216"
                               : "PRAGMA query_only=1",
                         error);
}

/* From version `from`, 0 for a new database, to the newest. */
static enum cook_status make_schema(struct cook_sql *sql,
                                    const struct cook_sql_options *options, int64_t from,
                                    struct cook_error *error)
{
    char marks[96];
    enum cook_status status = COOK_OK;
    snprintf(marks, sizeof(marks), "PRAGMA application_id=%d; PRAGMA user_version=%d",
             (int)options->application_id, (int)options->version);
    if (from == 0)
        status = cook_sql_exec(sql, options->schema, error);
    for (int64_t i = from ? from : 1; status == COOK_OK && i < options->version; i++)
        if (options->upgrades)
            status = cook_sql_exec(sql, options->upgrades[i - 1], error);
    return status == COOK_OK ? cook_sql_exec(sql, marks, error) : status;
}

/* A version that is not ours: `*from` out when it can be made ours. */
static enum cook_status check_version(struct cook_sql *sql, int64_t *from,
                                      const struct cook_sql_options *options,
                                      struct cook_error *error)
{
    int64_t application_id;
    int64_t tables;
    enum cook_status status = pragma_value(from, sql, "PRAGMA user_version", error);
    if (status == COOK_OK)
        status = pragma_value(&application_id, sql, "PRAGMA application_id", error);
    if (status != COOK_OK)
        return status;
    bool ours = application_id == options->application_id;
    if (ours && *from == options->version)
        return COOK_OK;
    if (ours && *from > options->version)
        return cook_error_set(
            error, COOK_E_UNSUPPORTED,
            "%s has format %lld, newer than this version of cook can read (%d)", sql->file,
            (long long)*from, (int)options->version);
    if (ours && *from > 0 && !options->upgrades)
        return cook_error_set(
            error, COOK_E_UNSUPPORTED,
            "%s has format %lld, older than this version of cook writes (%d); remove its "
            "folder, then run: cook full",
            sql->file, (long long)*from, (int)options->version);
    if (ours && *from > 0 && !options->write)
        return cook_error_set(
            error, COOK_E_UNSUPPORTED,
            "%s has format %lld; the next cook or validation brings it up to format %d", sql->file,
            (long long)*from, (int)options->version);
    if (ours && *from > 0)
        return COOK_OK;
    status = pragma_value(&tables, sql, "SELECT count(*) FROM sqlite_schema", error);
    if (status == COOK_OK && (tables || *from || application_id))
        return cook_sql_damaged(sql, "it is no database of this program", error);
    if (status == COOK_OK && !options->write)
        return cook_error_set(error, COOK_E_NOT_FOUND, "%s is empty", sql->file);
    return status;
}

/* A killed creation leaves an empty database, which counts as none. What is found is looked at
 * again once nobody else can write: two processes may begin at the same time. */
static enum cook_status check_schema(struct cook_sql *sql,
                                     const struct cook_sql_options *options,
                                     struct cook_error *error)
{
    int64_t from;
    enum cook_status status = cook_sql_begin_read(sql, error); /* all marks of one moment */
    if (status == COOK_OK)
        status = check_version(sql, &from, options, error);
    cook_sql_rollback(sql);
    if (status != COOK_OK || from == options->version)
        return status;
    status = cook_sql_begin(sql, true, error);
    if (status != COOK_OK)
        return status;
    status = check_version(sql, &from, options, error);
    if (status == COOK_OK && from != options->version)
        status = make_schema(sql, options, from, error);
    if (status == COOK_OK)
        return cook_sql_commit(sql, error);
    cook_sql_rollback(sql);
    return status;
}

enum cook_status cook_sql_open(struct cook_sql **out, const struct cook_sql_options *options,
                               struct cook_error *error)
{
    *out = NULL;
    size_t size =
        sizeof(struct cook_sql) + options->query_count * sizeof(struct cook_sql_query);
    struct cook_sql *sql = cook_calloc(1, size);
    if (!sql)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory opening %s",
                              options->file);
    sql->file = options->file;
    sql->advice = options->damage_advice;
    sql->texts = options->queries;
    sql->query_count = options->query_count;

    enum cook_status status = COOK_OK;
    int code = open_handle(sql, options);
    if (code != SQLITE_OK)
        status = cook_sql_fail(sql, code, error);
    if (status == COOK_OK)
        status = configure(sql, options->write, error);
    if (status == COOK_OK)
        status = check_schema(sql, options, error);
    if (status != COOK_OK) {
        cook_sql_close(sql);
        return status;
    }
    *out = sql;
    return COOK_OK;
}

void cook_sql_close(struct cook_sql *sql)
{
    if (!sql)
        return;
    for (size_t i = 0; i < sql->query_count; i++)
        sqlite3_finalize(sql->queries[i].statement);
    sqlite3_close(sql->handle);
    cook_free(sql);
}

/* ---- transactions ---- */

enum cook_status cook_sql_begin(struct cook_sql *sql, bool durable, struct cook_error *error)
{
    if (sql->durable != durable) {
        enum cook_status status = cook_sql_exec(
            sql, durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL", error);
        if (status != COOK_OK)
            return status;
        sql->durable = durable;
    }
    return cook_sql_exec(sql, "BEGIN IMMEDIATE", error);
}

enum cook_status cook_sql_begin_read(struct cook_sql *sql, struct cook_error *error)
{
    return cook_sql_exec(sql, "BEGIN", error);
}

enum cook_status cook_sql_commit(struct cook_sql *sql, struct cook_error *error)
{
    enum cook_status status = cook_sql_exec(sql, "COMMIT", error);
    if (status != COOK_OK)
        cook_sql_rollback(sql);
    return status;
}

void cook_sql_rollback(struct cook_sql *sql)
{
    if (!sqlite3_get_autocommit(sql->handle))
        (void)sqlite3_exec(sql->handle, "ROLLBACK", NULL, NULL, NULL);
}

int64_t cook_sql_last_row(struct cook_sql *sql)
{
    return sqlite3_last_insert_rowid(sql->handle);
}

void cook_sql_checkpoint(struct cook_sql *sql)
{
    /* Each open reads the log through, so it is cut to nothing, unless a reader is in the way.
     */
    sqlite3_busy_timeout(sql->handle, 0);
    (void)sqlite3_wal_checkpoint_v2(sql->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(sql->handle, BUSY_TIMEOUT_MS);
}
