#include "cook/store/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/store/compress.h"

/*
 * Formats, little-endian. Segment: magic[8], u32 version, u32 number. Record: u32 magic, u32
 * flags, u64 raw size, u64 stored size, hash of the raw bytes, u64 checksum of the 40 bytes
 * before; then the stored bytes.
 */
#define SEGMENT_MAGIC        "COOKSEG\n"
#define SEGMENT_VERSION      1u
#define SEGMENT_HEADER_BYTES 16u
#define RECORD_MAGIC         0x31424C42u /* "BLB1" */
#define RECORD_HEADER_BYTES  48u
#define RECORD_ZSTD          1u

#define BUFFER_BYTES ((size_t)1 << 20)
#define READ_FILES   8u

struct grown {
    uint32_t number;
    uint64_t bytes;
};

struct open_file {
    uint32_t number; /* 0: free */
    int fd;
};

struct cook_segments {
    int folder_fd;
    int write_fd;           /* of segment `number`, or -1 before the first append */
    uint32_t number;        /* the segment appended to; 0: none yet */
    uint64_t flushed;       /* its bytes in the file */
    struct cook_buf buffer; /* its bytes behind them */
    struct grown *grown;
    size_t grown_count;
    size_t grown_capacity;
    bool folder_changed; /* a new file's name is not durable yet */
    bool broken;         /* a sync failed */
    struct cook_compressor *compressor;
    struct open_file files[READ_FILES];
    struct cook_buf scratch; /* of compressed reads */
};

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

static enum cook_status flush(struct cook_segments *segments, struct cook_error *error)
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
    cook_buf_put(&segments->buffer, SEGMENT_MAGIC, 8);
    cook_buf_put_u32(&segments->buffer, SEGMENT_VERSION);
    cook_buf_put_u32(&segments->buffer, segments->number);
    return COOK_OK;
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
    enum cook_status status = flush(segments, error);
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
    bool fits = segments->number &&
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
        status = flush(segments, error);
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
    struct grown *last =
        segments->grown_count ? &segments->grown[segments->grown_count - 1] : NULL;
    if (!last || last->number != segments->number)
        last = &segments->grown[segments->grown_count++];
    *last = (struct grown){ segments->number, bytes };
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
    enum cook_status status = flush(segments, error);
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

/* ---- reading ---- */

static enum cook_status damaged(uint32_t number, uint64_t offset, const char *what,
                                struct cook_error *error)
{
    char name[COOK_SEGMENT_NAME_BYTES];
    cook_segments_name(name, number);
    return cook_error_set(error, COOK_E_DAMAGED, "%s (%s at %llu)", what, name,
                          (unsigned long long)offset);
}

/* A handle of the segment, kept open; one slot for all numbers that are equal modulo its count.
 */
static enum cook_status open_segment(int *fd, struct cook_segments *segments, uint32_t number,
                                     struct cook_error *error)
{
    struct open_file *file = &segments->files[number % READ_FILES];
    *fd = file->fd;
    if (file->number == number && number)
        return COOK_OK;
    if (file->number)
        close(file->fd);
    file->number = 0;
    char name[COOK_SEGMENT_NAME_BYTES];
    cook_segments_name(name, number);
    file->fd =
        openat(segments->folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file->fd < 0 && errno == ENOENT)
        return damaged(number, 0, "a blob segment is missing", error);
    if (file->fd < 0)
        return cook_error_set_errno(error, "cannot open %s", name);
    file->number = number;
    *fd = file->fd;
    return COOK_OK;
}

static enum cook_status read_at(struct cook_segments *segments, void *bytes, size_t size,
                                uint32_t number, uint64_t offset, struct cook_error *error)
{
    int fd;
    uint64_t start = offset;
    uint8_t *to = bytes;
    enum cook_status status = open_segment(&fd, segments, number, error);
    while (status == COOK_OK && size) {
        ssize_t got = pread(fd, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            char name[COOK_SEGMENT_NAME_BYTES];
            cook_segments_name(name, number);
            return cook_error_set_errno(error, "cannot read %s", name);
        }
        if (got == 0)
            return damaged(number, start, "a blob segment is cut off", error);
        to += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return status;
}

static bool header_fits(const uint8_t *header, const struct cook_blob_address *address,
                        struct cook_hash hash, uint32_t *flags)
{
    struct cook_reader_buf in = cook_read_init(header, RECORD_HEADER_BYTES);
    uint32_t magic = cook_read_u32(&in);
    *flags = cook_read_u32(&in);
    uint64_t size = cook_read_u64(&in);
    uint64_t stored = cook_read_u64(&in);
    struct cook_hash recorded = cook_read_hash(&in);
    uint64_t checksum = cook_read_u64(&in);
    return magic == RECORD_MAGIC && *flags <= RECORD_ZSTD && size == address->size_bytes &&
           stored == address->stored_bytes && cook_hash_equal(recorded, hash) &&
           checksum == cook_hash_bytes(header, RECORD_HEADER_BYTES - 8).low &&
           (*flags & RECORD_ZSTD || size == stored);
}

/* At least a byte, so that there is memory to point at for an empty blob too. */
static bool grow_by(struct cook_buf *buffer, uint64_t size)
{
    size_t needed;
    return !__builtin_add_overflow(buffer->size, (size_t)size + 1, &needed) &&
           cook_grow(&buffer->data, &buffer->capacity, needed, 1);
}

/* Read the stored bytes and bring them to the raw ones, at the end of `out` (not yet counted).
 */
static enum cook_status read_payload(struct cook_buf *out, struct cook_segments *segments,
                                     const struct cook_blob_address *address, uint32_t flags,
                                     struct cook_error *error)
{
    struct cook_buf *scratch = &segments->scratch;
    uint64_t offset = address->offset + RECORD_HEADER_BYTES;
    bool packed = flags & RECORD_ZSTD;
    scratch->size = 0;
    if (!grow_by(out, address->size_bytes) ||
        (packed && !grow_by(scratch, address->stored_bytes)))
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for a blob");
    uint8_t *raw = out->data + out->size;
    enum cook_status status = read_at(segments, packed ? scratch->data : raw,
                                      address->stored_bytes, address->segment, offset, error);
    if (status == COOK_OK && packed &&
        cook_decompress(raw, address->size_bytes, scratch->data, address->stored_bytes, NULL) !=
            COOK_OK)
        status =
            damaged(address->segment, address->offset, "bytes cannot be decompressed", error);
    return status;
}

enum cook_status cook_segments_read(struct cook_buf *out, struct cook_segments *segments,
                                    const struct cook_blob_address *address,
                                    struct cook_hash hash, struct cook_error *error)
{
    uint8_t header[RECORD_HEADER_BYTES];
    uint32_t flags;
    /* The address comes from a file too. */
    if (!address->segment || address->size_bytes > COOK_BLOB_MAX_BYTES ||
        address->stored_bytes > address->size_bytes || address->offset > INT64_MAX / 2)
        return damaged(address->segment, address->offset, "an address is out of range", error);
    if (out->failed)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for a blob");
    enum cook_status status = COOK_OK;
    if (address->segment == segments->number && segments->buffer.size)
        status = flush(segments, error);
    if (status == COOK_OK)
        status =
            read_at(segments, header, sizeof(header), address->segment, address->offset, error);
    if (status == COOK_OK && !header_fits(header, address, hash, &flags))
        status =
            damaged(address->segment, address->offset, "a record's header is wrong", error);
    if (status == COOK_OK)
        status = read_payload(out, segments, address, flags, error);
    if (status != COOK_OK)
        return status;
    if (!cook_hash_equal(cook_hash_bytes(out->data + out->size, address->size_bytes), hash))
        return damaged(address->segment, address->offset, "bytes do not match their hash",
                       error);
    out->size += address->size_bytes;
    return COOK_OK;
}

enum cook_status cook_segments_check(struct cook_segments *segments, uint32_t number,
                                     struct cook_error *error)
{
    uint8_t header[SEGMENT_HEADER_BYTES];
    enum cook_status status = read_at(segments, header, sizeof(header), number, 0, error);
    if (status != COOK_OK)
        return status;
    struct cook_reader_buf in = cook_read_init(header, sizeof(header));
    const uint8_t *magic = cook_read_raw(&in, 8);
    bool fits = memcmp(magic, SEGMENT_MAGIC, 8) == 0 && cook_read_u32(&in) == SEGMENT_VERSION &&
                cook_read_u32(&in) == number;
    return fits ? COOK_OK : damaged(number, 0, "a segment's header is wrong", error);
}
