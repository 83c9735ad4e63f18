/*
 * What a traced process reads that cannot matter, or that matters as something else than a file: one
 * table, each line with its reason. Paths are absolute, or relative to the project.
 */
#ifndef COOK_TRACE_NOISE_H
#define COOK_TRACE_NOISE_H

#include "cook/trace/inputs.h"

struct cook_trace_rule {
    const char *pattern;       /* as cook_glob_match() */
    enum cook_input_kind kind; /* COOK_INPUT_UNKNOWN: it cannot matter */
    const char *key;           /* in place of the path; NULL: the path stays */
    const char *reason;
};

/* The rule that a path falls under, or NULL. */
const struct cook_trace_rule *cook_trace_rule_of(const char *path);
/* Whether a path cannot matter. Async-signal-safe, as cook_trace_rule_of() is. */
bool cook_trace_is_noise(const char *path);

#endif
