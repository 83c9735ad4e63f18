/* Reading records, whose bytes and addresses are trusted only as far as they are checked. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/store/segments_private.h"

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
    struct cook_segment_file *file = &segments->files[number % READ_FILES];
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
        status = cook_segments_flush(segments, error);
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
