/*
 * Traced inputs in the history: undeclared inputs of packages with the values that they had. A row
 * stands for one value of one input of one package and the runs that saw it; a run that sees the
 * same value again only moves the row's end.
 */
#ifndef COOK_STORE_HISTORY_INPUTS_H
#define COOK_STORE_HISTORY_INPUTS_H

#include "cook/base/alloc.h"
#include "cook/base/hash.h"
#include "cook/store/history.h"

struct cook_history_input {
    const char *package; /* "" for plugin load */
    const char *kind;    /* as cook_input_kind_text() */
    const char *key;
    struct cook_hash value; /* zero: absent */
    const char *text;       /* the value for people */
    const char *function;   /* that read it; "" when unknown */
    const char *file;
    uint32_t line;
    /* out only */
    int64_t run;      /* the first that saw this value */
    int64_t first_ns; /* its start, since the epoch */
    int64_t last_run;
    int64_t last_ns;
};

/* Record what a run saw, in one transaction. `target` as of the run. */
enum cook_status cook_history_add_inputs(struct cook_history *history, int64_t run_id,
                                         const char *target,
                                         const struct cook_history_input *inputs, size_t count,
                                         struct cook_error *error) COOK_CHECK_RESULT;
/*
 * The value that an input had at `at_ns`: the row that was first seen last at or before it, else the
 * earliest one after it. `*found` is false when none was ever recorded. Texts in `arena`.
 */
enum cook_status cook_history_last_input(struct cook_history *history, const char *target,
                                         const char *package, const char *kind, const char *key,
                                         int64_t at_ns, struct cook_history_input *out,
                                         bool *found, struct cook_arena *arena,
                                         struct cook_error *error) COOK_CHECK_RESULT;

#endif
