/* The current value of every known dependency, once each, and the keys that follow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/deps/value.h"
#include "cook/plan/causes.h"
#include "cook/plan/run.h"
#include "cook/registry/query.h"

#define FORMAT_VERSION 1u /* of cooked packages and of what reaches all of them */

struct cook_hash cook_run_engine_value(const struct cook_run *run)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    cook_hasher_update_u64(&hasher, FORMAT_VERSION);
    cook_hasher_update_string(&hasher, run->project.target);
    if (cook_config_bool(run->project.config, "Cook", "KeepEditorOnly", false))
        cook_hasher_update_string(&hasher, "keep editor-only");
    /* Packages carry the parts of artifacts: a new kind of part must be made by all of them. */
    for (size_t i = 0; i < run->hello.artifact_count; i++) {
        const struct cook_hello_artifact *artifact = &run->hello.artifacts[i];
        if (!artifact->makes_parts)
            continue;
        cook_hasher_update_string(&hasher, artifact->name);
        cook_hasher_update_u64(&hasher, artifact->version);
    }
    return cook_hasher_digest(&hasher);
}

static struct cook_hash reader_value(struct cook_run *run, const char *extension)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hash value = { 0, 0 };
    const char *path = cook_arena_printf(&arena, "x%s", extension);
    char *text = path ? cook_registry_reader_text(&run->registry_options, path, &arena) : NULL;
    /* Loading looks at the classes of its own objects, which are dependencies of their own: only
     * facts depend on the flags of all properties. */
    char *dot = text ? strrchr(text, '.') : NULL;
    if (dot && dot > strrchr(text, '/'))
        *dot = '\0';
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

static bool is_a(void *user, const char *class_name, const char *ancestor)
{
    const struct cook_hello_class *c = cook_run_class(user, class_name);
    for (unsigned depth = 0; c && depth < 64; depth++) {
        if (strcmp(c->name, ancestor) == 0)
            return true;
        c = cook_run_class(user, c->parent);
    }
    return false;
}

/* Also asked again when only the classes changed: "children of" is about them. */
static struct cook_hash query_value(struct cook_run *run, uint32_t dep)
{
    struct cook_hash value = run->state->deps[dep].value;
    if (!run->content_changed && !run->classes_changed)
        return value;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_query query;
    const char **paths;
    size_t count;
    const char *args = cook_state_text(run->state, run->state->deps[dep].args);
    if (cook_query_parse(&query, args, &arena) &&
        cook_registry_query(&paths, &count, run->state, &query, is_a, run, &arena) == COOK_OK)
        value = cook_query_hash(paths, count);
    cook_arena_finish(&arena);
    return value;
}

static struct cook_hash redirect_value(struct cook_run *run, uint32_t dep, struct cook_arena *arena)
{
    if (!run->content_changed)
        return run->state->deps[dep].value;
    const char *path = cook_state_text(run->state, run->state->deps[dep].args);
    return cook_registry_redirect_outcome(run->state, path, arena);
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
    case COOK_DEP_CVAR:
        return cook_config_hash(run->project.config, "ConsoleVariables", args);
    case COOK_DEP_CMDLINE:
        return cook_text_value(
            cook_argument_find(run->options.arguments, run->options.argument_count, args));
    case COOK_DEP_ENV:
        return cook_text_value(getenv(args));
    case COOK_DEP_DIRECTORY:
        return cook_directory_value(run->project.fd, args);
    case COOK_DEP_QUERY:
        return query_value(run, id);
    case COOK_DEP_REDIRECT:
        return redirect_value(run, id, arena);
    case COOK_DEP_KEPT:
    case COOK_DEP_FUNCTION: /* the evaluator's answer is there already */
    case COOK_DEP_PACKAGE:  /* follows from the keys, see keys.c */
    case COOK_DEP_POLICY:   /* kept by cook_run_note_policy */
    case COOK_DEP_UNKNOWN:
    case COOK_DEP_KIND_END:
        break;
    }
    return dep->value;
}

static void put_config_text(struct cook_run *run, const char *args, struct cook_buf *text)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *section;
    const char *key;
    const struct cook_config_value *values;
    if (cook_dep_config_parse(args, &arena, &section, &key)) {
        size_t count = cook_config_values(run->project.config, section, key, &values);
        for (size_t i = 0; i < count; i++)
            cook_buf_printf(text, "%s%s", i ? ", " : "", values[i].text);
    }
    cook_arena_finish(&arena);
}

/* What people read of a value where its hash says little. */
static void set_text(struct cook_run *run, uint32_t id)
{
    struct cook_state *state = run->state;
    const char *args = cook_state_text(state, state->deps[id].args);
    const char *plain = NULL;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf text = COOK_BUF_INIT;
    switch ((int)state->deps[id].kind) {
    case COOK_DEP_CONFIG:
        put_config_text(run, args, &text);
        break;
    case COOK_DEP_CVAR:
        plain = cook_config_string(run->project.config, "ConsoleVariables", args, "");
        break;
    case COOK_DEP_CMDLINE:
        plain = cook_argument_find(run->options.arguments, run->options.argument_count, args);
        break;
    case COOK_DEP_ENV:
        plain = getenv(args);
        break;
    case COOK_DEP_REF:
        plain = cook_registry_resolve(state, args, &arena).class_name;
        plain = plain ? plain : "missing";
        break;
    case COOK_DEP_REDIRECT:
        plain = cook_registry_resolve(state, args, &arena).path;
        break;
    default:
        return;
    }
    if (plain)
        cook_buf_printf(&text, "%s", plain);
    if (cook_dep_has_place(state->deps[id].kind) && !cook_hash_is_zero(state->deps[id].value)) {
        const char *place = cook_run_value_place(run, state->deps[id].kind, args, &arena);
        cook_buf_printf(&text, COOK_VALUE_PLACE "%s", place ? place : "");
    }
    uint32_t offset = cook_state_add_text(state, cook_buf_text(&text));
    state->deps[id].text = offset;
    cook_buf_finish(&text);
    cook_arena_finish(&arena);
}

static void set_value(struct cook_run *run, uint32_t id, struct cook_hash value)
{
    struct cook_state *state = run->state;
    if (cook_hash_equal(value, state->deps[id].value))
        return;
    run->dep_changed[id] = 1;
    cook_state_touch(state, COOK_TABLE_deps, id); /* thaws: the array may move */
    state->deps[id].value = value;
    set_text(run, id);
    run->index_stale = true;
}

enum cook_status cook_run_evaluate(struct cook_run *run, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    double started = cook_trace_now();
    cook_progress_phase(&run->progress, "evaluate");
    run->dep_count = run->state->deps_count;
    run->dep_changed = cook_calloc((size_t)run->dep_count + 1, 1);
    enum cook_status status =
        run->dep_changed ? COOK_OK : cook_error_no_memory(error);
    if (status == COOK_OK)
        status = cook_run_evaluate_functions(run, set_value, error);
    for (uint32_t i = 0; status == COOK_OK && i < run->dep_count; i++)
        set_value(run, i, dep_value(run, i, &arena));
    if (status == COOK_OK)
        status = cook_run_evaluate_keys(run, error);
    cook_arena_finish(&arena);
    cook_trace_add(run->trace, 0, "phase", "evaluate", started);
    return status;
}
