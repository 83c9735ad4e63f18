/*
 * The supervisor of a traced worker: the process above it, told by the kernel of each system call
 * that reads the world. It writes what it saw to the shared ring and lets the call go on. Where no
 * wrapper left a stack it interrupts the thread, which unwinds itself, and the call begins
 * anew. Children of the worker are seen too.
 */
#ifndef COOK_TRACE_SUPERVISOR_H
#define COOK_TRACE_SUPERVISOR_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cook/trace/shared.h"

/* By which a thread is asked for its stack; its handler is cook_trace_answer(). */
#define COOK_TRACE_SIGNAL (SIGRTMAX - 1)

/*
 * What joins the two. A dead supervisor makes calls fail, which looks as if nothing existed; its
 * descriptors are closed in order of their numbers, or in the opposite order. So of the two pipes that
 * it holds open, one on a number below the listener's and one above, one is closed before the first
 * call can fail.
 */
struct cook_trace_line {
    int channel;
    int pipes[2]; /* the worker's ends to read, the supervisor's to write */
};
/* Make both ends; false when the machine refuses. */
bool cook_trace_line_make(struct cook_trace_line *worker, struct cook_trace_line *supervisor);
void cook_trace_line_close(struct cook_trace_line *line);
/* The worker's side: hand over a listener; false when the other side is gone. */
bool cook_trace_line_send(const struct cook_trace_line *line, int listener);
/* The worker's side: true means that the supervisor lived during all calls until now. */
bool cook_trace_line_holds(const struct cook_trace_line *line);

/*
 * Supervise `worker` through the listener that it hands over (none comes when the kernel refused: then
 * only wait), until it ends; then end as it ended: with its exit status, or by its signal.
 * SIGUSR2 is passed on to it. Never returns.
 */
void cook_trace_supervise(struct cook_trace_shared *shared, pid_t worker,
                          const struct cook_trace_line *line) __attribute__((noreturn));

#endif
