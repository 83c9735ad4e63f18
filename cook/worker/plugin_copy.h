/* Copies of plugins by build id, so that a rebuild during a cook cannot mix versions. */
#ifndef COOK_WORKER_PLUGIN_COPY_H
#define COOK_WORKER_PLUGIN_COPY_H

#include "cook/base/alloc.h"
#include "cook/base/error.h"

/*
 * Copy the shared object at `path` (relative to `project_fd`, or absolute) into `folder_fd` as
 * "<build id>.so" unless it is there with the same size; without a build id its content hash stands
 * in. `*build_id` and `*file_name` live in `arena`. COOK_E_CONFIG when it is no ELF file.
 */
enum cook_status cook_plugin_copy(const char **build_id, const char **file_name, int folder_fd,
                                  int project_fd, const char *path, struct cook_arena *arena,
                                  struct cook_error *error) COOK_CHECK_RESULT;

#endif
