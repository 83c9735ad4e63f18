/*
 * Undeclared inputs that a project puts up with: the file Config/InputExceptions.ini.
 *
 *     [Content/Legacy*]             ; a glob over the key: a path, a variable's name, …
 *     Kind=file                     ; may be left out: any kind
 *     Reason=read by the old importer, which goes in March
 *     Owner=tools-team
 *     Expires=2027-03-31            ; the last day on which it counts
 */
#ifndef COOK_TRACE_EXCEPTIONS_H
#define COOK_TRACE_EXCEPTIONS_H

#include "cook/base/alloc.h"
#include "cook/trace/inputs.h"

#define COOK_TRACE_EXCEPTIONS_FILE "Config/InputExceptions.ini"

struct cook_trace_exception {
    const char *pattern;
    enum cook_input_kind kind; /* COOK_INPUT_UNKNOWN: any */
    const char *reason;
    const char *owner;
    const char *expires;
    bool expired;   /* it counts as absent */
    size_t matches; /* undeclared inputs that it covers, or would cover had it not expired */
};

struct cook_trace_exceptions {
    struct cook_arena arena;
    struct cook_trace_exception *items; /* in order of the file */
    size_t count;
};

/*
 * Load those of a project; none where there is no file. `today` is "YYYY-MM-DD". COOK_E_CONFIG with
 * "Config/InputExceptions.ini:line: reason" for a member that is missing or no such thing;
 * COOK_E_IO, COOK_E_NO_MEMORY. To be finished also after failure.
 */
enum cook_status cook_trace_exceptions_load(struct cook_trace_exceptions *exceptions,
                                            int project_fd, const char *today,
                                            struct cook_error *error) COOK_CHECK_RESULT;
void cook_trace_exceptions_finish(struct cook_trace_exceptions *exceptions);
/* The exception that covers an input, which is counted as a match of it and of every expired one that
 * would; NULL when none does. */
const struct cook_trace_exception *
cook_trace_exceptions_match(struct cook_trace_exceptions *exceptions, enum cook_input_kind kind,
                            const char *key);

#endif
