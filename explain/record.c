/* What the store's rows mean to people. */
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

const char *explain_how(uint32_t kind)
{
    static const struct {
        uint32_t kind;
        const char *how;
    } ways[] = {
        { COOK_DEP_SOURCE, "automatic: the package was loaded" },
        { COOK_DEP_READER, "automatic: it read the source" },
        { COOK_DEP_REF, "automatic: a reference was saved or dereferenced" },
        { COOK_DEP_CLASS, "automatic: an object is of the class; or declared by cook_depend_class" },
        { COOK_DEP_CONFIG, "cook_config, or declared by cook_depend_config" },
        { COOK_DEP_FILE, "cook_read_file, or declared by cook_depend_file" },
        { COOK_DEP_ENGINE, "automatic: every package has it" },
        { COOK_DEP_PACKAGE, "declared by cook_depend_package_whole" },
        { COOK_DEP_CVAR, "cook_console_variable" },
        { COOK_DEP_CMDLINE, "cook_command_line" },
        { COOK_DEP_ENV, "cook_environment" },
        { COOK_DEP_DIRECTORY, "cook_list_folder" },
        { COOK_DEP_QUERY, "cook_query_objects" },
        { COOK_DEP_REDIRECT, "automatic: a soft reference was saved; or cook_redirected" },
        { COOK_DEP_FUNCTION, "declared by cook_depend_function" },
    };
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (ways[i].kind == kind)
            return ways[i].how;
    return "automatic";
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
