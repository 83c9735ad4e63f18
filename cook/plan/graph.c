#include "cook/plan/graph.h"

#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/search.h"

void cook_package_graph_finish(struct cook_package_graph *graph)
{
    cook_free(graph->packages);
    cook_free(graph->first);
    cook_free(graph->targets);
    *graph = (struct cook_package_graph){ 0 };
}

struct cook_graph cook_package_graph_view(const struct cook_package_graph *graph)
{
    return (struct cook_graph){ graph->count, graph->first, graph->targets };
}

/* ---- making ---- */

/* While a graph is made its targets are rows of the state; then nodes. */
struct making {
    struct cook_package_graph *graph;
    struct cook_run *run;
    uint32_t *node_of; /* by row; COOK_ID_NONE */
    uint32_t rows;
    bool full;
};

static enum cook_status begin(struct making *making, struct cook_package_graph *graph,
                              struct cook_run *run)
{
    uint32_t rows = run->state->packages_count;
    *graph = (struct cook_package_graph){ 0 };
    *making = (struct making){ .graph = graph, .run = run, .rows = rows };
    making->node_of = cook_malloc(((size_t)rows + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; making->node_of && i < rows; i++)
        making->node_of[i] = COOK_ID_NONE;
    return making->node_of ? COOK_OK : COOK_E_NO_MEMORY;
}

static bool add_node(struct making *making, uint32_t row)
{
    struct cook_package_graph *graph = making->graph;
    if (row >= making->rows || making->node_of[row] != COOK_ID_NONE)
        return true;
    if (!cook_grow(&graph->packages, &graph->package_capacity, (size_t)graph->count + 1,
                   sizeof(uint32_t)))
        return false;
    making->node_of[row] = graph->count;
    graph->packages[graph->count++] = row;
    return true;
}

static bool begin_edges(struct making *making, uint32_t node, size_t edges)
{
    struct cook_package_graph *graph = making->graph;
    if (edges > UINT32_MAX || !cook_grow(&graph->first, &graph->first_capacity, (size_t)node + 2,
                                         sizeof(uint32_t)))
        return false;
    graph->first[node] = (uint32_t)edges;
    return true;
}

static bool add_edge(struct making *making, size_t *edges, uint32_t row)
{
    struct cook_package_graph *graph = making->graph;
    if (row >= making->rows)
        return true;
    if (!cook_grow(&graph->targets, &graph->target_capacity, *edges + 1, sizeof(uint32_t)))
        return false;
    graph->targets[(*edges)++] = row;
    return true;
}

/* Rows to nodes; what is no node is left out. */
static bool end(struct making *making, size_t edges)
{
    struct cook_package_graph *graph = making->graph;
    uint32_t kept = 0;
    if (!begin_edges(making, graph->count, edges) ||
        !cook_grow(&graph->targets, &graph->target_capacity, 1, sizeof(uint32_t)))
        return false;
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t from = graph->first[i];
        graph->first[i] = kept;
        for (uint32_t e = from; e < graph->first[i + 1]; e++) {
            uint32_t target = making->node_of[graph->targets[e]];
            if (target != COOK_ID_NONE && target != i)
                graph->targets[kept++] = target;
        }
    }
    graph->first[graph->count] = kept;
    return true;
}

/* ---- loads ---- */

/* The packages whose sources shaped a result: they were loaded for it. */
static bool add_loaded(struct making *making, uint32_t bundle_id, size_t *edges)
{
    const struct cook_state *state = making->run->state;
    const struct cook_state_bundle *bundle = &state->bundles[bundle_id];
    bool ok = true;
    for (uint32_t i = 0; ok && i < bundle->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[bundle->first + i]];
        for (uint32_t k = 0; ok && k < set->count; k++) {
            const struct cook_state_dep *dep = &state->deps[state->ids[set->first + k]];
            if (dep->kind == COOK_DEP_SOURCE)
                ok = add_edge(making, edges, dep->target) && add_node(making, dep->target);
        }
    }
    return ok;
}

static bool add_referred(struct making *making, uint32_t row, size_t *edges)
{
    struct cook_state *state = making->run->state;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_facts facts = { 0 };
    size_t size;
    const uint8_t *blob = cook_state_blob(state, state->results[row].facts, &size);
    if (!size || cook_facts_decode(&facts, blob, size, &arena, NULL) != COOK_OK)
        facts = (struct cook_facts){ 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < facts.reference_count; i++) {
        enum cook_edge edge = facts.references[i].edge;
        if (edge != COOK_EDGE_HARD && edge != COOK_EDGE_SOFT)
            continue;
        uint32_t target = cook_registry_resolve(state, facts.references[i].path, &arena).package;
        ok = add_node(making, target) &&
             (edge == COOK_EDGE_SOFT || add_edge(making, edges, target));
    }
    cook_arena_finish(&arena);
    return ok;
}

static bool add_loads(struct making *making, uint32_t row, size_t *edges)
{
    const struct cook_state *state = making->run->state;
    if (!making->full && cook_run_decide(making->run, row) == COOK_REASON_SKIP)
        return true;
    if ((state->packages[row].flags & COOK_PACKAGE_HAS_RESULT) &&
        state->packages[row].bundle != COOK_ID_NONE)
        return add_loaded(making, state->packages[row].bundle, edges);
    return add_referred(making, row, edges);
}

enum cook_status cook_load_graph(struct cook_package_graph *graph, struct cook_run *run,
                                 const uint32_t *packages, size_t count, bool full,
                                 struct cook_error *error)
{
    struct making making;
    size_t edges = 0;
    bool ok = begin(&making, graph, run) == COOK_OK;
    making.full = full;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_node(&making, packages[i]);
    for (uint32_t i = 0; ok && i < graph->count; i++) /* it grows while it is walked */
        ok = begin_edges(&making, i, edges) && add_loads(&making, graph->packages[i], &edges);
    ok = ok && end(&making, edges);
    cook_free(making.node_of);
    if (ok)
        return COOK_OK;
    cook_package_graph_finish(graph);
    return cook_error_no_memory(error);
}

/* ---- the runtime graph ---- */

static enum cook_status reach(uint8_t **reached, struct cook_run *run,
                              const struct cook_roots *roots, struct cook_error *error)
{
    struct cook_search search;
    uint32_t package;
    enum cook_status status = cook_search_init(&search, run, error);
    if (status == COOK_OK)
        status = cook_search_push_roots(&search, roots, error);
    while (status == COOK_OK && cook_search_pop(&search, &package))
        status = cook_search_push_edges(&search, package, error);
    *reached = search.visited;
    search.visited = NULL;
    cook_search_finish(&search);
    return status;
}

static bool add_runtime_edges(struct making *making, uint32_t node, size_t *edges)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    uint32_t *targets;
    size_t count;
    bool ok = begin_edges(making, node, *edges) &&
              cook_edges_targets(making->run, making->graph->packages[node], &targets, &count,
                                 &arena) == COOK_OK;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_edge(making, edges, targets[i]);
    cook_arena_finish(&arena);
    return ok;
}

static bool add_runtime_graph(struct making *making, const uint8_t *reached)
{
    const struct cook_state *state = making->run->state;
    size_t edges = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < state->order_packages; i++)
        if (reached[state->package_order[i]])
            ok = add_node(making, state->package_order[i]);
    for (uint32_t i = 0; ok && i < making->graph->count; i++)
        ok = add_runtime_edges(making, i, &edges);
    return ok && end(making, edges);
}

/* A longest chain falls by one layer a step, from the highest. `next_of` has, by component, the node
 * that leads on. One pass over the edges, another over the chain. */
static void find_chain(struct cook_runtime_graph *graph, uint32_t *next_of)
{
    const struct cook_components *c = &graph->components;
    const struct cook_package_graph *g = &graph->graph;
    uint32_t node = COOK_ID_NONE;
    for (uint32_t i = 0; i < c->count; i++)
        next_of[i] = COOK_ID_NONE;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t component = c->of[i];
        if (node == COOK_ID_NONE && c->layer[component] + 1 == c->layer_count)
            node = i;
        for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
            if (c->layer[c->of[g->targets[e]]] + 1 == c->layer[component] &&
                g->targets[e] < next_of[component])
                next_of[component] = g->targets[e];
    }
    while (node != COOK_ID_NONE && graph->chain_count < c->layer_count) {
        graph->chain[graph->chain_count++] = node;
        node = next_of[c->of[node]];
    }
}

static bool find_largest(struct cook_runtime_graph *graph)
{
    const struct cook_components *c = &graph->components;
    uint32_t largest = COOK_ID_NONE;
    graph->largest = cook_malloc(((size_t)c->largest + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; graph->largest && i < graph->graph.count; i++) {
        if (largest == COOK_ID_NONE && c->sizes[c->of[i]] == c->largest)
            largest = c->of[i];
        if (c->of[i] == largest)
            graph->largest[graph->largest_count++] = i;
    }
    return graph->largest != NULL;
}

static enum cook_status describe(struct cook_runtime_graph *graph)
{
    struct cook_graph view = cook_package_graph_view(&graph->graph);
    enum cook_status status = cook_components_find(&graph->components, &view);
    if (status != COOK_OK)
        return status;
    uint32_t *next_of = cook_malloc(((size_t)graph->components.count + 1) * sizeof(uint32_t));
    graph->chain = cook_malloc(((size_t)graph->components.layer_count + 1) * sizeof(uint32_t));
    bool ok = next_of && graph->chain && find_largest(graph);
    if (ok)
        find_chain(graph, next_of);
    cook_free(next_of);
    return ok ? COOK_OK : COOK_E_NO_MEMORY;
}

enum cook_status cook_runtime_graph_find(struct cook_runtime_graph *graph, struct cook_run *run,
                                         const struct cook_roots *roots, struct cook_error *error)
{
    struct making making;
    uint8_t *reached = NULL;
    *graph = (struct cook_runtime_graph){ 0 };
    enum cook_status status = cook_state_sort(run->state, error);
    if (status == COOK_OK)
        status = reach(&reached, run, roots, error);
    if (status == COOK_OK) {
        bool ok = begin(&making, &graph->graph, run) == COOK_OK &&
                  add_runtime_graph(&making, reached) && describe(graph) == COOK_OK;
        cook_free(making.node_of);
        if (!ok)
            status = cook_error_no_memory(error);
    }
    cook_free(reached);
    if (status != COOK_OK)
        cook_runtime_graph_finish(graph);
    return status;
}

void cook_runtime_graph_finish(struct cook_runtime_graph *graph)
{
    cook_package_graph_finish(&graph->graph);
    cook_components_finish(&graph->components);
    cook_free(graph->largest);
    cook_free(graph->chain);
    *graph = (struct cook_runtime_graph){ 0 };
}
