/*
 * Blob segments: append-only files blobs/seg-000001.blob … of checksummed records. This part
 * knows files and records; which blob lies where is the record of SQLite (store_blobs.c).
 *
 * A segment is a header and records one after another. Only its first `size` bytes, as SQLite
 * names them, count: what lies behind was not committed, and the next writer cuts it off. A
 * blob that is larger than a segment gets one of its own. One thread uses this at a time.
 */
#ifndef COOK_STORE_SEGMENTS_H
#define COOK_STORE_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cook/base/buf.h"
#include "cook/base/error.h"

#define COOK_SEGMENT_MAX_BYTES  (UINT64_C(256) << 20)
#define COOK_BLOB_MAX_BYTES     (UINT64_C(2) << 30)
#define COOK_SEGMENT_NAME_BYTES 32

/* Where a blob's record begins, and its size as given and as stored. */
struct cook_blob_address {
    uint32_t segment;
    uint64_t offset;
    uint64_t size_bytes;
    uint64_t stored_bytes;
};

struct cook_segments;

/*
 * Open the segments in `folder_fd` (the store's; borrowed for as long as they are open).
 * Nothing is read yet: a writer goes on in segment `last` (0: none yet) at its committed
 * `last_bytes`.
 */
enum cook_status cook_segments_open(struct cook_segments **out, int folder_fd, uint32_t last,
                                    uint64_t last_bytes,
                                    struct cook_error *error) COOK_CHECK_RESULT;
void cook_segments_close(
    struct cook_segments *segments); /* drops what is buffered; NULL allowed */

/*
 * Append a record, buffered. A failure leaves everything as it was, so that a caller may try
 * again. COOK_E_NO_SPACE, COOK_E_IO, COOK_E_NO_MEMORY, COOK_E_LIMIT.
 */
enum cook_status cook_segments_append(struct cook_blob_address *address,
                                      struct cook_segments *segments, struct cook_hash hash,
                                      const void *bytes, size_t size,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* Have the next record begin a new segment. */
void cook_segments_rotate(struct cook_segments *segments);
/* Make all records durable. After a failed sync the kernel may have dropped them: no retry. */
enum cook_status cook_segments_sync(struct cook_segments *segments,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* The segments that grew since cook_segments_committed(): the `index`th, false behind the last.
 */
bool cook_segments_grown(const struct cook_segments *segments, size_t index, uint32_t *number,
                         uint64_t *bytes);
void cook_segments_committed(struct cook_segments *segments);

/*
 * Read a record, appending its raw bytes to `out`, and check it against address and hash.
 * COOK_E_DAMAGED names segment and offset; also when the file is missing or too short.
 */
enum cook_status cook_segments_read(struct cook_buf *out, struct cook_segments *segments,
                                    const struct cook_blob_address *address,
                                    struct cook_hash hash,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* Check the header of a segment. */
enum cook_status cook_segments_check(struct cook_segments *segments, uint32_t number,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* Write the header of a segment anew, where it was found wrong: it says nothing that is not known. */
enum cook_status cook_segments_mend(struct cook_segments *segments, uint32_t number,
                                    struct cook_error *error) COOK_CHECK_RESULT;
void cook_segments_name(char name[COOK_SEGMENT_NAME_BYTES], uint32_t number);

#endif
