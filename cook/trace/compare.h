/*
 * Undeclared inputs of a recook against the kept cook: which of them changed since.
 */
#ifndef COOK_TRACE_COMPARE_H
#define COOK_TRACE_COMPARE_H

#include "cook/store/history.h"
#include "cook/trace/inputs.h"

enum cook_input_change {
    COOK_INPUT_CHANGE_UNKNOWN = 0, /* no value was recorded, and none can be had: clock, random */
    COOK_INPUT_CHANGED,            /* another value was recorded: in the history, or as a fact */
    COOK_INPUT_PROBABLY_CHANGED,   /* no value was recorded; written after the kept cook */
    COOK_INPUT_UNCHANGED,          /* the recorded value, or not written since the kept cook */
};
const char *cook_input_change_text(enum cook_input_change change); /* "probably changed" */

struct cook_trace_compared {
    const struct cook_traced_input *input; /* borrowed from the collection */
    const char *package; /* the one it stands under: the package asked for, one it used, or "" */
    enum cook_input_change change;
    const char *old_text; /* value at the kept cook, for people; "" when unknown */
    const char *new_text;
};

struct cook_run_facts;
struct cook_trace_compare_options {
    const char *target;
    int64_t kept_ns;       /* when the kept result was cooked (its end), ns since the epoch */
    int project_fd;        /* for times of files */
    const struct cook_run_facts *kept_facts; /* of the kept cook (plan/facts.h); or NULL */
    bool declared_too;     /* also what is declared; else undeclared inputs alone */
};

/*
 * The inputs of `package`: its own, those of packages it used while they were loaded, and those of
 * plugin load; changed ones first, then probably changed, unknown and unchanged, in order of kind
 * and key. `history` may be NULL: then only facts and times speak. Texts in `arena`.
 * COOK_E_IO, COOK_E_DAMAGED, COOK_E_NO_MEMORY.
 */
enum cook_status cook_trace_compare(struct cook_trace_compared **out, size_t *count,
                                    struct cook_traced *traced, const char *package,
                                    struct cook_history *history,
                                    const struct cook_trace_compare_options *options,
                                    struct cook_arena *arena,
                                    struct cook_error *error) COOK_CHECK_RESULT;

#endif
