/* Hybrid incremental: which classes let their packages be skipped. */
#include <stdio.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/run.h"

#define SECTION "Incremental"
#define ALLOW "ClassScriptPackageAllowList"
#define DENY "ClassDenyList"

/* An entry is "<ProjectRoot>" (every class of the project's plugins), "/Script/Module", or a class,
 * which then stands for its children too. */
static bool entry_matches(const struct cook_run *run, const char *entry,
                          const struct cook_hello_class *class_info)
{
    if (strcmp(entry, "<ProjectRoot>") == 0)
        return class_info->project;
    if (strncmp(entry, "/Script/", 8) != 0)
        return false;
    if (strcmp(entry + 8, class_info->module) == 0)
        return true;
    for (unsigned depth = 0; class_info && depth < 64; depth++) {
        if (strcmp(entry, class_info->name) == 0)
            return true;
        class_info = cook_run_class(run, class_info->parent);
    }
    return false;
}

static bool list_matches(const struct cook_run *run, const char *key,
                         const struct cook_hello_class *class_info)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(run->project.config, SECTION, key, &values);
    for (size_t i = 0; i < count; i++)
        if (entry_matches(run, values[i].text, class_info))
            return true;
    return false;
}

static bool class_is_allowed(const struct cook_run *run, const char *name)
{
    const struct cook_hello_class *class_info = cook_run_class(run, name);
    /* An unregistered class fails its package; nothing to opt out. */
    return !class_info ||
           (list_matches(run, ALLOW, class_info) && !list_matches(run, DENY, class_info));
}

bool cook_run_class_allowed(const struct cook_run *run, const char *name, const char **rule)
{
    const struct cook_hello_class *class_info = cook_run_class(run, name);
    *rule = "it is not registered";
    if (!class_info)
        return true;
    bool denied = list_matches(run, DENY, class_info);
    bool allowed = list_matches(run, ALLOW, class_info);
    *rule = denied ? DENY " names it" : allowed ? ALLOW " names it" : ALLOW " does not name it";
    return allowed && !denied;
}

const char *cook_run_opted_out_class(struct cook_run *run, uint32_t package,
                                     struct cook_arena *arena)
{
    struct cook_facts facts;
    size_t size;
    const uint8_t *blob =
        cook_state_blob(run->state, run->state->results[package].facts, &size);
    if (size == 0 || cook_facts_decode(&facts, blob, size, arena, NULL) != COOK_OK)
        return NULL;
    for (size_t i = 0; i < facts.object_count; i++)
        if (!class_is_allowed(run, facts.objects[i].class_name))
            return facts.objects[i].class_name;
    return NULL;
}

/* One hash of all that decides about classes: where it is unchanged, so are the flags. */
static struct cook_hash policy_hash(const struct cook_run *run)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    struct cook_hash lists[2] = { cook_config_hash(run->project.config, SECTION, ALLOW),
                                  cook_config_hash(run->project.config, SECTION, DENY) };
    cook_hasher_update(&hasher, lists, sizeof(lists));
    for (size_t i = 0; i < run->hello.class_count; i++) {
        const struct cook_hello_class *c = &run->hello.classes[i];
        cook_hasher_update_string(&hasher, c->name);
        cook_hasher_update_string(&hasher, c->parent);
        cook_hasher_update_u64(&hasher, c->project);
    }
    return cook_hasher_digest(&hasher);
}

static void apply(struct cook_run *run, uint32_t package)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    bool out = cook_run_opted_out_class(run, package, &arena) != NULL;
    cook_arena_finish(&arena);
    bool was = run->state->packages[package].flags & COOK_PACKAGE_OPTED_OUT;
    if (out == was)
        return;
    cook_state_touch(run->state, COOK_TABLE_packages, package); /* thaws: before the write */
    run->state->packages[package].flags ^= COOK_PACKAGE_OPTED_OUT;
    run->index_stale = true;
}

enum cook_status cook_run_note_policy(struct cook_run *run, const char *what,
                                      struct cook_hash hash, bool *changed,
                                      struct cook_error *error)
{
    struct cook_state *state = run->state;
    uint32_t dep = cook_state_find_dep(state, COOK_DEP_POLICY, what);
    *changed = dep == COOK_ID_NONE || !cook_hash_equal(state->deps[dep].value, hash);
    if (!*changed)
        return COOK_OK;
    dep = cook_state_add_dep(state, COOK_DEP_POLICY, what);
    if (dep == COOK_ID_NONE)
        return cook_error_no_memory(error);
    cook_state_touch(state, COOK_TABLE_deps, dep);
    state->deps[dep].value = hash;
    run->index_stale = true;
    return COOK_OK;
}

enum cook_status cook_run_apply_policy(struct cook_run *run, const uint32_t *packages, size_t count,
                                       struct cook_error *error)
{
    enum cook_status status = cook_run_note_policy(run, "incremental", policy_hash(run),
                                                   &run->classes_changed, error);
    if (status != COOK_OK)
        return status;
    if (run->classes_changed)
        for (uint32_t i = 0; i < run->state->packages_count; i++)
            apply(run, i);
    else
        for (size_t i = 0; i < count; i++)
            apply(run, packages[i]);
    return COOK_OK;
}
