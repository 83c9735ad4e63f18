#include "cook/plan/locality.h"

#include "cook/base/alloc.h"

#define MIN_HUB 16 /* neighbours; fewer always count */

struct walk {
    struct cook_components components;
    uint32_t *first; /* by component: its neighbours, of both directions */
    uint32_t *neighbours;
    uint32_t *queue;
    uint8_t *marks; /* by component: PASSED, PLACED */
    uint32_t hub;   /* from so many neighbours on the walk stops */
};

enum { PASSED = 1, PLACED = 2 };

/* Twice: to count (into first[c + 1]), and to fill (first[c] moves to its end). */
static void each_neighbour(const struct cook_graph *graph, struct walk *walk, bool fill)
{
    const uint32_t *of = walk->components.of;
    for (uint32_t i = 0; i < graph->count; i++) {
        for (uint32_t e = graph->first[i]; e < graph->first[i + 1]; e++) {
            uint32_t a = of[i];
            uint32_t b = of[graph->targets[e]];
            if (a == b)
                continue;
            if (fill) {
                walk->neighbours[walk->first[a]++] = b;
                walk->neighbours[walk->first[b]++] = a;
            } else {
                walk->first[a + 1]++;
                walk->first[b + 1]++;
            }
        }
    }
}

static enum cook_status find_neighbours(const struct cook_graph *graph, struct walk *walk)
{
    uint32_t count = walk->components.count;
    walk->first = cook_calloc((size_t)count + 2, sizeof(uint32_t));
    walk->neighbours = cook_malloc(((size_t)graph->first[graph->count] * 2 + 1) * sizeof(uint32_t));
    walk->queue = cook_malloc(((size_t)count + 1) * sizeof(uint32_t));
    walk->marks = cook_calloc((size_t)count + 1, 1);
    if (!walk->first || !walk->neighbours || !walk->queue || !walk->marks)
        return COOK_E_NO_MEMORY;
    each_neighbour(graph, walk, false);
    for (uint32_t c = 0; c < count; c++)
        walk->first[c + 1] += walk->first[c];
    each_neighbour(graph, walk, true);
    for (uint32_t c = count; c > 0; c--) /* back to where each begins */
        walk->first[c] = walk->first[c - 1];
    walk->first[0] = 0;
    return COOK_OK;
}

/* Everything around `start` that is not marked yet, into the queue; its length out. */
static uint32_t spread(struct walk *walk, uint32_t start, uint8_t mark, uint32_t *queue)
{
    uint32_t count = 0;
    queue[count++] = start;
    walk->marks[start] |= mark;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t component = queue[at];
        uint32_t end = walk->first[component + 1];
        if (end - walk->first[component] >= walk->hub)
            continue;
        for (uint32_t e = walk->first[component]; e < end; e++) {
            if (walk->marks[walk->neighbours[e]] & mark)
                continue;
            walk->marks[walk->neighbours[e]] |= mark;
            queue[count++] = walk->neighbours[e];
        }
    }
    return count;
}

/* The components in their new order. */
static void place_components(const struct cook_graph *graph, struct walk *walk)
{
    uint32_t placed = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t component = walk->components.of[i];
        uint32_t start = component;
        if (walk->marks[component] & PLACED)
            continue;
        if (!(walk->marks[component] & PASSED)) /* the last one of a first walk is a far end */
            start = walk->queue[placed +
                                spread(walk, component, PASSED, walk->queue + placed) - 1];
        placed += spread(walk, start, PLACED, walk->queue + placed);
        if (!(walk->marks[component] & PLACED)) /* the far end was a hub, and led nowhere */
            placed += spread(walk, component, PLACED, walk->queue + placed);
    }
}

static void place_nodes(const struct cook_graph *graph, const struct walk *walk, uint32_t *start,
                        struct cook_locality *out)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < walk->components.count; k++) {
        start[walk->queue[k]] = at;
        at += walk->components.sizes[walk->queue[k]];
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t place = start[walk->components.of[i]]++;
        out->order[place] = i;
        out->group[place] = walk->components.of[i];
    }
}

enum cook_status cook_locality_find(struct cook_locality *locality, const struct cook_graph *graph,
                                    unsigned workers)
{
    struct walk walk = { .hub = graph->count / (4 * (workers ? workers : 1)) };
    uint32_t *start = NULL;
    if (walk.hub < MIN_HUB)
        walk.hub = MIN_HUB;
    *locality = (struct cook_locality){ 0 };
    enum cook_status status = cook_components_find(&walk.components, graph);
    if (status == COOK_OK)
        status = find_neighbours(graph, &walk);
    locality->order = cook_malloc(((size_t)graph->count + 1) * sizeof(uint32_t));
    locality->group = cook_malloc(((size_t)graph->count + 1) * sizeof(uint32_t));
    start = cook_malloc(((size_t)walk.components.count + 1) * sizeof(uint32_t));
    if (!locality->order || !locality->group || !start)
        status = COOK_E_NO_MEMORY;
    if (status == COOK_OK) {
        place_components(graph, &walk);
        place_nodes(graph, &walk, start, locality);
    } else {
        cook_locality_finish(locality);
    }
    cook_components_finish(&walk.components);
    cook_free(walk.first);
    cook_free(walk.neighbours);
    cook_free(walk.queue);
    cook_free(walk.marks);
    cook_free(start);
    return status;
}

void cook_locality_finish(struct cook_locality *locality)
{
    cook_free(locality->order);
    cook_free(locality->group);
    *locality = (struct cook_locality){ 0 };
}
