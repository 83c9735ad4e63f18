/* Libraries that plugins are linked with are kept beside the copies of plugins, so that a later
 * validation can cook with the old one again. Those of the system and our own are not. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/plan/run.h"
#include "cook/worker/plugin_copy.h"

#define MAX_LIBRARY_BYTES (UINT64_C(256) << 20)

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_of_project(const struct cook_run *run, const char *name, const char *path)
{
    return *path && !begins_with(path, "/usr/") && !begins_with(path, "/lib") &&
           !begins_with(path, run->plugin_folder) && !begins_with(name, "libcook.so") &&
           !begins_with(name, "cook-");
}

/* What cannot be copied is a proof less, and no reason to fail a cook. */
static void keep(struct cook_run *run, int folder, const char *path, const char *build_id)
{
    struct cook_file_stat stat;
    const char *id, *file_name;
    const char *name = cook_arena_printf(&run->arena, "%s.so", build_id);
    if (!name || cook_fs_stat(&stat, folder, name, NULL) != COOK_OK ||
        stat.kind != COOK_FILE_ABSENT)
        return;
    if (cook_fs_stat(&stat, run->project.fd, path, NULL) == COOK_OK &&
        stat.kind == COOK_FILE_REGULAR && stat.size_bytes <= MAX_LIBRARY_BYTES)
        (void)!cook_plugin_copy(&id, &file_name, folder, run->project.fd, path, &run->arena,
                                NULL);
}

void cook_run_keep_libraries(struct cook_run *run)
{
    const struct cook_buf *modules = cook_pool_modules(run->pool);
    struct cook_reader_buf in = cook_read_init(modules->data, modules->size);
    size_t count = modules->size ? cook_read_count(&in, 3) : 0;
    int folder = open(run->plugin_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; folder >= 0 && i < count && !in.failed; i++) {
        const char *name = cook_read_string(&in, &run->arena);
        const char *build_id = cook_read_string(&in, &run->arena);
        const char *path = cook_read_string(&in, &run->arena);
        if (!in.failed && *build_id && is_of_project(run, name, path))
            keep(run, folder, path, build_id);
    }
    if (folder >= 0)
        close(folder);
}
