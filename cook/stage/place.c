#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/stage/stage.h"

#define MAX_PATH 4000

/* Like cook_path_is_plain(), but of any length: package names may be long. */
static bool is_plain(const char *path)
{
    if (!*path || strlen(path) > MAX_PATH || path[strlen(path) - 1] == '/')
        return false;
    for (const char *part = path; *part;) {
        size_t size = strcspn(part, "/");
        if (size == 0 || (size == 1 && part[0] == '.') ||
            (size == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        part += size + (part[size] == '/');
    }
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < 0x20)
            return false;
    return true;
}

enum cook_status cook_place_open(int *fd, const char **name, int folder_fd, const char *path,
                                 bool make, struct cook_error *error)
{
    char part[256];
    *name = path;
    *fd = -1;
    if (!is_plain(path))
        return cook_error_set(error, COOK_E_INVALID, "'%s' is no path to stage to", path);
    int at = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
    for (const char *slash; at >= 0 && (slash = strchr(*name, '/')); *name = slash + 1) {
        size_t size = (size_t)(slash - *name);
        if (size >= sizeof(part)) {
            close(at);
            return cook_error_set(error, COOK_E_LIMIT, "a part of '%s' is too long", path);
        }
        memcpy(part, *name, size);
        part[size] = '\0';
        if (make && mkdirat(at, part, 0777) != 0 && errno != EEXIST) {
            enum cook_status status = cook_error_set_errno(error, "cannot make a folder");
            close(at);
            return status;
        }
        int next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int saved = errno;
        close(at);
        errno = saved;
        at = next;
    }
    if (at < 0 && errno == ENOENT)
        return cook_error_set(error, COOK_E_NOT_FOUND, "'%s' is not there", path);
    if (at < 0 && (errno == ENOTDIR || errno == ELOOP))
        return cook_error_set(error, COOK_E_IO, "a link or a file is in the way of '%s'", path);
    if (at < 0) {
        enum cook_status status = cook_error_set_errno(error, "cannot open its folder");
        cook_error_prefix(error, "%s", path);
        return status;
    }
    *fd = at;
    return COOK_OK;
}

/* The folders of a path, innermost first, as long as they are empty. */
static void remove_folders(int folder_fd, const char *path)
{
    char folder[MAX_PATH + 1];
    size_t length = strlen(path);
    memcpy(folder, path, length + 1);
    for (char *slash; (slash = strrchr(folder, '/'));) {
        int fd;
        const char *name;
        *slash = '\0';
        if (cook_place_open(&fd, &name, folder_fd, folder, false, NULL) != COOK_OK)
            return;
        int removed = unlinkat(fd, name, AT_REMOVEDIR);
        close(fd);
        if (removed != 0)
            return;
    }
}

enum cook_status cook_place_remove(int folder_fd, const char *path, bool *removed,
                                   struct cook_error *error)
{
    int fd;
    const char *name;
    struct stat facts;
    *removed = false;
    enum cook_status status = cook_place_open(&fd, &name, folder_fd, path, false, NULL);
    if (status != COOK_OK) /* gone, or no longer what was staged */
        return COOK_OK;
    if (fstatat(fd, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode)) {
        *removed = unlinkat(fd, name, 0) == 0;
        if (!*removed) {
            status = cook_error_set_errno(error, "cannot delete a stale file");
            cook_error_prefix(error, "%s", path);
        }
    }
    close(fd);
    if (*removed)
        remove_folders(folder_fd, path);
    return status;
}

bool cook_place_exists(int folder_fd, const char *path)
{
    int fd;
    const char *name;
    struct stat facts;
    if (cook_place_open(&fd, &name, folder_fd, path, false, NULL) != COOK_OK)
        return false;
    bool exists = fstatat(fd, name, &facts, AT_SYMLINK_NOFOLLOW) == 0;
    close(fd);
    return exists;
}
