/*
 * cook explain modified --against STORE: why packages have another key here than in another store ("why does it
 * recook here and not on the farm"). Compares the values that stand in both stores; neither is evaluated.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/deps/dep.h"
#include "cook/deps/value.h"
#include "cook/plan/explaining.h"
#include "cook/plan/explanation_json.h"
#include "explain/explain.h"

struct against {
    const struct cook_state *here;
    struct cook_state *there;
    struct cook_arena *arena;
    struct cook_explanation explanation;
    size_t dep_capacity, package_capacity;
    uint32_t *index_of; /* by dependency row here: index + 1, or 0 */
    size_t same, only_here;
};

static const char *value_text(const struct cook_state *state, uint32_t dep, struct cook_arena *arena)
{
    if (dep == COOK_ID_NONE)
        return "not recorded";
    const struct cook_state_dep *row = &state->deps[dep];
    const char *text =
        cook_dep_value_text(row->kind, row->value, cook_state_text(state, row->text), arena);
    return text ? text : "";
}

/* The dependency here where its value is another there; COOK_ID_NONE where it is the same. */
static uint32_t differing(struct against *against, uint32_t dep)
{
    const struct cook_state_dep *row = &against->here->deps[dep];
    const char *args = cook_state_text(against->here, row->args);
    uint32_t other = cook_state_find_dep(against->there, row->kind, args);
    struct cook_explanation *explanation = &against->explanation;
    if (other != COOK_ID_NONE && cook_hash_equal(against->there->deps[other].value, row->value))
        return COOK_ID_NONE;
    if (against->index_of[dep])
        return against->index_of[dep] - 1;
    if (!cook_grow(&explanation->deps, &against->dep_capacity, explanation->dep_count + 1,
                   sizeof(*explanation->deps)))
        return COOK_ID_NONE;
    explanation->deps[explanation->dep_count] = (struct cook_explained_dep){
        .kind = row->kind,
        .key = args,
        .old_text = value_text(against->there, other, against->arena),
        .new_text = value_text(against->here, dep, against->arena),
        .where = cook_dep_has_place(row->kind)
                     ? cook_value_place(cook_state_text(against->here, row->text))
                     : "",
        .old_where = cook_dep_has_place(row->kind) && other != COOK_ID_NONE
                         ? cook_value_place(cook_state_text(against->there, against->there->deps[other].text))
                         : "",
    };
    against->index_of[dep] = (uint32_t)++explanation->dep_count;
    return against->index_of[dep] - 1;
}

static enum cook_status add_uses(struct against *against, struct cook_explained_package *package,
                                 uint32_t row, struct cook_error *error)
{
    const struct cook_state *state = against->here;
    uint32_t id = state->packages[row].bundle;
    const struct cook_state_bundle *bundle = id < state->bundles_count ? &state->bundles[id] : NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; bundle && i < bundle->count; i++) {
        uint32_t set = state->ids[bundle->first + i];
        const char *through = cook_set_through(state, set, package->name);
        for (uint32_t k = 0; k < state->sets[set].count; k++) {
            uint32_t dep = differing(against, state->ids[state->sets[set].first + k]);
            bool known = dep == COOK_ID_NONE;
            for (size_t u = 0; u < package->use_count && !known; u++)
                known = package->uses[u].dep == dep;
            if (known)
                continue;
            if (!cook_grow(&package->uses, &capacity, package->use_count + 1, sizeof(*package->uses)))
                return cook_error_no_memory(error);
            package->uses[package->use_count++] =
                (struct cook_explained_use){ dep, through ? through : "" };
        }
    }
    return COOK_OK;
}

static enum cook_status add_package(struct against *against, uint32_t row, const char *reason,
                                    struct cook_error *error)
{
    struct cook_explanation *explanation = &against->explanation;
    struct cook_explained_package package = {
        .name = cook_state_text(against->here, against->here->packages[row].name),
        .reason = reason,
        .opted_out = "",
        .classes = "",
    };
    enum cook_status status = add_uses(against, &package, row, error);
    if (status == COOK_OK && !cook_grow(&explanation->packages, &against->package_capacity,
                                        explanation->package_count + 1, sizeof(package)))
        status = cook_error_no_memory(error);
    if (status == COOK_OK)
        explanation->packages[explanation->package_count++] = package;
    else
        cook_free(package.uses);
    return status;
}

static enum cook_status compare(struct against *against, struct cook_error *error)
{
    const struct cook_state *here = against->here;
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < here->order_packages; i++) {
        uint32_t row = here->package_order[i];
        if (!(here->packages[row].flags & COOK_PACKAGE_HAS_RESULT))
            continue;
        uint32_t other = cook_state_find_package(against->there,
                                                 cook_state_text(here, here->packages[row].name));
        if (other == COOK_ID_NONE ||
            !(against->there->packages[other].flags & COOK_PACKAGE_HAS_RESULT))
            against->only_here++;
        else if (cook_hash_equal(against->there->packages[other].key, here->packages[row].key))
            against->same++;
        else
            status = add_package(against, row, "another key there", error);
    }
    return status;
}

static enum cook_status open_other(struct cook_store **store, const char *path,
                                   struct cook_error *error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot open the store '%s'", path);
    enum cook_status status = cook_store_open_folder(store, fd, error);
    close(fd);
    return status;
}

static void report(struct explain *explain, const struct against *against, cJSON *document)
{
    cJSON *summary = cJSON_GetObjectItemCaseSensitive(document, "summary");
    cJSON_AddNumberToObject(summary, "same_key", (double)against->same);
    cJSON_AddNumberToObject(summary, "only_here", (double)against->only_here);
    cJSON_DeleteItemFromObjectCaseSensitive(document, "cook");
    for (cJSON *item; (item = document->child);) {
        cJSON_DetachItemViaPointer(document, item);
        if (strcmp(item->string, "schema") == 0)
            cJSON_Delete(item);
        else
            cJSON_AddItemToObject(explain->document, item->string, item);
    }
    explain_print_against(explain->cli.out, explain->document);
}

enum cook_status explain_against(struct explain *explain, struct cook_error *error)
{
    struct cook_store *store = NULL;
    struct against against = { .here = cook_store_state(explain->store), .arena = &explain->arena };
    enum cook_status status = open_other(&store, explain->against, error);
    against.index_of = cook_calloc((size_t)against.here->deps_count + 1, sizeof(uint32_t));
    if (status == COOK_OK && !against.index_of)
        status = cook_error_no_memory(error);
    if (status == COOK_OK) {
        against.there = cook_store_state(store);
        status = compare(&against, error);
    }
    if (status == COOK_OK) {
        cJSON *document = cook_explanation_json(&against.explanation, 0);
        if (document)
            report(explain, &against, document);
        else
            status = cook_error_no_memory(error);
        cJSON_Delete(document);
    }
    for (size_t i = 0; i < against.explanation.package_count; i++)
        cook_free(against.explanation.packages[i].uses);
    cook_free(against.explanation.packages);
    cook_free(against.explanation.deps);
    cook_free(against.index_of);
    cook_store_close(store);
    return status;
}
