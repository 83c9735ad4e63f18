#include "cook/trace/shared.h"

#include <sys/mman.h>

enum cook_status cook_trace_shared_create(struct cook_trace_shared **out, struct cook_error *error)
{
    struct cook_trace_shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *out = NULL;
    if (shared == MAP_FAILED)
        return cook_error_set_errno(error, "cannot map memory to share with the supervisor");
    *out = shared;
    return COOK_OK;
}

struct cook_trace_slot *cook_trace_slot_find(struct cook_trace_shared *shared, int tid)
{
    for (unsigned i = 0; i < COOK_TRACE_SLOTS; i++) {
        struct cook_trace_slot *slot = &shared->slots[((unsigned)tid + i) % COOK_TRACE_SLOTS];
        int there = atomic_load_explicit(&slot->tid, memory_order_acquire);
        if (there == tid)
            return slot;
        if (!there)
            return NULL;
    }
    return NULL;
}

struct cook_trace_slot *cook_trace_slot_make(struct cook_trace_shared *shared, int tid)
{
    struct cook_trace_slot *known = cook_trace_slot_find(shared, tid);
    for (unsigned i = 0; !known && i < COOK_TRACE_SLOTS; i++) {
        struct cook_trace_slot *slot = &shared->slots[((unsigned)tid + i) % COOK_TRACE_SLOTS];
        int there = atomic_load(&slot->tid);
        if (there <= 0 && atomic_compare_exchange_strong(&slot->tid, &there, tid))
            known = slot;
    }
    return known;
}

void cook_trace_slot_free(struct cook_trace_slot *slot)
{
    atomic_store(&slot->package, 0);
    atomic_store(&slot->covered, 0);
    atomic_store(&slot->tid, -1); /* not 0: others may lie behind it */
}

/* ---- the ring ---- */

static uint32_t round_up(size_t size)
{
    return (uint32_t)((size + 15) & ~(size_t)15);
}

/* Head and tail run on; their difference is what is in use. */
struct cook_trace_sighting *cook_trace_ring_reserve(struct cook_trace_shared *shared, size_t size)
{
    uint32_t head = atomic_load(&shared->head);
    uint32_t used = head - atomic_load(&shared->tail);
    uint32_t at = head % COOK_TRACE_RING_BYTES;
    uint32_t left = COOK_TRACE_RING_BYTES - at;
    uint32_t needed = round_up(size);
    uint32_t skipped = left < needed ? left : 0;
    if (size > COOK_TRACE_RING_BYTES / 4 ||
        used + skipped + needed > COOK_TRACE_RING_BYTES) {
        atomic_fetch_add(&shared->dropped, 1);
        return NULL;
    }
    if (skipped) {
        ((struct cook_trace_sighting *)(void *)(shared->ring + at))->size = 0;
        atomic_store(&shared->head, head + skipped);
        at = 0;
    }
    struct cook_trace_sighting *sighting = (void *)(shared->ring + at);
    *sighting = (struct cook_trace_sighting){ .size = needed };
    return sighting;
}

void cook_trace_ring_publish(struct cook_trace_shared *shared,
                             const struct cook_trace_sighting *sighting)
{
    atomic_fetch_add(&shared->head, sighting->size);
}

const struct cook_trace_sighting *cook_trace_ring_peek(struct cook_trace_shared *shared)
{
    for (;;) {
        uint32_t tail = atomic_load(&shared->tail);
        if (tail == atomic_load(&shared->head))
            return NULL;
        uint32_t at = tail % COOK_TRACE_RING_BYTES;
        const struct cook_trace_sighting *sighting = (const void *)(shared->ring + at);
        if (sighting->size)
            return sighting;
        atomic_store(&shared->tail, tail + COOK_TRACE_RING_BYTES - at);
    }
}

void cook_trace_ring_release(struct cook_trace_shared *shared,
                             const struct cook_trace_sighting *sighting)
{
    atomic_fetch_add(&shared->tail, sighting->size);
}

void *const *cook_trace_sighting_pcs(const struct cook_trace_sighting *sighting)
{
    return (void *const *)(const void *)(sighting + 1);
}

const char *cook_trace_sighting_path(const struct cook_trace_sighting *sighting)
{
    return (const char *)(cook_trace_sighting_pcs(sighting) + sighting->pc_count);
}

const char *cook_trace_sighting_program(const struct cook_trace_sighting *sighting)
{
    return cook_trace_sighting_path(sighting) + sighting->path_bytes;
}
