/* Trees of files that are copied, changed and compared. */
#ifndef VALIDATE_TREE_H
#define VALIDATE_TREE_H

#include "cook/base/alloc.h"
#include "cook/base/error.h"

/* Copy all files below one open folder into another, but Saved and .git; shared where the file
 * system can. */
enum cook_status tree_copy(int to_folder, int from_folder,
                           struct cook_error *error) COOK_CHECK_RESULT;
/* The same from a folder below one open folder, which must be there, to one below another,
 * which is made when it is not. */
enum cook_status tree_copy_below(int to_root, const char *to, int from_root, const char *from,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* Copy one file, making its folders; or remove it, where the source has none. */
enum cook_status tree_copy_file(int to_folder, int from_folder, const char *path,
                                struct cook_error *error) COOK_CHECK_RESULT;
/* The files that differ between two trees, or that only one has, sorted; in `arena`. */
enum cook_status tree_compare(const char ***paths, size_t *count, int a, int b,
                              struct cook_arena *arena,
                              struct cook_error *error) COOK_CHECK_RESULT;
/* Open a folder below another; made when it is not there. */
enum cook_status tree_open(int *fd, int folder, const char *path,
                           struct cook_error *error) COOK_CHECK_RESULT;

#endif
