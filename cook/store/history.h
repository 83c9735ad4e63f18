/*
 * The project's history: Saved/History/history.db, a database of its own, written by read-only
 * verbs too. Each run (a cook, a validation, a comparison) stands in it with its counts, times
 * and revisions, and with its whole document, so that a report can be made later from the
 * history alone; and each finding by its stable id, in every run that spoke of it.
 *
 * The database is bounded: see struct cook_history_limits. When a finding was first seen is
 * kept for good. A file of an older version is brought up to date when it is opened for
 * writing.
 *
 * Traced inputs with their values are in history_inputs.h. Not thread-safe.
 */
#ifndef COOK_STORE_HISTORY_H
#define COOK_STORE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

struct cook_history;

/* Open or create. COOK_E_IO, COOK_E_DAMAGED, COOK_E_NO_SPACE, COOK_E_NO_MEMORY. */
enum cook_status cook_history_open(struct cook_history **out, int project_fd,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* Open for reading alone. COOK_E_NOT_FOUND when nothing was recorded; COOK_E_UNSUPPORTED for a
 * file of an older version. */
enum cook_status cook_history_open_read(struct cook_history **out, int project_fd,
                                        struct cook_error *error) COOK_CHECK_RESULT;
void cook_history_close(struct cook_history *history); /* NULL allowed */

/* ---- runs ---- */

struct cook_history_run {
    int64_t id;       /* out only */
    const char *verb; /* "full", "incremental", "incremental-validate", … */
    const char *target;
    uint32_t cook_id;   /* of the target's store; 0 where none */
    int64_t started_ns; /* since the epoch */
    int64_t ended_ns;
    int exit_status;
    const char *summary_json;     /* the document's "summary": numbers by name; never NULL */
    const char *content_revision; /* as in cook/plan/revision.h; "" where unknown */
    const char *code_revision;
    const char *document_json; /* the whole document; NULL for none, and in lists */
    uint64_t document_bytes;   /* out only, as stored, with what findings say; 0: dropped */
};

/* What the history keeps; 0 anywhere means no limit. */
struct cook_history_limits {
    uint32_t runs; /* of each verb and target; their findings go with them */
    uint64_t
        document_bytes; /* of documents and findings' texts as stored; the oldest go first */
};

/* Record a finished run; `*run_id` out. Drops what the limits (NULL: none) say is too old. */
enum cook_status cook_history_add_run(struct cook_history *history, int64_t *run_id,
                                      const struct cook_history_run *run,
                                      const struct cook_history_limits *limits,
                                      struct cook_error *error) COOK_CHECK_RESULT;

struct cook_history_filter {
    const char *verb;   /* NULL: any */
    const char *target; /* NULL: any */
    int64_t before;     /* only runs with a smaller id; 0: all */
    uint32_t limit;     /* 0: all */
};
#define COOK_HISTORY_FILTER_INIT                                                               \
    {                                                                                          \
        NULL, NULL, 0, 0                                                                       \
    }

/* Runs, newest first, without their documents; in `arena`. Their summaries are the trend. */
enum cook_status cook_history_runs(struct cook_history *history, struct cook_history_run **runs,
                                   size_t *count, const struct cook_history_filter *filter,
                                   struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* One run, with its document. COOK_E_NOT_FOUND; COOK_E_DAMAGED when the document is. */
enum cook_status cook_history_run(struct cook_history *history, struct cook_history_run *run,
                                  int64_t run_id, struct cook_arena *arena,
                                  struct cook_error *error) COOK_CHECK_RESULT;

/* ---- findings ---- */

#define COOK_HISTORY_ID_SIZE 17 /* of a finding: 16 hex digits and the NUL */

struct cook_history_finding {
    int64_t run;    /* out only */
    const char *id; /* 16 hex digits: hash of rule, package and normalised property path */
    const char *rule;
    const char *package;
    const char *property; /* normalised */
    const char *verdict;
    const char *state;   /* "new", "known", "masked", "gone" */
    const char *classes; /* of its objects, one a line */
    const char *group;   /* function of its first differing write; "" when unknown */
    const char *owner;
    const char *cause; /* kind of its first cause; "" when unknown */
    const char *json;  /* the finding as reported; "" when dropped for its age */
};
/* Record the findings of a run in one transaction. NULL texts count as "". */
enum cook_status cook_history_add_findings(struct cook_history *history, int64_t run_id,
                                           const struct cook_history_finding *findings,
                                           size_t count,
                                           struct cook_error *error) COOK_CHECK_RESULT;
/* When a finding id was first recorded (ns since the epoch), and the run; 0 and 0 when never.
 */
enum cook_status cook_history_first_seen(struct cook_history *history, const char *finding_id,
                                         int64_t *first_seen_ns, int64_t *run_id,
                                         struct cook_error *error) COOK_CHECK_RESULT;
/* The findings of a run, by package and id. */
enum cook_status cook_history_findings(struct cook_history *history,
                                       struct cook_history_finding **findings, size_t *count,
                                       int64_t run_id, struct cook_arena *arena,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/* A finding in each run that spoke of it, newest first; `limit` 0: all. */
enum cook_status cook_history_finding(struct cook_history *history,
                                      struct cook_history_finding **findings, size_t *count,
                                      const char *finding_id, uint32_t limit,
                                      struct cook_arena *arena,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* Each finding of a verb and target as the newest run that spoke of it left it, by package and
 * id.
 */
enum cook_status cook_history_latest(struct cook_history *history,
                                     struct cook_history_finding **findings, size_t *count,
                                     const char *verb, const char *target,
                                     struct cook_arena *arena,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/*
 * The id that begins with `text`, as people type it. COOK_E_NOT_FOUND when no finding has such
 * an id, COOK_E_USAGE when several have.
 */
enum cook_status cook_history_resolve(struct cook_history *history,
                                      char id[COOK_HISTORY_ID_SIZE], const char *text,
                                      struct cook_error *error) COOK_CHECK_RESULT;

#endif
