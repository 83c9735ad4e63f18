/*
 * The cook itself: graph search from the roots, skipping or cooking each package reached, and the
 * outcome that the verbs print.
 */
#ifndef COOK_PLAN_COOK_H
#define COOK_PLAN_COOK_H

#include <cook/context.h>

#include "cook/plan/causes.h"
#include "cook/plan/dispatch.h"
#include "cook/plan/explaining.h"
#include "cook/plan/intake.h"
#include "cook/plan/search.h"

enum cook_outcome_kind {
    COOK_OUTCOME_UNKNOWN = 0,
    COOK_OUTCOME_SKIPPED,
    COOK_OUTCOME_NEW,
    COOK_OUTCOME_RECOOKED,
    COOK_OUTCOME_FAILED,
    COOK_OUTCOME_OMITTED, /* nothing of it is saved for this target: not in the manifest */
    COOK_OUTCOME_PLANNED, /* dry run: would be cooked */
};
const char *cook_outcome_text(enum cook_outcome_kind kind);

struct cook_outcome_package {
    uint32_t package;
    enum cook_outcome_kind kind;
    enum cook_reason reason;
    uint32_t worker; /* that cooked it, from 1; 0: none did */
    double start;    /* seconds since the run began */
};
struct cook_outcome_message {
    uint32_t package;
    enum cook_severity severity;
    bool replayed;
    const char *text; /* in the arena of the cook */
    uint32_t number;  /* in order of arrival */
};

struct cook_cook_options {
    bool incremental;
    bool dry_run; /* decide only; an incremental cook */
    /* Called at most every 100 ms while workers are busy; may be NULL. */
    void (*on_progress)(void *user, const struct cook_progress_figures *figures,
                        const char *slowest, double slowest_seconds);
    void *user;
};

struct cook_cook {
    struct cook_run *run;
    struct cook_cook_options options;
    struct cook_arena arena;
    struct cook_intake intake;
    struct cook_dispatch *dispatch;
    uint32_t cook_id;
    struct cook_search search;
    uint32_t *entry_of; /* package -> index in packages, COOK_ID_NONE */
    struct cook_outcome_package *packages; /* sorted by name at the end */
    size_t package_count, package_capacity;
    struct cook_outcome_message *messages; /* sorted by package name at the end, then as logged */
    size_t message_count, message_capacity;
    struct cook_roots roots;
    struct cook_causes causes; /* of an incremental cook */
    struct cook_explaining explaining; /* likewise */
    size_t new_count, recooked_count, skipped_count, failed_count, planned_count, omitted_count;
    size_t failed_artifacts; /* warned of in the run */
    size_t queued;
    size_t uncommitted, commit_packages;
    double last_commit;
    double seconds;
};

/*
 * Cook what the roots reach, commit as it goes, and end the cook in the store. A package that fails
 * is an outcome; an error here is one of the environment. `cook` must be finished also after one.
 */
enum cook_status cook_cook_run(struct cook_cook *cook, struct cook_run *run,
                               const struct cook_cook_options *options,
                               struct cook_error *error) COOK_CHECK_RESULT;
void cook_cook_finish(struct cook_cook *cook);
/* Have the next cook write its manifest anew, although it lists what the last one's listed. */
void cook_forget_manifest(struct cook_state *state);
/* {"packages": …, "seconds": …} of the finished cook, in the arena of the cook. */
char *cook_cook_summary_json(struct cook_cook *cook);

#endif
