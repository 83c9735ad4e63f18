/*
 * What a traced worker and its supervisor share: a mapping made before they part. The worker
 * writes what it is at, the supervisor what it saw; each thread of the worker has a slot.
 */
#ifndef COOK_TRACE_SHARED_H
#define COOK_TRACE_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"

#define COOK_TRACE_FRAMES     96
#define COOK_TRACE_SLOTS      1024
#define COOK_TRACE_RING_BYTES ((uint32_t)1 << 20)
#define COOK_TRACE_PATH_BYTES 4096

/* A thread of the worker. Both sides touch only the atomics at the same time. */
struct cook_trace_slot {
    atomic_int tid;      /* 0: free; -1: free again */
    atomic_uint package; /* that it works for, see cook_trace_shared.active; 0: of the process */
    atomic_int covered;  /* calls under way that are ours, or that a wrapper has noted already */
    atomic_bool want;    /* the supervisor asked for a stack … */
    atomic_bool have;    /* … and it stands here */
    uint32_t count;
    void *pcs[COOK_TRACE_FRAMES];
    char path[2 * COOK_TRACE_PATH_BYTES]; /* the thread's scratch: a coroutine's stack is short */
};

/* What the supervisor saw, as it lies in the ring: pcs, path and program follow. */
struct cook_trace_sighting {
    uint32_t size;    /* of all, a multiple of 8; 0: go on at the ring's start */
    uint32_t package; /* as in the slot */
    int32_t number;   /* of the system call; -1: a pure program start seen in a child */
    int32_t flags;    /* of an open; of a stat */
    uint16_t pc_count;
    uint16_t path_bytes;    /* with NUL */
    uint16_t program_bytes; /* with NUL; 1: the worker itself */
    uint16_t unused;
    uint32_t order;
    uint32_t unused2;
};

struct cook_trace_shared {
    atomic_uint active;  /* package at hand, an id of the worker's; its lowest bit: loading it */
    atomic_uint epoch;   /* counts flushes, so that the supervisor tells again what it told before */
    atomic_uint order;   /* counts sightings: what was written before it was read is no input */
    atomic_bool moved;   /* the working folder may be another than the project */
    atomic_uint head;    /* the ring's, written by the supervisor */
    atomic_uint tail;    /* by the worker */
    atomic_ullong dropped;
    struct cook_trace_slot slots[COOK_TRACE_SLOTS];
    _Alignas(16) uint8_t ring[COOK_TRACE_RING_BYTES];
};

enum cook_status cook_trace_shared_create(struct cook_trace_shared **out,
                                          struct cook_error *error) COOK_CHECK_RESULT;
/* The slot of a thread, or NULL: none yet, or all taken. */
struct cook_trace_slot *cook_trace_slot_find(struct cook_trace_shared *shared, int tid);
struct cook_trace_slot *cook_trace_slot_make(struct cook_trace_shared *shared, int tid);
void cook_trace_slot_free(struct cook_trace_slot *slot); /* its thread ends */

/* Room for a sighting of `size` bytes (rounded up), or NULL when the ring is full, which is counted;
 * then publish it. One writer. */
struct cook_trace_sighting *cook_trace_ring_reserve(struct cook_trace_shared *shared, size_t size);
void cook_trace_ring_publish(struct cook_trace_shared *shared,
                             const struct cook_trace_sighting *sighting);
/* The oldest sighting, or NULL; then let go of it. One reader. */
const struct cook_trace_sighting *cook_trace_ring_peek(struct cook_trace_shared *shared);
void cook_trace_ring_release(struct cook_trace_shared *shared,
                             const struct cook_trace_sighting *sighting);

/* The parts of a sighting. */
void *const *cook_trace_sighting_pcs(const struct cook_trace_sighting *sighting);
const char *cook_trace_sighting_path(const struct cook_trace_sighting *sighting);
const char *cook_trace_sighting_program(const struct cook_trace_sighting *sighting);

#endif
