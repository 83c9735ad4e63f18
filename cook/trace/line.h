/* The supervisor's side of the line to its worker. */
#ifndef COOK_TRACE_LINE_H
#define COOK_TRACE_LINE_H

#include "cook/trace/supervisor.h"

/*
 * Close all descriptors but the line's own, wait for the listener, place it between the two pipes, and
 * let the worker go on. The listener's number, or -1 when none comes.
 */
int cook_trace_line_receive(const struct cook_trace_line *line);

#endif
