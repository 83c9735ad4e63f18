/*
 * Where packages stand beside each other: an order in which those that load the same things are
 * neighbours, so that a worker that takes a stretch of it loads little that another loads as well.
 */
#ifndef COOK_PLAN_LOCALITY_H
#define COOK_PLAN_LOCALITY_H

#include "cook/plan/components.h"

struct cook_locality {
    uint32_t *order; /* nodes: those of one component together, then neighbours by edges */
    uint32_t *group; /* by place in `order`: its component */
};

/*
 * Of a graph whose edges are loads. Breadth first through the components, by edges of both
 * directions, from a far end of each connected part (Cuthill and McKee, ACM 1969), so that an edge
 * spans few places. A component with more than a share of all as neighbours says nothing about who
 * belongs together: every one of `workers` loads it anyway, and the walk does not go through it.
 * Depends on the graph alone. COOK_E_NO_MEMORY.
 */
enum cook_status cook_locality_find(struct cook_locality *locality, const struct cook_graph *graph,
                                    unsigned workers) COOK_CHECK_RESULT;
void cook_locality_finish(struct cook_locality *locality);

#endif
