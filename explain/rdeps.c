/* cook explain rdeps [KIND] KEY: which packages recorded a thing. */
#include <string.h>

#include "cook/deps/dep.h"
#include "explain/explain.h"

struct search {
    struct explain *explain;
    struct explain_key key;
    uint8_t *matches;        /* by dependency */
    cJSON *list;
    cJSON *hidden;
    size_t found;
};

static void show(struct search *search, uint32_t package, uint32_t dep, uint32_t set,
                 const struct cook_dep_origin *origin)
{
    const struct cook_state *state = search->explain->run.state;
    struct explain_set described = explain_describe_set(state, set);
    const char *name = cook_state_text(state, state->packages[package].name);
    const char *kind = cook_dep_kind_text(state->deps[dep].kind);
    const char *args = cook_state_text(state, state->deps[dep].args);
    bool direct = !described.through || strcmp(described.through, name) == 0;
    const char *how = explain_how(search->explain, state->deps[dep].kind, origin);
    fprintf(search->explain->cli.out, "%s: %s %s (%s set%s%s)\n", name, kind, args, described.part,
            direct ? "" : " of ", direct ? "" : described.through);
    if (search->explain->cli.verbose || (origin && origin->call))
        fprintf(search->explain->cli.out, "    %s\n", how);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "package", name);
    cJSON_AddStringToObject(json, "kind", kind);
    cJSON_AddStringToObject(json, "key", args);
    cJSON_AddStringToObject(json, "set", described.part);
    cJSON_AddStringToObject(json, "through", direct ? name : described.through);
    cJSON_AddBoolToObject(json, "direct", direct);
    cJSON_AddStringToObject(json, "how", how);
    cJSON_AddItemToArray(search->list, json);
    search->found++;
}

static void show_package(struct search *search, uint32_t package)
{
    const struct cook_state *state = search->explain->run.state;
    uint32_t id = state->packages[package].bundle;
    for (uint32_t i = 0; id != COOK_ID_NONE && i < state->bundles[id].count; i++) {
        uint32_t set = state->ids[state->bundles[id].first + i];
        const struct cook_dep_origin *origins = NULL;
        for (uint32_t k = 0; k < state->sets[set].count; k++) {
            uint32_t dep = state->ids[state->sets[set].first + k];
            if (!search->matches[dep])
                continue;
            if (!origins) /* decoded for the sets that matter */
                origins = explain_origins(search->explain, set);
            show(search, package, dep, set, origins ? &origins[k] : NULL);
        }
    }
}

/* A package that read it where a scope hides what is read does not depend on it: told apart. */
static enum cook_status show_hidden(struct search *search, uint32_t package,
                                    struct cook_error *error)
{
    struct explain *explain = search->explain;
    struct cook_reader_buf in = cook_edges_hidden(explain->run.state, package);
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_observation *items = NULL;
    size_t count = 0;
    enum cook_status status =
        in.size ? cook_record_decode(&items, &count, &in, &arena) : COOK_OK;
    if (status != COOK_OK)
        (void)cook_error_set(error, status, "the record of hidden reads is malformed");
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        if (!explain_key_matches(&search->key, items[i].kind, items[i].args))
            continue;
        const struct cook_state *state = explain->run.state;
        const char *name = cook_state_text(state, state->packages[package].name);
        const char *kind = cook_dep_kind_text(items[i].kind);
        fprintf(explain->cli.out, "%s: %s %s (hidden by a scope, and no dependency)\n", name, kind,
                items[i].args);
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "package", name);
        cJSON_AddStringToObject(json, "kind", kind);
        cJSON_AddStringToObject(json, "key", items[i].args);
        cJSON_AddItemToArray(search->hidden, json);
        search->found++;
    }
    cook_arena_finish(&arena);
    return status;
}

enum cook_status explain_rdeps(struct explain *explain, const char *const *operands,
                               struct cook_error *error)
{
    struct cook_state *state = explain->run.state;
    struct search search = { .explain = explain };
    enum cook_status status = explain_read_key(&search.key, explain, operands, error);
    if (status == COOK_OK)
        status = cook_state_sort(state, error);
    if (status != COOK_OK)
        return status;
    search.matches = cook_calloc((size_t)state->deps_count + 1, 1);
    if (!search.matches)
        return cook_error_no_memory(error);
    for (uint32_t i = 0; i < state->deps_count; i++)
        search.matches[i] = explain_key_matches(&search.key, state->deps[i].kind,
                                                cook_state_text(state, state->deps[i].args));
    cJSON_AddStringToObject(explain->document, "key", search.key.text);
    search.list = cJSON_AddArrayToObject(explain->document, "packages");
    search.hidden = cJSON_AddArrayToObject(explain->document, "hidden");
    for (uint32_t i = 0; i < state->order_packages; i++)
        show_package(&search, state->package_order[i]);
    for (uint32_t i = 0; status == COOK_OK && i < state->order_packages; i++)
        status = show_hidden(&search, state->package_order[i], error);
    if (status == COOK_OK && search.found == 0)
        fprintf(explain->cli.out, "no package recorded %s\n", search.key.text);
    cook_free(search.matches);
    return status;
}
