/* Which bytes differ, and the few of them that are shown. */
#ifndef DIFFCOOK_WINDOW_H
#define DIFFCOOK_WINDOW_H

#include "diff.h"

/* Two stretches of bytes compared; positions relative to their starts. */
struct diff_delta {
    uint64_t first;    /* the first that differs */
    uint64_t old_end;  /* by position: past the last that differs; else past the first range */
    uint64_t new_end;
    uint64_t bytes;    /* that differ at one position, or stand in another's place */
    uint64_t inserted; /* beyond these */
    uint64_t removed;
    uint64_t ranges;   /* runs of all of them */
    bool by_position;  /* equal sizes, byte by byte; otherwise resynchronised (resync.h) */
};
struct diff_delta diff_delta_find(const uint8_t *old, uint64_t old_size, const uint8_t *new,
                                  uint64_t new_size);

/*
 * The window of one side: `delta` relative to `offset` in `version`; `other` holds the bytes
 * that the other side has at the same place when compared by position, else NULL.
 */
struct diff_window diff_window_make(const struct diff_version *version, uint64_t offset,
                                    uint64_t first, uint64_t end, const uint8_t *other);
extern const struct diff_window diff_window_absent;

#endif
