/*
 * Recording a run in the project's history, the same for each verb:
 *
 *     struct cook_recording record = { .cli = …, .project = …, … };
 *     cook_recording_begin(&record, pool, dirty_ms);       which content, which code
 *     cook_recording_stamp(&record, document);             put that into the document
 *     … print, write --json …
 *     cook_recording_end(&record, document, error);
 */
#ifndef COOK_CLI_RECORDING_H
#define COOK_CLI_RECORDING_H

#include "cook/cli/cli.h"
#include "cook/plan/revision.h"
#include "cook/store/history.h"

struct cook_recording {
    const struct cook_cli *cli;
    const struct cook_project *project;
    uint32_t cook_id;   /* 0: none */
    int64_t started_ns; /* since the epoch */
    double seconds;
    struct cook_history *history; /* opened by _end when NULL; else borrowed */
    char content_revision[COOK_REVISION_SIZE];
    char code_revision[COOK_REVISION_SIZE];
    int64_t run_id; /* out of _end */
};

/* How long a run of so many seconds may look for files that differ from their commit. */
int cook_recording_patience_ms(double seconds);
/* Fill in the revisions. `pool` NULL: the code revision is left as it is. */
void cook_recording_begin(struct cook_recording *record, const struct cook_pool *pool,
                          int patience_ms);
/* "started" (UTC), "content_revision", "code_revision"; NULL document: nothing. */
void cook_recording_stamp(const struct cook_recording *record, struct cJSON *document);
/*
 * Add the run with its document, whose "summary" is the run's counts, and each of its
 * "findings" that has an "id". Bounded by config [History] KeepRuns and KeepMegabytes.
 * COOK_E_IO, COOK_E_DAMAGED, COOK_E_NO_SPACE, COOK_E_NO_MEMORY.
 */
enum cook_status cook_recording_end(struct cook_recording *record, const struct cJSON *document,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* The id of a finding: 16 hex digits of its rule, package and normalised property path. */
void cook_recording_finding_id(char id[COOK_HISTORY_ID_SIZE], const char *rule,
                               const char *package, const char *property);
/* "2026-01-31T12:00:00Z" of nanoseconds since the epoch. */
#define COOK_RECORDING_TIME_SIZE 24
void cook_recording_time(char text[COOK_RECORDING_TIME_SIZE], int64_t ns);

#endif
