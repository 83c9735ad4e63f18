#include "cook/plan/explanation_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/intern.h"
#include "cook/deps/dep.h"

/* One changed dependency whatever cook its old value is of, or a reason. */
struct cause {
    const struct cook_explained_dep *dep; /* NULL for a reason */
    const char *what;
    size_t packages, direct, identical;
    uint64_t duration_us, wasted_us;
    struct cook_intern classes;
    size_t *class_packages;
    size_t class_capacity;
    const struct cook_explained_package *last; /* counted */
};
struct causes {
    struct cook_arena arena;
    struct cook_intern names; /* of causes: kind and key, or a reason */
    struct cause *items;
    size_t capacity;
    uint32_t *of_dep; /* by index of the explanation's dependency */
    bool failed;
};

const char *cook_explained_dep_text(const struct cook_explained_dep *dep, struct cook_arena *arena)
{
    const char *text = cook_arena_printf(
        arena, "%s%s%s%s%s%s: %s -> %s", cook_dep_kind_text(dep->kind), *dep->key ? " " : "", dep->key,
        *dep->where ? " (" : "", dep->where, *dep->where ? ")" : "", dep->old_text, dep->new_text);
    return text ? text : "";
}

/* ---- causes ---- */

static uint32_t add_cause(struct causes *causes, const char *name, const char *what,
                          const struct cook_explained_dep *dep)
{
    size_t before = causes->names.count;
    uint32_t id = cook_intern_add(&causes->names, name);
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&causes->items, &causes->capacity, (size_t)id + 1, sizeof(*causes->items))) {
        causes->failed = true;
        return COOK_INTERN_NONE;
    }
    if (causes->names.count != before)
        causes->items[id] = (struct cause){ .dep = dep, .what = what };
    return id;
}

static void add_deps(struct causes *causes, const struct cook_explanation *explanation)
{
    causes->of_dep =
        cook_arena_alloc(&causes->arena, (explanation->dep_count + 1) * sizeof(*causes->of_dep));
    causes->failed |= !causes->of_dep;
    for (size_t i = 0; !causes->failed && i < explanation->dep_count; i++) {
        const struct cook_explained_dep *dep = &explanation->deps[i];
        char *name = cook_arena_printf(&causes->arena, "%s %s", cook_dep_kind_text(dep->kind), dep->key);
        char *what = *dep->where ? cook_arena_printf(&causes->arena, "%s (%s)", name ? name : "",
                                                     dep->where)
                                 : name;
        causes->failed |= !name || !what;
        if (!causes->failed)
            causes->of_dep[i] = add_cause(causes, name, what, dep);
    }
}

static void count_classes(struct causes *causes, struct cause *cause, const char *classes)
{
    while (*classes) {
        size_t length = strcspn(classes, "\n");
        size_t before = cause->classes.count;
        uint32_t id = cook_intern_add_n(&cause->classes, classes, length);
        if (id == COOK_INTERN_NONE ||
            !cook_grow(&cause->class_packages, &cause->class_capacity, (size_t)id + 1,
                       sizeof(*cause->class_packages))) {
            causes->failed = true;
            return;
        }
        if (cause->classes.count != before)
            cause->class_packages[id] = 0;
        cause->class_packages[id]++;
        classes += length + (classes[length] == '\n');
    }
}

static void count(struct causes *causes, uint32_t id, const struct cook_explained_package *package,
                  bool direct)
{
    if (id == COOK_INTERN_NONE || causes->failed)
        return;
    struct cause *cause = &causes->items[id];
    if (cause->last == package)
        return;
    bool identical = package->outcome == COOK_EXPLAINED_IDENTICAL;
    cause->last = package;
    cause->packages++;
    cause->direct += direct;
    cause->identical += identical;
    cause->duration_us += package->duration_us;
    cause->wasted_us += identical ? package->duration_us : 0;
    count_classes(causes, cause, package->classes);
}

static void count_packages(struct causes *causes, const struct cook_explanation *explanation)
{
    for (size_t i = 0; i < explanation->package_count; i++) {
        const struct cook_explained_package *package = &explanation->packages[i];
        for (size_t k = 0; k < package->use_count && !causes->failed; k++)
            count(causes, causes->of_dep[package->uses[k].dep], package, !*package->uses[k].through);
        if (package->use_count)
            continue;
        const char *what = *package->opted_out ? cook_arena_printf(&causes->arena, "%s %s",
                                                                   package->reason, package->opted_out)
                                               : package->reason;
        causes->failed |= !what;
        if (what)
            count(causes, add_cause(causes, what, what, NULL), package, true);
    }
}

static int compare_causes(const void *a, const void *b)
{
    const struct cause *x = a;
    const struct cause *y = b;
    if (x->packages != y->packages)
        return x->packages < y->packages ? 1 : -1;
    return strcmp(x->what, y->what);
}

/* ---- documents ---- */

static void add_dep(cJSON *json, const struct cook_explained_dep *dep)
{
    cJSON_AddStringToObject(json, "kind", cook_dep_kind_text(dep->kind));
    cJSON_AddStringToObject(json, "key", dep->key);
    cJSON_AddStringToObject(json, "old", dep->old_text);
    cJSON_AddStringToObject(json, "new", dep->new_text);
    if (*dep->where)
        cJSON_AddStringToObject(json, "where", dep->where);
    if (dep->old_where && *dep->old_where)
        cJSON_AddStringToObject(json, "old_where", dep->old_where);
}

static void add_classes(cJSON *json, const struct cause *cause)
{
    cJSON *classes = cJSON_AddObjectToObject(json, "classes");
    for (uint32_t i = 0; i < cause->classes.count; i++)
        cJSON_AddNumberToObject(classes, cook_intern_text(&cause->classes, i),
                                (double)cause->class_packages[i]);
}

static cJSON *cause_json(const struct cause *cause)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "what", cause->what);
    if (cause->dep)
        add_dep(json, cause->dep);
    cJSON_AddNumberToObject(json, "packages", (double)cause->packages);
    cJSON_AddNumberToObject(json, "direct", (double)cause->direct);
    cJSON_AddNumberToObject(json, "through", (double)(cause->packages - cause->direct));
    add_classes(json, cause);
    cJSON_AddNumberToObject(json, "seconds", (double)cause->duration_us / 1e6);
    cJSON_AddNumberToObject(json, "identical", (double)cause->identical);
    cJSON_AddNumberToObject(json, "wasted_seconds", (double)cause->wasted_us / 1e6);
    return json;
}

static cJSON *package_json(const struct cook_explanation *explanation,
                           const struct cook_explained_package *package)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", package->name);
    cJSON_AddStringToObject(json, "reason", package->reason);
    if (*package->opted_out)
        cJSON_AddStringToObject(json, "opted_out", package->opted_out);
    cJSON *classes = cJSON_AddArrayToObject(json, "classes");
    for (const char *at = package->classes; *at;) {
        char name[512];
        size_t length = strcspn(at, "\n");
        (void)snprintf(name, sizeof(name), "%.*s", (int)(length < 500 ? length : 500), at);
        cJSON_AddItemToArray(classes, cJSON_CreateString(name));
        at += length + (at[length] == '\n');
    }
    cJSON *deps = cJSON_AddArrayToObject(json, "dependencies");
    for (size_t i = 0; i < package->use_count; i++) {
        cJSON *dep = cJSON_CreateObject();
        add_dep(dep, &explanation->deps[package->uses[i].dep]);
        if (*package->uses[i].through)
            cJSON_AddStringToObject(dep, "through", package->uses[i].through);
        cJSON_AddItemToArray(deps, dep);
    }
    cJSON_AddStringToObject(json, "outcome", cook_explained_outcome_text(package->outcome));
    cJSON_AddNumberToObject(json, "seconds", (double)package->duration_us / 1e6);
    return json;
}

static void add_summary(cJSON *document, const struct cook_explanation *explanation)
{
    size_t outcomes[COOK_EXPLAINED_OUTCOME_COUNT] = { 0 };
    uint64_t total_us = 0, wasted_us = 0;
    for (size_t i = 0; i < explanation->package_count; i++) {
        const struct cook_explained_package *package = &explanation->packages[i];
        outcomes[package->outcome]++;
        total_us += package->duration_us;
        wasted_us += package->outcome == COOK_EXPLAINED_IDENTICAL ? package->duration_us : 0;
    }
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON_AddNumberToObject(summary, "packages", (double)explanation->package_count);
    for (int i = COOK_EXPLAINED_CHANGED; i < COOK_EXPLAINED_OUTCOME_COUNT; i++)
        cJSON_AddNumberToObject(summary, cook_explained_outcome_text((enum cook_explained_outcome)i),
                                (double)outcomes[i]);
    cJSON_AddNumberToObject(summary, "unknown", (double)outcomes[COOK_EXPLAINED_UNKNOWN]);
    cJSON_AddNumberToObject(summary, "seconds", (double)total_us / 1e6);
    cJSON_AddNumberToObject(summary, "wasted_seconds", (double)wasted_us / 1e6);
}

cJSON *cook_explanation_json(const struct cook_explanation *explanation, uint32_t cook)
{
    struct causes causes = { .arena = COOK_ARENA_INIT };
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/explain-modified/1");
    cJSON_AddNumberToObject(document, "cook", cook);
    add_summary(document, explanation);
    add_deps(&causes, explanation);
    count_packages(&causes, explanation);
    size_t count = causes.failed ? 0 : causes.names.count;
    if (count)
        qsort(causes.items, count, sizeof(*causes.items), compare_causes);
    cJSON *list = cJSON_AddArrayToObject(document, "causes");
    for (size_t i = 0; i < count; i++)
        if (causes.items[i].packages)
            cJSON_AddItemToArray(list, cause_json(&causes.items[i]));
    cJSON *packages = cJSON_AddArrayToObject(document, "packages");
    for (size_t i = 0; i < explanation->package_count; i++)
        cJSON_AddItemToArray(packages, package_json(explanation, &explanation->packages[i]));
    for (size_t i = 0; i < causes.names.count && i < causes.capacity; i++) {
        cook_intern_finish(&causes.items[i].classes);
        cook_free(causes.items[i].class_packages);
    }
    bool failed = causes.failed || !packages;
    cook_free(causes.items);
    cook_intern_finish(&causes.names);
    cook_arena_finish(&causes.arena);
    if (!failed)
        return document;
    cJSON_Delete(document);
    return NULL;
}
