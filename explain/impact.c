/* cook explain impact KEY…: what an incremental cook would recook if these things changed. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/intern.h"
#include "cook/deps/dep.h"
#include "explain/explain.h"

#define SHOWN 200

struct impact {
    struct explain *explain;
    uint8_t *deps;     /* by dependency: its value would be another */
    uint8_t *packages; /* by package: 1 by what was named, 2 through another package's whole key */
    size_t matched;    /* dependencies that a key named */
    size_t opted_out;
};

/* A class's schema has those of its ancestors in it. */
static bool is_child_of(const struct cook_run *run, const char *name, const char *ancestor)
{
    const struct cook_hello_class *class = cook_run_class(run, name);
    for (unsigned depth = 0; class && depth < 64; depth++) {
        if (strcmp(class->name, ancestor) == 0)
            return true;
        class = cook_run_class(run, class->parent);
    }
    return false;
}

/* Whether a change of what the key names is another value of a dependency. Outcomes of references and
 * redirects stay: something changes, nothing vanishes. */
static bool would_change(const struct explain_key *key, const struct cook_run *run, uint32_t kind,
                         const char *args)
{
    if (kind == COOK_DEP_REF || kind == COOK_DEP_REDIRECT || kind == COOK_DEP_KEPT)
        return false;
    if (kind == COOK_DEP_CLASS && !key->kind && is_child_of(run, args, key->text))
        return true;
    if (kind == COOK_DEP_PACKAGE) /* follows from what the package itself depends on */
        return false;
    return explain_key_matches(key, kind, args);
}

static bool is_config_file(const char *text)
{
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".ini") == 0;
}

static enum cook_status mark_key(struct impact *impact, const char *text, struct cook_error *error)
{
    const char *const operands[] = { text, NULL };
    struct explain_key key;
    const struct cook_state *state = impact->explain->run.state;
    enum cook_status status = explain_read_key(&key, impact->explain, operands, error);
    size_t before = impact->matched;
    for (uint32_t i = 0; status == COOK_OK && i < state->deps_count; i++)
        if (would_change(&key, &impact->explain->run, state->deps[i].kind,
                         cook_state_text(state, state->deps[i].args))) {
            impact->deps[i] = 1;
            impact->matched++;
        }
    if (status == COOK_OK && impact->matched == before)
        fprintf(impact->explain->cli.out, "no package recorded %s%s\n", text,
                is_config_file(text) ? ": of config single keys are recorded; ask for '[Section] Key'" : "");
    return status;
}

static bool has_marked(const struct impact *impact, uint32_t package)
{
    const struct cook_state *state = impact->explain->run.state;
    uint32_t id = state->packages[package].bundle;
    if (id >= state->bundles_count || !(state->packages[package].flags & COOK_PACKAGE_HAS_RESULT))
        return false;
    for (uint32_t i = 0; i < state->bundles[id].count; i++) {
        const struct cook_state_set *set =
            &state->sets[state->ids[state->bundles[id].first + i]];
        for (uint32_t k = 0; k < set->count; k++)
            if (impact->deps[state->ids[set->first + k]])
                return true;
    }
    return false;
}

/* Packages that depend on whole packages follow, until nothing new does. */
static void mark_packages(struct impact *impact)
{
    struct cook_state *state = impact->explain->run.state;
    for (uint8_t round = 1;; round = 2) {
        bool grew = false;
        for (uint32_t i = 0; i < state->packages_count; i++)
            if (!impact->packages[i] && has_marked(impact, i)) {
                impact->packages[i] = round;
                grew = true;
            }
        if (!grew)
            return;
        for (uint32_t i = 0; i < state->deps_count; i++) {
            if (state->deps[i].kind != COOK_DEP_PACKAGE || impact->deps[i])
                continue;
            uint32_t package =
                cook_state_find_package(state, cook_state_text(state, state->deps[i].args));
            impact->deps[i] = package != COOK_ID_NONE && impact->packages[package];
        }
    }
}

static void show(struct impact *impact)
{
    struct explain *explain = impact->explain;
    struct cook_state *state = explain->run.state;
    size_t counts[3] = { 0 }, shown = 0;
    uint64_t duration_us = 0;
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < state->order_packages; k++) {
        uint32_t i = state->package_order[k];
        if (!impact->packages[i])
            continue;
        const char *name = cook_state_text(state, state->packages[i].name);
        bool whole = impact->packages[i] == 2;
        counts[impact->packages[i]]++;
        duration_us += state->results[i].duration_us;
        if (shown++ < SHOWN)
            fprintf(explain->cli.out, "%s%s\n", name, whole ? " (through the whole key of another)" : "");
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "name", name);
        cJSON_AddBoolToObject(json, "through", whole);
        cJSON_AddNumberToObject(json, "seconds", (double)state->results[i].duration_us / 1e6);
        cJSON_AddItemToArray(list, json);
    }
    if (shown > SHOWN)
        fprintf(explain->cli.out, "and %zu more; all of them: --json FILE\n", shown - SHOWN);
    fprintf(explain->cli.out, "would recook %zu package%s (%zu by what they read, %zu through whole "
                              "packages); they took %.3f s when they were cooked last\n",
            counts[1] + counts[2], counts[1] + counts[2] == 1 ? "" : "s", counts[1], counts[2],
            (double)duration_us / 1e6);
    cJSON *summary = cJSON_AddObjectToObject(explain->document, "summary");
    cJSON_AddNumberToObject(summary, "packages", (double)(counts[1] + counts[2]));
    cJSON_AddNumberToObject(summary, "direct", (double)counts[1]);
    cJSON_AddNumberToObject(summary, "through", (double)counts[2]);
    cJSON_AddNumberToObject(summary, "seconds", (double)duration_us / 1e6);
    cJSON_AddItemToObject(explain->document, "packages", list);
}

enum cook_status explain_impact(struct explain *explain, const char *const *operands,
                                struct cook_error *error)
{
    struct cook_state *state = explain->run.state;
    struct impact impact = { .explain = explain };
    if (!operands[0])
        return cook_error_set(error, COOK_E_USAGE,
                              "name what would change: a file, a package, a class, '[Section] Key' …");
    enum cook_status status = cook_state_sort(state, error);
    impact.deps = cook_calloc((size_t)state->deps_count + 1, 1);
    impact.packages = cook_calloc((size_t)state->packages_count + 1, 1);
    if (status == COOK_OK && (!impact.deps || !impact.packages))
        status = cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && operands[i]; i++)
        status = mark_key(&impact, operands[i], error);
    if (status == COOK_OK) {
        mark_packages(&impact);
        show(&impact);
    }
    cook_free(impact.deps);
    cook_free(impact.packages);
    return status;
}
