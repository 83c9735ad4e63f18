/* How a worker is started traced: an argument, and wrappers preloaded through the environment. */
#ifndef COOK_WORKER_TRACED_START_H
#define COOK_WORKER_TRACED_START_H

#include <stddef.h>

/* Why no worker can be traced here, or NULL. `prefix`: a debugger stands before the worker. */
const char *cook_traced_refusal(const char *prefix);
/* `argv` with "--trace" as the argument after the worker program, which is word `program`. Owned by
 * the caller; NULL when memory is short. */
const char **cook_traced_arguments(const char *const *argv, size_t program);
/*
 * `environment` with the wrappers that lie beside `worker_path` preloaded before all else; the worker
 * takes them out again. `*preload` is the one text made, owned as the array is. NULL when memory is short.
 */
const char **cook_traced_environment(const char *const *environment, const char *worker_path,
                                     char **preload);

#endif
