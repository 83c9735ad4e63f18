/*
 * The index file: a state as one flat file that is mapped, never parsed. It is a copy of what
 * SQLite holds, so whatever is wrong with it, the answer is to read SQLite and write it anew.
 *
 * Trust. Section table and header carry a checksum that is checked each time, and every id that
 * rows hold is checked against its table, so a hostile file can mislead but not crash. Hashing
 * the whole file would cost more than the rest of a null cook, so the content hash is checked
 * only where the file is not as its writer left it: the header names the modification time that
 * was given to the file, and the boot of the machine, before which a write may not have reached
 * the disk. That is also why writing it need not wait for the disk.
 */
#ifndef COOK_STORE_INDEX_H
#define COOK_STORE_INDEX_H

#include "cook/store/state.h"

#define COOK_INDEX_FILE "index.bin"

/* Which contents of the database an index is a copy of: equal stamps, equal rows. */
struct cook_index_stamp {
    uint64_t generation; /* grows with each commit that changes rows */
    uint64_t token;      /* random for each of them, so that a database set back is noticed */
};

/*
 * Map the index in `folder_fd` as `*state`, which must be finished or zeroed before.
 * `*pool_base` is the pool's size when it was last compact. `restamp`: the caller holds the
 * store's lock, so a file that proved sound is marked as such for next time. COOK_E_NOT_FOUND,
 * COOK_E_DAMAGED (also of another generation), COOK_E_UNSUPPORTED (another version), COOK_E_IO,
 * COOK_E_NO_MEMORY; `*state` is untouched then.
 */
enum cook_status cook_index_map(struct cook_state *state, uint32_t *pool_base, int folder_fd,
                                const struct cook_index_stamp *expected, bool restamp,
                                struct cook_error *error) COOK_CHECK_RESULT;
/* Write and rename a sorted state into place. COOK_E_NO_SPACE, COOK_E_IO. */
enum cook_status cook_index_write(const struct cook_state *state, int folder_fd,
                                  const struct cook_index_stamp *stamp, uint32_t pool_base,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* Check the content hash of the file, whatever its times. Absence is sound. */
enum cook_status cook_index_verify(int folder_fd, struct cook_error *error) COOK_CHECK_RESULT;

/*
 * The same bytes through an open file of the caller's (a memory file), for another process that reads
 * the state while this one goes on: written from its start, and mapped. The stamp is zero.
 */
enum cook_status cook_index_write_copy(const struct cook_state *state, int fd,
                                       struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_index_map_copy(struct cook_state *state, int fd,
                                     struct cook_error *error) COOK_CHECK_RESULT;

/*
 * Validate `size` bytes of an index in memory, aligned to 64, and let `*state` point into them.
 * `expected` NULL accepts any stamp. The parts of cook_index_map, also for the fuzzer.
 */
enum cook_status cook_index_attach(struct cook_state *state, void *bytes, size_t size,
                                   const struct cook_index_stamp *expected,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* Recompute the header's checksum of an index in memory (at least a header's size). */
void cook_index_seal(void *bytes, size_t size);

#endif
