/* Zip files, by libarchive; no other file sees it. Entries are written in the order given,
 * with one fixed time. libarchive puts local time into a zip file, so the time zone must be
 * UTC. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/buf.h"
#include "cook/stage/stage.h"

#define ZIP32_BYTES   UINT64_C(0xf0000000) /* with room for headers */
#define ZIP32_ENTRIES 60000u

static enum cook_status archive_failed(struct archive *archive, struct cook_error *error)
{
    int number = archive_errno(archive);
    enum cook_status status =
        number == ENOSPC || number == EDQUOT ? COOK_E_NO_SPACE : COOK_E_IO;
    const char *text = archive_error_string(archive);
    return cook_error_set(error, status, "%s", text ? text : "cannot write the zip file");
}

static enum cook_status put_file(struct archive *archive, const struct cook_stage *stage,
                                 const struct cook_stage_file *file, struct cook_buf *bytes,
                                 struct cook_error *error)
{
    cook_buf_clear(bytes);
    enum cook_status status = cook_store_get_blob(stage->store, bytes, file->hash, error);
    if (status != COOK_OK) {
        cook_error_prefix(error, "%s", file->path);
        return status;
    }
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        return cook_error_no_memory(error);
    archive_entry_set_pathname_utf8(entry, file->path);
    archive_entry_set_size(entry, (la_int64_t)bytes->size);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, COOK_STAGE_TIME, 0);
    if (archive_write_header(archive, entry) != ARCHIVE_OK)
        status = archive_failed(archive, error);
    if (status == COOK_OK && bytes->size &&
        archive_write_data(archive, bytes->data, bytes->size) != (la_ssize_t)bytes->size)
        status = archive_failed(archive, error);
    archive_entry_free(entry);
    return status;
}

/* Plain zip where it will do: older readers know nothing else. */
static const char *options_of(const struct cook_stage_chunk *chunk)
{
    bool large = chunk->file_count > ZIP32_ENTRIES || chunk->size_bytes > ZIP32_BYTES;
    return large ? "zip:compression-level=6,zip:hdrcharset=UTF-8"
                 : "zip:!zip64,zip:compression-level=6,zip:hdrcharset=UTF-8";
}

static enum cook_status put_all(struct archive *archive, int fd, const struct cook_stage *stage,
                                const struct cook_stage_chunk *chunk, struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status = COOK_OK;
    if (archive_write_set_format_zip(archive) != ARCHIVE_OK ||
        archive_write_set_options(archive, options_of(chunk)) != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(archive, 1) != ARCHIVE_OK ||
        archive_write_open_fd(archive, fd) != ARCHIVE_OK)
        status = archive_failed(archive, error);
    for (size_t i = 0; status == COOK_OK && i < chunk->file_count; i++)
        status = put_file(archive, stage, &chunk->files[i], &bytes, error);
    if (status == COOK_OK && archive_write_close(archive) != ARCHIVE_OK)
        status = archive_failed(archive, error);
    cook_buf_finish(&bytes);
    return status;
}

enum cook_status cook_stage_write_zip(const struct cook_stage *stage,
                                      const struct cook_stage_chunk *chunk, int folder_fd,
                                      const char *name, struct cook_error *error)
{
    char temporary[64];
    (void)snprintf(temporary, sizeof(temporary), ".%.40s.new", name);
    if (unlinkat(folder_fd, temporary, 0) != 0 && errno != ENOENT)
        return cook_error_set_errno(error, "cannot delete an unfinished zip file");
    int fd = openat(folder_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot make a zip file");
    struct archive *archive = archive_write_new();
    enum cook_status status = archive
                                  ? put_all(archive, fd, stage, chunk, error)
                                  : cook_error_no_memory(error);
    if (archive)
        (void)archive_write_free(archive);
    if (close(fd) != 0 && status == COOK_OK)
        status = cook_error_set_errno(error, "cannot write the zip file");
    if (status == COOK_OK && renameat(folder_fd, temporary, folder_fd, name) != 0)
        status = cook_error_set_errno(error, "cannot rename the zip file");
    if (status != COOK_OK) {
        (void)unlinkat(folder_fd, temporary, 0);
        cook_error_prefix(error, "%s", name);
    }
    return status;
}
