#include "cook/store/history.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/store/sql.h"

#define FOLDER         "Saved/History"
#define APPLICATION_ID 0x434B5048 /* "CKPH" */
#define SCHEMA_VERSION 1

/* `seen` is one row an id ever, so that the first time survives whatever is dropped of
 * findings. */
static const char schema[] =
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, verb TEXT NOT NULL, target TEXT NOT NULL,"
    " cook INTEGER NOT NULL, started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL,"
    " exit_status INTEGER NOT NULL, summary TEXT NOT NULL);"
    "CREATE TABLE findings(run INTEGER NOT NULL, id TEXT NOT NULL, rule TEXT NOT NULL,"
    " package TEXT NOT NULL, property TEXT NOT NULL, verdict TEXT NOT NULL, json TEXT NOT NULL,"
    " PRIMARY KEY(run, id)) WITHOUT ROWID;"
    "CREATE TABLE seen(id TEXT PRIMARY KEY, first_ns INTEGER NOT NULL, run INTEGER NOT NULL)"
    " WITHOUT ROWID;";

enum query { ADD_RUN, RUN_ENDED, ADD_FINDING, ADD_SEEN, FIRST_SEEN, QUERY_COUNT };

static const char *const queries[QUERY_COUNT] = {
    [ADD_RUN] =
        "INSERT INTO runs(verb, target, cook, started_ns, ended_ns, exit_status, summary)"
        " VALUES(?,?,?,?,?,?,?)",
    [RUN_ENDED] = "SELECT ended_ns FROM runs WHERE id = ?",
    [ADD_FINDING] = "REPLACE INTO findings(run, id, rule, package, property, verdict, json)"
                    " VALUES(?,?,?,?,?,?,?)",
    [ADD_SEEN] = "INSERT OR IGNORE INTO seen(id, first_ns, run) VALUES(?,?,?)",
    [FIRST_SEEN] = "SELECT first_ns, run FROM seen WHERE id = ?",
};

struct cook_history {
    struct cook_sql *sql;
};

static enum cook_status open_folder(int *fd, int project_fd, struct cook_error *error)
{
    enum cook_status status = cook_fs_make_folders(project_fd, FOLDER, error);
    if (status != COOK_OK)
        return status;
    *fd = openat(project_fd, FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *fd >= 0 ? COOK_OK : cook_error_set_errno(error, "cannot open the folder " FOLDER);
}

enum cook_status cook_history_open(struct cook_history **out, int project_fd,
                                   struct cook_error *error)
{
    int fd = -1;
    *out = NULL;
    struct cook_history *history = cook_calloc(1, sizeof(*history));
    if (!history)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory opening the history");
    enum cook_status status = open_folder(&fd, project_fd, error);
    if (status == COOK_OK) {
        const struct cook_sql_options options = {
            .folder_fd = fd,
            .file = "history.db",
            .write = true,
            .application_id = APPLICATION_ID,
            .version = SCHEMA_VERSION,
            .schema = schema,
            .queries = queries,
            .query_count = QUERY_COUNT,
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

void cook_history_close(struct cook_history *history)
{
    if (!history)
        return;
    cook_sql_close(history->sql);
    cook_free(history);
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

/* End a transaction as its statements went. */
static enum cook_status finish(struct cook_history *history, enum cook_status status,
                               struct cook_error *error)
{
    if (status == COOK_OK)
        return cook_sql_commit(history->sql, error);
    cook_sql_rollback(history->sql);
    return status;
}

enum cook_status cook_history_add_run(struct cook_history *history, int64_t *run_id,
                                      const struct cook_history_run *run,
                                      struct cook_error *error)
{
    struct cook_sql_query *query;
    *run_id = 0;
    enum cook_status status = cook_sql_begin(history->sql, false, error);
    if (status != COOK_OK)
        return status;
    status = cook_sql_query(&query, history->sql, ADD_RUN, error);
    if (status == COOK_OK) {
        cook_sql_bind_text(query, text_or_empty(run->verb));
        cook_sql_bind_text(query, text_or_empty(run->target));
        cook_sql_bind_i64(query, run->cook_id);
        cook_sql_bind_i64(query, run->started_ns);
        cook_sql_bind_i64(query, run->ended_ns);
        cook_sql_bind_i64(query, run->exit_status);
        cook_sql_bind_text(query, text_or_empty(run->summary_json));
        status = cook_sql_run(query, error);
    }
    int64_t id = cook_sql_last_row(history->sql);
    status = finish(history, status, error);
    if (status == COOK_OK)
        *run_id = id;
    return status;
}

static enum cook_status find_run(int64_t *ended_ns, struct cook_history *history,
                                 int64_t run_id, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    enum cook_status status = cook_sql_query(&query, history->sql, RUN_ENDED, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, run_id);
    status = cook_sql_step(&row, query, error);
    if (status != COOK_OK)
        return status;
    if (!row)
        return cook_error_set(error, COOK_E_INVALID, "the history has no run %lld",
                              (long long)run_id);
    *ended_ns = cook_sql_i64(query);
    return cook_sql_run(query, error);
}

static enum cook_status add_finding(struct cook_history *history, int64_t run_id,
                                    int64_t ended_ns,
                                    const struct cook_history_finding *finding,
                                    struct cook_error *error)
{
    struct cook_sql_query *query;
    enum cook_status status = cook_sql_query(&query, history->sql, ADD_FINDING, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_i64(query, run_id);
    cook_sql_bind_text(query, text_or_empty(finding->id));
    cook_sql_bind_text(query, text_or_empty(finding->rule));
    cook_sql_bind_text(query, text_or_empty(finding->package));
    cook_sql_bind_text(query, text_or_empty(finding->property));
    cook_sql_bind_text(query, text_or_empty(finding->verdict));
    cook_sql_bind_text(query, text_or_empty(finding->json));
    status = cook_sql_run(query, error);
    if (status == COOK_OK)
        status = cook_sql_query(&query, history->sql, ADD_SEEN, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, text_or_empty(finding->id));
    cook_sql_bind_i64(query, ended_ns);
    cook_sql_bind_i64(query, run_id);
    return cook_sql_run(query, error);
}

enum cook_status cook_history_add_findings(struct cook_history *history, int64_t run_id,
                                           const struct cook_history_finding *findings,
                                           size_t count, struct cook_error *error)
{
    int64_t ended_ns = 0;
    enum cook_status status = cook_sql_begin(history->sql, true, error);
    if (status != COOK_OK)
        return status;
    status = find_run(&ended_ns, history, run_id, error);
    for (size_t i = 0; i < count && status == COOK_OK; i++)
        status = add_finding(history, run_id, ended_ns, &findings[i], error);
    return finish(history, status, error);
}

enum cook_status cook_history_first_seen(struct cook_history *history, const char *finding_id,
                                         int64_t *first_seen_ns, int64_t *run_id,
                                         struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    *first_seen_ns = 0;
    *run_id = 0;
    enum cook_status status = cook_sql_query(&query, history->sql, FIRST_SEEN, error);
    if (status != COOK_OK)
        return status;
    cook_sql_bind_text(query, finding_id);
    status = cook_sql_step(&row, query, error);
    if (status != COOK_OK || !row)
        return status;
    *first_seen_ns = cook_sql_i64(query);
    *run_id = cook_sql_i64(query);
    return cook_sql_run(query, error);
}
