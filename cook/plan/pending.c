#include "cook/plan/pending.h"

#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"

#define NONE UINT32_MAX

enum cook_status cook_pending_init(struct cook_pending *pending, unsigned worker_count)
{
    *pending = (struct cook_pending){ .worker_count = worker_count };
    pending->cursors = cook_malloc((worker_count + 1) * sizeof(uint32_t));
    for (unsigned i = 0; pending->cursors && i < worker_count; i++)
        pending->cursors[i] = NONE;
    return pending->cursors ? COOK_OK : COOK_E_NO_MEMORY;
}

void cook_pending_finish(struct cook_pending *pending)
{
    cook_free(pending->queue);
    cook_free(pending->packages);
    cook_free(pending->groups);
    cook_free(pending->place_of);
    cook_free(pending->waiting);
    cook_free(pending->cursors);
    *pending = (struct cook_pending){ 0 };
}

enum cook_status cook_pending_add(struct cook_pending *pending, uint32_t package)
{
    uint32_t place = package < pending->package_count ? pending->place_of[package] : NONE;
    if (place != NONE) {
        pending->waiting[place / 64] |= UINT64_C(1) << (place % 64);
    } else {
        if (!cook_grow(&pending->queue, &pending->capacity, pending->tail + 1, sizeof(uint32_t)))
            return COOK_E_NO_MEMORY;
        pending->queue[pending->tail++] = package;
    }
    pending->count++;
    return COOK_OK;
}

static enum cook_status copy(uint32_t **out, const uint32_t *in, uint32_t count)
{
    *out = cook_malloc(((size_t)count + 1) * sizeof(uint32_t));
    if (*out && count)
        memcpy(*out, in, count * sizeof(uint32_t));
    return *out ? COOK_OK : COOK_E_NO_MEMORY;
}

enum cook_status cook_pending_arrange(struct cook_pending *pending, const uint32_t *packages,
                                      const uint32_t *groups, uint32_t count,
                                      uint32_t package_count)
{
    if (copy(&pending->packages, packages, count) != COOK_OK ||
        copy(&pending->groups, groups, count) != COOK_OK)
        return COOK_E_NO_MEMORY;
    pending->waiting = cook_calloc((size_t)count / 64 + 1, sizeof(uint64_t));
    pending->place_of = cook_malloc(((size_t)package_count + 1) * sizeof(uint32_t));
    if (!pending->waiting || !pending->place_of)
        return COOK_E_NO_MEMORY;
    for (uint32_t i = 0; i < package_count; i++)
        pending->place_of[i] = NONE;
    for (uint32_t i = 0; i < count; i++)
        pending->place_of[packages[i]] = i;
    pending->place_count = count;
    pending->package_count = package_count;
    size_t head = pending->head;
    size_t tail = pending->tail;
    pending->head = pending->tail = 0; /* writes below reads: an add never passes what it reads */
    pending->count = 0;
    enum cook_status status = COOK_OK;
    for (size_t i = head; status == COOK_OK && i < tail; i++)
        status = cook_pending_add(pending, pending->queue[i]);
    return status;
}

/* ---- stretches ---- */


/* The first waiting place of [from, to), or `to`. */
static uint32_t next_waiting(const struct cook_pending *pending, uint32_t from, uint32_t to)
{
    while (from < to) {
        uint64_t word = pending->waiting[from / 64] >> (from % 64);
        if (word) {
            from += (uint32_t)__builtin_ctzll(word);
            return from < to ? from : to;
        }
        from = from / 64 * 64 + 64;
    }
    return to;
}

static uint32_t count_waiting(const struct cook_pending *pending, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    while (from < to) {
        uint64_t word = pending->waiting[from / 64] >> (from % 64);
        uint32_t left = to - from;
        uint32_t span = 64 - from % 64;
        if (left < span) {
            word &= (UINT64_C(1) << left) - 1;
            span = left;
        }
        count += (uint32_t)__builtin_popcountll(word);
        from += span;
    }
    return count;
}

/* Where a worker's stretch ends: where the next one is, or at the end. Of several at one place, the
 * last one owns what follows. `worker` may be -1: what comes before all of them. */
static uint32_t stretch_end(const struct cook_pending *pending, int worker)
{
    uint32_t from = worker < 0 ? 0 : pending->cursors[worker];
    uint32_t end = pending->place_count;
    for (int i = 0; i < (int)pending->worker_count; i++) {
        uint32_t other = pending->cursors[i];
        if (i != worker && other < end && (other > from || (other == from && i > worker)))
            end = other;
    }
    return end;
}

/* Move from the middle of a stretch to where a group begins, back if that leaves its owner anything. */
static uint32_t group_edge(const struct cook_pending *pending, uint32_t from, uint32_t middle,
                           uint32_t to)
{
    uint32_t edge = middle;
    while (edge > from && pending->groups[edge] == pending->groups[edge - 1])
        edge--;
    if (count_waiting(pending, from, edge))
        return edge;
    edge = middle;
    while (edge < to && pending->groups[edge] == pending->groups[middle])
        edge++;
    return next_waiting(pending, edge, to) < to ? edge : middle;
}

/* Give the worker half of the longest stretch, or all of one that nobody is at; where it ends. */
static uint32_t take_over(struct cook_pending *pending, unsigned worker)
{
    uint32_t best_from = 0;
    uint32_t best_to = 0;
    uint32_t best = 0;
    bool owned = false;
    pending->cursors[worker] = NONE;
    for (int i = -1; i < (int)pending->worker_count; i++) {
        uint32_t from = i < 0 ? 0 : pending->cursors[i];
        if (from == NONE)
            continue;
        uint32_t to = stretch_end(pending, i);
        uint32_t count = count_waiting(pending, from, to);
        if (count > best) {
            best = count;
            best_from = from;
            best_to = to;
            owned = i >= 0;
        }
    }
    uint32_t place = next_waiting(pending, best_from, best_to);
    for (uint32_t skip = owned ? best / 2 : 0; skip; skip--)
        place = next_waiting(pending, place + 1, best_to);
    if (owned && best > 1)
        place = group_edge(pending, best_from, place, best_to);
    pending->cursors[worker] = place;
    return best_to;
}

struct taken {
    uint32_t group;
    uint32_t package;
};

/* The greatest group first, and so, with groups numbered as components.h does, who loads before what
 * is loaded: a worker drops a package once it is cooked. */
static int compare_taken(const void *a, const void *b)
{
    const struct taken *x = a;
    const struct taken *y = b;
    if (x->group != y->group)
        return x->group > y->group ? -1 : 1;
    return (x->package > y->package) - (x->package < y->package);
}

static uint32_t take_arranged(struct cook_pending *pending, unsigned worker, uint32_t *out,
                              uint32_t limit)
{
    uint32_t at = pending->cursors[worker];
    uint32_t end = at == NONE ? 0 : stretch_end(pending, (int)worker);
    if (at == NONE || next_waiting(pending, at, end) == end) {
        end = take_over(pending, worker);
        at = pending->cursors[worker];
    }
    struct taken taken[COOK_PENDING_MOST];
    uint32_t count = 0;
    while (count < limit && (at = next_waiting(pending, at, end)) < end) {
        pending->waiting[at / 64] &= ~(UINT64_C(1) << (at % 64));
        taken[count++] = (struct taken){ pending->groups[at], pending->packages[at] };
        pending->cursors[worker] = ++at;
    }
    qsort(taken, count, sizeof(*taken), compare_taken);
    for (uint32_t i = 0; i < count; i++)
        out[i] = taken[i].package;
    return count;
}

uint32_t cook_pending_take(struct cook_pending *pending, unsigned worker, uint32_t *out,
                           uint32_t limit)
{
    uint32_t count = 0;
    if (pending->count > pending->tail - pending->head)
        count = take_arranged(pending, worker, out, limit);
    while (count < limit && pending->head < pending->tail)
        out[count++] = pending->queue[pending->head++];
    pending->count -= count;
    return count;
}
