/* The system calls that read the world: one table for the filter and for the supervisor. */
#ifndef COOK_TRACE_CALLS_H
#define COOK_TRACE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "cook/trace/kernel.h"

/* What a system call reads. */
enum cook_trace_class {
    COOK_TRACE_CLASS_UNKNOWN = 0,
    COOK_TRACE_OPEN,
    COOK_TRACE_STAT,
    COOK_TRACE_LINK,
    COOK_TRACE_EXEC,
    COOK_TRACE_FORK,
    COOK_TRACE_CLOCK,
    COOK_TRACE_RANDOM,
    COOK_TRACE_HOST,
    COOK_TRACE_MOVE,    /* of the working folder */
    COOK_TRACE_CONNECT,
};
struct cook_trace_call_info {
    int number;
    enum cook_trace_class class;
    int8_t folder; /* argument that holds the folder's descriptor; -1: none */
    int8_t path;   /* argument that holds the path; -1: none */
    int8_t flags;  /* argument with flags; -1: none */
    const char *key; /* of what has no path: "wall clock" */
};
/* Facts of a traced system call, or NULL. */
const struct cook_trace_call_info *cook_trace_call_find(int number);

const struct cook_trace_call_info *cook_trace_call_list(size_t *count);

#endif
