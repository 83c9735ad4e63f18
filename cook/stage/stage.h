/*
 * Staging: the files of the latest finished cook, laid out chunk by chunk below a folder, as
 * `chunkN.zip` or as folders `chunkN/`. What is staged follows from the cook alone: no times,
 * no order, no names of machines.
 *
 * The folder holds a list of what staging wrote (.cook-stage), by which the next staging
 * knows what is stale. Nothing else is ever deleted or replaced, and no link is followed
 * below the folder.
 *
 * A library of its own, apart from libcook: only this verb pays for loading libarchive.
 */
#ifndef COOK_STAGE_STAGE_H
#define COOK_STAGE_STAGE_H

#include "cook/base/alloc.h"
#include "cook/store/store.h"

#define COOK_STAGE_LIST ".cook-stage"

struct cook_stage_file {
    const char *path; /* within the chunk: "Game/Props/Rock.cooked" */
    struct cook_hash hash;
    uint64_t size_bytes;
};
struct cook_stage_chunk {
    uint32_t chunk;
    struct cook_stage_file *files; /* ascending by path */
    size_t file_count;
    size_t file_capacity;
    size_t package_count;
    uint64_t size_bytes; /* of all files */
};
struct cook_stage {
    struct cook_store *store;
    struct cook_arena arena;
    struct cook_stage_chunk *chunks; /* ascending; chunk 0 is always there */
    size_t chunk_count;
    size_t chunk_capacity;
    uint32_t cook; /* which one is staged */
};

/* Find out what to stage of a cook; 0: the newest finished one. COOK_E_NOT_FOUND without such a cook,
 * or where its files are no longer kept. */
enum cook_status cook_stage_open(struct cook_stage *stage, struct cook_store *store, uint32_t cook,
                                 struct cook_error *error) COOK_CHECK_RESULT;
void cook_stage_finish(struct cook_stage *stage);

/* Write everything below `folder` (created when missing), and delete what is stale;
 * `*deleted` out. */
enum cook_status cook_stage_write(struct cook_stage *stage, const char *folder, bool loose,
                                  size_t *deleted, struct cook_error *error) COOK_CHECK_RESULT;

/* ---- the parts of it ---- */

/* "chunk3.zip", or "chunk3/PATH" of a loose file; in `arena`, NULL when memory is short. */
char *cook_stage_zip_name(const struct cook_stage_chunk *chunk, struct cook_arena *arena);
char *cook_stage_loose_name(const struct cook_stage_chunk *chunk,
                            const struct cook_stage_file *file, struct cook_arena *arena);

/* zip.c: one chunk as a zip file of this name. Set the time zone to UTC before. */
enum cook_status cook_stage_write_zip(const struct cook_stage *stage,
                                      const struct cook_stage_chunk *chunk, int folder_fd,
                                      const char *name,
                                      struct cook_error *error) COOK_CHECK_RESULT;

/*
 * unzip.c: hand each file of a zip to `take`, in the order of the zip. Untrusted: COOK_E_MALFORMED with
 * "name: reason" for a broken zip, a path that leaves its folder, or an entry that is no file or
 * folder; COOK_E_LIMIT for a file over 2 GiB. The bytes are borrowed until `take` returns.
 */
typedef enum cook_status (*cook_unzip_take)(void *user, const char *path, const void *bytes,
                                            size_t size, struct cook_error *error);
enum cook_status cook_unzip(int folder_fd, const char *name, cook_unzip_take take, void *user,
                            struct cook_error *error) COOK_CHECK_RESULT;

/*
 * place.c: paths below an open folder, part by part, never through a link. Opens the folder of
 * `path`, making it when `make`; `*name` is what is left. COOK_E_NOT_FOUND, COOK_E_INVALID
 * for a path that is not plain, COOK_E_IO where a part is a link or a file. The caller closes
 * `*fd`.
 */
enum cook_status cook_place_open(int *fd, const char **name, int folder_fd, const char *path,
                                 bool make, struct cook_error *error) COOK_CHECK_RESULT;
/* Delete a regular file, and its folders as far as they are empty then; absence is fine. */
enum cook_status cook_place_remove(int folder_fd, const char *path, bool *removed,
                                   struct cook_error *error) COOK_CHECK_RESULT;
bool cook_place_exists(int folder_fd, const char *path);

/* 1980-01-01 00:00:00 UTC: the first moment that a zip file can name. */
#define COOK_STAGE_TIME 315532800

#endif
