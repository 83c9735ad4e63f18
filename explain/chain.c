/* cook explain chain A B: the shortest chain of runtime references from one package to another.
 */
#include <string.h>

#include "explain/explain.h"

struct walk {
    struct explain *explain;
    uint32_t *from;  /* by package: which led to it first; itself for the start */
    uint32_t *queue; /* packages in the order they were reached */
    uint32_t count;
};

static void reach(struct walk *walk, uint32_t package, uint32_t from)
{
    if (walk->from[package] != COOK_ID_NONE)
        return;
    walk->from[package] = from;
    walk->queue[walk->count++] = package;
}

/* Breadth first, so that the first way to a package is a shortest one; edges are kept sorted.
 */
static enum cook_status find(struct walk *walk, uint32_t start, uint32_t end)
{
    struct cook_run *run = &walk->explain->run;
    enum cook_status status = COOK_OK;
    memset(walk->from, 0xff, run->state->packages_count * sizeof(*walk->from));
    walk->count = 0;
    reach(walk, start, start);
    for (uint32_t i = 0; status == COOK_OK && i < walk->count; i++) {
        uint32_t package = walk->queue[i];
        if (walk->from[end] != COOK_ID_NONE)
            break;
        if (!(run->state->packages[package].flags & COOK_PACKAGE_PRESENT))
            continue;
        struct cook_arena arena = COOK_ARENA_INIT;
        uint32_t *targets;
        size_t count;
        status = cook_edges_targets(run, package, &targets, &count, &arena);
        for (size_t k = 0; status == COOK_OK && k < count; k++)
            reach(walk, targets[k], package);
        cook_arena_finish(&arena);
    }
    return status;
}

/* The reference that leads from one package to another: a hard one, where there is one. */
static enum cook_status find_edge(struct cook_edge_row *found, struct explain *explain,
                                  uint32_t from, uint32_t to)
{
    struct cook_state *state = explain->run.state;
    struct cook_edge_row *rows;
    size_t count;
    *found = (struct cook_edge_row){ .kind = COOK_EDGE_SOFT, .path = NULL };
    enum cook_status status = cook_edges_read(&rows, &count, state, from, &explain->arena);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        bool leads = rows[i].package == to ||
                     cook_registry_resolve(state, rows[i].path, &explain->arena).package == to;
        if (leads &&
            (!found->path || (found->kind != COOK_EDGE_HARD && rows[i].kind == COOK_EDGE_HARD)))
            *found = rows[i];
    }
    return status;
}

static enum cook_status show_step(struct explain *explain, cJSON *list, uint32_t from,
                                  uint32_t to)
{
    const struct cook_state *state = explain->run.state;
    struct cook_edge_row edge;
    enum cook_status status = find_edge(&edge, explain, from, to);
    if (status != COOK_OK)
        return status;
    const char *kind = edge.kind == COOK_EDGE_HARD ? "hard" : "soft";
    const char *path = edge.path ? edge.path : "";
    const char *name = cook_state_text(state, state->packages[to].name);
    fprintf(explain->cli.out, "    -> %s (%s reference to %s)\n", name, kind, path);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "from", cook_state_text(state, state->packages[from].name));
    cJSON_AddStringToObject(json, "to", name);
    cJSON_AddStringToObject(json, "kind", kind);
    cJSON_AddStringToObject(json, "path", path);
    cJSON_AddItemToArray(list, json);
    return COOK_OK;
}

static enum cook_status show(struct walk *walk, const char *start_name, uint32_t end)
{
    struct explain *explain = walk->explain;
    cJSON *list = cJSON_AddArrayToObject(explain->document, "chain");
    enum cook_status status = COOK_OK;
    uint32_t length = 0;
    for (uint32_t at = end; walk->from[at] != at; at = walk->from[at])
        walk->queue[length++] = at; /* the order it was reached in is not needed any more */
    fprintf(explain->cli.out, "%s\n", start_name);
    for (uint32_t i = length; status == COOK_OK && i > 0; i--) {
        uint32_t to = walk->queue[i - 1];
        status = show_step(explain, list, walk->from[to], to);
    }
    return status;
}

/* Asked the wrong way round is a common slip. */
static enum cook_status show_none(struct walk *walk, const char *const *names, uint32_t start,
                                  uint32_t end)
{
    struct explain *explain = walk->explain;
    fprintf(explain->cli.out, "no chain of references leads from %s to %s\n", names[0],
            names[1]);
    cJSON_AddArrayToObject(explain->document, "chain");
    if (!(explain->run.state->packages[start].flags & COOK_PACKAGE_HAS_RESULT))
        fprintf(explain->cli.out, "%s has no kept result, so what it refers to is not known\n",
                names[0]);
    enum cook_status status = find(walk, end, start);
    if (status == COOK_OK && walk->from[start] != COOK_ID_NONE)
        fprintf(explain->cli.out, "one leads back; run: cook explain chain %s %s\n", names[1],
                names[0]);
    return status;
}

enum cook_status explain_chain(struct explain *explain, const char *const *operands,
                               struct cook_error *error)
{
    if (!operands[0] || !operands[1] || operands[2])
        return cook_error_set(error, COOK_E_USAGE,
                              "give two packages: cook explain chain /Game/From /Game/To");
    const char *const ends[2][2] = { { operands[0], NULL }, { operands[1], NULL } };
    uint32_t start;
    uint32_t end = COOK_ID_NONE;
    enum cook_status status = explain_package(&start, explain, ends[0], error);
    if (status == COOK_OK)
        status = explain_package(&end, explain, ends[1], error);
    if (status != COOK_OK)
        return status;
    size_t room = ((size_t)explain->run.state->packages_count + 1) * sizeof(uint32_t);
    struct walk walk = { .explain = explain,
                         .from = cook_arena_alloc(&explain->arena, room),
                         .queue = cook_arena_alloc(&explain->arena, room) };
    if (!walk.from || !walk.queue)
        return cook_error_no_memory(error);
    status = find(&walk, start, end);
    bool found = status == COOK_OK && walk.from[end] != COOK_ID_NONE;
    cJSON_AddStringToObject(explain->document, "from", operands[0]);
    cJSON_AddStringToObject(explain->document, "to", operands[1]);
    cJSON_AddBoolToObject(explain->document, "found", found);
    if (status == COOK_OK)
        status = found ? show(&walk, operands[0], end) : show_none(&walk, operands, start, end);
    return status == COOK_OK ? COOK_OK : cook_error_set(error, status, "out of memory");
}
