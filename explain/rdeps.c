/* cook explain rdeps [KIND] KEY: which packages recorded a thing. */
#include <string.h>

#include "cook/deps/dep.h"
#include "explain/explain.h"

struct search {
    struct explain *explain;
    uint32_t kind;           /* COOK_DEP_UNKNOWN: all */
    const char *key;
    const char *package;     /* whose source the key is a file of, or NULL */
    uint8_t *matches;        /* by dependency */
    cJSON *list;
    cJSON *hidden;
    size_t found;
};

/* KIND, when it stands before KEY; a config key "[S] K" may come as two words. */
static enum cook_status read_key(struct search *search, const char *const *operands,
                                 struct cook_error *error)
{
    if (!operands[0])
        return cook_error_set(error, COOK_E_USAGE,
                              "give a path, a name, or a kind and a key: config '[S] K'");
    for (uint32_t kind = 1; operands[1] && kind < COOK_DEP_KIND_END; kind++)
        if (strcmp(cook_dep_kind_text(kind), operands[0]) == 0)
            search->kind = kind;
    if (search->kind)
        operands++;
    struct cook_buf key = COOK_BUF_INIT;
    for (size_t i = 0; operands[i]; i++)
        cook_buf_printf(&key, "%s%s", i ? " " : "", operands[i]);
    search->key = cook_arena_strdup(&search->explain->arena, cook_buf_text(&key));
    cook_buf_finish(&key);
    return search->key ? COOK_OK : cook_error_no_memory(error);
}

/* A path may be that of a package's main file, or of its side file. */
static void find_source(struct search *search)
{
    struct cook_state *state = search->explain->run.state;
    size_t length = strlen(search->key);
    uint32_t file = cook_state_find_file(state, search->key);
    if ((file == COOK_ID_NONE || state->files[file].package == COOK_ID_NONE) && length > 5 &&
        strcmp(search->key + length - 5, ".cook") == 0) {
        char *main_file = cook_arena_strndup(&search->explain->arena, search->key, length - 5);
        file = main_file ? cook_state_find_file(state, main_file) : COOK_ID_NONE;
    }
    if (file != COOK_ID_NONE && state->files[file].package != COOK_ID_NONE)
        search->package = cook_state_text(state, state->packages[state->files[file].package].name);
}

static bool matches(const struct search *search, uint32_t kind, const char *args)
{
    size_t length = strlen(search->key);
    if (kind == COOK_DEP_POLICY || (search->kind && kind != search->kind))
        return false;
    if (kind == COOK_DEP_SOURCE && search->package && strcmp(args, search->package) == 0)
        return true;
    if (strncmp(args, search->key, length) != 0)
        return false;
    /* Objects of a package, and functions whatever their arguments, match by the name alone. */
    bool named = (kind == COOK_DEP_REF || kind == COOK_DEP_REDIRECT)
                     ? args[length] == '.'
                     : kind == COOK_DEP_FUNCTION && args[length] == ' ';
    return args[length] == '\0' || named;
}

static void show(struct search *search, uint32_t package, uint32_t dep, uint32_t set)
{
    const struct cook_state *state = search->explain->run.state;
    struct explain_set described = explain_describe_set(state, set);
    const char *name = cook_state_text(state, state->packages[package].name);
    const char *kind = cook_dep_kind_text(state->deps[dep].kind);
    const char *args = cook_state_text(state, state->deps[dep].args);
    bool direct = !described.through || strcmp(described.through, name) == 0;
    fprintf(search->explain->cli.out, "%s: %s %s (%s set%s%s)\n", name, kind, args, described.part,
            direct ? "" : " of ", direct ? "" : described.through);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "package", name);
    cJSON_AddStringToObject(json, "kind", kind);
    cJSON_AddStringToObject(json, "key", args);
    cJSON_AddStringToObject(json, "set", described.part);
    cJSON_AddStringToObject(json, "through", direct ? name : described.through);
    cJSON_AddBoolToObject(json, "direct", direct);
    cJSON_AddItemToArray(search->list, json);
    search->found++;
}

static void show_package(struct search *search, uint32_t package)
{
    const struct cook_state *state = search->explain->run.state;
    uint32_t id = state->packages[package].bundle;
    for (uint32_t i = 0; id != COOK_ID_NONE && i < state->bundles[id].count; i++) {
        uint32_t set = state->ids[state->bundles[id].first + i];
        for (uint32_t k = 0; k < state->sets[set].count; k++) {
            uint32_t dep = state->ids[state->sets[set].first + k];
            if (search->matches[dep])
                show(search, package, dep, set);
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
        if (!matches(search, items[i].kind, items[i].args))
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
    enum cook_status status = read_key(&search, operands, error);
    if (status == COOK_OK)
        status = cook_state_sort(state, error);
    if (status != COOK_OK)
        return status;
    search.matches = cook_calloc((size_t)state->deps_count + 1, 1);
    if (!search.matches)
        return cook_error_no_memory(error);
    find_source(&search);
    for (uint32_t i = 0; i < state->deps_count; i++)
        search.matches[i] = matches(&search, state->deps[i].kind,
                                    cook_state_text(state, state->deps[i].args));
    cJSON_AddStringToObject(explain->document, "key", search.key);
    search.list = cJSON_AddArrayToObject(explain->document, "packages");
    search.hidden = cJSON_AddArrayToObject(explain->document, "hidden");
    for (uint32_t i = 0; i < state->order_packages; i++)
        show_package(&search, state->package_order[i]);
    for (uint32_t i = 0; status == COOK_OK && i < state->order_packages; i++)
        status = show_hidden(&search, state->package_order[i], error);
    if (status == COOK_OK && search.found == 0)
        fprintf(explain->cli.out, "no package recorded %s\n", search.key);
    cook_free(search.matches);
    return status;
}
