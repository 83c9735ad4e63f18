/* cook explain not-cooked PACKAGE: why a package is not in the cook, and what refers to it. */
#include <string.h>

#include "cook/plan/rules.h"
#include "cook/plan/search.h"
#include "cook/registry/facts.h"
#include "explain/explain.h"

struct question {
    struct explain *explain;
    uint32_t package;
    struct cook_search search;
    cJSON *list;
    size_t found;
    bool followed; /* a package of the cook refers to it by an edge that cooks follow */
    bool recorded; /* one does by an edge that is recorded only */
};

static const char *edge_text(enum cook_edge edge)
{
    switch (edge) {
    case COOK_EDGE_HARD:
        return "hard";
    case COOK_EDGE_SOFT:
        return "soft";
    case COOK_EDGE_EDITOR_ONLY:
        return "editor-only";
    case COOK_EDGE_TRUE_SOFT:
        return "soft, asks for nothing";
    case COOK_EDGE_BUILD_ONLY:
        return "build-only";
    case COOK_EDGE_UNKNOWN:
    default:
        return "unknown";
    }
}

static enum cook_status walk(struct question *question, struct cook_error *error)
{
    struct cook_roots roots;
    struct cook_search *search = &question->search;
    enum cook_status status = cook_run_roots(&question->explain->run, &roots, error);
    if (status == COOK_OK)
        status = cook_search_init(search, &question->explain->run, error);
    if (status == COOK_OK)
        status = cook_search_push_roots(search, &roots, error);
    uint32_t package;
    while (status == COOK_OK && cook_search_pop(search, &package))
        status = cook_search_push_edges(search, package, error);
    return status;
}

static void add_referrer(struct question *question, uint32_t from,
                         const struct cook_fact_reference *reference)
{
    const struct cook_state *state = question->explain->run.state;
    const char *name = cook_state_text(state, state->packages[from].name);
    bool cooked = question->search.visited[from];
    bool follow = reference->edge == COOK_EDGE_HARD || reference->edge == COOK_EDGE_SOFT;
    question->followed |= cooked && follow;
    question->recorded |= cooked && !follow;
    question->found++;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "package", name);
    cJSON_AddStringToObject(json, "edge", edge_text(reference->edge));
    cJSON_AddStringToObject(json, "path", reference->path);
    cJSON_AddBoolToObject(json, "reached", cooked);
    cJSON_AddItemToArray(question->list, json);
}

/* A path resolves only to what is present: that of a package that is gone is known by its name.
 */
static bool leads(const struct question *question, const char *path, struct cook_arena *arena)
{
    struct cook_state *state = question->explain->run.state;
    const char *name = cook_state_text(state, state->packages[question->package].name);
    size_t length = strlen(name);
    uint32_t target = cook_registry_resolve(state, path, arena).package;
    if (target != COOK_ID_NONE)
        return target == question->package;
    return strncmp(path, name, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

/* What the sources refer to, saved or not. */
static void find_referrers(struct question *question)
{
    struct cook_state *state = question->explain->run.state;
    for (uint32_t i = 0; i < state->order_packages; i++) {
        uint32_t from = state->package_order[i];
        size_t size;
        const uint8_t *blob = cook_state_blob(state, state->results[from].facts, &size);
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_facts facts = { 0 };
        bool have = from != question->package && size &&
                    (state->packages[from].flags & COOK_PACKAGE_PRESENT) &&
                    cook_facts_decode(&facts, blob, size, &arena, NULL) == COOK_OK;
        for (size_t k = 0; have && k < facts.reference_count; k++) {
            const char *path = facts.references[k].path;
            if (leads(question, path, &arena))
                add_referrer(question, from, &facts.references[k]);
        }
        cook_arena_finish(&arena);
    }
}

static const char *reason_of(struct question *question)
{
    struct cook_run *run = &question->explain->run;
    uint32_t flags = run->state->packages[question->package].flags;
    const char *never = cook_rules_never_why(run, question->package);
    if (!(flags & COOK_PACKAGE_PRESENT))
        return "deleted: there is no file of it now";
    if (never)
        return cook_arena_printf(&question->explain->arena, "never cooked: %s", never);
    if (!question->search.visited[question->package]) {
        if (question->followed)
            return "not reached: what refers to it does not save the reference for this target";
        return question->recorded
                   ? "not reached: the cook refers to it only by what is not saved"
                   : "not reached: no package of the cook refers to it";
    }
    if (flags & COOK_PACKAGE_FAILED)
        return "failed: its last cook failed; run: cook incremental";
    if (flags & COOK_PACKAGE_OMITTED)
        return "omitted: nothing of it is saved for this target";
    return flags & COOK_PACKAGE_HAS_RESULT ? NULL
                                           : "new: not cooked yet; run: cook incremental";
}

static void print_referrers(const struct question *question, FILE *out)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, question->list)
    {
        bool reached = cJSON_IsTrue(cJSON_GetObjectItem(row, "reached"));
        fprintf(out, "    %s refers to it (%s)%s\n",
                cJSON_GetStringValue(cJSON_GetObjectItem(row, "package")),
                cJSON_GetStringValue(cJSON_GetObjectItem(row, "edge")),
                reached ? "" : ", and is not reached either");
    }
    if (question->found == 0)
        fprintf(out, "    no package refers to it\n");
}

enum cook_status explain_not_cooked(struct explain *explain, const char *const *operands,
                                    struct cook_error *error)
{
    struct question question = { .explain = explain };
    enum cook_status status = explain_package(&question.package, explain, operands, error);
    if (status == COOK_OK)
        status = walk(&question, error);
    if (status == COOK_OK) {
        question.list = cJSON_AddArrayToObject(explain->document, "referrers");
        find_referrers(&question);
        const char *reason = reason_of(&question);
        cJSON_AddStringToObject(explain->document, "package", operands[0]);
        cJSON_AddBoolToObject(explain->document, "cooked", !reason);
        cJSON_AddStringToObject(explain->document, "reason", reason ? reason : "cooked");
        fprintf(explain->cli.out, "%s is %s\n", operands[0], reason ? reason : "cooked");
        print_referrers(&question, explain->cli.out);
    }
    cook_search_finish(&question.search);
    return status;
}
