/*
 * Between the preloaded wrappers (main/trace_preload.c, which links nothing of ours) and the tracer:
 * the wrappers define `cook_trace_hooks`, all NULL, and the tracer of a traced worker fills it in.
 */
#ifndef COOK_TRACE_HOOKS_H
#define COOK_TRACE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#define COOK_TRACE_PRELOAD      "cook-trace.so" /* beside cook-worker */
#define COOK_TRACE_HOOKS_SYMBOL "cook_trace_hooks"
#define COOK_TRACE_ENVIRONMENT  (-1) /* in place of a system call's number: a variable is read */

struct cook_trace_hooks {
    /*
     * A wrapper is about to do what system call `number` does with `path` (or the variable of that
     * name): it is noted with the caller's stack, unless the SDK itself calls. False: nothing is
     * traced here, do as the library does. True: call leave() when done; what happens until then is
     * not noted again.
     */
    bool (*enter)(long number, int folder_fd, const char *path, int flags, const void *caller);
    void (*leave)(void);
    /* A system call that passes unseen; a negative errno on failure. */
    long (*call)(long number, long a, long b, long c, long d, long e, long f);
    /* A thread of class code begins or ends. */
    void (*thread)(bool begins);
};

#endif
