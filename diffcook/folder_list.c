#include "folder_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/stage/stage.h"

#define MAX_DEPTH 256u

static enum cook_status read_folder(struct diff_file_list *list, int fd, const char *path,
                                    unsigned depth, struct cook_error *error);

static enum cook_status enter(struct diff_file_list *list, int fd, const char *name,
                              const char *path, unsigned depth, struct cook_error *error)
{
    if (depth >= MAX_DEPTH)
        return cook_error_set(error, COOK_E_LIMIT, "%s: more than %u folders deep", path,
                              MAX_DEPTH);
    int child = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (child < 0)
        return cook_error_set_errno(error, "cannot open %s", path);
    return read_folder(list, child, path, depth + 1, error);
}

static enum cook_status add_file(struct diff_file_list *list, const char *path, uint64_t size,
                                 struct cook_error *error)
{
    if (!cook_grow(&list->files, &list->capacity, list->count + 1, sizeof(*list->files)))
        return cook_error_no_memory(error);
    list->files[list->count++] = (struct diff_file){ path, size };
    return COOK_OK;
}

static enum cook_status take_entry(struct diff_file_list *list, int fd, const char *name,
                                   const char *folder, unsigned depth, struct cook_error *error)
{
    struct stat facts;
    const char *path =
        cook_arena_printf(&list->arena, "%s%s%s", folder, *folder ? "/" : "", name);
    if (!path)
        return cook_error_no_memory(error);
    if (fstatat(fd, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? COOK_OK : cook_error_set_errno(error, "cannot stat %s", path);
    if (S_ISDIR(facts.st_mode))
        return enter(list, fd, name, path, depth, error);
    if (S_ISLNK(facts.st_mode) && fstatat(fd, name, &facts, 0) != 0)
        facts.st_mode = S_IFLNK; /* it leads nowhere */
    if (S_ISREG(facts.st_mode))
        return add_file(list, path, (uint64_t)facts.st_size, error);
    list->other_count++;
    return COOK_OK;
}

/* What staging notes for itself says nothing that the files do not. */
static bool is_left_out(const char *name, unsigned depth)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
           (depth == 0 && strcmp(name, COOK_STAGE_LIST) == 0);
}

/* Takes the handle. */
static enum cook_status read_folder(struct diff_file_list *list, int fd, const char *path,
                                    unsigned depth, struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    DIR *folder = fdopendir(fd);
    if (!folder) {
        status = cook_error_set_errno(error, "cannot read %s", path);
        close(fd);
        return status;
    }
    while (status == COOK_OK) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry && errno)
            status = cook_error_set_errno(error, "cannot read %s", path);
        if (!entry)
            break;
        if (!is_left_out(entry->d_name, depth))
            status = take_entry(list, dirfd(folder), entry->d_name, path, depth, error);
    }
    closedir(folder);
    return status;
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct diff_file *)a)->path, ((const struct diff_file *)b)->path);
}

enum cook_status diff_file_list_read(struct diff_file_list *list, int folder_fd,
                                     struct cook_error *error)
{
    *list = (struct diff_file_list){ 0 };
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot open the folder");
    enum cook_status status = read_folder(list, fd, "", 0, error);
    if (status == COOK_OK && list->count)
        qsort(list->files, list->count, sizeof(*list->files), compare_files);
    return status;
}

void diff_file_list_finish(struct diff_file_list *list)
{
    cook_free(list->files);
    cook_arena_finish(&list->arena);
    *list = (struct diff_file_list){ 0 };
}
