/* The current value of every known dependency, once each, and the keys that follow. */
#include <stdio.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/run.h"

#define FORMAT_VERSION 1u /* of cooked packages and of what reaches all of them */

struct cook_hash cook_run_engine_value(const struct cook_run *run)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    cook_hasher_update_u64(&hasher, FORMAT_VERSION);
    cook_hasher_update_string(&hasher, run->project.target);
    return cook_hasher_digest(&hasher);
}

static struct cook_hash reader_value(struct cook_run *run, const char *extension)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hash value = { 0, 0 };
    const char *path = cook_arena_printf(&arena, "x%s", extension);
    const char *text =
        path ? cook_registry_reader_text(&run->registry_options, path, &arena) : NULL;
    if (text)
        value = cook_hash_bytes(text, strlen(text));
    cook_arena_finish(&arena);
    return value;
}

static struct cook_hash config_value(struct cook_run *run, const char *args)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hash value = { 0, 0 };
    const char *section;
    const char *key;
    if (cook_dep_config_parse(args, &arena, &section, &key))
        value = cook_config_hash(run->project.config, section, key);
    cook_arena_finish(&arena);
    return value;
}

static struct cook_hash ref_value(struct cook_run *run, uint32_t dep, struct cook_arena *arena)
{
    /* Outcomes follow from the registry alone: where nothing in it changed, they stand. */
    if (!run->content_changed)
        return run->state->deps[dep].value;
    const char *path = cook_state_text(run->state, run->state->deps[dep].args);
    struct cook_hash value = cook_registry_ref_outcome(run->state, path, arena);
    if (arena->used_bytes > (1u << 20))
        cook_arena_finish(arena);
    return value;
}

static struct cook_hash dep_value(struct cook_run *run, uint32_t id, struct cook_arena *arena)
{
    const struct cook_state *state = run->state;
    const struct cook_state_dep *dep = &state->deps[id];
    const char *args = cook_state_text(state, dep->args);
    struct cook_hash absent = { 0, 0 };
    switch ((enum cook_dep_kind)dep->kind) {
    case COOK_DEP_SOURCE:
        return dep->target != COOK_ID_NONE &&
                       (state->packages[dep->target].flags & COOK_PACKAGE_PRESENT)
                   ? cook_registry_source_hash(state, dep->target)
                   : absent;
    case COOK_DEP_FILE:
        return dep->target != COOK_ID_NONE ? state->files[dep->target].content : absent;
    case COOK_DEP_READER:
        return reader_value(run, args);
    case COOK_DEP_REF:
        return ref_value(run, id, arena);
    case COOK_DEP_CLASS: {
        const struct cook_hello_class *class_info = cook_run_class(run, args);
        return class_info ? class_info->schema : absent;
    }
    case COOK_DEP_CONFIG:
        return config_value(run, args);
    case COOK_DEP_ENGINE:
        return cook_run_engine_value(run);
    case COOK_DEP_POLICY: /* kept by policy.c and cook.c themselves */
    case COOK_DEP_UNKNOWN:
    case COOK_DEP_KIND_END:
        break;
    }
    return dep->value;
}

/* What people read of a value where its hash says little. */
static void set_text(struct cook_run *run, uint32_t id)
{
    struct cook_state *state = run->state;
    if (state->deps[id].kind != COOK_DEP_CONFIG)
        return;
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *section;
    const char *key;
    if (cook_dep_config_parse(cook_state_text(state, state->deps[id].args), &arena, &section, &key)) {
        const struct cook_config_value *values;
        size_t count = cook_config_values(run->project.config, section, key, &values);
        struct cook_buf text = COOK_BUF_INIT;
        for (size_t i = 0; i < count; i++)
            cook_buf_printf(&text, "%s%s", i ? ", " : "", values[i].text);
        uint32_t offset = cook_state_add_text(state, cook_buf_text(&text));
        state->deps[id].text = offset;
        cook_buf_finish(&text);
    }
    cook_arena_finish(&arena);
}

static struct cook_hash *evaluate_sets(const struct cook_state *state,
                                       const struct cook_hash *dep_hashes)
{
    struct cook_hash *sets = cook_malloc(((size_t)state->sets_count + 1) * sizeof(*sets));
    for (uint32_t i = 0; sets && i < state->sets_count; i++) {
        struct cook_hash sum = { 0, 0 };
        for (uint32_t k = 0; k < state->sets[i].count; k++)
            sum = cook_key_sum(sum, dep_hashes[state->ids[state->sets[i].first + k]]);
        sets[i] = cook_key_finish(sum);
    }
    return sets;
}

static enum cook_status evaluate_keys(struct cook_run *run, const struct cook_hash *dep_hashes)
{
    const struct cook_state *state = run->state;
    struct cook_hash *sets = evaluate_sets(state, dep_hashes);
    run->key_count = state->bundles_count;
    run->keys = cook_malloc(((size_t)run->key_count + 1) * sizeof(*run->keys));
    for (uint32_t i = 0; sets && run->keys && i < run->key_count; i++) {
        struct cook_hash sum = { 0, 0 };
        for (uint32_t k = 0; k < state->bundles[i].count; k++)
            sum = cook_key_sum(sum, sets[state->ids[state->bundles[i].first + k]]);
        run->keys[i] = cook_key_finish(sum);
    }
    cook_free(sets);
    return sets && run->keys ? COOK_OK : COOK_E_NO_MEMORY;
}

enum cook_status cook_run_evaluate(struct cook_run *run, struct cook_error *error)
{
    struct cook_state *state = run->state;
    struct cook_arena arena = COOK_ARENA_INIT;
    run->dep_count = state->deps_count;
    run->dep_changed = cook_calloc((size_t)run->dep_count + 1, 1);
    struct cook_hash *hashes = cook_malloc(((size_t)run->dep_count + 1) * sizeof(*hashes));
    enum cook_status status = run->dep_changed && hashes ? COOK_OK : COOK_E_NO_MEMORY;
    for (uint32_t i = 0; status == COOK_OK && i < run->dep_count; i++) {
        struct cook_hash value = dep_value(run, i, &arena);
        if (!cook_hash_equal(value, state->deps[i].value)) {
            run->dep_changed[i] = 1;
            cook_state_touch(state, COOK_TABLE_deps, i); /* thaws: the array may move */
            state->deps[i].value = value;
            set_text(run, i);
            run->index_stale = true;
        }
        hashes[i] = cook_dep_hash(state->deps[i].kind, cook_state_text(state, state->deps[i].args),
                                  value);
    }
    if (status == COOK_OK)
        status = evaluate_keys(run, hashes);
    cook_free(hashes);
    cook_arena_finish(&arena);
    return status == COOK_OK ? COOK_OK : cook_error_set(error, status, "out of memory");
}
