/* cook explain graph: how packages hang together at run time, and what that says about parallelism. */
#include <stdlib.h>
#include <string.h>

#include "cook/plan/graph.h"
#include "explain/explain.h"

#define SHOWN     10
#define MAX_DRAWN 2000 /* nodes of a drawing */

struct drawing {
    struct explain *explain;
    const struct cook_runtime_graph *graph;
};

static const char *name_of(const struct drawing *drawing, uint32_t node)
{
    const struct cook_state *state = drawing->explain->run.state;
    return cook_state_text(state, state->packages[drawing->graph->graph.packages[node]].name);
}

static double seconds_of(const struct drawing *drawing, uint32_t node)
{
    const struct cook_state *state = drawing->explain->run.state;
    return (double)state->results[drawing->graph->graph.packages[node]].duration_us / 1e6;
}

static uint32_t layer_of(const struct drawing *drawing, uint32_t node)
{
    return drawing->graph->components.layer[drawing->graph->components.of[node]];
}

/* If a package waited for all it leads to: the time of the slowest way through the components. */
static double critical_seconds(const struct drawing *drawing, double *total)
{
    const struct cook_runtime_graph *graph = drawing->graph;
    const struct cook_package_graph *packages = &graph->graph;
    uint32_t count = graph->components.count;
    double *own = cook_calloc((size_t)count + 1, sizeof(*own));
    double *ends = cook_calloc((size_t)count + 1, sizeof(*ends));
    double longest = 0;
    *total = 0;
    for (uint32_t i = 0; own && i < packages->count; i++) {
        own[graph->components.of[i]] += seconds_of(drawing, i);
        *total += seconds_of(drawing, i);
    }
    /* An edge never leads to a component of a greater number, so what is led to is done before. */
    uint32_t *order = cook_malloc(((size_t)packages->count + 1) * sizeof(*order));
    uint32_t *starts = cook_calloc((size_t)count + 2, sizeof(*starts));
    for (uint32_t i = 0; order && starts && i < packages->count; i++)
        starts[graph->components.of[i] + 1]++;
    for (uint32_t c = 0; order && starts && c < count; c++)
        starts[c + 1] += starts[c];
    for (uint32_t i = packages->count; order && starts && i-- > 0;)
        order[--starts[graph->components.of[i] + 1]] = i;
    for (uint32_t k = 0; own && ends && order && starts && k < packages->count; k++) {
        uint32_t node = order[k], c = graph->components.of[node];
        for (uint32_t e = packages->first[node]; e < packages->first[node + 1]; e++) {
            uint32_t to = graph->components.of[packages->targets[e]];
            if (to != c && ends[to] > ends[c])
                ends[c] = ends[to];
        }
        bool last = k + 1 == packages->count || graph->components.of[order[k + 1]] != c;
        if (last)
            ends[c] += own[c];
        if (last && ends[c] > longest)
            longest = ends[c];
    }
    cook_free(own);
    cook_free(ends);
    cook_free(order);
    cook_free(starts);
    return longest;
}

/* ---- text ---- */

static void print_nodes(const struct drawing *drawing, const char *title, const uint32_t *nodes,
                        uint32_t count, cJSON *list)
{
    FILE *out = drawing->explain->cli.out;
    fprintf(out, "%s\n", title);
    for (uint32_t i = 0; i < count; i++) {
        if (i < SHOWN)
            fprintf(out, "    %s\n", name_of(drawing, nodes[i]));
        cJSON_AddItemToArray(list, cJSON_CreateString(name_of(drawing, nodes[i])));
    }
    if (count > SHOWN)
        fprintf(out, "    and %u more\n", count - SHOWN);
}

static void print_text(struct drawing *drawing)
{
    const struct cook_runtime_graph *graph = drawing->graph;
    const struct cook_components *components = &graph->components;
    FILE *out = drawing->explain->cli.out;
    cJSON *document = drawing->explain->document;
    uint32_t edges = graph->graph.count ? graph->graph.first[graph->graph.count] : 0;
    double total, critical = critical_seconds(drawing, &total);
    double speedup = critical > 0 ? total / critical : 1;
    fprintf(out, "%u packages, %u references, %u components, %u layers (the widest has %u components)\n",
            graph->graph.count, edges, components->count, components->layer_count, components->widest);
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON_AddNumberToObject(summary, "packages", graph->graph.count);
    cJSON_AddNumberToObject(summary, "references", edges);
    cJSON_AddNumberToObject(summary, "components", components->count);
    cJSON_AddNumberToObject(summary, "layers", components->layer_count);
    cJSON_AddNumberToObject(summary, "widest", components->widest);
    cJSON_AddNumberToObject(summary, "largest", components->largest);
    cJSON_AddNumberToObject(summary, "seconds", total);
    cJSON_AddNumberToObject(summary, "critical_seconds", critical);
    cJSON_AddNumberToObject(summary, "speedup", speedup);
    cJSON *largest = cJSON_AddArrayToObject(document, "largest");
    if (graph->largest_count > 1)
        print_nodes(drawing, "the largest ring: each of these leads to all others", graph->largest,
                    graph->largest_count, largest);
    print_nodes(drawing, "a longest chain", graph->chain, graph->chain_count,
                cJSON_AddArrayToObject(document, "chain"));
    fprintf(out, "all took %.3f s when cooked last, the slowest way through %.3f s: waiting for references, "
                 "no more than %.1f workers could help; cooks do not wait for them\n", total, critical,
            speedup);
}

/* ---- DOT and SVG ---- */

/* A name inside quotes, or as XML text: whatever it holds stays text. */
static void put_name(FILE *out, const char *name, bool xml)
{
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            fputc('?', out);
        else if (!xml && (*c == '"' || *c == '\\'))
            fprintf(out, "\\%c", *c);
        else if (xml && (*c == '<' || *c == '>' || *c == '&' || *c == '"'))
            fprintf(out, "&#%u;", *c);
        else
            fputc(*c, out);
}

static void draw_dot(struct drawing *drawing, uint32_t count)
{
    const struct cook_package_graph *graph = &drawing->graph->graph;
    FILE *out = drawing->explain->cli.out;
    fprintf(out, "digraph packages {\n    rankdir=LR;\n    node [shape=box];\n");
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = graph->first[i]; e < graph->first[i + 1]; e++) {
            if (graph->targets[e] >= count)
                continue;
            fprintf(out, "    \"");
            put_name(out, name_of(drawing, i), false);
            fprintf(out, "\" -> \"");
            put_name(out, name_of(drawing, graph->targets[e]), false);
            fprintf(out, "\";\n");
        }
    fprintf(out, "}\n");
}

#define COLUMN 220
#define ROW    18

/* A column a layer, what leads nowhere on the right; names that are cut have their whole as a title. */
static enum cook_status draw_svg(struct drawing *drawing, uint32_t count, struct cook_error *error)
{
    const struct cook_package_graph *graph = &drawing->graph->graph;
    FILE *out = drawing->explain->cli.out;
    uint32_t layers = drawing->graph->components.layer_count, tallest = 0;
    uint32_t *rows = cook_calloc((size_t)layers + 1, sizeof(*rows));
    uint32_t *y = cook_calloc((size_t)count + 1, sizeof(*y));
    if (!rows || !y) {
        cook_free(rows);
        cook_free(y);
        return cook_error_no_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        y[i] = rows[layer_of(drawing, i)]++;
        tallest = y[i] + 1 > tallest ? y[i] + 1 : tallest;
    }
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" "
                 "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            layers * COLUMN + 20, tallest * ROW + 20);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = graph->first[i]; e < graph->first[i + 1]; e++) {
            uint32_t to = graph->targets[e];
            if (to >= count)
                continue;
            uint32_t x1 = (layers - 1 - layer_of(drawing, i)) * COLUMN + COLUMN - 30;
            uint32_t x2 = (layers - 1 - layer_of(drawing, to)) * COLUMN + 10;
            uint32_t y1 = y[i] * ROW + 18, y2 = y[to] * ROW + 18;
            fprintf(out, "<path d=\"M%u %uC%u %u %u %u %u %u\" fill=\"none\" stroke=\"#8aa\" "
                         "stroke-opacity=\".5\"/>\n", x1, y1, x1 + 40, y1, x2 > 40 ? x2 - 40 : 0, y2, x2, y2);
        }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = (layers - 1 - layer_of(drawing, i)) * COLUMN + 10;
        const char *name = name_of(drawing, i);
        size_t length = strlen(name);
        fprintf(out, "<text x=\"%u\" y=\"%u\"><title>", x, y[i] * ROW + 22);
        put_name(out, name, true);
        fprintf(out, "</title>%s", length > 30 ? "…" : "");
        while (length > 30 && ((unsigned char)name[length - 30] & 0xC0) == 0x80)
            length--;
        put_name(out, length > 30 ? name + length - 30 : name, true);
        fprintf(out, "</text>\n");
    }
    fprintf(out, "</svg>\n");
    cook_free(rows);
    cook_free(y);
    return COOK_OK;
}

enum cook_status explain_graph(struct explain *explain, const char *const *operands,
                               struct cook_error *error)
{
    struct cook_runtime_graph graph;
    struct cook_roots roots = { 0 };
    struct drawing drawing = { explain, &graph };
    const char *format = operands[0] ? operands[0] : "text";
    bool dot = strcmp(format, "dot") == 0, svg = strcmp(format, "svg") == 0;
    if ((!dot && !svg && strcmp(format, "text") != 0) || (operands[0] && operands[1]))
        return cook_error_set(error, COOK_E_USAGE, "cook explain graph takes text, dot or svg");
    enum cook_status status = cook_state_sort(explain->run.state, error);
    if (status == COOK_OK)
        status = cook_run_roots(&explain->run, &roots, error);
    if (status == COOK_OK)
        status = cook_runtime_graph_find(&graph, &explain->run, &roots, error);
    if (status != COOK_OK)
        return status;
    uint32_t drawn = graph.graph.count < MAX_DRAWN ? graph.graph.count : MAX_DRAWN;
    if (drawn < graph.graph.count && (dot || svg))
        cook_cli_message(&explain->cli, "warning", "", "only the first 2000 packages are drawn");
    if (dot)
        draw_dot(&drawing, drawn);
    else if (svg)
        status = draw_svg(&drawing, drawn, error);
    else
        print_text(&drawing);
    cook_runtime_graph_finish(&graph);
    return status;
}
