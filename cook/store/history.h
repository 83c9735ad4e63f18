/*
 * The project's history: Saved/History/history.db, a database of its own, written by read-only
 * verbs too. Runs (cooks, validations) with counts and times, and findings by their stable id.
 */
#ifndef COOK_STORE_HISTORY_H
#define COOK_STORE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"

struct cook_history;

/* Open or create. COOK_E_IO, COOK_E_DAMAGED, COOK_E_NO_SPACE, COOK_E_NO_MEMORY. */
enum cook_status cook_history_open(struct cook_history **out, int project_fd,
                                   struct cook_error *error) COOK_CHECK_RESULT;
void cook_history_close(struct cook_history *history); /* NULL allowed */

struct cook_history_run {
    const char *verb;   /* "full", "incremental", "incremental-validate" */
    const char *target;
    uint32_t cook_id;   /* of the target's store; 0 where none */
    int64_t started_ns;
    int64_t ended_ns;
    int exit_status;
    const char *summary_json;
};
/* Record a finished run; `*run_id` out. */
enum cook_status cook_history_add_run(struct cook_history *history, int64_t *run_id,
                                      const struct cook_history_run *run,
                                      struct cook_error *error) COOK_CHECK_RESULT;

struct cook_history_finding {
    const char *id;      /* 16 hex digits: hash of rule, package and normalised property path */
    const char *rule;
    const char *package;
    const char *property; /* normalised */
    const char *verdict;
    const char *json;     /* the finding as reported */
};
/* Record the findings of a run in one transaction. */
enum cook_status cook_history_add_findings(struct cook_history *history, int64_t run_id,
                                           const struct cook_history_finding *findings,
                                           size_t count,
                                           struct cook_error *error) COOK_CHECK_RESULT;
/* When a finding id was first recorded (ns since the epoch), and the run; 0 and 0 when never. */
enum cook_status cook_history_first_seen(struct cook_history *history, const char *finding_id,
                                         int64_t *first_seen_ns, int64_t *run_id,
                                         struct cook_error *error) COOK_CHECK_RESULT;

#endif
