/*
 * A trace of a run in the Chrome trace event format (chrome://tracing, Perfetto): one lane for the
 * director's phases, one for each worker's packages. Times are microseconds since the run began.
 * Format: "Trace Event Format", the JSON object form with complete events ("ph": "X").
 */
#ifndef COOK_PLAN_TRACE_H
#define COOK_PLAN_TRACE_H

#include "cook/base/buf.h"
#include "cook/base/error.h"

struct cook_trace {
    struct cook_buf events; /* JSON objects, separated by commas */
    double started;         /* monotonic seconds */
};

void cook_trace_init(struct cook_trace *trace);
void cook_trace_finish(struct cook_trace *trace);
double cook_trace_now(void); /* monotonic seconds */
/*
 * A span that ends now. `lane` 0 is the director, 1 and up are workers; `name` may be any text.
 * NULL trace: nothing.
 */
void cook_trace_add(struct cook_trace *trace, unsigned lane, const char *category,
                    const char *name, double started);
/* Write the document; `lanes` is the number of workers. */
enum cook_status cook_trace_write(const struct cook_trace *trace, unsigned lanes, const char *path,
                                  struct cook_error *error) COOK_CHECK_RESULT;

#endif
