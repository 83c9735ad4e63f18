/* cook explain class CLASS: what speaks for letting a class be skipped, or against it. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/intern.h"
#include "cook/deps/dep.h"
#include "cook/store/history.h"
#include "explain/explain.h"

struct evidence {
    size_t validations, packages; /* validations that covered it; packages of it validated in all */
    size_t revisions;             /* of content or code among them */
    int64_t first_ns, last_ns;
    size_t findings[4];           /* by verdict, all validations */
};
static const char *const verdicts[] = { "false_skip", "indeterminate", "both", "vanished_replay" };

static bool has_class(const char *lines, const char *class)
{
    size_t length = strlen(class);
    for (const char *at = lines; *at;) {
        size_t line = strcspn(at, "\n");
        if (line == length && memcmp(at, class, length) == 0)
            return true;
        at += line + (at[line] == '\n');
    }
    return false;
}

/* ---- the history ---- */

static double covered(const cJSON *document, const char *class)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(document, "classes")) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name");
        const cJSON *count = cJSON_GetObjectItemCaseSensitive(item, "validated");
        if (cJSON_IsString(name) && strcmp(name->valuestring, class) == 0)
            return cJSON_IsNumber(count) ? count->valuedouble : 0;
    }
    return 0;
}

static enum cook_status add_run(struct evidence *evidence, struct cook_history *history,
                                const struct cook_history_run *run, const char *class,
                                struct cook_intern *revisions, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_history_run whole;
    struct cook_history_finding *findings;
    size_t count = 0;
    enum cook_status status = cook_history_run(history, &whole, run->id, &arena, error);
    cJSON *document = status == COOK_OK && whole.document_json ? cJSON_Parse(whole.document_json) : NULL;
    double packages = covered(document, class);
    if (packages > 0) {
        evidence->validations++;
        evidence->packages += (size_t)packages;
        if (!evidence->last_ns)
            evidence->last_ns = run->started_ns;
        evidence->first_ns = run->started_ns;
        char *revision = cook_arena_printf(&arena, "%s %s", run->content_revision, run->code_revision);
        (void)cook_intern_add(revisions, revision ? revision : "");
    }
    if (status == COOK_OK)
        status = cook_history_findings(history, &findings, &count, run->id, &arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        for (size_t k = 0; k < 4; k++)
            evidence->findings[k] += has_class(findings[i].classes, class) &&
                                     strcmp(findings[i].verdict, verdicts[k]) == 0 &&
                                     strcmp(findings[i].state, "new") == 0;
    cJSON_Delete(document);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status read_history(struct evidence *evidence, struct explain *explain,
                                     const char *class, struct cook_error *error)
{
    struct cook_history *history;
    struct cook_history_run *runs;
    struct cook_intern revisions = { 0 };
    size_t count = 0;
    const struct cook_history_filter filter = { .verb = "incremental-validate",
                                                .target = explain->run.project.target };
    enum cook_status status = cook_history_open_read(&history, explain->run.project.fd, error);
    if (status == COOK_E_NOT_FOUND)
        return COOK_OK;
    if (status == COOK_OK)
        status = cook_history_runs(history, &runs, &count, &filter, &explain->arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = add_run(evidence, history, &runs[i], class, &revisions, error);
    evidence->revisions = revisions.count;
    cook_intern_finish(&revisions);
    cook_history_close(history);
    return status;
}

/* ---- the store ---- */

static bool holds_class(struct explain *explain, uint32_t package, const char *class)
{
    const struct cook_state *state = explain->run.state;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_facts facts;
    size_t size;
    bool found = false;
    const uint8_t *blob = cook_state_blob(state, state->results[package].facts, &size);
    if (blob && cook_facts_decode(&facts, blob, size, &arena, NULL) == COOK_OK)
        for (size_t i = 0; i < facts.object_count; i++)
            found |= strcmp(facts.objects[i].class_name, class) == 0;
    cook_arena_finish(&arena);
    return found;
}

/* Distinct dependencies of its packages by kind; `*packages` of them, `*opted_out` not skippable. */
static void read_store(struct explain *explain, const char *class, size_t *packages,
                       size_t *opted_out, size_t kinds[COOK_DEP_KIND_END])
{
    const struct cook_state *state = explain->run.state;
    uint8_t *seen = cook_calloc((size_t)state->deps_count + 1, 1);
    for (uint32_t i = 0; seen && i < state->packages_count; i++) {
        if (!(state->packages[i].flags & COOK_PACKAGE_PRESENT) || !holds_class(explain, i, class))
            continue;
        ++*packages;
        *opted_out += (state->packages[i].flags & COOK_PACKAGE_OPTED_OUT) != 0;
        uint32_t id = state->packages[i].bundle;
        for (uint32_t b = 0; id < state->bundles_count && b < state->bundles[id].count; b++) {
            const struct cook_state_set *set =
                &state->sets[state->ids[state->bundles[id].first + b]];
            for (uint32_t k = 0; k < set->count; k++)
                seen[state->ids[set->first + k]] = 1;
        }
    }
    for (uint32_t i = 0; seen && i < state->deps_count; i++)
        if (seen[i] && state->deps[i].kind < COOK_DEP_KIND_END)
            kinds[state->deps[i].kind]++;
    cook_free(seen);
}

/* ---- saying it ---- */

static void print_findings(struct explain *explain, const struct evidence *evidence)
{
    FILE *out = explain->cli.out;
    size_t all = 0;
    cJSON *json = cJSON_AddObjectToObject(explain->document, "findings");
    for (size_t i = 0; i < 4; i++) {
        all += evidence->findings[i];
        cJSON_AddNumberToObject(json, verdicts[i], (double)evidence->findings[i]);
    }
    if (evidence->validations == 0)
        fprintf(out, "never validated; its packages are, when the class is not opted out: "
                     "cook incremental-validate\n");
    else if (all == 0)
        fprintf(out, "validated %zu packages in %zu validations over %zu revisions and %.1f days, without a "
                     "finding\n", evidence->packages, evidence->validations, evidence->revisions,
                (double)(evidence->last_ns - evidence->first_ns) / 86400e9);
    else
        fprintf(out, "validated %zu packages in %zu validations over %zu revisions and %.1f days; findings: %zu "
                     "false skips, %zu indeterminate, %zu both, %zu vanished replays\n",
                evidence->packages, evidence->validations, evidence->revisions,
                (double)(evidence->last_ns - evidence->first_ns) / 86400e9, evidence->findings[0],
                evidence->findings[1], evidence->findings[2], evidence->findings[3]);
}

enum cook_status explain_class(struct explain *explain, const char *const *operands,
                               struct cook_error *error)
{
    FILE *out = explain->cli.out;
    struct evidence evidence = { 0 };
    size_t packages = 0, opted_out = 0, kinds[COOK_DEP_KIND_END] = { 0 };
    if (!operands[0] || operands[1])
        return cook_error_set(error, COOK_E_USAGE, "give one class: /Script/Module.Name");
    const struct cook_hello_class *class = cook_run_class(&explain->run, operands[0]);
    if (!class)
        return cook_error_set(error, COOK_E_USAGE, "no class is named %s", operands[0]);
    enum cook_status status = read_history(&evidence, explain, class->name, error);
    if (status != COOK_OK)
        return status;
    read_store(explain, class->name, &packages, &opted_out, kinds);
    const char *rule = "";
    bool allowed = cook_run_class_allowed(&explain->run, class->name, &rule);
    fprintf(out, "%s of %s, child of %s\n", class->name, class->project ? class->module : "the standard classes",
            *class->parent ? class->parent : "nothing");
    fprintf(out, "%s (%s); %zu packages hold one, %zu of them are cooked every time\n",
            allowed ? "may be skipped" : "is opted out", rule, packages, opted_out);
    cJSON_AddStringToObject(explain->document, "class", class->name);
    cJSON_AddBoolToObject(explain->document, "allowed", allowed);
    cJSON_AddStringToObject(explain->document, "rule", rule);
    cJSON_AddNumberToObject(explain->document, "packages", (double)packages);
    cJSON_AddNumberToObject(explain->document, "opted_out", (double)opted_out);
    cJSON_AddNumberToObject(explain->document, "validations", (double)evidence.validations);
    cJSON_AddNumberToObject(explain->document, "validated_packages", (double)evidence.packages);
    cJSON_AddNumberToObject(explain->document, "revisions", (double)evidence.revisions);
    print_findings(explain, &evidence);
    cJSON *reads = cJSON_AddObjectToObject(explain->document, "reads");
    fprintf(out, "its packages depend on:");
    for (uint32_t kind = 1; kind < COOK_DEP_KIND_END; kind++) {
        if (!kinds[kind] || kind == COOK_DEP_POLICY)
            continue;
        fprintf(out, " %s %zu", cook_dep_kind_text(kind), kinds[kind]);
        cJSON_AddNumberToObject(reads, cook_dep_kind_text(kind), (double)kinds[kind]);
    }
    fprintf(out, "\n");
    return COOK_OK;
}
