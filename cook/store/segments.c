#include "cook/store/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/store/segments_private.h"

#define BUFFER_BYTES ((size_t)1 << 20)

void cook_segments_name(char name[COOK_SEGMENT_NAME_BYTES], uint32_t number)
{
    snprintf(name, COOK_SEGMENT_NAME_BYTES, "blobs/seg-%06u.blob", number);
}

enum cook_status cook_segments_open(struct cook_segments **out, int folder_fd, uint32_t last,
                                    uint64_t last_bytes, struct cook_error *error)
{
    struct cook_segments *segments = cook_calloc(1, sizeof(*segments));
    *out = segments;
    if (!segments)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the blob segments");
    segments->folder_fd = folder_fd;
    segments->write_fd = -1;
    segments->number = last;
    segments->flushed = last_bytes;
    return COOK_OK;
}

void cook_segments_close(struct cook_segments *segments)
{
    if (!segments)
        return;
    if (segments->write_fd >= 0)
        close(segments->write_fd);
    for (unsigned i = 0; i < READ_FILES; i++) {
        if (segments->files[i].number)
            close(segments->files[i].fd);
    }
    cook_compressor_destroy(segments->compressor);
    cook_buf_finish(&segments->buffer);
    cook_buf_finish(&segments->scratch);
    cook_free(segments->grown);
    cook_free(segments);
}

/* ---- writing ---- */

static enum cook_status write_failed(const struct cook_segments *segments,
                                     struct cook_error *error)
{
    char name[COOK_SEGMENT_NAME_BYTES];
    cook_segments_name(name, segments->number);
    return cook_error_set_errno(error, "cannot write %s", name);
}

/* Write at an offset, so that a failure half-way can be tried again at the same place. */
static enum cook_status write_at(struct cook_segments *segments, const void *bytes, size_t size,
                                 uint64_t offset, struct cook_error *error)
{
    const uint8_t *from = bytes;
    while (size) {
        ssize_t written = pwrite(segments->write_fd, from, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return write_failed(segments, error);
        from += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return COOK_OK;
}

enum cook_status cook_segments_flush(struct cook_segments *segments, struct cook_error *error)
{
    struct cook_buf *buffer = &segments->buffer;
    if (!buffer->size)
        return COOK_OK;
    enum cook_status status =
        write_at(segments, buffer->data, buffer->size, segments->flushed, error);
    if (status != COOK_OK)
        return status;
    /* Let the disk begin now with what a later sync would have to wait for. */
    (void)sync_file_range(segments->write_fd, (off_t)segments->flushed, (off_t)buffer->size,
                          SYNC_FILE_RANGE_WRITE);
    segments->flushed += buffer->size;
    buffer->size = 0;
    return COOK_OK;
}

/* Cut off what a killed writer left behind the committed bytes; false where some are missing.
 */
static bool reopen_last(struct cook_segments *segments)
{
    char name[COOK_SEGMENT_NAME_BYTES];
    struct stat facts;
    cook_segments_name(name, segments->number);
    int fd = openat(segments->folder_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        (uint64_t)facts.st_size < segments->flushed ||
        ftruncate(fd, (off_t)segments->flushed) != 0) {
        close(fd);
        return false;
    }
    segments->write_fd = fd;
    return true;
}

static void put_segment_header(struct cook_buf *buffer, uint32_t number)
{
    cook_buf_put(buffer, SEGMENT_MAGIC, 8);
    cook_buf_put_u32(buffer, SEGMENT_VERSION);
    cook_buf_put_u32(buffer, number);
}

/* A file of that number that exists was never committed, hence O_TRUNC. */
static enum cook_status create_next(struct cook_segments *segments, struct cook_error *error)
{
    char name[COOK_SEGMENT_NAME_BYTES];
    cook_segments_name(name, segments->number + 1);
    int flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
    int fd = openat(segments->folder_fd, name, flags, 0666);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot create %s", name);
    segments->write_fd = fd;
    segments->number++;
    segments->flushed = 0;
    segments->folder_changed = true;
    segments->rotate = false;
    put_segment_header(&segments->buffer, segments->number);
    return COOK_OK;
}

void cook_segments_rotate(struct cook_segments *segments)
{
    segments->rotate = true;
}

static enum cook_status sync_file(struct cook_segments *segments, struct cook_error *error)
{
    if (fdatasync(segments->write_fd) == 0)
        return COOK_OK;
    segments->broken = true;
    return write_failed(segments, error);
}

/* Finish the current segment: it is made durable now, as its handle is closed. */
static enum cook_status finish_current(struct cook_segments *segments, struct cook_error *error)
{
    enum cook_status status = cook_segments_flush(segments, error);
    if (status == COOK_OK)
        status = sync_file(segments, error);
    if (status != COOK_OK)
        return status;
    close(segments->write_fd);
    segments->write_fd = -1;
    return COOK_OK;
}

/* Have a segment open whose buffer is flushed if need be, with room for a record. */
static enum cook_status make_room(struct cook_segments *segments, uint64_t record_bytes,
                                  struct cook_error *error)
{
    bool in_buffer = record_bytes <= BUFFER_BYTES;
    uint64_t end = segments->flushed + segments->buffer.size;
    bool fits = segments->number && !segments->rotate &&
                (end + record_bytes <= COOK_SEGMENT_MAX_BYTES || end <= SEGMENT_HEADER_BYTES);
    enum cook_status status = COOK_OK;
    /* Room for the largest buffer and for the header first: then no later step can fail on it.
     */
    if (!cook_grow(&segments->buffer.data, &segments->buffer.capacity,
                   BUFFER_BYTES + SEGMENT_HEADER_BYTES + RECORD_HEADER_BYTES, 1) ||
        !cook_grow(&segments->grown, &segments->grown_capacity, segments->grown_count + 1,
                   sizeof(*segments->grown)))
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the blob segments");
    if (segments->write_fd >= 0 && !fits)
        status = finish_current(segments, error);
    if (status == COOK_OK && segments->write_fd < 0 && !(fits && reopen_last(segments)))
        status = create_next(segments, error);
    if (status == COOK_OK &&
        (!in_buffer || segments->buffer.size + record_bytes > BUFFER_BYTES))
        status = cook_segments_flush(segments, error);
    return status;
}

static void put_header(struct cook_buf *buffer, uint32_t flags, size_t size, size_t stored,
                       struct cook_hash hash)
{
    size_t start = buffer->size;
    cook_buf_put_u32(buffer, RECORD_MAGIC);
    cook_buf_put_u32(buffer, flags);
    cook_buf_put_u64(buffer, size);
    cook_buf_put_u64(buffer, stored);
    cook_buf_put_hash(buffer, hash);
    cook_buf_put_u64(buffer, cook_hash_bytes(buffer->data + start, buffer->size - start).low);
}

static void note_growth(struct cook_segments *segments)
{
    uint64_t bytes = segments->flushed + segments->buffer.size;
    struct cook_segment_grown *last =
        segments->grown_count ? &segments->grown[segments->grown_count - 1] : NULL;
    if (!last || last->number != segments->number)
        last = &segments->grown[segments->grown_count++];
    *last = (struct cook_segment_grown){ segments->number, bytes };
}

/* A large record goes past the buffer, which is empty now; nothing counts until it is complete.
 */
static enum cook_status write_large(struct cook_segments *segments, const void *bytes,
                                    size_t size, struct cook_error *error)
{
    size_t header = segments->buffer.size;
    enum cook_status status =
        write_at(segments, segments->buffer.data, header, segments->flushed, error);
    if (status == COOK_OK)
        status = write_at(segments, bytes, size, segments->flushed + header, error);
    segments->buffer.size = 0;
    if (status == COOK_OK)
        segments->flushed += header + size;
    return status;
}

static const void *compressed(struct cook_segments *segments, const void *bytes, size_t size,
                              size_t *stored)
{
    if (!segments->compressor)
        segments->compressor = cook_compressor_create();
    const uint8_t *packed = NULL;
    *stored =
        segments->compressor ? cook_compress(&packed, segments->compressor, bytes, size) : 0;
    return *stored ? packed : NULL;
}

enum cook_status cook_segments_append(struct cook_blob_address *address,
                                      struct cook_segments *segments, struct cook_hash hash,
                                      const void *bytes, size_t size, struct cook_error *error)
{
    if (segments->broken)
        return cook_error_set(error, COOK_E_IO, "an earlier write of the blobs failed");
    if (size > COOK_BLOB_MAX_BYTES)
        return cook_error_set(error, COOK_E_LIMIT, "a blob of %zu bytes is too large", size);
    size_t stored;
    const void *packed = compressed(segments, bytes, size, &stored);
    if (!packed)
        stored = size;
    enum cook_status status = make_room(segments, RECORD_HEADER_BYTES + stored, error);
    if (status != COOK_OK)
        return status;
    address->segment = segments->number;
    address->offset = segments->flushed + segments->buffer.size;
    address->size_bytes = size;
    address->stored_bytes = stored;
    put_header(&segments->buffer, packed ? RECORD_ZSTD : 0, size, stored, hash);
    if (RECORD_HEADER_BYTES + stored <= BUFFER_BYTES)
        cook_buf_put(&segments->buffer, packed ? packed : bytes, stored);
    else
        status = write_large(segments, packed ? packed : bytes, stored, error);
    if (status == COOK_OK)
        note_growth(segments);
    return status;
}

enum cook_status cook_segments_sync(struct cook_segments *segments, struct cook_error *error)
{
    if (segments->broken)
        return cook_error_set(error, COOK_E_IO, "an earlier write of the blobs failed");
    if (segments->write_fd < 0)
        return COOK_OK;
    enum cook_status status = cook_segments_flush(segments, error);
    if (status == COOK_OK)
        status = sync_file(segments, error);
    if (status != COOK_OK || !segments->folder_changed)
        return status;
    int fd = openat(segments->folder_fd, "blobs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        status = cook_error_set_errno(error, "cannot write the folder blobs");
    else
        segments->folder_changed = false;
    if (fd >= 0)
        close(fd);
    return status;
}

bool cook_segments_grown(const struct cook_segments *segments, size_t index, uint32_t *number,
                         uint64_t *bytes)
{
    if (index >= segments->grown_count)
        return false;
    *number = segments->grown[index].number;
    *bytes = segments->grown[index].bytes;
    return true;
}

void cook_segments_committed(struct cook_segments *segments)
{
    segments->grown_count = 0;
}

enum cook_status cook_segments_mend(struct cook_segments *segments, uint32_t number,
                                    struct cook_error *error)
{
    struct cook_buf header = COOK_BUF_INIT;
    char name[COOK_SEGMENT_NAME_BYTES];
    cook_segments_name(name, number);
    put_segment_header(&header, number);
    enum cook_status status =
        header.failed ? cook_error_no_memory(error) : COOK_OK;
    int fd = openat(segments->folder_fd, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (status == COOK_OK &&
        (fd < 0 || pwrite(fd, header.data, header.size, 0) != (ssize_t)header.size ||
         fdatasync(fd) != 0))
        status = cook_error_set_errno(error, "cannot mend %s", name);
    if (fd >= 0)
        close(fd);
    cook_buf_finish(&header);
    return status;
}
