#include "validate/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/buf.h"
#include "cook/base/fs.h"
#include "cook/base/path.h"

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

enum cook_status tree_copy(int to_folder, int from_folder, struct cook_error *error)
{
    return copy_folder(to_folder, from_folder, "", 0, error);
}

enum cook_status tree_open(int *fd, int folder, const char *path, struct cook_error *error)
{
    enum cook_status status = cook_fs_make_folders(folder, path, error);
    if (status != COOK_OK)
        return status;
    *fd = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *fd >= 0 ? COOK_OK : cook_error_set_errno(error, "cannot open '%s'", path);
}

enum cook_status tree_copy_below(int to_root, const char *to, int from_root, const char *from,
                                 struct cook_error *error)
{
    int from_fd = openat(from_root, from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int to_fd = -1;
    if (from_fd < 0)
        return cook_error_set_errno(error, "cannot open '%s'", from);
    enum cook_status status = tree_open(&to_fd, to_root, to, error);
    if (status == COOK_OK)
        status = tree_copy(to_fd, from_fd, error);
    if (to_fd >= 0)
        close(to_fd);
    close(from_fd);
    return status;
}

enum cook_status tree_copy_file(int to_folder, int from_folder, const char *path,
                                struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_file_stat stat;
    enum cook_status status = cook_fs_stat(&stat, from_folder, path, error);
    if (status ==
        COOK_OK) /* a new file, never the old one with other bytes: it may be mapped */
        status = cook_fs_remove_tree(to_folder, path, error);
    if (status == COOK_OK && stat.kind == COOK_FILE_REGULAR) {
        const char *folder = cook_path_folder(&arena, path);
        status = !folder   ? cook_error_no_memory(error)
                 : *folder ? cook_fs_make_folders(to_folder, folder, error)
                           : COOK_OK;
        if (status == COOK_OK)
            status = copy_file(to_folder, from_folder, path, error);
    }
    cook_arena_finish(&arena);
    return status;
}

/* ---- comparing ---- */

struct list {
    const char **paths;
    size_t count, capacity;
};

static enum cook_status collect(struct list *list, int root, const char *folder, unsigned depth,
                                struct cook_arena *arena, struct cook_error *error)
{
    struct cook_folder_entry *entries;
    size_t count = 0;
    enum cook_status status =
        cook_fs_list(&entries, &count, arena, root, *folder ? folder : ".", error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        const char *path =
            cook_arena_printf(arena, "%s%s%s", folder, *folder ? "/" : "", entries[i].name);
        if (!path)
            return cook_error_no_memory(error);
        if (strcmp(path, "Saved") == 0 || strcmp(entries[i].name, ".git") == 0)
            continue;
        if (entries[i].kind == COOK_FILE_FOLDER && depth < MAX_DEPTH)
            status = collect(list, root, path, depth + 1, arena, error);
        else if (entries[i].kind == COOK_FILE_REGULAR) {
            if (!cook_grow(&list->paths, &list->capacity, list->count + 1, sizeof(char *)))
                return cook_error_no_memory(error);
            list->paths[list->count++] = path;
        }
    }
    return status;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool same_file(int a, int b, const char *path)
{
    struct cook_buf x = COOK_BUF_INIT;
    struct cook_buf y = COOK_BUF_INIT;
    bool same = cook_fs_read(&x, NULL, a, path, MAX_FILE_BYTES, NULL) == COOK_OK &&
                cook_fs_read(&y, NULL, b, path, MAX_FILE_BYTES, NULL) == COOK_OK &&
                x.size == y.size && (!x.size || memcmp(x.data, y.data, x.size) == 0);
    cook_buf_finish(&x);
    cook_buf_finish(&y);
    return same;
}

enum cook_status tree_compare(const char ***paths, size_t *count, int a, int b,
                              struct cook_arena *arena, struct cook_error *error)
{
    struct list list = { 0 };
    size_t used = 0;
    *paths = NULL;
    *count = 0;
    enum cook_status status = collect(&list, a, "", 0, arena, error);
    if (status == COOK_OK)
        status = collect(&list, b, "", 0, arena, error);
    if (status == COOK_OK && list.count)
        qsort(list.paths, list.count, sizeof(char *), compare_texts);
    const char *before = "";
    for (size_t i = 0; status == COOK_OK && i < list.count; i++) {
        const char *path = list.paths[i];
        if (strcmp(path, before) != 0 && !same_file(a, b, path))
            list.paths[used++] = path;
        before = path;
    }
    if (status == COOK_OK && used) {
        *paths = cook_arena_dup(arena, list.paths, used * sizeof(char *));
        if (!*paths)
            status = cook_error_no_memory(error);
        *count = used;
    }
    cook_free(list.paths);
    return status;
}
