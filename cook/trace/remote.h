/* Looking into the traced process: texts in its memory, where its descriptors lead. */
#ifndef COOK_TRACE_REMOTE_H
#define COOK_TRACE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text at an address of a process, cut at `size` - 1 bytes; false when it cannot be read. */
bool cook_trace_remote_text(char *out, size_t size, int pid, uint64_t address);
bool cook_trace_remote_bytes(void *out, size_t size, int pid, uint64_t address);
/*
 * Make the path that a process gave relative to `folder_fd` (a descriptor of its, or AT_FDCWD)
 * absolute, in place, where that needs its help: always for a descriptor, and for AT_FDCWD when its
 * working folder has `moved`.
 */
void cook_trace_remote_resolve(char *path, size_t size, int pid, int folder_fd, bool moved);
/* The program that a process runs, its parent, "" and 0 when it is gone. */
void cook_trace_remote_program(char *out, size_t size, int pid);
int cook_trace_remote_parent(int pid);
/* Whether a thread blocks a signal now. */
bool cook_trace_remote_blocks(int tid, int signal_number);
/* The processor that a thread ran on last; -1 when it is gone. */
int cook_trace_remote_processor(int tid);
/* The process that a thread belongs to. */
int cook_trace_remote_group(int tid);

#endif
