/* Files that were read as dependencies, inside content and out of it. */
#include "cook/registry/registry.h"

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "cook/registry/refresh.h"

static enum cook_status out_of_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the registry");
}

/* The folder as it is before any file in it is looked for; see visit_other() in walk.c. */
static void set_folder(struct cook_state *state, uint32_t id, int project_fd,
                       const struct cook_fs_clock *clock)
{
    struct cook_file_stat stat;
    const char *path = cook_state_text(state, state->folders[id].path);
    if (cook_fs_stat(&stat, project_fd, *path ? path : ".", NULL) != COOK_OK ||
        stat.kind != COOK_FILE_FOLDER)
        return;
    cook_state_touch(state, COOK_TABLE_folders, id);
    struct cook_state_folder *row = &state->folders[id];
    row->flags = COOK_FOLDER_PRESENT;
    if (cook_fs_is_racy(&stat, clock))
        row->flags |= COOK_FOLDER_RACY;
    row->mtime_ns = stat.mtime_ns;
    row->ctime_ns = stat.ctime_ns;
    row->inode = stat.inode;
}

static enum cook_status read_file(struct cook_state *state, uint32_t id, int project_fd,
                                  const char *path, const struct cook_fs_clock *clock,
                                  struct cook_error *error)
{
    struct cook_file_reading reading;
    uint8_t *buffer = cook_malloc(COOK_READING_BUFFER_BYTES);
    if (!buffer)
        return out_of_memory(error);
    cook_file_read_content(&reading, project_fd, path, buffer);
    cook_free(buffer);
    bool in_content = state->folders[state->files[id].folder].flags & COOK_FOLDER_CONTENT;
    struct cook_state_file row = cook_file_row(&state->files[id], &reading, clock, in_content);
    row.flags |= COOK_FILE_TRACKED;
    cook_state_touch(state, COOK_TABLE_files, id);
    state->files[id] = row;
    return COOK_OK;
}

static enum cook_status add_file(struct cook_state *state, uint32_t *file, int project_fd,
                                 const char *path, struct cook_error *error)
{
    /* Without the file system's time everything is racy, which is slow but right. */
    struct cook_fs_clock clock;
    (void)!cook_fs_read_clock(&clock, project_fd, NULL);
    uint32_t known_folders = state->folders_count;
    uint32_t id = cook_state_add_file(state, path);
    if (id == COOK_ID_NONE)
        return out_of_memory(error);
    /* An older row speaks for other files too: what changed since then is for the next refresh.
     */
    if (state->folders[state->files[id].folder].flags == 0 &&
        state->files[id].folder >= known_folders)
        set_folder(state, state->files[id].folder, project_fd, &clock);
    enum cook_status status = read_file(state, id, project_fd, path, &clock, error);
    if (status == COOK_OK)
        *file = id;
    return status;
}

enum cook_status cook_registry_track_file(struct cook_state *state, uint32_t *file,
                                          int project_fd, const char *path,
                                          struct cook_error *error)
{
    struct cook_arena scratch = COOK_ARENA_INIT;
    enum cook_status status = COOK_OK;
    *file = COOK_ID_NONE;
    char *normal = cook_path_join(&scratch, "", path);
    if (!normal && !cook_arena_alloc(&scratch, strlen(path) + 2)) {
        status = out_of_memory(error); /* which a join cannot tell from a bad path */
        goto done;
    }
    if (!normal || !*normal) {
        status = cook_error_set(error, COOK_E_INVALID,
                                "'%s' is no path of a file inside the project", path);
        goto done;
    }
    uint32_t known = cook_state_find_file(state, normal);
    if (known != COOK_ID_NONE && (state->files[known].flags & COOK_FILE_TRACKED))
        *file = known; /* as this cook's refresh found it */
    else
        status = add_file(state, file, project_fd, normal, error);
done:
    cook_arena_finish(&scratch);
    return status;
}
