/*
 * The box around a world's actors, on plain data. Actors form a forest by parent index, in any
 * order; the input is untrusted. Computed in double precision, one actor after another.
 */
#ifndef COOK_CLASSES_WORLD_BOUNDS_H
#define COOK_CLASSES_WORLD_BOUNDS_H

#include <cook/standard.h>

#include "cook/base/error.h"

/* A mesh's own box; `known` is false where an actor has no mesh or it is missing. */
struct cook_actor_box {
    bool known;
    struct cook_vec3 min, max;
};

/*
 * The box around all known boxes, each moved by its actor's transform and its parents'. Zeros
 * when none is known. COOK_E_MALFORMED for a parent that does not exist, a cycle, or a
 * transform that is not finite, with the actor's name; COOK_E_NO_MEMORY.
 */
enum cook_status cook_world_compute_bounds(struct cook_vec3 *min, struct cook_vec3 *max,
                                           const struct cook_world_actor *actors,
                                           const struct cook_actor_box *boxes, uint32_t count,
                                           struct cook_error *error) COOK_CHECK_RESULT;

#endif
