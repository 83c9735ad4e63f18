/* What segments.c (writing) and segments_read.c share: the formats and the open files. */
#ifndef COOK_STORE_SEGMENTS_PRIVATE_H
#define COOK_STORE_SEGMENTS_PRIVATE_H

#include "cook/store/compress.h"
#include "cook/store/segments.h"

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

#define READ_FILES 8u

struct cook_segment_grown {
    uint32_t number;
    uint64_t bytes;
};

struct cook_segment_file {
    uint32_t number; /* 0: free */
    int fd;
};

struct cook_segments {
    int folder_fd;
    int write_fd;           /* of segment `number`, or -1 before the first append */
    uint32_t number;        /* the segment appended to; 0: none yet */
    uint64_t flushed;       /* its bytes in the file */
    struct cook_buf buffer; /* its bytes behind them */
    struct cook_segment_grown *grown;
    size_t grown_count;
    size_t grown_capacity;
    bool folder_changed; /* a new file's name is not durable yet */
    bool broken;         /* a sync failed */
    bool rotate;         /* the next record begins a segment */
    struct cook_compressor *compressor;
    struct cook_segment_file files[READ_FILES];
    struct cook_buf scratch; /* of compressed reads */
};

/* Write what is buffered. */
enum cook_status cook_segments_flush(struct cook_segments *segments,
                                     struct cook_error *error) COOK_CHECK_RESULT;

#endif
