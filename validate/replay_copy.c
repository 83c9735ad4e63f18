/* Copies of a project that can be changed at will. */
#include <string.h>
#include <unistd.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "validate/replay_private.h"
#include "validate/tree.h"

#define MAX_FILE_BYTES (UINT64_C(1) << 30)

enum cook_status replay_copy(struct replay *replay, const char *name, struct cook_error *error)
{
    int to;
    enum cook_status status = tree_open(&to, replay->work_fd, name, error);
    if (status != COOK_OK)
        return status;
    status = tree_copy(to, replay->project.fd, error);
    close(to);
    return status;
}

/* ---- one file then and now ---- */

/* The commit that the kept cook saw, if its run stands in the history. */
static const char *kept_commit(struct replay *replay)
{
    const struct cook_history_filter filter = { NULL, replay->project.target, 0, 0 };
    const cJSON *kept = cJSON_GetObjectItemCaseSensitive(replay->finding, "kept");
    const cJSON *cook = cJSON_GetObjectItemCaseSensitive(kept, "cook");
    struct cook_history_run *runs;
    size_t count = 0;
    if (!cJSON_IsNumber(cook) || cook->valuedouble < 1 ||
        cook_history_runs(replay->history, &runs, &count, &filter, &replay->arena, NULL) !=
            COOK_OK)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *revision = runs[i].content_revision;
        bool clean =
            *revision && !strchr(revision, '-'); /* what a dirty tree held nobody knows */
        if (runs[i].cook_id == (uint32_t)cook->valuedouble && clean)
            return revision;
    }
    return NULL;
}

static bool from_git(struct replay *replay, struct cook_buf *out, const char *path)
{
    const char *commit = kept_commit(replay);
    const char *object =
        commit ? cook_arena_printf(&replay->arena, "%s:./%s", commit, path) : NULL;
    const char *const argv[] = { "git", "cat-file", "blob", object, NULL };
    struct cook_child child = COOK_CHILD_INIT;
    int exit_status;
    child.argv = argv;
    child.folder = replay->project.path;
    child.out = out;
    child.max_out_bytes = MAX_FILE_BYTES;
    child.timeout_ms = 60000;
    return object && cook_child_run(&exit_status, &child, NULL) == COOK_OK && exit_status == 0;
}

static const char *path_in(struct replay *replay, const char *name, const char *path)
{
    return cook_path_is_plain(path) ? cook_arena_printf(&replay->arena, "%s/%s", name, path)
                                    : NULL;
}

enum cook_status replay_old_file(struct replay *replay, const char *name, const char *path,
                                 bool *known, struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_buf today = COOK_BUF_INIT;
    const char *place = path_in(replay, name, path);
    if (!place)
        return cook_error_set(error, COOK_E_UNSUPPORTED, "'%s' lies outside of the project",
                              path);
    enum cook_status status =
        cook_fs_read(&today, NULL, replay->project.fd, path, MAX_FILE_BYTES, error);
    if (status == COOK_E_NOT_FOUND)
        status = COOK_OK;
    *known = from_git(replay, &bytes, path) &&
             (bytes.size != today.size || memcmp(bytes.data, today.data, bytes.size) != 0);
    if (!*known) { /* any change has to be noticed, so any other content serves */
        cook_buf_clear(&bytes);
        cook_buf_put(&bytes, today.data, today.size);
        cook_buf_put(&bytes, "\n", 1);
    }
    if (status == COOK_OK && !*known && replay->trigger.absent)
        status = cook_fs_remove_tree(replay->work_fd, place, error);
    else if (status == COOK_OK)
        status = cook_fs_write(replay->work_fd, place, bytes.data, bytes.size, false, error);
    cook_buf_finish(&bytes);
    cook_buf_finish(&today);
    return status;
}

enum cook_status replay_new_file(struct replay *replay, const char *name, const char *path,
                                 struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    const char *place = path_in(replay, name, path);
    if (!place)
        return cook_error_no_memory(error);
    enum cook_status status =
        cook_fs_read(&bytes, NULL, replay->project.fd, path, MAX_FILE_BYTES, error);
    if (status == COOK_OK)
        status = cook_fs_write(replay->work_fd, place, bytes.data, bytes.size, false, error);
    else if (status == COOK_E_NOT_FOUND)
        status = cook_fs_remove_tree(replay->work_fd, place, error);
    cook_buf_finish(&bytes);
    return status;
}
