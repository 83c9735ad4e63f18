/* Starting another verb: a tool that needs another tool's work does not link it. */
#ifndef DIFFCOOK_CHILD_H
#define DIFFCOOK_CHILD_H

#include <stdio.h>

#include "cook/base/error.h"

struct diff_child {
    const char *verb;       /* "full" */
    const char *store_name; /* NULL: that of the target */
    const char *const *own; /* options of the calling verb that the child does not know, with
                               "=" where a value follows ("--limit="); NULL-terminated */
    const char *const
        *argv; /* of the calling verb, program name first; all else is passed on */
    FILE *out; /* of the caller: flushed before */
    int out_fd; /* where the child prints its results */
};

/*
 * Run a cooking verb and wait for it; `*exit_status` out. COOK_E_CRASHED when a signal ended
 * it; COOK_E_NOT_FOUND, COOK_E_IO when it cannot be started.
 */
enum cook_status diff_child_run(int *exit_status, const struct diff_child *child,
                                struct cook_error *error) COOK_CHECK_RESULT;

#endif
