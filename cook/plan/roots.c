/* The root set: maps, startup packages and globs, less what is never cooked. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/path.h"
#include "cook/plan/run.h"

bool cook_run_never_cook(const struct cook_run *run, uint32_t package)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(run->project.config, "Cook", "NeverCook", &values);
    const char *name = cook_state_text(run->state, run->state->packages[package].name);
    for (size_t i = 0; i < count; i++)
        if (cook_glob_match(values[i].text, name))
            return true;
    return false;
}

struct root_marks {
    struct cook_run *run;
    struct cook_roots *roots;
    uint8_t *marks; /* by package */
};

static enum cook_status mark(struct root_marks *m, uint32_t package)
{
    if (!cook_run_never_cook(m->run, package))
        m->marks[package] = 1;
    return COOK_OK;
}

static enum cook_status add_missing(struct root_marks *m, const char *what,
                                    const struct cook_config_value *value)
{
    struct cook_arena *arena = &m->run->arena;
    size_t n = m->roots->missing_count;
    char **grown = cook_arena_alloc(arena, (n + 1) * sizeof(*grown));
    char *text = value->line
                     ? cook_arena_printf(arena, "%s:%u: %s %s does not exist", value->source,
                                         value->line, what, value->text)
                     : cook_arena_printf(arena, "%s: %s %s does not exist", value->source, what,
                                         value->text);
    if (!grown || !text)
        return COOK_E_NO_MEMORY;
    if (n)
        memcpy(grown, m->roots->missing, n * sizeof(*grown));
    grown[n] = text;
    m->roots->missing = grown;
    m->roots->missing_count = n + 1;
    return COOK_OK;
}

static enum cook_status mark_named(struct root_marks *m, const char *what,
                                   const struct cook_config_value *value)
{
    struct cook_state *state = m->run->state;
    uint32_t package = cook_state_find_package(state, value->text);
    if (package == COOK_ID_NONE || !(state->packages[package].flags & COOK_PACKAGE_PRESENT))
        return add_missing(m, what, value);
    return mark(m, package);
}

static enum cook_status mark_glob(struct root_marks *m, const char *glob)
{
    struct cook_state *state = m->run->state;
    /* Most globs are "/Game/Part/…*": the fixed part narrows the sorted names to a range. */
    size_t fixed = strcspn(glob, "*?");
    uint32_t low = 0;
    uint32_t high = state->order_packages;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const char *name =
            cook_state_text(state, state->packages[state->package_order[middle]].name);
        if (strncmp(name, glob, fixed) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool rest_is_star = strcmp(glob + fixed, "*") == 0;
    for (; low < state->order_packages; low++) {
        uint32_t package = state->package_order[low];
        const char *name = cook_state_text(state, state->packages[package].name);
        if (strncmp(name, glob, fixed) != 0)
            break;
        if ((state->packages[package].flags & COOK_PACKAGE_PRESENT) &&
            (rest_is_star || cook_glob_match(glob, name)))
            (void)mark(m, package);
    }
    return COOK_OK;
}

static enum cook_status mark_key(struct root_marks *m, const char *key, const char *what, bool glob)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(m->run->project.config, "Cook", key, &values);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = glob ? mark_glob(m, values[i].text) : mark_named(m, what, &values[i]);
    return status;
}

static enum cook_status mark_maps(struct root_marks *m)
{
    const struct cook_run_options *options = &m->run->options;
    enum cook_status status = COOK_OK;
    if (options->map_count == 0)
        return mark_key(m, "Map", "map", false);
    for (size_t i = 0; status == COOK_OK && i < options->map_count; i++) {
        struct cook_config_value value = { options->maps[i], "--map", 0 };
        status = mark_named(m, "map", &value);
    }
    return status;
}

enum cook_status cook_run_roots(struct cook_run *run, struct cook_roots *roots,
                                struct cook_error *error)
{
    *roots = (struct cook_roots){ 0 };
    struct root_marks m = { .run = run, .roots = roots };
    enum cook_status status = cook_state_sort(run->state, error);
    if (status != COOK_OK)
        return status;
    uint32_t count = run->state->packages_count;
    m.marks = cook_calloc((size_t)count + 1, 1);
    roots->packages = cook_arena_alloc(&run->arena, ((size_t)count + 1) * sizeof(uint32_t));
    status = m.marks && roots->packages ? mark_maps(&m) : COOK_E_NO_MEMORY;
    if (status == COOK_OK)
        status = mark_key(&m, "Startup", "startup package", false);
    if (status == COOK_OK)
        status = mark_key(&m, "AlwaysCook", "glob", true);
    for (uint32_t i = 0; status == COOK_OK && i < run->state->order_packages; i++)
        if (m.marks[run->state->package_order[i]])
            roots->packages[roots->count++] = run->state->package_order[i];
    cook_free(m.marks);
    return status == COOK_OK ? COOK_OK : cook_error_set(error, status, "out of memory");
}
