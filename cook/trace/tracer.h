/*
 * The tracer: a traced worker's own side. It parts the process into supervisor and worker, notes what
 * the wrappers and the supervisor see under the package at hand, and hands it out between packages.
 *
 * Its state belongs to the process, as the kernel's filter does: interposed functions and signal
 * handlers take no argument of ours. In a worker that is not traced every function here does nothing.
 */
#ifndef COOK_TRACE_TRACER_H
#define COOK_TRACE_TRACER_H

#include "cook/base/buf.h"
#include "cook/trace/inputs.h"

/*
 * Trace this process from now on, which has one thread. The caller comes back in a new process, the
 * worker; the old one becomes its supervisor and ends as the worker ends. What the kernel or
 * the machine refuses makes the trace partial, which flushes tell.
 */
void cook_tracer_start(void);
bool cook_tracer_is_on(void);
bool cook_tracer_is_wanted(void); /* it is on, or was to be and could not */

/* What a thread is at. */
struct cook_tracer_place {
    unsigned thread, process;
};
/* The calling thread works for `package` ("" for none), loading or saving it, until it leaves. */
struct cook_tracer_place cook_tracer_enter(const char *package, bool loading);
void cook_tracer_leave(struct cook_tracer_place place);
/* Around the SDK's own work that reads through libraries: nothing of it is noted. They nest. */
void cook_tracer_pause(void);
void cook_tracer_resume(void);

struct cook_tracer_flush {
    int project_fd;
    const char *cooked;      /* the package just cooked, told of even if it read nothing; or NULL */
    const char *const *uses; /* packages whose load sets it inherits */
    size_t use_count;
    /* Whether a recorded dependency of the package (in its load or its save) covers an input; `hidden`
     * is set when a scope kept such a record away. */
    bool (*declared)(void *user, const char *package, bool loading, enum cook_input_kind kind,
                     const char *key, bool *hidden);
    void *user;
};
/*
 * Append the payload of COOK_FRAME_TRACED: all that was noted since the last flush, with values as
 * they are now. False when there is nothing to tell; that a cooked package read nothing is told with
 * the next that did, or when nothing is `cooked`. No class code may run meanwhile.
 * Ends the process, as killed, when the supervisor is dead: what it answered then is
 * worthless.
 *
 *     u32 format, partial reason, varint dropped; the new stacks as a set, varint id of their first;
 *     varint count of sections, each: package, u8 cooked, u8 loading, varint count of
 *     inputs (u8 kind, key, hash, text, u8 flags, program, varint stack + 1), varint count of uses, texts
 */
bool cook_tracer_flush(struct cook_buf *out, const struct cook_tracer_flush *flush);

#define COOK_TRACED_FORMAT 1u
enum cook_traced_flags {
    COOK_TRACED_ABSENT = 1u << 0,
    COOK_TRACED_DECLARED = 1u << 1,
    COOK_TRACED_HIDDEN = 1u << 2,
};

#endif
