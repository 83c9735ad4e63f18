/*
 * One refresh of the registry, as its parts share it:
 *
 *     stat.c      asks the file system about every known folder and file, on threads, and notes
 *                 which of them differ from their rows. A null cook ends here.
 *     walk.c      lists the folders that differ and finds new files and folders in them.
 *     content.c   reads and hashes the files that differ or are new, on threads.
 *     packages.c  gives packages their files, and decides which must be scanned.
 *
 * Rows are changed by the main thread only, in an order that depends on names and ids alone,
 * and only through the functions here, which thaw the state at the first real difference. Texts
 * of the state move when it thaws or grows, so copies of them live in `scratch`.
 */
#ifndef COOK_REGISTRY_REFRESH_H
#define COOK_REGISTRY_REFRESH_H

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/registry/registry.h"

#define COOK_REGISTRY_MAX_DEPTH 128 /* of folders below the project */
#define COOK_ROOT_NONE          SIZE_MAX

/* Ids in order of first addition, each once. */
struct cook_id_queue {
    uint32_t *ids; /* owned */
    size_t count;
    size_t capacity;
    uint8_t *marks; /* owned; by id */
    size_t mark_count;
};
bool cook_id_queue_add(struct cook_id_queue *queue, uint32_t id); /* false: memory is short */
void cook_id_queue_forget(struct cook_id_queue *queue, uint32_t id); /* it may be added again */
void cook_id_queue_finish(struct cook_id_queue *queue);

struct cook_refresh {
    struct cook_state *state;
    const struct cook_project *project;
    const struct cook_registry_options *options;
    struct cook_registry_changes *changes;
    size_t warning_capacity;
    struct cook_error *error;
    uint32_t *signatures; /* by root: what COOK_FOLDER_LISTED_SHIFT holds after a listing now */
    struct cook_fs_clock clock;    /* before anything was listed or read */
    struct cook_id_queue folders;  /* that differ: to be listed */
    struct cook_id_queue reads;    /* files that differ or are new: to be hashed */
    struct cook_id_queue mapped;   /* folders whose files may have come or gone */
    struct cook_id_queue packages; /* whose facts may be stale */
    struct cook_arena scratch;     /* of the folder or package at hand */
};

enum cook_status cook_refresh_no_memory(struct cook_refresh *refresh);
/* Note "path: reason". */
enum cook_status cook_refresh_warn(struct cook_refresh *refresh, const char *path,
                                   const char *reason) COOK_CHECK_RESULT;
/* Queue an id; COOK_E_NO_MEMORY. */
enum cook_status cook_refresh_queue(struct cook_refresh *refresh, struct cook_id_queue *queue,
                                    uint32_t id) COOK_CHECK_RESULT;

/* Replace a row where it differs; notes what kind of change that is. */
enum cook_status cook_refresh_put_folder(struct cook_refresh *refresh, uint32_t id,
                                         const struct cook_state_folder *row) COOK_CHECK_RESULT;
enum cook_status cook_refresh_put_file(struct cook_refresh *refresh, uint32_t id,
                                       const struct cook_state_file *row) COOK_CHECK_RESULT;
enum cook_status cook_refresh_put_package(struct cook_refresh *refresh, uint32_t id,
                                          const struct cook_state_package *row)
    COOK_CHECK_RESULT;
enum cook_status cook_refresh_put_result(struct cook_refresh *refresh, uint32_t id,
                                         const struct cook_state_result *row) COOK_CHECK_RESULT;

/* The files of a folder: [first, end) in file_order, which must be sorted. */
struct cook_file_range {
    uint32_t first;
    uint32_t end;
};
struct cook_file_range cook_refresh_files(const struct cook_state *state, uint32_t folder);

/* Index of the content root that a folder lies in (the root's own folder included). */
size_t cook_refresh_root_of(const struct cook_project *project, const char *folder);
/* Whether a name is one that content may have: not hidden, nothing that paths must not hold. */
bool cook_refresh_is_hidden(const char *name);
bool cook_refresh_is_valid_name(const char *name);
/* The first reader that claims the name's extension, or NULL. */
const struct cook_reader_info *cook_refresh_reader(const struct cook_registry_options *options,
                                                   const char *name);
#define COOK_SIDE_EXTENSION ".cook"
/* Length of the main file's name where `name` is a side file's, else 0. */
size_t cook_refresh_side_stem(const char *name);

/* stat.c: fill `folders` and `reads` with what differs. Changes nothing in the state. */
enum cook_status cook_refresh_stat(struct cook_refresh *refresh) COOK_CHECK_RESULT;
/* walk.c: work off `folders`, which grows meanwhile; adds to `reads` and `mapped`. */
enum cook_status cook_refresh_walk(struct cook_refresh *refresh) COOK_CHECK_RESULT;
/* content.c: work off `reads`; adds to `mapped` and `packages`. */
enum cook_status cook_refresh_read(struct cook_refresh *refresh) COOK_CHECK_RESULT;
/* packages.c: work off `mapped` (adds to `packages`), then `packages`. */
enum cook_status cook_refresh_map(struct cook_refresh *refresh) COOK_CHECK_RESULT;
enum cook_status cook_refresh_check(struct cook_refresh *refresh) COOK_CHECK_RESULT;

/* What came of reading a file: absent (not there, or no regular file), readable, or not. */
struct cook_file_reading {
    struct cook_file_stat stat; /* taken before the first byte was read */
    struct cook_hash content;   /* zero where absent or unreadable */
    int error_number;           /* why it is unreadable, else 0 */
    bool is_link;               /* absent, but a link to nowhere stands there */
};
#define COOK_READING_BUFFER_BYTES ((size_t)256 * 1024)
/* Stat and hash a file of any size through the caller's buffer. Thread-safe. */
void cook_file_read_content(struct cook_file_reading *out, int folder_fd, const char *path,
                            uint8_t *buffer);
/* The row after a reading. `in_content`: its folder is listed, so absence need not be probed.
 */
struct cook_state_file cook_file_row(const struct cook_state_file *row,
                                     const struct cook_file_reading *reading, const struct cook_fs_clock *clock,
                                     bool in_content);

#endif
