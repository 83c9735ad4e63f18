/* Opening, and what has been since which version. */
#include "cook/store/history_private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cook/base/fs.h"

#define FOLDER         "Saved/History"
#define APPLICATION_ID 0x434B5048 /* "CKPH" */
#define SCHEMA_VERSION 3

/* Of version 1. `seen` is one row an id ever, so that the first time survives whatever is
 * dropped of findings. */
static const char schema[] =
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, verb TEXT NOT NULL, target TEXT NOT NULL,"
    " cook INTEGER NOT NULL, started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL,"
    " exit_status INTEGER NOT NULL, summary TEXT NOT NULL);"
    "CREATE TABLE findings(run INTEGER NOT NULL, id TEXT NOT NULL, rule TEXT NOT NULL,"
    " package TEXT NOT NULL, property TEXT NOT NULL, verdict TEXT NOT NULL, json TEXT NOT NULL,"
    " PRIMARY KEY(run, id)) WITHOUT ROWID;"
    "CREATE TABLE seen(id TEXT PRIMARY KEY, first_ns INTEGER NOT NULL, run INTEGER NOT NULL)"
    " WITHOUT ROWID;";

/* Documents lie apart, so that a list of runs does not read over them; compressed, unless their
 * size is that of their bytes. */
static const char *const upgrades[SCHEMA_VERSION - 1] = {
    "ALTER TABLE runs ADD COLUMN content TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE runs ADD COLUMN code TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE runs ADD COLUMN document_bytes INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX runs_by_verb ON runs(verb, target);"
    "CREATE INDEX runs_by_document ON runs(id, document_bytes) WHERE document_bytes > 0;"
    "CREATE TABLE documents(run INTEGER PRIMARY KEY, size INTEGER NOT NULL,"
    " bytes BLOB NOT NULL);"
    "ALTER TABLE findings ADD COLUMN state TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE findings ADD COLUMN classes TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE findings ADD COLUMN grp TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE findings ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE findings ADD COLUMN cause TEXT NOT NULL DEFAULT '';"
    "CREATE INDEX findings_by_id ON findings(id, run);"
    "UPDATE findings SET state = CASE WHEN run = (SELECT s.run FROM seen s WHERE s.id ="
    " findings.id) THEN 'new' ELSE 'known' END;",
    "CREATE TABLE inputs(target TEXT NOT NULL, package TEXT NOT NULL, kind TEXT NOT NULL,"
    " key TEXT NOT NULL, run INTEGER NOT NULL, first_ns INTEGER NOT NULL,"
    " last_run INTEGER NOT NULL, last_ns INTEGER NOT NULL, value BLOB, text TEXT NOT NULL,"
    " function TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL,"
    " PRIMARY KEY(target, package, kind, key, run)) WITHOUT ROWID;",
};

static const char *const queries[COOK_HISTORY_QUERY_COUNT] = {
#define COOK_HISTORY_TEXT(name, text) [COOK_HISTORY_Q_##name] = (text),
    COOK_HISTORY_QUERIES(COOK_HISTORY_TEXT)
#undef COOK_HISTORY_TEXT
};

static enum cook_status open_folder(int *fd, int project_fd, bool write,
                                    struct cook_error *error)
{
    enum cook_status status = write ? cook_fs_make_folders(project_fd, FOLDER, error) : COOK_OK;
    if (status != COOK_OK)
        return status;
    *fd = openat(project_fd, FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0 && errno == ENOENT)
        return cook_error_set(error, COOK_E_NOT_FOUND, "nothing was recorded in " FOLDER);
    return *fd >= 0 ? COOK_OK : cook_error_set_errno(error, "cannot open the folder " FOLDER);
}

static enum cook_status open_history(struct cook_history **out, int project_fd, bool write,
                                     struct cook_error *error)
{
    int fd = -1;
    *out = NULL;
    struct cook_history *history = cook_calloc(1, sizeof(*history));
    if (!history)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory opening the history");
    enum cook_status status = open_folder(&fd, project_fd, write, error);
    if (status == COOK_OK) {
        const struct cook_sql_options options = {
            .folder_fd = fd,
            .file = "history.db",
            .write = write,
            .application_id = APPLICATION_ID,
            .version = SCHEMA_VERSION,
            .schema = schema,
            .upgrades = upgrades,
            .queries = queries,
            .query_count = COOK_HISTORY_QUERY_COUNT,
            .damage_advice = "move " FOLDER " away; a new history begins with the next run",
        };
        status = cook_sql_open(&history->sql, &options, error);
        close(fd);
    }
    if (status != COOK_OK) {
        cook_history_close(history);
        return status;
    }
    *out = history;
    return COOK_OK;
}

enum cook_status cook_history_open(struct cook_history **out, int project_fd,
                                   struct cook_error *error)
{
    return open_history(out, project_fd, true, error);
}

enum cook_status cook_history_open_read(struct cook_history **out, int project_fd,
                                        struct cook_error *error)
{
    return open_history(out, project_fd, false, error);
}

void cook_history_close(struct cook_history *history)
{
    if (!history)
        return;
    cook_sql_close(history->sql);
    cook_free(history);
}

enum cook_status cook_history_end(struct cook_history *history, enum cook_status status,
                                  struct cook_error *error)
{
    if (status == COOK_OK)
        return cook_sql_commit(history->sql, error);
    cook_sql_rollback(history->sql);
    return status;
}
