/* Copies of a project that can be changed at will. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "validate/replay_private.h"

#define MAX_DEPTH      64
#define MAX_FILE_BYTES (UINT64_C(1) << 30)

/* Shared with the original where the file system can, else copied. */
static enum cook_status copy_bytes(int to, int from, const char *path, struct cook_error *error)
{
    struct stat facts;
    if (ioctl(to, FICLONE, from) == 0)
        return COOK_OK;
    if (fstat(from, &facts) != 0)
        return cook_error_set_errno(error, "cannot read '%s'", path);
    for (off_t left = facts.st_size; left > 0;) {
        ssize_t size = sendfile(to, from, NULL, (size_t)left);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return cook_error_set_errno(error, "cannot copy '%s'", path);
        left -= size;
    }
    return COOK_OK;
}

static enum cook_status copy_file(int to_folder, int from_folder, const char *path,
                                  struct cook_error *error)
{
    int from = openat(from_folder, path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return errno == ENOENT ? COOK_OK
                               : cook_error_set_errno(error, "cannot read '%s'", path);
    int to = openat(to_folder, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
    enum cook_status status = to < 0 ? cook_error_set_errno(error, "cannot copy '%s'", path)
                                     : copy_bytes(to, from, path, error);
    if (to >= 0)
        close(to);
    close(from);
    return status;
}

static enum cook_status copy_folder(int to_folder, int from_folder, const char *folder,
                                    unsigned depth, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_folder_entry *entries;
    size_t count = 0;
    enum cook_status status =
        cook_fs_list(&entries, &count, &arena, from_folder, *folder ? folder : ".", error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        const char *path =
            cook_arena_printf(&arena, "%s%s%s", folder, *folder ? "/" : "", entries[i].name);
        if (!path)
            status = cook_error_no_memory(error);
        else if (strcmp(path, "Saved") == 0 || strcmp(entries[i].name, ".git") == 0)
            continue;
        else if (entries[i].kind == COOK_FILE_REGULAR)
            status = copy_file(to_folder, from_folder, path, error);
        else if (entries[i].kind == COOK_FILE_FOLDER && depth < MAX_DEPTH) {
            status = cook_fs_make_folders(to_folder, path, error);
            if (status == COOK_OK)
                status = copy_folder(to_folder, from_folder, path, depth + 1, error);
        }
    }
    cook_arena_finish(&arena);
    return status;
}

enum cook_status replay_copy(struct replay *replay, const char *name, struct cook_error *error)
{
    enum cook_status status = cook_fs_make_folders(replay->work_fd, name, error);
    if (status != COOK_OK)
        return status;
    int to = openat(replay->work_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (to < 0)
        return cook_error_set_errno(error, "cannot open a copy of the project");
    status = copy_folder(to, replay->project.fd, "", 0, error);
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
    if (status == COOK_OK)
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
