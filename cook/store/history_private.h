/* What the parts of the history share. Only files history*.c in cook/store/ include this. */
#ifndef COOK_STORE_HISTORY_PRIVATE_H
#define COOK_STORE_HISTORY_PRIVATE_H

#include "cook/store/history.h"
#include "cook/store/sql.h"

#define COOK_HISTORY_RUN_COLUMNS                                                               \
    "id, verb, target, cook, started_ns, ended_ns, exit_status, summary, content, code, "      \
    "document_bytes"
#define COOK_HISTORY_FINDING_COLUMNS                                                           \
    "f.run, f.id, f.rule, f.package, f.property, f.verdict, f.state, f.classes, f.grp, "       \
    "f.owner, f.cause, f.json"

#define COOK_HISTORY_INPUT_COLUMNS                                                             \
    "run, first_ns, last_run, last_ns, value, text, function, file, line"

/* X(name, text): the queries, prepared when first used. Columns come in the order of their row.
 * In filters NULL means any, and a limit of -1 none. */
#define COOK_HISTORY_QUERIES(X)                                                                \
    X(ADD_RUN, "INSERT INTO runs(verb, target, cook, started_ns, ended_ns, exit_status, "      \
               "summary, content, code, document_bytes) VALUES(?,?,?,?,?,?,?,?,?,?)")          \
    X(ADD_DOCUMENT, "INSERT INTO documents(run, size, bytes) VALUES(?,?,?)")                   \
    X(OLDEST_KEPT, "SELECT id FROM runs WHERE verb = ? AND target = ? ORDER BY id DESC "       \
                   "LIMIT 1 OFFSET ?")                                                         \
    X(DROP_DOCUMENTS, "DELETE FROM documents WHERE run IN (SELECT id FROM runs "               \
                      "WHERE verb = ? AND target = ? AND id <= ?)")                            \
    X(DROP_FINDINGS, "DELETE FROM findings WHERE run IN (SELECT id FROM runs "                 \
                     "WHERE verb = ? AND target = ? AND id <= ?)")                             \
    X(DROP_RUNS, "DELETE FROM runs WHERE verb = ? AND target = ? AND id <= ?")                 \
    X(DOCUMENT_SIZES, "SELECT id, document_bytes FROM runs WHERE document_bytes > 0 "          \
                      "ORDER BY id DESC")                                                      \
    X(DROP_DOCUMENT, "DELETE FROM documents WHERE run = ?")                                    \
    X(DROP_DETAILS, "UPDATE findings SET json = '' WHERE run = ?")                             \
    X(ADD_BYTES, "UPDATE runs SET document_bytes = document_bytes + ? WHERE id = ?")           \
    X(FORGET_DOCUMENT, "UPDATE runs SET document_bytes = 0 WHERE id = ?")                      \
    X(RUN, "SELECT " COOK_HISTORY_RUN_COLUMNS " FROM runs WHERE id = ?")                       \
    X(RUNS, "SELECT " COOK_HISTORY_RUN_COLUMNS " FROM runs WHERE (?1 IS NULL OR verb = ?1) "   \
            "AND (?2 IS NULL OR target = ?2) AND (?3 = 0 OR id < ?3) ORDER BY id DESC LIMIT ?4") \
    X(DOCUMENT, "SELECT size, bytes FROM documents WHERE run = ?")                             \
    X(RUN_ENDED, "SELECT ended_ns FROM runs WHERE id = ?")                                     \
    X(ADD_FINDING, "REPLACE INTO findings(run, id, rule, package, property, verdict, state, "  \
                   "classes, grp, owner, cause, json) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")        \
    X(ADD_SEEN, "INSERT OR IGNORE INTO seen(id, first_ns, run) VALUES(?,?,?)")                 \
    X(FIRST_SEEN, "SELECT first_ns, run FROM seen WHERE id = ?")                               \
    X(FINDINGS, "SELECT " COOK_HISTORY_FINDING_COLUMNS " FROM findings f WHERE f.run = ? "     \
                "ORDER BY f.package, f.id")                                                    \
    X(FINDING, "SELECT " COOK_HISTORY_FINDING_COLUMNS " FROM findings f WHERE f.id = ? "       \
               "ORDER BY f.run DESC LIMIT ?")                                                  \
    X(LATEST, "SELECT " COOK_HISTORY_FINDING_COLUMNS " FROM findings f JOIN (SELECT id, "      \
              "max(run) AS run FROM findings WHERE run IN (SELECT id FROM runs "               \
              "WHERE verb = ? AND target = ?) GROUP BY id) l ON l.id = f.id AND l.run = f.run "             \
              "ORDER BY f.package, f.id")                                                      \
    X(RUN_STARTED, "SELECT started_ns FROM runs WHERE id = ?")                                 \
    X(ADD_INPUT, "REPLACE INTO inputs(target, package, kind, key, run, first_ns, last_run, "   \
                 "last_ns, value, text, function, file, line) "                                \
                 "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)")                                          \
    X(NEWEST_INPUT, "SELECT run, value FROM inputs WHERE target = ? AND package = ? "          \
                    "AND kind = ? AND key = ? ORDER BY run DESC LIMIT 1")                      \
    X(SEEN_INPUT, "UPDATE inputs SET last_run = ?, last_ns = ? WHERE target = ? "              \
                  "AND package = ? AND kind = ? AND key = ? AND run = ?")                      \
    X(DROP_INPUTS, "DELETE FROM inputs WHERE target = ?1 AND package = ?2 AND kind = ?3 "      \
                   "AND key = ?4 AND run <= (SELECT run FROM inputs WHERE target = ?1 "        \
                   "AND package = ?2 AND kind = ?3 AND key = ?4 ORDER BY run DESC "            \
                   "LIMIT 1 OFFSET ?5)")                                                       \
    X(INPUT_BEFORE, "SELECT " COOK_HISTORY_INPUT_COLUMNS " FROM inputs WHERE target = ? "      \
                    "AND package = ? AND kind = ? AND key = ? AND first_ns <= ? "              \
                    "ORDER BY first_ns DESC LIMIT 1")                                          \
    X(INPUT_AFTER, "SELECT " COOK_HISTORY_INPUT_COLUMNS " FROM inputs WHERE target = ? "       \
                   "AND package = ? AND kind = ? AND key = ? AND first_ns > ? "                \
                   "ORDER BY first_ns LIMIT 1")                                                \
    X(RESOLVE, "SELECT id FROM seen WHERE id >= ? AND id < ? ORDER BY id LIMIT 2")

enum cook_history_query {
#define COOK_HISTORY_ENUM(name, text) COOK_HISTORY_Q_##name,
    COOK_HISTORY_QUERIES(COOK_HISTORY_ENUM)
#undef COOK_HISTORY_ENUM
        COOK_HISTORY_QUERY_COUNT
};

struct cook_history {
    struct cook_sql *sql;
};

/* End a transaction as its statements went. */
enum cook_status cook_history_end(struct cook_history *history, enum cook_status status,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Ask a query about one run and step to its row, which is the caller's to read and to end. Where there
 * is no such run: `missing`, with a message.
 */
enum cook_status cook_history_ask_run(struct cook_sql_query **query, struct cook_history *history,
                                      size_t number, int64_t run_id, enum cook_status missing,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* The time that such a query gives; COOK_E_INVALID when there is no run of that id. */
enum cook_status cook_history_run_time(struct cook_history *history, size_t number, int64_t *ns,
                                       int64_t run_id, struct cook_error *error) COOK_CHECK_RESULT;

#endif
