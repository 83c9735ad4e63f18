/*
 * Paths: project-relative file paths ("Content/Props/Rock.gltf", '/' separated, no leading slash,
 * no "." or ".." parts) and glob matching. All input may be untrusted.
 */
#ifndef COOK_BASE_PATH_H
#define COOK_BASE_PATH_H

#include <stdbool.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

/*
 * Join `relative` to the folder `base` ("" is the root) and normalise: collapses "//" and "." and
 * resolves "..". Returns the text in `arena`, or NULL when the result would leave the root, when
 * `relative` is absolute, holds a backslash, a control character or a NUL, or exceeds 4096 bytes.
 */
char *cook_path_join(struct cook_arena *arena, const char *base, const char *relative);
/* A relative path that cook_path_join() would not change, of 1 to 200 bytes. */
bool cook_path_is_plain(const char *path);
char *cook_path_folder(struct cook_arena *arena, const char *path); /* "" when there is no '/' */
const char *cook_path_name(const char *path);                        /* part after the last '/' */
const char *cook_path_extension(const char *path); /* ".gltf" with its dot, or "" ; of the name */
bool cook_path_has_prefix(const char *path, const char *folder);    /* whole parts only */
/* Percent-decode a URI path ("Rock%20A.png") into `arena`; NULL on a bad escape or a scheme. */
char *cook_path_from_uri(struct cook_arena *arena, const char *uri);
/* Glob: '*' matches any run of characters including '/', '?' one character; the rest literally. */
bool cook_glob_match(const char *pattern, const char *text);

#endif
