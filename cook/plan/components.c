#include "cook/plan/components.h"

#include "cook/base/alloc.h"

#define UNSEEN UINT32_MAX

struct frame {
    uint32_t node;
    uint32_t next; /* edge to look at */
};

struct tarjan {
    const struct cook_graph *graph;
    struct cook_components *out;
    uint32_t *index; /* in order of discovery, or UNSEEN */
    uint32_t *low;
    uint32_t *stack; /* nodes whose component is not known yet */
    struct frame *frames;
    uint32_t stacked;
    uint32_t depth;
    uint32_t seen;
};

static void enter(struct tarjan *t, uint32_t node)
{
    t->index[node] = t->low[node] = t->seen++;
    t->stack[t->stacked++] = node;
    t->frames[t->depth++] = (struct frame){ node, t->graph->first[node] };
}

static void close_component(struct tarjan *t, uint32_t root)
{
    uint32_t component = t->out->count++;
    uint32_t node;
    do {
        node = t->stack[--t->stacked];
        t->out->of[node] = component;
        t->out->sizes[component]++;
    } while (node != root);
    if (t->out->sizes[component] > t->out->largest)
        t->out->largest = t->out->sizes[component];
}

static void leave(struct tarjan *t)
{
    uint32_t node = t->frames[--t->depth].node;
    if (t->low[node] == t->index[node])
        close_component(t, node);
    if (t->depth == 0)
        return;
    uint32_t parent = t->frames[t->depth - 1].node;
    if (t->low[node] < t->low[parent])
        t->low[parent] = t->low[node];
}

static void visit(struct tarjan *t, uint32_t start)
{
    enter(t, start);
    while (t->depth) {
        struct frame *frame = &t->frames[t->depth - 1];
        if (frame->next == t->graph->first[frame->node + 1]) {
            leave(t);
            continue;
        }
        uint32_t target = t->graph->targets[frame->next++];
        if (t->index[target] == UNSEEN)
            enter(t, target);
        else if (t->out->of[target] == UNSEEN && t->index[target] < t->low[frame->node])
            t->low[frame->node] = t->index[target]; /* still on the stack */
    }
}

/* Components are numbered after all that they lead to, so one pass in their order suffices; nodes
 * are brought into that order by counting. */
static enum cook_status find_layers(const struct cook_graph *graph, struct cook_components *out)
{
    uint32_t *start = cook_calloc((size_t)out->count + 1, sizeof(*start));
    uint32_t *order = cook_calloc((size_t)graph->count + 1, sizeof(*order));
    uint32_t *widths = cook_calloc((size_t)out->count + 1, sizeof(*widths));
    enum cook_status status = start && order && widths ? COOK_OK : COOK_E_NO_MEMORY;
    for (uint32_t c = 0; status == COOK_OK && c < out->count; c++)
        start[c + 1] = start[c] + out->sizes[c];
    for (uint32_t i = 0; status == COOK_OK && i < graph->count; i++)
        order[start[out->of[i]]++] = i;
    for (uint32_t k = 0; status == COOK_OK && k < graph->count; k++) {
        uint32_t component = out->of[order[k]];
        for (uint32_t e = graph->first[order[k]]; e < graph->first[order[k] + 1]; e++) {
            uint32_t target = out->of[graph->targets[e]];
            if (target != component && out->layer[target] >= out->layer[component])
                out->layer[component] = out->layer[target] + 1;
        }
    }
    for (uint32_t c = 0; status == COOK_OK && c < out->count; c++) {
        uint32_t width = ++widths[out->layer[c]];
        out->widest = width > out->widest ? width : out->widest;
        out->layer_count = out->layer[c] >= out->layer_count ? out->layer[c] + 1
                                                             : out->layer_count;
    }
    cook_free(start);
    cook_free(order);
    cook_free(widths);
    return status;
}

enum cook_status cook_components_find(struct cook_components *components,
                                      const struct cook_graph *graph)
{
    size_t room = (size_t)graph->count + 1;
    *components = (struct cook_components){ .of = cook_calloc(room, sizeof(uint32_t)),
                                            .sizes = cook_calloc(room, sizeof(uint32_t)),
                                            .layer = cook_calloc(room, sizeof(uint32_t)) };
    struct tarjan t = { .graph = graph,
                        .out = components,
                        .index = cook_calloc(room, sizeof(uint32_t)),
                        .low = cook_calloc(room, sizeof(uint32_t)),
                        .stack = cook_calloc(room, sizeof(uint32_t)),
                        .frames = cook_calloc(room, sizeof(struct frame)) };
    enum cook_status status = COOK_E_NO_MEMORY;
    if (components->of && components->sizes && components->layer && t.index && t.low && t.stack &&
        t.frames) {
        for (uint32_t i = 0; i < graph->count; i++)
            components->of[i] = t.index[i] = UNSEEN;
        for (uint32_t i = 0; i < graph->count; i++)
            if (t.index[i] == UNSEEN)
                visit(&t, i);
        status = find_layers(graph, components);
    }
    cook_free(t.index);
    cook_free(t.low);
    cook_free(t.stack);
    cook_free(t.frames);
    if (status != COOK_OK)
        cook_components_finish(components);
    return status;
}

void cook_components_finish(struct cook_components *components)
{
    cook_free(components->of);
    cook_free(components->sizes);
    cook_free(components->layer);
    *components = (struct cook_components){ 0 };
}
