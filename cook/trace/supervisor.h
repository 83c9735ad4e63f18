/*
 * The supervisor of a traced worker: the process above it, told by the kernel of each system call
 * that reads the world. It writes what it saw to the shared ring and lets the call go on. Where no
 * wrapper left a stack it interrupts the thread, which unwinds itself, and the call begins
 * anew. Children of the worker are seen too.
 */
#ifndef COOK_TRACE_SUPERVISOR_H
#define COOK_TRACE_SUPERVISOR_H

#include <signal.h>
#include <sys/types.h>

#include "cook/trace/shared.h"

/* By which a thread is asked for its stack; its handler is cook_trace_answer(). */
#define COOK_TRACE_SIGNAL (SIGRTMAX - 1)

/*
 * Supervise `worker` through the listener that comes over the socket `channel` (none comes when the
 * kernel refused: then only wait), until it ends; then end as it ended: with its exit status, or by
 * its signal. SIGUSR2 is passed on to it. Never returns.
 */
void cook_trace_supervise(struct cook_trace_shared *shared, pid_t worker, int channel)
    __attribute__((noreturn));

/* The worker's side of the channel: hand over a listener; false when the other side is gone. */
bool cook_trace_send_listener(int channel, int listener);

#endif
