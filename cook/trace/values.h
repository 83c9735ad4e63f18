/* Keys and values of traced inputs, as the worker finds them when a package is done. */
#ifndef COOK_TRACE_VALUES_H
#define COOK_TRACE_VALUES_H

#include "cook/base/fs.h"
#include "cook/trace/inputs.h"

/* Contents that were hashed before, by path and stat. */
struct cook_trace_values;

enum cook_status cook_trace_values_create(struct cook_trace_values **out,
                                          struct cook_error *error) COOK_CHECK_RESULT;
void cook_trace_values_destroy(struct cook_trace_values *values); /* NULL allowed */

/*
 * The key of a path as a process gave it: relative to `project` (an absolute path without links) when
 * it lies there, links resolved, else absolute; "." for the project itself. In `arena`, or NULL.
 */
const char *cook_trace_key(struct cook_arena *arena, const char *project, const char *path);

/* The value of an input by its kind and key: `value`, `text` and `absent` of `input` are set; a stat
 * of what is a folder stays a stat. Texts in `arena`. */
void cook_trace_value(struct cook_traced_input *input, struct cook_trace_values *values,
                      int project_fd, struct cook_arena *arena);
/* What is by that name now; COOK_FILE_ABSENT when nothing is. */
enum cook_file_kind cook_trace_file_kind(int project_fd, const char *key);

#endif
