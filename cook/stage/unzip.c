/* Reading zip files, by libarchive. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/buf.h"
#include "cook/stage/stage.h"

#define MAX_FILE_BYTES (UINT64_C(2) << 30)
#define BLOCK_BYTES    65536
#define MAX_PATH       4000

static enum cook_status broken(const char *name, const char *reason, struct cook_error *error)
{
    return cook_error_set(error, COOK_E_MALFORMED, "%s: %s", name, reason ? reason : "broken zip file");
}

/* Relative, and below its folder whatever it is joined to. */
static bool is_safe(const char *path)
{
    if (!*path || *path == '/' || strlen(path) > MAX_PATH || strchr(path, '\\'))
        return false;
    for (const char *part = path; *part;) {
        size_t size = strcspn(part, "/");
        if ((size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        part += size + (part[size] == '/');
    }
    return true;
}

/* The size that an entry claims is a hint only: what comes is counted. */
static enum cook_status read_entry(struct archive *archive, struct cook_buf *bytes, const char *name,
                                   struct cook_error *error)
{
    char block[BLOCK_BYTES];
    la_ssize_t size;
    cook_buf_clear(bytes);
    while ((size = archive_read_data(archive, block, sizeof(block))) > 0) {
        if (bytes->size + (size_t)size > MAX_FILE_BYTES)
            return cook_error_set(error, COOK_E_LIMIT, "%s: a file in it is too large", name);
        cook_buf_put(bytes, block, (size_t)size);
        if (bytes->failed)
            return cook_error_no_memory(error);
    }
    return size < 0 ? broken(name, archive_error_string(archive), error) : COOK_OK;
}

static enum cook_status read_all(struct archive *archive, const char *name, cook_unzip_take take,
                                 void *user, struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct archive_entry *entry;
    enum cook_status status = COOK_OK;
    int code = ARCHIVE_OK;
    while (status == COOK_OK && (code = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
        const char *path = archive_entry_pathname_utf8(entry);
        if (archive_entry_filetype(entry) == AE_IFDIR)
            continue;
        if (!path || !is_safe(path) || archive_entry_filetype(entry) != AE_IFREG)
            status = broken(name, "it holds something that is no plain file below its folder", error);
        if (status == COOK_OK)
            status = read_entry(archive, &bytes, name, error);
        if (status == COOK_OK)
            status = take(user, path, bytes.data, bytes.size, error);
    }
    if (status == COOK_OK && code != ARCHIVE_EOF)
        status = broken(name, archive_error_string(archive), error);
    cook_buf_finish(&bytes);
    return status;
}

enum cook_status cook_unzip(int folder_fd, const char *name, cook_unzip_take take, void *user,
                            struct cook_error *error)
{
    int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot open '%s'", name);
    struct archive *archive = archive_read_new();
    enum cook_status status = archive ? COOK_OK : cook_error_no_memory(error);
    /* The seekable reader alone: it reads the zip's directory, as games and people's tools do. */
    if (status == COOK_OK && (archive_read_support_format_zip_seekable(archive) != ARCHIVE_OK ||
                              archive_read_open_fd(archive, fd, BLOCK_BYTES) != ARCHIVE_OK))
        status = broken(name, archive_error_string(archive), error);
    if (status == COOK_OK)
        status = read_all(archive, name, take, user, error);
    archive_read_free(archive);
    close(fd);
    return status;
}
