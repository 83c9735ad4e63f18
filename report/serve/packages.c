/* The answers about packages: a list that can be searched, and one in detail. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/deps/value.h"
#include "cook/registry/facts.h"
#include "cook/store/details.h"
#include "cook/worker/session.h"
#include "report/serve/serve.h"

#define MAX_SHOWN 1000 /* dependencies, references, referrers in one answer */

/* ---- the list ---- */

struct query {
    const struct cook_state *state;
    const char *text; /* lower case */
    const char *kind;
};

static bool contains(const char *name, const char *text)
{
    size_t length = strlen(text);
    for (; *name; name++) {
        size_t i = 0;
        while (i < length && name[i] && tolower((unsigned char)name[i]) == text[i])
            i++;
        if (i == length)
            return true;
    }
    return length == 0;
}

static const char *kind_of(uint32_t flags)
{
    if (!(flags & COOK_PACKAGE_PRESENT))
        return "deleted";
    if (flags & COOK_PACKAGE_FAILED)
        return "failed";
    if (!(flags & COOK_PACKAGE_HAS_RESULT))
        return "not cooked";
    return flags & COOK_PACKAGE_OPTED_OUT ? "opted out" : "kept";
}

static bool is_wanted(const struct query *query, uint32_t package)
{
    const struct cook_state_package *row = &query->state->packages[package];
    const char *kind = kind_of(row->flags);
    /* A name that something refers to, without a file or a result, is no package. */
    if (!(row->flags & (COOK_PACKAGE_PRESENT | COOK_PACKAGE_HAS_RESULT)))
        return false;
    if (*query->kind && strcmp(query->kind, kind) != 0)
        return false;
    return contains(cook_state_text(query->state, row->name), query->text);
}

static int by_name(const void *a, const void *b, void *user)
{
    const struct cook_state *state = user;
    return strcmp(cook_state_text(state, state->packages[*(const uint32_t *)a].name),
                  cook_state_text(state, state->packages[*(const uint32_t *)b].name));
}

static int by_figure(uint64_t x, uint64_t y, const void *a, const void *b, void *user)
{
    return x != y ? (x < y ? 1 : -1) : by_name(a, b, user);
}

static int by_size(const void *a, const void *b, void *user)
{
    const struct cook_state *state = user;
    return by_figure(state->results[*(const uint32_t *)a].size_bytes,
                     state->results[*(const uint32_t *)b].size_bytes, a, b, user);
}

static int by_seconds(const void *a, const void *b, void *user)
{
    const struct cook_state *state = user;
    return by_figure(state->results[*(const uint32_t *)a].duration_us,
                     state->results[*(const uint32_t *)b].duration_us, a, b, user);
}

static int by_cook(const void *a, const void *b, void *user)
{
    const struct cook_state *state = user;
    return by_figure(state->results[*(const uint32_t *)a].cook,
                     state->results[*(const uint32_t *)b].cook, a, b, user);
}

static void sort(uint32_t *ids, size_t count, const struct cook_state *state, const char *by)
{
    int (*compare)(const void *, const void *, void *) = strcmp(by, "size") == 0      ? by_size
                                                         : strcmp(by, "seconds") == 0 ? by_seconds
                                                         : strcmp(by, "cook") == 0    ? by_cook
                                                                                      : by_name;
    union {
        const struct cook_state *from;
        void *to;
    } user = { state };
    if (count)
        qsort_r(ids, count, sizeof(*ids), compare, user.to);
}

static cJSON *row_json(const struct cook_state *state, uint32_t package)
{
    const struct cook_state_package *row = &state->packages[package];
    const struct cook_state_result *result = &state->results[package];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", cook_state_text(state, row->name));
    cJSON_AddStringToObject(json, "kind", kind_of(row->flags));
    if (row->flags & COOK_PACKAGE_HAS_RESULT) {
        cJSON_AddNumberToObject(json, "bytes", (double)result->size_bytes);
        cJSON_AddNumberToObject(json, "seconds", (double)result->duration_us / 1e6);
        cJSON_AddNumberToObject(json, "cook", result->cook);
    }
    return json;
}

void serve_packages(struct serve_request *request)
{
    const struct cook_state *state = request->view->state;
    char *text = cook_arena_strdup(&request->arena, serve_parameter(request, "q"));
    uint32_t *ids = cook_arena_alloc(&request->arena,
                                     ((size_t)state->packages_count + 1) * sizeof(*ids));
    if (!text || !ids) {
        serve_fail(request, 500, "out of memory");
        return;
    }
    for (char *c = text; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    struct query query = { state, text, serve_parameter(request, "kind") };
    size_t count = 0;
    /* In the order of names where the state has it, so that nothing is sorted for the usual list. */
    bool ordered = state->order_packages == state->packages_count;
    for (uint32_t i = 0; i < state->packages_count; i++) {
        uint32_t id = ordered ? state->package_order[i] : i;
        if (is_wanted(&query, id))
            ids[count++] = id;
    }
    const char *by = serve_parameter(request, "sort");
    if (!ordered || (*by && strcmp(by, "name") != 0))
        sort(ids, count, state, by);
    uint64_t offset = serve_parameter_number(request, "offset", 0, UINT32_MAX);
    uint64_t limit = serve_parameter_number(request, "limit", 100, SERVE_MAX_PAGE);
    cJSON_AddNumberToObject(request->document, "total", (double)count);
    cJSON_AddNumberToObject(request->document, "offset", (double)offset);
    cJSON *list = cJSON_AddArrayToObject(request->document, "packages");
    for (uint64_t i = offset; i < count && i - offset < limit; i++)
        cJSON_AddItemToArray(list, row_json(state, ids[i]));
}

/* ---- one package ---- */

static uint32_t find_package(struct serve_request *request)
{
    /* By search in the mapped order: a look-up that changes nothing. */
    union {
        const struct cook_state *from;
        struct cook_state *to;
    } state = { request->view->state };
    uint32_t package = cook_state_find_package(state.to, serve_parameter(request, "name"));
    if (package == COOK_ID_NONE)
        serve_fail(request, 404, "no package has that name");
    return package;
}

static void add_objects(struct serve_request *request, uint32_t package)
{
    const struct cook_state *state = request->view->state;
    struct cook_facts facts;
    size_t size;
    cJSON *list = cJSON_AddArrayToObject(request->document, "objects");
    const uint8_t *blob = cook_state_blob(state, state->results[package].facts, &size);
    if (!blob || cook_facts_decode(&facts, blob, size, &request->arena, NULL) != COOK_OK)
        return;
    for (size_t i = 0; i < facts.object_count && i < MAX_SHOWN; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "path", facts.objects[i].path);
        cJSON_AddStringToObject(object, "class", facts.objects[i].class_name);
        cJSON_AddItemToArray(list, object);
    }
    cJSON *tags = cJSON_AddObjectToObject(request->document, "tags");
    for (size_t i = 0; i < facts.tag_count && i < MAX_SHOWN; i++)
        cJSON_AddStringToObject(tags, facts.tags[i].key, facts.tags[i].value);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Each dependency of the bundle once, by kind and arguments. */
static void add_dependencies(struct serve_request *request, uint32_t package)
{
    const struct cook_state *state = request->view->state;
    cJSON *list = cJSON_AddArrayToObject(request->document, "dependencies");
    uint32_t bundle = state->packages[package].bundle;
    if (bundle >= state->bundles_count)
        return;
    size_t count = 0;
    for (uint32_t i = 0; i < state->bundles[bundle].count; i++)
        count += state->sets[state->ids[state->bundles[bundle].first + i]].count;
    uint32_t *deps = cook_arena_alloc(&request->arena, (count + 1) * sizeof(*deps));
    if (!deps)
        return;
    count = 0;
    for (uint32_t i = 0; i < state->bundles[bundle].count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[state->bundles[bundle].first + i]];
        for (uint32_t k = 0; k < set->count; k++)
            deps[count++] = state->ids[set->first + k];
    }
    if (count)
        qsort(deps, count, sizeof(*deps), by_id);
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        if ((i && deps[i] == deps[i - 1]) || shown++ >= MAX_SHOWN)
            continue;
        const struct cook_state_dep *dep = &state->deps[deps[i]];
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "kind", cook_dep_kind_text(dep->kind));
        cJSON_AddStringToObject(json, "key", cook_state_text(state, dep->args));
        const char *kept = cook_state_text(state, dep->text);
        const char *text = cook_value_alone(kept, &request->arena);
        if (cook_hash_is_zero(dep->value))
            cJSON_AddStringToObject(json, "value", "absent");
        else if (text && *text)
            cJSON_AddStringToObject(json, "value", text);
        else
            serve_add_hash(json, "value", dep->value);
        if (*cook_value_place(kept))
            cJSON_AddStringToObject(json, "where", cook_value_place(kept));
        cJSON_AddItemToArray(list, json);
    }
    cJSON_AddNumberToObject(request->document, "dependency_count", (double)shown);
}

static void add_references(struct serve_request *request, uint32_t package)
{
    const struct cook_state *state = request->view->state;
    struct cook_edge_row *edges;
    size_t count;
    cJSON *list = cJSON_AddArrayToObject(request->document, "references");
    if (cook_edges_read(&edges, &count, state, package, &request->arena) != COOK_OK)
        return;
    for (size_t i = 0; i < count && i < MAX_SHOWN; i++) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "kind", edges[i].kind == COOK_EDGE_HARD ? "hard" : "soft");
        cJSON_AddStringToObject(json, "path", edges[i].path);
        if (edges[i].package != COOK_ID_NONE)
            cJSON_AddStringToObject(json, "package",
                                    cook_state_text(state, state->packages[edges[i].package].name));
        cJSON_AddItemToArray(list, json);
    }
    cJSON_AddNumberToObject(request->document, "reference_count", (double)count);
}

static void add_referrers(struct serve_request *request, uint32_t package)
{
    const struct cook_state *state = request->view->state;
    const uint32_t *first;
    size_t count;
    cJSON *list = cJSON_AddArrayToObject(request->document, "referrers");
    if (serve_referrers(&first, &count, request->view, package) != COOK_OK)
        return;
    uint32_t last = COOK_ID_NONE;
    for (size_t i = 0; i < count && i < MAX_SHOWN; i++) {
        if (first[i] != last)
            cJSON_AddItemToArray(list, cJSON_CreateString(cook_state_text(
                                           state, state->packages[first[i]].name)));
        last = first[i];
    }
    cJSON_AddNumberToObject(request->document, "referrer_count", (double)count);
}

static void add_messages(struct serve_request *request, uint32_t package)
{
    static const char *const severities[] = { "unknown", "info", "warning", "error" };
    const struct cook_state *state = request->view->state;
    struct cook_messages messages = { 0 };
    size_t size;
    cJSON *list = cJSON_AddArrayToObject(request->document, "messages");
    const uint8_t *blob = cook_state_blob(state, state->results[package].messages, &size);
    struct cook_reader_buf in = cook_read_init(blob, size);
    if (blob && cook_messages_decode(&messages, &in) == COOK_OK)
        for (size_t i = 0; i < messages.count && i < MAX_SHOWN; i++) {
            unsigned severity = (unsigned)messages.items[i].severity;
            cJSON *json = cJSON_CreateObject();
            cJSON_AddStringToObject(json, "severity", severities[severity < 4 ? severity : 0]);
            cJSON_AddStringToObject(json, "text", messages.items[i].text);
            cJSON_AddItemToArray(list, json);
        }
    cook_messages_finish(&messages);
}

static void add_files(struct serve_request *request, uint32_t package)
{
    struct cook_details details;
    cJSON *list = cJSON_AddArrayToObject(request->document, "additional_files");
    if (cook_details_of(&details, request->view->state, package, &request->arena) != COOK_OK)
        return;
    for (size_t i = 0; i < details.file_count; i++) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "name", details.files[i].name);
        cJSON_AddNumberToObject(json, "bytes", (double)details.files[i].size_bytes);
        cJSON_AddItemToArray(list, json);
    }
}

void serve_package(struct serve_request *request)
{
    const struct cook_state *state = request->view->state;
    uint32_t package = find_package(request);
    if (package == COOK_ID_NONE)
        return;
    const struct cook_state_package *row = &state->packages[package];
    cJSON_AddItemToObject(request->document, "package", row_json(state, package));
    if (row->file != COOK_ID_NONE) {
        char *path = cook_state_file_path(state, row->file, &request->arena);
        cJSON_AddStringToObject(request->document, "source", path ? path : "");
        cJSON_AddNumberToObject(request->document, "source_bytes",
                                (double)state->files[row->file].size_bytes);
    }
    if (row->flags & COOK_PACKAGE_HAS_RESULT) {
        serve_add_hash(request->document, "key", row->key);
        serve_add_hash(request->document, "hash", state->results[package].bytes);
    }
    add_objects(request, package);
    add_dependencies(request, package);
    add_references(request, package);
    add_referrers(request, package);
    add_messages(request, package);
    add_files(request, package);
}

void serve_package_bytes(struct serve_request *request)
{
    const struct cook_state *state = request->view->state;
    struct cook_error error = COOK_ERROR_INIT;
    uint32_t package = find_package(request);
    if (package == COOK_ID_NONE)
        return;
    if (!(state->packages[package].flags & COOK_PACKAGE_HAS_RESULT)) {
        serve_fail(request, 404, "the package has no cooked result");
        return;
    }
    if (cook_store_get_blob(request->view->store, &request->bytes, state->results[package].bytes,
                            &error) != COOK_OK)
        serve_fail(request, 500, cook_arena_strdup(&request->arena, error.message));
    const char *name = cook_state_text(state, state->packages[package].name);
    const char *slash = strrchr(name, '/');
    request->file_name =
        cook_arena_printf(&request->arena, "%s.cooked", slash ? slash + 1 : name);
}
