/*
 * Causes: why a finding differs. Each is found by an experiment (the recook gives the kept
 * result again when one thing is turned back to what it was; two recooks differ when one thing
 * is varied) or by a recorded fact. What no experiment and no fact explains stays unknown, with
 * what was ruled out.
 */
#ifndef VALIDATE_CAUSES_H
#define VALIDATE_CAUSES_H

#include <stdio.h>

#include "cook/symbols/symbolize.h"

struct validate;
struct validate_finding;
struct cJSON;

/* X(NAME, text): the texts stand in documents and in the history. */
#define VALIDATE_CAUSES(X)                                                                     \
    X(UNKNOWN, "unknown")                                                                      \
    X(UNDECLARED_INPUT, "undeclared_input")                                                    \
    X(HIDDEN_READ, "hidden_read")                                                              \
    X(STATIC_CACHE, "static_cache")                                                            \
    X(CODE_CHANGED, "code_changed")                                                            \
    X(TIME, "time")                                                                            \
    X(TIME_ZONE, "time_zone")                                                                  \
    X(LOCALE, "locale")                                                                        \
    X(ENVIRONMENT, "environment")                                                              \
    X(COMMAND_LINE, "command_line")                                                            \
    X(HOST, "host")                                                                            \
    X(PROCESSORS, "processors")                                                                \
    X(UMASK, "umask")                                                                          \
    X(ABSOLUTE_PATH, "absolute_path")                                                          \
    X(PROCESS_ID, "process_id")                                                                \
    X(RANDOM, "random")                                                                        \
    X(DIRECTORY_ORDER, "directory_order")                                                      \
    X(UNINITIALISED_MEMORY, "uninitialised_memory")                                            \
    X(UNORDERED_CONTAINER, "unordered_container")                                              \
    X(MEMORY_ADDRESS, "memory_address")                                                        \
    X(LEFT_STATE, "left_state")                                                                \
    X(THREAD_TIMING, "thread_timing")

enum validate_cause_kind {
#define VALIDATE_CAUSE_ENUM(name, text) VALIDATE_CAUSE_##name,
    VALIDATE_CAUSES(VALIDATE_CAUSE_ENUM)
#undef VALIDATE_CAUSE_ENUM
        VALIDATE_CAUSE_COUNT
};
const char *validate_cause_text(enum validate_cause_kind kind);

/* How sure: an earlier value was recorded or an experiment gave it back; or only signs of it.
 */
enum validate_confidence {
    VALIDATE_CONFIDENCE_UNKNOWN = 0,
    VALIDATE_CHANGED,
    VALIDATE_PROBABLY_CHANGED,
    VALIDATE_VARIES, /* it needs no change: two cooks of the same inputs differ by it */
};
const char *validate_confidence_text(
    enum validate_confidence confidence); /* "probably changed" */

/* An input that shaped the result, as a dependency would name it (cook/deps/dep.h). */
struct validate_input {
    uint32_t kind;
    const char *args;
};

/* All texts in the validation's arena. */
struct validate_cause {
    enum validate_cause_kind kind;
    enum validate_confidence confidence;
    const char *what;      /* one sentence for people */
    const char **evidence; /* a line each */
    size_t evidence_count, evidence_capacity;
    struct cook_symbol_frame *frames; /* of the read or the write, class code first */
    size_t frame_count;
    struct validate_input *inputs; /* declared, any of them would have recooked the package */
    size_t input_count;
    bool of_the_write; /* the frames are of the write that differs, which is printed anyway */
    const char *fix;   /* the call or the edit that would close the hole; NULL: none known */
};

/*
 * Shake the findings (shake.c): recook them under perturbations, so that what is unstable is
 * known before they are judged. A perturbation of something that a package may declare (a
 * variable, the host) makes nothing unstable; it is noted for the causes.
 */
enum cook_status validate_shake(struct validate *validate,
                                struct cook_error *error) COOK_CHECK_RESULT;
/* Give each judged finding its causes (causes.c). */
enum cook_status validate_find_causes(struct validate *validate,
                                      struct cook_error *error) COOK_CHECK_RESULT;
void validate_causes_finish(struct validate_finding *finding);

/* "cause: …" lines under a finding's heading, and its fix. */
void validate_print_causes(FILE *out, const struct validate_finding *finding);
/* The members `causes` and `fix` of a finding's document. */
void validate_causes_to_json(struct cJSON *finding_json,
                             const struct validate_finding *finding);

#endif
