/*
 * Graphs over the packages of a store: what loads what, to hand related packages to one worker; and
 * the runtime graph that the search walks, to explain it.
 */
#ifndef COOK_PLAN_GRAPH_H
#define COOK_PLAN_GRAPH_H

#include "cook/plan/components.h"
#include "cook/plan/run.h"

/* Nodes are indices into `packages`. */
struct cook_package_graph {
    uint32_t *packages; /* rows of the state */
    uint32_t count;
    uint32_t *first; /* count + 1 */
    uint32_t *targets;
    size_t package_capacity, first_capacity, target_capacity; /* internal */
};
void cook_package_graph_finish(struct cook_package_graph *graph);
struct cook_graph cook_package_graph_view(const struct cook_package_graph *graph); /* borrowed */

/*
 * What cooking some packages loads, as far as that is known before: what the last result of each
 * loaded, else what the registry's facts refer to. It goes on from what will be cooked as well, also
 * by soft references, which are no edges of it; so its size follows the work at hand, not the
 * project. `full`: everything will be cooked. COOK_E_NO_MEMORY.
 */
enum cook_status cook_load_graph(struct cook_package_graph *graph, struct cook_run *run,
                                 const uint32_t *packages, size_t count, bool full,
                                 struct cook_error *error) COOK_CHECK_RESULT;

/*
 * The runtime graph of the kept results, hard and soft edges, from the roots on: its packages in name
 * order; its components and layers (components.h).
 */
struct cook_runtime_graph {
    struct cook_package_graph graph;
    struct cook_components components;
    uint32_t *largest; /* nodes of the largest component, ascending: the first one of that size */
    uint32_t largest_count;
    uint32_t *chain; /* nodes of a longest chain: one of each component passed, each leads on */
    uint32_t chain_count; /* components.layer_count */
};
enum cook_status cook_runtime_graph_find(struct cook_runtime_graph *graph, struct cook_run *run,
                                         const struct cook_roots *roots,
                                         struct cook_error *error) COOK_CHECK_RESULT;
void cook_runtime_graph_finish(struct cook_runtime_graph *graph);

#endif
