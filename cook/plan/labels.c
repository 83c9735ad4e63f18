/*
 * PrimaryAssetLabel objects: rules that live in content. Their properties come as a tag of the
 * registry's facts (COOK_LABEL_TAG), so that nothing is loaded to know the root set.
 */
#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/rules.h"

#define LABELS_POLICY "labels"

static bool has_label(const struct cook_state *state, uint32_t package)
{
    uint32_t wanted = COOK_PACKAGE_PRESENT | COOK_PACKAGE_HAS_LABEL;
    return (state->packages[package].flags & wanted) == wanted;
}

/* Whether any package holds a label: counted when content changed, remembered in between. */
static enum cook_status project_has_labels(struct cook_run *run, bool *labels,
                                           struct cook_error *error)
{
    struct cook_state *state = run->state;
    uint32_t dep = cook_state_find_dep(state, COOK_DEP_POLICY, LABELS_POLICY);
    if (!run->content_changed && dep != COOK_ID_NONE) {
        *labels = state->deps[dep].value.high != 0;
        return COOK_OK;
    }
    struct cook_hash value = { 0, 1 }; /* never zero, which is "absent" */
    bool changed;
    for (uint32_t i = 0; i < state->packages_count; i++)
        value.high += has_label(state, i);
    *labels = value.high != 0;
    return cook_run_note_policy(run, LABELS_POLICY, value, &changed, error);
}

static enum cook_rule rule_of_name(const char *name)
{
    if (strcmp(name, "NeverCook") == 0)
        return COOK_RULE_NEVER;
    if (strcmp(name, "DevelopmentCook") == 0)
        return COOK_RULE_DEVELOPMENT;
    return strcmp(name, "AlwaysCook") == 0 ? COOK_RULE_ALWAYS : COOK_RULE_UNKNOWN;
}

static enum cook_status say_asset(struct cook_run *run, uint32_t source, const char *label,
                                  const char *path)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_resolved resolved = cook_registry_resolve(run->state, path, &arena);
    enum cook_status status = COOK_OK;
    if (resolved.package == COOK_ID_NONE)
        cook_run_warn(run, "label %s names %s, which does not exist", label, path);
    else
        status = cook_rules_say(run, source, resolved.package);
    cook_arena_finish(&arena);
    return status;
}

/* "/Game/UI" is all below it; anything with a wildcard is a glob as it stands. */
static enum cook_status say_folder(struct cook_run *run, uint32_t source, const char *folder)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/')
        length--;
    const char *glob = strpbrk(folder, "*?")
                           ? folder
                           : cook_arena_printf(&arena, "%.*s/*", (int)length, folder);
    enum cook_status status = glob ? cook_rules_say_glob(run, source, glob) : COOK_E_NO_MEMORY;
    cook_arena_finish(&arena);
    return status;
}

/* One label's tag: a line "rule RULE", "priority N", "chunk N", "asset PATH" or "folder GLOB" a
 * fact; the first three come first. `text` is cut up. */
static enum cook_status add_label(struct cook_run *run, const char *label, char *text)
{
    enum cook_rule rule = COOK_RULE_UNKNOWN;
    int32_t priority = 0;
    int32_t chunk = COOK_CHUNK_NONE;
    uint32_t source = 0;
    enum cook_status status = COOK_OK;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); status == COOK_OK && line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, ' ');
        if (!value)
            continue;
        *value++ = '\0';
        if (strcmp(line, "rule") == 0)
            rule = rule_of_name(value);
        else if (strcmp(line, "priority") == 0)
            priority = (int32_t)strtol(value, NULL, 10);
        else if (strcmp(line, "chunk") == 0)
            chunk = (int32_t)strtol(value, NULL, 10);
        if (strcmp(line, "asset") != 0 && strcmp(line, "folder") != 0)
            continue;
        if (!source)
            source = cook_rules_add_source(run, rule, priority, chunk,
                                           cook_arena_printf(&run->arena, "label %s", label));
        status = strcmp(line, "asset") == 0 ? say_asset(run, source, label, value)
                                            : say_folder(run, source, value);
    }
    return status;
}

static enum cook_status add_package(struct cook_run *run, uint32_t package)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_facts facts = { 0 };
    size_t size;
    const uint8_t *blob = cook_state_blob(run->state, run->state->results[package].facts, &size);
    const char *name = cook_state_text(run->state, run->state->packages[package].name);
    enum cook_status status = COOK_OK;
    /* A package whose facts do not decode fails by itself when it is reached. */
    if (cook_facts_decode(&facts, blob, size, &arena, NULL) != COOK_OK)
        facts = (struct cook_facts){ 0 };
    for (size_t i = 0; status == COOK_OK && i < facts.tag_count; i++) {
        const char *key = facts.tags[i].key;
        if (strncmp(key, COOK_LABEL_TAG, strlen(COOK_LABEL_TAG)) != 0)
            continue;
        char *text = cook_arena_strdup(&arena, facts.tags[i].value);
        char *label =
            cook_arena_printf(&arena, "%s.%s", name, key + strlen(COOK_LABEL_TAG));
        status = text && label ? add_label(run, label, text) : COOK_E_NO_MEMORY;
    }
    cook_arena_finish(&arena);
    return status;
}

enum cook_status cook_rules_add_labels(struct cook_run *run, struct cook_error *error)
{
    const struct cook_state *state = run->state;
    bool labels;
    enum cook_status status = project_has_labels(run, &labels, error);
    /* In name order, so that what two labels of one priority say does not depend on ids. */
    for (uint32_t i = 0; status == COOK_OK && labels && i < state->order_packages; i++)
        if (has_label(state, state->package_order[i]))
            status = add_package(run, state->package_order[i]);
    return status;
}
