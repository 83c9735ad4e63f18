/* cook explain deps PACKAGE: what was recorded, and why. */
#include <string.h>

#include "cook/deps/dep.h"
#include "explain/explain.h"

static void add_origin(cJSON *json, const struct cook_dep_origin *origin)
{
    if (!origin || !origin->call)
        return;
    cJSON_AddStringToObject(json, "call", origin->call);
    cJSON_AddStringToObject(json, "hook", origin->hook);
    cJSON_AddStringToObject(json, "hook_class", origin->hook_class);
}

static cJSON *dep_json(struct explain *explain, uint32_t dep, const struct explain_set *set,
                       const struct cook_dep_origin *origin)
{
    const struct cook_state *state = explain->run.state;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", cook_dep_kind_text(state->deps[dep].kind));
    cJSON_AddStringToObject(json, "key", cook_state_text(state, state->deps[dep].args));
    cJSON_AddStringToObject(json, "value", explain_value(explain, dep));
    cJSON_AddStringToObject(json, "set", set->part);
    if (set->through)
        cJSON_AddStringToObject(json, "through", set->through);
    cJSON_AddStringToObject(json, "how", explain_how(explain, state->deps[dep].kind, origin));
    add_origin(json, origin);
    return json;
}

static void print_heading(const struct explain *explain, const char *name,
                          const struct explain_set *set)
{
    if (strcmp(set->part, "whole") == 0)
        fprintf(explain->cli.out, "whole packages:\n");
    else if (!set->through)
        fprintf(explain->cli.out, "%s set:\n", set->part);
    else if (strcmp(set->through, name) == 0)
        fprintf(explain->cli.out, "load set:\n");
    else
        fprintf(explain->cli.out, "load set of %s, which is dereferenced:\n", set->through);
}

static void show_set(struct explain *explain, const char *name, uint32_t id, cJSON *list)
{
    const struct cook_state *state = explain->run.state;
    const struct cook_state_set *row = &state->sets[id];
    struct explain_set set = explain_describe_set(state, id);
    const struct cook_dep_origin *origins = explain_origins(explain, id);
    print_heading(explain, name, &set);
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t dep = state->ids[row->first + i];
        const char *args = cook_state_text(state, state->deps[dep].args);
        const struct cook_dep_origin *origin = origins ? &origins[i] : NULL;
        fprintf(explain->cli.out, "    %s%s%s: %s\n", cook_dep_kind_text(state->deps[dep].kind),
                *args ? " " : "", args, explain_value(explain, dep));
        if (explain->cli.verbose || (origin && origin->call))
            fprintf(explain->cli.out, "        %s\n",
                    explain_how(explain, state->deps[dep].kind, origin));
        cJSON_AddItemToArray(list, dep_json(explain, dep, &set, origin));
    }
}

static cJSON *hidden_json(const struct cook_observation *read)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", cook_dep_kind_text(read->kind));
    cJSON_AddStringToObject(json, "key", read->args);
    cJSON_AddStringToObject(json, "how", "hidden by a scope: COOK_SCOPE_UNRECORDED");
    return json;
}

/* What class code read, and does not depend on by its own word: the first suspects. */
static enum cook_status show_hidden(struct explain *explain, uint32_t package, cJSON *list,
                                    struct cook_error *error)
{
    struct cook_reader_buf in = cook_edges_hidden(explain->run.state, package);
    struct cook_observation *items = NULL;
    size_t count = 0;
    if (in.size == 0)
        return COOK_OK;
    enum cook_status status = cook_record_decode(&items, &count, &in, &explain->arena);
    if (status != COOK_OK)
        return cook_error_set(error, status, "the record of hidden reads is malformed");
    if (count)
        fputs("hidden by a scope, and no dependency:\n", explain->cli.out);
    for (size_t i = 0; i < count; i++) {
        fprintf(explain->cli.out, "    %s%s%s\n", cook_dep_kind_text(items[i].kind),
                *items[i].args ? " " : "", items[i].args);
        if (explain->cli.verbose)
            fputs("        read inside COOK_SCOPE_UNRECORDED\n", explain->cli.out);
        cJSON_AddItemToArray(list, hidden_json(&items[i]));
    }
    return COOK_OK;
}

enum cook_status explain_deps(struct explain *explain, const char *const *operands,
                              struct cook_error *error)
{
    const struct cook_state *state = explain->run.state;
    uint32_t package;
    enum cook_status status = explain_package(&package, explain, operands, error);
    if (status != COOK_OK)
        return status;
    uint32_t bundle = state->packages[package].bundle;
    if (bundle == COOK_ID_NONE)
        return cook_error_set(error, COOK_E_NOT_FOUND, "%s has not been cooked for %s",
                              operands[0], explain->run.project.target);
    cJSON_AddStringToObject(explain->document, "package", operands[0]);
    cJSON *list = cJSON_AddArrayToObject(explain->document, "dependencies");
    for (uint32_t i = 0; i < state->bundles[bundle].count; i++)
        show_set(explain, operands[0], state->ids[state->bundles[bundle].first + i], list);
    return show_hidden(explain, package, cJSON_AddArrayToObject(explain->document, "hidden"), error);
}
