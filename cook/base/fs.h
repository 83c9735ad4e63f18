/*
 * File system access: whole files, atomic replacement, stat facts, folder listings. Everything is
 * relative to an open folder handle (AT_FDCWD allowed), which is also the fast way.
 */
#ifndef COOK_BASE_FS_H
#define COOK_BASE_FS_H

#include <stdbool.h>
#include <stdint.h>

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/base/error.h"

enum cook_file_kind {
    COOK_FILE_UNKNOWN = 0,
    COOK_FILE_ABSENT,
    COOK_FILE_REGULAR,
    COOK_FILE_FOLDER,
    COOK_FILE_OTHER,
};

/* What stat tells; times in nanoseconds since the epoch. All zero but kind where absent. */
struct cook_file_stat {
    enum cook_file_kind kind;
    uint64_t size_bytes;
    int64_t mtime_ns;
    int64_t ctime_ns;
    uint64_t inode;
    uint64_t device;
};

/* Stat `path` (symbolic links followed). Absence is a result (COOK_FILE_ABSENT), not an error. */
enum cook_status cook_fs_stat(struct cook_file_stat *out, int folder_fd, const char *path,
                              struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Read a whole regular file, appending to `out`. COOK_E_LIMIT over `max_bytes`; COOK_E_NOT_FOUND
 * when absent. `stat_out` (may be NULL) gets the facts of the very file read, taken before the
 * first byte was read.
 */
enum cook_status cook_fs_read(struct cook_buf *out, struct cook_file_stat *stat_out, int folder_fd,
                              const char *path, uint64_t max_bytes,
                              struct cook_error *error) COOK_CHECK_RESULT;
/* Write a file atomically: temporary beside it, fsync when `durable`, rename. */
enum cook_status cook_fs_write(int folder_fd, const char *path, const void *bytes, size_t size,
                               bool durable, struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Write the file that a user named for output. As cook_fs_write, but what is there and is no regular
 * file (a device, a pipe, a link to either) is written into, never replaced.
 */
enum cook_status cook_fs_write_output(const char *path, const void *bytes, size_t size,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* mkdir -p below `folder_fd`. */
enum cook_status cook_fs_make_folders(int folder_fd, const char *path,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* Write all bytes to a descriptor, restarting on EINTR and short writes. */
enum cook_status cook_fs_write_all(int fd, const void *bytes, size_t size,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/*
 * The file system's own clock, by touching a file in `folder_fd`: a file whose mtime or ctime is
 * not safely older than this when it was read is *racy* and must be hashed again next time. It has
 * the granularity that times of files have, be it two seconds.
 */
struct cook_fs_clock {
    int64_t now_ns;  /* 0: everything is racy */
    uint64_t device; /* whose clock it is */
};
enum cook_status cook_fs_read_clock(struct cook_fs_clock *clock, int folder_fd,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* The time alone. */
enum cook_status cook_fs_now(int64_t *now_ns, int folder_fd, struct cook_error *error)
    COOK_CHECK_RESULT;
#define COOK_RACY_WINDOW_NS INT64_C(20000000) /* a coarse kernel tick is at most 10 ms */
/* Of another device, as a mounted content folder, whose clock may be coarser and somewhat late. */
#define COOK_RACY_WINDOW_ELSEWHERE_NS INT64_C(5000000000)
bool cook_fs_is_racy(const struct cook_file_stat *stat, const struct cook_fs_clock *clock);

struct cook_folder_entry {
    const char *name; /* in the arena given */
    enum cook_file_kind kind; /* links resolved; COOK_FILE_OTHER for sockets and the like */
};
/* List a folder, sorted by name (bytes), without "." and "..". */
enum cook_status cook_fs_list(struct cook_folder_entry **entries, size_t *count,
                              struct cook_arena *arena, int folder_fd, const char *path,
                              struct cook_error *error) COOK_CHECK_RESULT;
/* Remove a file or a whole tree; absence is not an error. Never follows symbolic links. */
enum cook_status cook_fs_remove_tree(int folder_fd, const char *path,
                                     struct cook_error *error) COOK_CHECK_RESULT;

#endif
