/*
 * cook gate: may this be shipped? Measures what the history and the store say against a policy of rules,
 * each with a severity and a limit, and waivers with an owner, a reason and an expiry.
 *
 * A rule whose input is missing or too old fails: nothing passes by absence. The policy is an INI file:
 *
 *     [Rules]
 *     FalseSkips = error 0
 *     FullCookAge = error 7d
 *     FalseRecookShare = warning 25%
 *
 *     [Waiver 89d9e401b6e7002b]        ; a finding's id, or any name where patterns say what is meant
 *     Reason = fixed by the loot rework, which lands next week
 *     Owner = @economy
 *     Expires = 2026-12-31
 *
 * Policies are written by people of the project and trusted no more than other files: a mistake is
 * COOK_E_CONFIG with "file:line: reason".
 */
#ifndef REPORT_GATE_GATE_H
#define REPORT_GATE_GATE_H

#include <cjson/cJSON.h>

#include "cook/cli/cli.h"

/* X(key, unit, limit by default, severity by default, what it says) */
#define GATE_RULES(X)                                                                              \
    X(FalseSkips, COUNT, "0", "error", "packages that would ship stale")                            \
    X(NewIndeterminism, COUNT, "0", "error", "new packages that differ between cooks")              \
    X(KnownFindings, COUNT, "20", "warning", "findings known before the last validation")           \
    X(MaskedFindings, COUNT, "0", "warning", "findings whose bytes were healed, but not their cause") \
    X(FalseRecookShare, PERCENT, "25%", "warning", "recooked packages that came out the same")       \
    X(FailedPackages, COUNT, "0", "error", "packages that failed to cook")                          \
    X(ReplayedErrors, COUNT, "0", "error", "skipped packages that replay errors")                   \
    X(FullCookAge, AGE, "7d", "error", "age of the last full cook")                                 \
    X(ReleaseIsFullCook, FLAG, "yes", "off", "the newest cook is a full one")                       \
    X(ValidationAge, AGE, "24h", "error", "age of the last validation, which must be of the newest cook") \
    X(ValidationCoverage, PERCENT, "100%", "error", "lowest share of a class's skippable packages validated") \
    X(UnlistedOptOuts, COUNT, "0", "warning", "opted-out classes that [OptOuts] does not list")

enum gate_rule_id {
#define GATE_ENUM(key, unit, limit, severity, says) GATE_##key,
    GATE_RULES(GATE_ENUM)
#undef GATE_ENUM
    GATE_RULE_COUNT
};
enum gate_unit { GATE_UNIT_COUNT, GATE_UNIT_PERCENT, GATE_UNIT_AGE, GATE_UNIT_FLAG };
enum gate_severity { GATE_OFF = 0, GATE_WARNING, GATE_ERROR };

struct gate_rule {
    const char *key;
    enum gate_unit unit;
    const char *limit;
    const char *severity;
    const char *says;
};
extern const struct gate_rule gate_rules[GATE_RULE_COUNT];

/* ---- the policy (policy.c) ---- */

struct gate_waiver {
    const char *name; /* of the section */
    uint32_t line;
    const char *finding, *package, *class_name, *verdict; /* patterns; NULL for none. All must match */
    const char *reason, *owner, *expires;                  /* expires: "YYYY-MM-DD", its last day */
    bool expired;
    size_t used; /* findings that it waived, or would have */
};
struct gate_policy {
    struct cook_arena arena;
    struct cook_config *config;
    enum gate_severity severities[GATE_RULE_COUNT];
    double limits[GATE_RULE_COUNT]; /* count, percent, seconds, 0 or 1 */
    const char *limit_texts[GATE_RULE_COUNT];
    struct gate_waiver *waivers;
    size_t waiver_count;
};

/* Load and check; `now` (seconds since the epoch) decides what has expired. COOK_E_CONFIG,
 * COOK_E_NOT_FOUND, COOK_E_NO_MEMORY. Must be finished also after failure. */
enum cook_status gate_policy_load(struct gate_policy *policy, const char *path, int64_t now,
                                  struct cook_error *error) COOK_CHECK_RESULT;
void gate_policy_finish(struct gate_policy *policy);
/* A commented policy of the default rules. */
void gate_policy_write(struct cook_buf *out);
/* The text of a policy with a waiver added at its end. COOK_E_EXISTS when there is one of that name,
 * COOK_E_INVALID for a value that cannot stand in the file. */
enum cook_status gate_policy_waive(struct cook_buf *text, const struct gate_waiver *waiver,
                                   const struct gate_policy *policy,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* Seconds since the epoch of "YYYY-MM-DD" or "YYYY-MM-DDTHH:MM:SSZ"; -1 when it is neither. */
int64_t gate_read_time(const char *text);

/* ---- measuring (facts.c, rules.c) ---- */

/* What is measured, as far as there is any; NULL or -1 where it is missing. */
struct gate_facts {
    struct cook_arena arena;
    cJSON *validation;          /* document of the newest validation */
    int64_t validation_ns;      /* when it began */
    int64_t validation_run;
    cJSON *cook;                /* document of the newest cook in the history */
    cJSON *outcomes;            /* what explains the newest incremental cook */
    uint32_t newest_cook;       /* of the store; 0: none finished */
    const char *newest_kind;
    int64_t newest_ns;
    int64_t full_ns;            /* when the newest full cook began; 0: none is kept */
    int64_t replayed_errors;    /* -1: no store */
};
enum cook_status gate_facts_load(struct gate_facts *facts, const struct cook_project *project,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* Take the validation from a document that was written elsewhere (merged shards, say). COOK_E_USAGE where it is
 * none, or does not say when it began. */
enum cook_status gate_facts_replace(struct gate_facts *facts, const char *path,
                                    struct cook_error *error) COOK_CHECK_RESULT;
void gate_facts_finish(struct gate_facts *facts);

enum gate_outcome { GATE_PASSED, GATE_FAILED, GATE_WAIVED, GATE_MISSING, GATE_SKIPPED };
struct gate_result {
    enum gate_rule_id rule;
    enum gate_severity severity;
    enum gate_outcome outcome;
    const char *measured; /* "7", "3 d 2 h", or why it is missing */
    const char *limit;
    const char *more;     /* the command that shows more */
    size_t waived;        /* findings left out of the count by waivers */
};
/* All rules, in order; texts in the arena of the policy. */
void gate_measure(struct gate_result results[GATE_RULE_COUNT], struct gate_policy *policy,
                  const struct gate_facts *facts, int64_t now);

/* ---- which cook made a build (build.c) ---- */

struct gate_build {
    uint32_t cook; /* 0: none that is kept */
    const char *kind;
    size_t files;
    int64_t validation_run; /* that covered it; 0: none */
    const char *difference; /* where no cook made it: the first file that differs from the newest */
};
/* Compare the files of a staged folder (loose, or zips) with what each kept cook would stage. Untrusted.
 * COOK_E_NOT_FOUND, COOK_E_MALFORMED, COOK_E_IO, COOK_E_NO_MEMORY. */
enum cook_status gate_build_find(struct gate_build *build, const struct cook_project *project,
                                 const char *folder, struct cook_arena *arena,
                                 struct cook_error *error) COOK_CHECK_RESULT;

int gate_verb(int argc, const char **argv);

#endif
