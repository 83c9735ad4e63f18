/*
 * Values of dependencies that the operating system answers: one definition for the worker that reads
 * and for the director that evaluates. Zero is absence.
 */
#ifndef COOK_DEPS_VALUE_H
#define COOK_DEPS_VALUE_H

#include "cook/base/fs.h"
#include "cook/base/hash.h"

/* The names of a folder, sorted, sub-folders with a trailing '/', hidden ones left out; in `arena`.
 * COOK_E_NOT_FOUND when it is no folder. */
enum cook_status cook_directory_list(const char ***names, size_t *count, int project_fd,
                                     const char *path, struct cook_arena *arena,
                                     struct cook_error *error) COOK_CHECK_RESULT;
struct cook_hash cook_directory_value(int project_fd, const char *path);
struct cook_hash cook_directory_hash(const char *const *names, size_t count);

/* The value of "-Name=VALUE" or "-Name" ("") among `arguments`; the last one; NULL when absent. */
const char *cook_argument_find(const char *const *arguments, size_t count, const char *name);
/* The hash of a text that may be absent (an argument, a variable). */
struct cook_hash cook_text_value(const char *text);

#endif
