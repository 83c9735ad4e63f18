/*
 * Strongly connected components of a graph of packages, and the layers of the condensed graph: which
 * packages hang together, and how much could be done side by side. Nothing waits for a layer: they
 * explain parallelism, they do not order it. Pure functions over arrays.
 */
#ifndef COOK_PLAN_COMPONENTS_H
#define COOK_PLAN_COMPONENTS_H

#include <stdint.h>

#include "cook/base/error.h"

/* Edges of node i: targets[first[i]] to targets[first[i + 1] - 1], each below `count`. */
struct cook_graph {
    uint32_t count;
    const uint32_t *first; /* count + 1 */
    const uint32_t *targets;
};

struct cook_components {
    uint32_t *of;    /* by node: its component; an edge never leads to a greater one */
    uint32_t count;  /* of components */
    uint32_t *sizes; /* by component: its nodes */
    uint32_t *layer; /* by component: 0 where it leads nowhere, else one above what it leads to */
    uint32_t layer_count;
    uint32_t largest; /* nodes of the largest component */
    uint32_t widest;  /* components of the widest layer */
};

/* By Tarjan's algorithm (SIAM J. Comput. 1, 1972) without recursion, in linear time. */
enum cook_status cook_components_find(struct cook_components *components,
                                      const struct cook_graph *graph) COOK_CHECK_RESULT;
void cook_components_finish(struct cook_components *components);

#endif
