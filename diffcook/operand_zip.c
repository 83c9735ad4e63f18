#include "operand_zip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/stage/stage.h"

#define MAX_TOTAL_BYTES (UINT64_C(64) << 30)
#define CHUNK_NAME_BYTES 32
#define MAX_FILES       (UINT64_C(4) << 20)

struct unpacking {
    int folder_fd;
    uint64_t files;
    uint64_t bytes;
};

static enum cook_status write_all(int fd, const uint8_t *bytes, size_t size, const char *path,
                                  struct cook_error *error)
{
    while (size > 0) {
        ssize_t part = write(fd, bytes, size);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return cook_error_set_errno(error, "cannot unpack %s", path);
        bytes += part;
        size -= (size_t)part;
    }
    return COOK_OK;
}

static enum cook_status take(void *user, const char *path, const void *bytes, size_t size,
                             struct cook_error *error)
{
    struct unpacking *unpacking = user;
    int folder_fd;
    const char *name;
    unpacking->bytes += size;
    if (++unpacking->files > MAX_FILES || unpacking->bytes > MAX_TOTAL_BYTES)
        return cook_error_set(error, COOK_E_LIMIT, "more than it is sensible to unpack");
    enum cook_status status =
        cook_place_open(&folder_fd, &name, unpacking->folder_fd, path, true, error);
    if (status != COOK_OK)
        return status;
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && errno == EEXIST)
        status = cook_error_set(error, COOK_E_MALFORMED, "%s stands in it twice", path);
    else if (fd < 0)
        status = cook_error_set_errno(error, "cannot unpack %s", path);
    else
        status = write_all(fd, bytes, size, path, error);
    if (fd >= 0)
        close(fd);
    close(folder_fd);
    return status;
}

static enum cook_status make_folder(struct diff_operand *operand, struct cook_error *error)
{
    const char *parent = getenv("TMPDIR");
    char *folder =
        cook_arena_printf(&operand->arena, "%s/cook-diff-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!folder)
        return cook_error_no_memory(error);
    if (!mkdtemp(folder))
        return cook_error_set_errno(error, "cannot make a temporary folder in %s",
                                    parent && *parent ? parent : "/tmp");
    operand->temporary = folder;
    operand->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return operand->folder_fd < 0 ? cook_error_set_errno(error, "cannot open %s", folder)
                                  : COOK_OK;
}

enum cook_status diff_operand_unzip(struct diff_operand *operand, const char *path,
                                    struct cook_error *error)
{
    enum cook_status status = make_folder(operand, error);
    if (status != COOK_OK)
        return status;
    struct unpacking unpacking = { .folder_fd = operand->folder_fd };
    return cook_unzip(AT_FDCWD, path, take, &unpacking, error);
}

/* "chunk3.zip" of staged output, into the folder "chunk3". */
static enum cook_status unzip_chunk(struct unpacking *unpacking, int staged_fd, const char *name,
                                    int folder_fd, struct cook_error *error)
{
    char folder[CHUNK_NAME_BYTES];
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(strlen(name) - 4), name);
    if (mkdirat(folder_fd, folder, 0700) != 0)
        return cook_error_set_errno(error, "cannot make a temporary folder");
    unpacking->folder_fd = openat(folder_fd, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (unpacking->folder_fd < 0)
        return cook_error_set_errno(error, "cannot open a temporary folder");
    enum cook_status status = cook_unzip(staged_fd, name, take, unpacking, error);
    close(unpacking->folder_fd);
    return status;
}

static bool is_chunk(const char *name)
{
    size_t digits = strncmp(name, "chunk", 5) == 0 ? strspn(name + 5, "0123456789") : 0;
    return digits > 0 && digits < 11 && strcmp(name + 5 + digits, ".zip") == 0;
}

enum cook_status diff_operand_unzip_chunks(struct diff_operand *operand, int staged_fd,
                                           struct cook_error *error)
{
    struct unpacking unpacking = { .files = 0 };
    int fd = openat(staged_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    enum cook_status status = folder ? COOK_OK : cook_error_set_errno(error, "cannot read it");
    if (!folder && fd >= 0)
        close(fd);
    for (struct dirent *entry; status == COOK_OK && (entry = readdir(folder)) != NULL;) {
        if (!is_chunk(entry->d_name))
            continue;
        if (!operand->temporary)
            status = make_folder(operand, error);
        if (status == COOK_OK)
            status = unzip_chunk(&unpacking, staged_fd, entry->d_name, operand->folder_fd, error);
    }
    if (folder)
        closedir(folder);
    return status;
}

void diff_operand_remove(struct diff_operand *operand)
{
    /* What cannot be removed stays in the system's temporary folder, which is cleared by others. */
    enum cook_status status = cook_fs_remove_tree(AT_FDCWD, operand->temporary, NULL);
    (void)status;
    operand->temporary = NULL;
}
