/*
 * Incremental validation: recook every package that an incremental cook would skip, compare its
 * whole result with the kept one, and explain what differs.
 *
 * First pass: all skippable packages, compared by hashes; nothing more is spent where they are
 * equal. Second pass: the packages that differ, recooked once more with a callstack per write, and
 * compared by written token; recooked in fresh workers and under perturbations, so that what is
 * unstable is known, and judged; and experimented with until their cause is known (causes.h).
 * Read-only unless `allow_write`, which keeps the new results.
 */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H

#include "cook/config/owners.h"
#include "cook/plan/cook.h"
#include "cook/symbols/symbolize.h"
#include "cook/trace/lint.h"
#include "cook/worker/reads.h"
#include "diffcook/diff.h"
#include "validate/causes.h"

struct validate_selection; /* select.h */

struct validate_options {
    bool allow_write;
    bool lint_inputs; /* undeclared inputs are findings too */
    const char *const *packages; /* --package: only these; NULL: all */
    size_t package_count;
    const struct validate_selection *selection; /* a part of what is skippable (select.h); NULL: all */
    void (*on_progress)(void *user, const struct cook_progress_figures *figures,
                        const char *slowest, double slowest_seconds);
    void *user;
};

/* What of a result differs, beside its bytes. */
enum validate_parts {
    VALIDATE_BYTES = 1u << 0,
    VALIDATE_DEPENDENCIES = 1u << 1,
    VALIDATE_EDGES = 1u << 2,
    VALIDATE_MESSAGES = 1u << 3,
    VALIDATE_FILES = 1u << 4,     /* additional ones */
    VALIDATE_ARTIFACTS = 1u << 5, /* its parts of cook artifacts, registry tags among them */
};

enum validate_verdict {
    VALIDATE_VERDICT_UNKNOWN = 0,
    VALIDATE_FALSE_SKIP,    /* recooks agree with each other, and not with the kept result */
    VALIDATE_INDETERMINATE, /* recooks of the same inputs differ, and only in that */
    VALIDATE_BOTH,          /* each has its own part */
    VALIDATE_VANISHED_REPLAY, /* only the messages: what a skip logs again is not what a recook logs */
    VALIDATE_VERDICT_COUNT
};
const char *validate_verdict_text(enum validate_verdict verdict); /* "false_skip" */

/*
 * Where a finding stands. Gone is said only on evidence: a recook recorded the input that caused it, or
 * the change that caused it was replayed (--finding). That its bytes are right proves nothing.
 */
enum validate_state {
    VALIDATE_STATE_UNKNOWN = 0,
    VALIDATE_NEW,    /* first seen now, or again after it was gone */
    VALIDATE_KNOWN,  /* seen before, and not healed since */
    VALIDATE_MASKED, /* its bytes are right, but nothing shows that its cause is closed */
    VALIDATE_GONE,
    VALIDATE_STATE_COUNT
};
const char *validate_state_text(enum validate_state state); /* "new" */
enum validate_state validate_state_of(const char *text);

/* A finding of an earlier run that this run did not find again. */
struct validate_earlier {
    const char *id, *package, *verdict;
    const char *json; /* as recorded last; "" when that was dropped for its age */
    int64_t last_run; /* of the history, that spoke of it */
    enum validate_state state;
    const char *reason; /* for people */
};

/* The rows of a kept result, as they were before anything replaced it. */
struct validate_kept {
    struct cook_state_package package;
    struct cook_state_result result;
};
struct validate_kept validate_kept_of(const struct cook_state *state, uint32_t package);

struct validate_finding {
    uint32_t package;
    struct validate_kept kept;
    enum validate_verdict verdict;
    uint32_t parts;               /* enum validate_parts */
    char id[17];                  /* 16 hex digits: stable from night to night */
    enum validate_state state;    /* new or known */
    const char *reason;           /* of the state, for people; "" when it needs none */
    int64_t first_seen_ns;
    const char **classes;         /* of the package's objects, sorted, each once */
    size_t class_count;
    bool explained;               /* the second pass was made */
    struct cook_hash first_bytes; /* of the first recook, among other packages */
    struct cook_intern unstable;  /* properties (normalised) that differ between recooks */
    bool recooks_differ;
    struct diff_result diff;      /* kept against second recook */
    struct cook_stack_set stacks; /* of the second recook */
    const char *notes;            /* determinism_helper's text */
    const char *detail;           /* of other parts: "read config [Game] X, not recorded", lines */
    /* borrowed by diff */
    uint8_t *old_bytes;
    uint8_t *new_bytes;
    size_t new_size;
    struct cook_token_map old_tokens;
    uint32_t *old_stacks; /* by token, of the store, where the kept cook recorded them; owned */
    size_t old_stack_count;
    struct cook_token_map new_tokens;
    uint32_t *new_stacks; /* by token, of `stacks` */
    size_t new_stack_count;
    const uint8_t *unrecorded; /* encoded record of what scopes hid from the second recook */
    size_t unrecorded_size;
    struct cook_read_set reads; /* what the second recook read, with callstacks */
    /* of validate_shake(): perturbations (determinism.h) under which recooks differ */
    uint32_t noise;        /* of what no result may depend on */
    uint32_t machine;      /* of what a package may declare, in a property that differs */
    bool restless;         /* they differ without any */
    bool reordered;        /* the same writes in another order */
    uint32_t lane, position; /* where the first pass recooked it: validate_lane */
    struct validate_cause *causes; /* best evidence first; owned */
    size_t cause_count, cause_capacity;
    struct cook_intern pictures; /* files of --pictures */
    const char *fix; /* of the first cause that has one; NULL: none is known */
};

/* What one worker recooked in the first pass, in order. */
struct validate_lane {
    uint32_t *packages;
    size_t count, capacity;
};

struct validate {
    struct cook_run *run;
    struct validate_options options;
    struct cook_arena arena;
    struct cook_intake intake;
    struct cook_dispatch *dispatch;
    struct cook_search search;
    struct cook_roots roots;
    struct cook_owners owners; /* of findings */
    uint32_t cook_id; /* with allow_write */
    uint8_t *modified; /* by package: not skippable */
    uint8_t *validated; /* by package: recooked, and the same */
    uint32_t *candidates; /* skippable packages that are chosen from, where there is a selection */
    size_t candidate_count, candidate_capacity, all_candidates;
    char shard_mark[COOK_HASH_TEXT_SIZE];
    const char *next; /* where a validation that ran out of time goes on; NULL: it came around */
    struct validate_lane *lanes;
    uint32_t *lane_of; /* by worker: its lane; a worker that is replaced gets another */
    size_t lane_count, lane_capacity;
    struct validate_finding **findings; /* sorted by package name at the end */
    size_t finding_count, finding_capacity;
    struct cook_outcome_message *messages; /* of packages that failed */
    size_t message_count, message_capacity;
    size_t verdicts[VALIDATE_VERDICT_COUNT]; /* findings by verdict */
    struct validate_earlier *earlier; /* findings of earlier runs, by package and id (states.c) */
    size_t earlier_count;
    size_t states[VALIDATE_STATE_COUNT]; /* findings and earlier ones by state */
    size_t package_count, skippable_count, modified_count, validated_count, failed_count, left;
    size_t unexplained_count; /* differing packages beyond the limit of the second pass */
    double seconds;
    struct cook_lint lint; /* made by verb.c when workers were traced */
};

/*
 * Validate. Findings are data; an error is one of the environment. `validate` must be finished also
 * after an error. The run is open, refreshed and evaluated.
 */
enum cook_status validate_run(struct validate *validate, struct cook_run *run,
                              const struct validate_options *options,
                              struct cook_error *error) COOK_CHECK_RESULT;
void validate_finish(struct validate *validate);
/* Whether every package that the roots reach was recooked. */
bool validate_is_whole(const struct validate *validate);

/* Compare the parts of a result other than its bytes with the kept ones (parts.c): the bits that
 * differ; `*detail` gets lines for people. */
uint32_t validate_compare_parts(struct validate *validate, const struct validate_kept *kept,
                                const struct cook_result *result, uint32_t bundle,
                                const char **detail);

/* Recall what earlier runs found: give each finding its id and its state, and list the findings that
 * this run did not find again (states.c). */
struct cook_history;
enum cook_status validate_recall(struct validate *validate, struct cook_history *history,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* The property that names a finding: of its first difference that stands on its own. */
const char *validate_property(const struct validate_finding *finding);

/* Judge an explained finding: what differs between recooks is subtracted from what differs from the
 * kept result (judge.c). */
void validate_judge(struct validate_finding *finding);
/* Whether a difference from the kept result is one that recooks disagree about. */
bool validate_is_unstable(const struct validate_finding *finding,
                          const struct diff_difference *difference);

/* Where to put a kept result: its bytes (owned), its writes, and the callstacks by write that its
 * cook recorded (owned; ids of the store; NULL: none). */
struct validate_kept_bytes {
    uint8_t **bytes;
    size_t *size;
    struct cook_token_map *tokens; /* initialised */
    uint32_t **stacks;
    size_t *stack_count;
};
enum cook_status validate_read_kept(struct validate_kept_bytes *out, struct cook_store *store,
                                    const struct cook_state_result *result,
                                    struct cook_error *error) COOK_CHECK_RESULT;

/* The second pass (explain.c): fills in diffs and stacks of the findings, and recooks them in fresh
 * workers. */
enum cook_status validate_explain(struct validate *validate,
                                  struct cook_error *error) COOK_CHECK_RESULT;

#endif
