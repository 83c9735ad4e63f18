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

/*
 * The text that is kept of a config value, for people: the value, and behind a mark where it came from,
 * "3\x1fConfig/DefaultGame.ini:12". The first has the value alone, in `arena` (NULL: no memory); the second is
 * "" where the place is not known. Any text may be passed, also one without a place.
 */
#define COOK_VALUE_PLACE "\x1f"
bool cook_dep_has_place(uint32_t kind); /* enum cook_dep_kind: whether such texts have one */
char *cook_value_alone(const char *text, struct cook_arena *arena);
const char *cook_value_place(const char *text);

#endif
