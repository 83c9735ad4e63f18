/* What the store's rows mean to people. */
#include <string.h>

#include "cook/deps/dep.h"
#include "explain/explain.h"

struct explain_set explain_describe_set(const struct cook_state *state, uint32_t set)
{
    const struct cook_state_set *row = &state->sets[set];
    struct explain_set out = { "whole", NULL };
    for (uint32_t i = 0; i < row->count; i++) {
        const struct cook_state_dep *dep = &state->deps[state->ids[row->first + i]];
        if (dep->kind == COOK_DEP_ENGINE) /* recorded at save, for every package */
            return (struct explain_set){ "save", NULL };
        if (dep->kind == COOK_DEP_SOURCE) /* each load set has that of its own package */
            return (struct explain_set){ "load", cook_state_text(state, dep->args) };
        if (dep->kind != COOK_DEP_PACKAGE)
            out.part = "load";
    }
    return out;
}

const struct cook_dep_origin *explain_origins(struct explain *explain, uint32_t set)
{
    const struct cook_state *state = explain->run.state;
    const struct cook_state_set *row = &state->sets[set];
    struct cook_arena *arena = &explain->arena;
    struct cook_dep_origin *origins =
        cook_arena_alloc(arena, ((size_t)row->count + 1) * sizeof(*origins));
    size_t size;
    const uint8_t *bytes = cook_state_blob(state, row->origins, &size);
    /* Origins only explain: damaged ones are as good as none. */
    if (origins && cook_origins_decode(origins, row->count, bytes, size, arena) != COOK_OK)
        memset(origins, 0, row->count * sizeof(*origins));
    return origins;
}

/* What has no call came by itself, or was recorded by a build that kept no calls. */
static const char *automatic(uint32_t kind)
{
    switch (kind) {
    case COOK_DEP_SOURCE:
        return "automatic: the package was loaded";
    case COOK_DEP_READER:
        return "automatic: it read the source";
    case COOK_DEP_REF:
        return "automatic: a reference was saved";
    case COOK_DEP_REDIRECT:
        return "automatic: a soft reference was saved";
    case COOK_DEP_CLASS:
        return "automatic: an object is of the class";
    case COOK_DEP_KEPT:
        return "automatic: what is left out for the target makes references to it null";
    case COOK_DEP_ENGINE:
        return "automatic: every package has it";
    default:
        return "by a call that the build which cooked it did not note";
    }
}

const char *explain_how(struct explain *explain, uint32_t kind, const struct cook_dep_origin *origin)
{
    if (!origin || !origin->call)
        return automatic(kind);
    bool declared = strncmp(origin->call, "cook_depend_", strlen("cook_depend_")) == 0;
    bool hook = origin->hook && *origin->hook;
    const char *text = cook_arena_printf(
        &explain->arena, "%s%s()%s%s%s%s", declared ? "declared by " : "", origin->call,
        hook ? " in " : "", hook ? origin->hook : "", hook ? " of " : "",
        hook ? origin->hook_class : "");
    return text ? text : "";
}

const char *explain_value(struct explain *explain, uint32_t dep)
{
    const struct cook_state *state = explain->run.state;
    const struct cook_state_dep *row = &state->deps[dep];
    const char *text = cook_dep_value_text(row->kind, row->value, cook_state_text(state, row->text),
                                           &explain->arena);
    return text ? text : "";
}

enum cook_status explain_package(uint32_t *package, struct explain *explain,
                                 const char *const *operands, struct cook_error *error)
{
    if (!operands[0] || operands[1])
        return cook_error_set(error, COOK_E_USAGE, "give one package: /Game/Folder/Name");
    *package = cook_state_find_package(explain->run.state, operands[0]);
    if (*package == COOK_ID_NONE)
        return cook_error_set(error, COOK_E_NOT_FOUND, "no package is named %s", operands[0]);
    return COOK_OK;
}
