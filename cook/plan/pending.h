/*
 * Packages that wait for a worker. Without an arrangement they go out in the order they came in. With
 * one, each worker works its way through a stretch of it, and one that has nothing left takes over the
 * second half of the longest stretch of another: nobody waits while anything is pending.
 */
#ifndef COOK_PLAN_PENDING_H
#define COOK_PLAN_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"

#define COOK_PENDING_MOST 128

struct cook_pending {
    uint32_t *queue; /* first come, first served: what is not arranged */
    size_t head, tail, capacity;

    uint32_t *packages; /* the arrangement; NULL without one */
    uint32_t *groups;   /* by place: not torn apart where that can be helped */
    uint32_t *place_of; /* by package; COOK_ID_NONE */
    uint64_t *waiting;  /* by place: a bit */
    uint32_t place_count, package_count;
    uint32_t *cursors; /* by worker: where it goes on; COOK_ID_NONE before its first */
    unsigned worker_count;
    size_t count; /* of both */
};

enum cook_status cook_pending_init(struct cook_pending *pending,
                                   unsigned worker_count) COOK_CHECK_RESULT;
void cook_pending_finish(struct cook_pending *pending);
/*
 * Arrange packages from now on: those below `package_count` whose place is in `packages`, an array of
 * distinct ones, with a group each. Both are copied. What waits already is arranged too.
 */
enum cook_status cook_pending_arrange(struct cook_pending *pending, const uint32_t *packages,
                                      const uint32_t *groups, uint32_t count,
                                      uint32_t package_count) COOK_CHECK_RESULT;
/* A package that does not wait yet. */
enum cook_status cook_pending_add(struct cook_pending *pending, uint32_t package) COOK_CHECK_RESULT;
/* Up to `limit` packages, COOK_PENDING_MOST at most, for a worker, into `out`; 0 only when nothing waits. */
uint32_t cook_pending_take(struct cook_pending *pending, unsigned worker, uint32_t *out,
                           uint32_t limit);

#endif
