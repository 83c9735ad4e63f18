#include "cook/stage/stage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/base/intern.h"

#define LIST_TITLE "cookproof stage 1\n"
#define MAX_LIST   (UINT64_C(1) << 30)

struct writing {
    struct cook_stage *stage;
    int fd; /* of the folder */
    bool loose;
    struct cook_intern before; /* what an earlier staging wrote */
    struct cook_intern now;
};

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory to stage");
}

char *cook_stage_zip_name(const struct cook_stage_chunk *chunk, struct cook_arena *arena)
{
    return cook_arena_printf(arena, "chunk%u.zip", chunk->chunk);
}

char *cook_stage_loose_name(const struct cook_stage_chunk *chunk,
                            const struct cook_stage_file *file, struct cook_arena *arena)
{
    return cook_arena_printf(arena, "chunk%u/%s", chunk->chunk, file->path);
}

/* ---- the list ---- */

static enum cook_status read_list(struct writing *writing, struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status =
        cook_fs_read(&bytes, NULL, writing->fd, COOK_STAGE_LIST, MAX_LIST, error);
    if (status == COOK_E_NOT_FOUND) {
        if (error)
            *error = (struct cook_error)COOK_ERROR_INIT;
        return COOK_OK;
    }
    const char *text = status == COOK_OK ? cook_buf_text(&bytes) : "";
    if (status == COOK_OK && strncmp(text, LIST_TITLE, strlen(LIST_TITLE)) != 0)
        status = cook_error_set(error, COOK_E_DAMAGED, "%s is no list of staged files",
                                COOK_STAGE_LIST);
    const char *line = status == COOK_OK ? text + strlen(LIST_TITLE) : "";
    while (status == COOK_OK && *line) {
        size_t size = strcspn(line, "\n");
        if (size && cook_intern_add_n(&writing->before, line, size) == COOK_INTERN_NONE)
            status = no_memory(error);
        line += size + (line[size] == '\n');
    }
    cook_buf_finish(&bytes);
    return status;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The list of what is staged now and, while this goes on, of what may still lie there from
 * before: a staging that is killed leaves nothing that the next one does not know. */
static enum cook_status write_list(struct writing *writing, bool with_before,
                                   struct cook_error *error)
{
    size_t count = 0;
    const char **paths =
        cook_malloc((writing->now.count + writing->before.count + 1) * sizeof(*paths));
    struct cook_buf out = COOK_BUF_INIT;
    if (!paths)
        return no_memory(error);
    for (uint32_t i = 0; i < writing->now.count; i++)
        paths[count++] = cook_intern_text(&writing->now, i);
    for (uint32_t i = 0; with_before && i < writing->before.count; i++) {
        const char *path = cook_intern_text(&writing->before, i);
        if (cook_intern_find(&writing->now, path) == COOK_INTERN_NONE)
            paths[count++] = path;
    }
    qsort(paths, count, sizeof(*paths), compare_texts);
    cook_buf_printf(&out, "%s", LIST_TITLE);
    for (size_t i = 0; i < count; i++)
        cook_buf_printf(&out, "%s\n", paths[i]);
    enum cook_status status = out.failed ? no_memory(error)
                                         : cook_fs_write(writing->fd, COOK_STAGE_LIST, out.data,
                                                         out.size, false, error);
    cook_buf_finish(&out);
    cook_free(paths);
    return status;
}

/* ---- what will be there ---- */

static enum cook_status plan_path(struct writing *writing, const char *path,
                                  struct cook_error *error)
{
    if (!path || cook_intern_add(&writing->now, path) == COOK_INTERN_NONE)
        return no_memory(error);
    if (cook_intern_find(&writing->before, path) == COOK_INTERN_NONE &&
        cook_place_exists(writing->fd, path))
        return cook_error_set(error, COOK_E_EXISTS,
                              "%s was not written by cook stage; stage to another folder",
                              path);
    return COOK_OK;
}

static enum cook_status plan_all(struct writing *writing, struct cook_error *error)
{
    struct cook_stage *stage = writing->stage;
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < stage->chunk_count; i++) {
        const struct cook_stage_chunk *chunk = &stage->chunks[i];
        if (!writing->loose)
            status = plan_path(writing, cook_stage_zip_name(chunk, &stage->arena), error);
        for (size_t k = 0; writing->loose && status == COOK_OK && k < chunk->file_count; k++)
            status = plan_path(
                writing, cook_stage_loose_name(chunk, &chunk->files[k], &stage->arena), error);
    }
    return status;
}

/* ---- writing ---- */

static enum cook_status write_loose(const struct writing *writing, const char *path,
                                    struct cook_hash hash, struct cook_error *error)
{
    const struct timespec times[2] = { { COOK_STAGE_TIME, 0 }, { COOK_STAGE_TIME, 0 } };
    struct cook_buf bytes = COOK_BUF_INIT;
    int fd = -1;
    const char *name;
    enum cook_status status = cook_store_get_blob(writing->stage->store, &bytes, hash, error);
    if (status == COOK_OK)
        status = cook_place_open(&fd, &name, writing->fd, path, true, error);
    if (status == COOK_OK)
        status = cook_fs_write(fd, name, bytes.data, bytes.size, false, error);
    if (status == COOK_OK && utimensat(fd, name, times, AT_SYMLINK_NOFOLLOW) != 0)
        status = cook_error_set_errno(error, "cannot set a file's time");
    if (status != COOK_OK && fd >= 0)
        cook_error_prefix(error, "%s", path);
    if (fd >= 0)
        close(fd);
    cook_buf_finish(&bytes);
    return status;
}

static enum cook_status write_all(const struct writing *writing, struct cook_error *error)
{
    const struct cook_stage *stage = writing->stage;
    uint32_t next = 0; /* paths were planned in this order */
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < stage->chunk_count; i++) {
        const struct cook_stage_chunk *chunk = &stage->chunks[i];
        if (!writing->loose)
            status = cook_stage_write_zip(stage, chunk, writing->fd,
                                          cook_intern_text(&writing->now, next++), error);
        for (size_t k = 0; writing->loose && status == COOK_OK && k < chunk->file_count; k++)
            status = write_loose(writing, cook_intern_text(&writing->now, next++),
                                 chunk->files[k].hash, error);
    }
    return status;
}

/* Before anything is written: a stale file may lie where a folder is to be. */
static enum cook_status delete_stale(const struct writing *writing, size_t *deleted,
                                     struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < writing->before.count; i++) {
        const char *path = cook_intern_text(&writing->before, i);
        bool removed = false;
        if (cook_intern_find(&writing->now, path) == COOK_INTERN_NONE)
            status = cook_place_remove(writing->fd, path, &removed, error);
        *deleted += removed;
    }
    return status;
}

enum cook_status cook_stage_write(struct cook_stage *stage, const char *folder, bool loose,
                                  size_t *deleted, struct cook_error *error)
{
    struct writing writing = { .stage = stage, .fd = -1, .loose = loose };
    *deleted = 0;
    enum cook_status status = cook_fs_make_folders(AT_FDCWD, folder, error);
    if (status == COOK_OK) {
        writing.fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (writing.fd < 0)
            status = cook_error_set_errno(error, "cannot open the folder to stage to");
    }
    if (status == COOK_OK)
        status = read_list(&writing, error);
    if (status == COOK_OK)
        status = plan_all(&writing, error);
    if (status == COOK_OK)
        status = write_list(&writing, true, error);
    if (status == COOK_OK)
        status = delete_stale(&writing, deleted, error);
    if (status == COOK_OK)
        status = write_all(&writing, error);
    if (status == COOK_OK)
        status = write_list(&writing, false, error);
    if (status != COOK_OK)
        cook_error_prefix(error, "%s", folder);
    if (writing.fd >= 0)
        close(writing.fd);
    cook_intern_finish(&writing.before);
    cook_intern_finish(&writing.now);
    return status;
}
