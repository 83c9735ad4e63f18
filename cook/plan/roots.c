/* The root set: what config and labels say, less what is never cooked. */
#include <string.h>

#include "cook/plan/rules.h"

struct rooting {
    struct cook_run *run;
    struct cook_roots *roots;
};

/* "cook.ini:7: map", or "--map: map" where no file says it. */
static char *place(struct rooting *r, const char *what, const struct cook_config_value *value)
{
    struct cook_arena *arena = &r->run->arena;
    return value->line ? cook_arena_printf(arena, "%s:%u: %s", value->source, value->line, what)
                       : cook_arena_printf(arena, "%s: %s", value->source, what);
}

static enum cook_status add_missing(struct rooting *r, const char *what,
                                    const struct cook_config_value *value)
{
    struct cook_arena *arena = &r->run->arena;
    size_t n = r->roots->missing_count;
    char **grown = cook_arena_alloc(arena, (n + 1) * sizeof(*grown));
    char *text = cook_arena_printf(arena, "%s %s does not exist", place(r, what, value),
                                   value->text);
    if (!grown || !text)
        return COOK_E_NO_MEMORY;
    if (n)
        memcpy(grown, r->roots->missing, n * sizeof(*grown));
    grown[n] = text;
    r->roots->missing = grown;
    r->roots->missing_count = n + 1;
    return COOK_OK;
}

static enum cook_status say_named(struct rooting *r, const char *what,
                                  const struct cook_config_value *value)
{
    struct cook_state *state = r->run->state;
    uint32_t package = cook_state_find_package(state, value->text);
    if (package == COOK_ID_NONE || !(state->packages[package].flags & COOK_PACKAGE_PRESENT))
        return add_missing(r, what, value);
    const char *text = place(r, what, value);
    return cook_rules_say(r->run,
                          cook_rules_add_source(r->run, COOK_RULE_ALWAYS, 0, COOK_CHUNK_NONE, text),
                          package);
}

static enum cook_status say_glob(struct rooting *r, enum cook_rule rule, const char *what,
                                 const struct cook_config_value *value)
{
    const char *text = place(r, what, value);
    return cook_rules_say_glob(r->run,
                               cook_rules_add_source(r->run, rule, 0, COOK_CHUNK_NONE, text),
                               value->text);
}

static enum cook_status say_key(struct rooting *r, const char *key, const char *what,
                                enum cook_rule glob_rule)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(r->run->project.config, "Cook", key, &values);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = glob_rule ? say_glob(r, glob_rule, what, &values[i])
                           : say_named(r, what, &values[i]);
    return status;
}

static enum cook_status say_maps(struct rooting *r)
{
    const struct cook_run_options *options = &r->run->options;
    enum cook_status status = COOK_OK;
    if (options->map_count == 0)
        return say_key(r, "Map", "map", COOK_RULE_UNKNOWN);
    for (size_t i = 0; status == COOK_OK && i < options->map_count; i++) {
        struct cook_config_value value = { options->maps[i], "--map", 0 };
        status = say_named(r, "map", &value);
    }
    return status;
}

/* A map or startup package that may not be cooked is worth a word: someone asked for it by name. */
static void warn_forbidden(struct rooting *r, const char *what, const char *name)
{
    uint32_t package = cook_state_find_package(r->run->state, name);
    const char *why =
        package == COOK_ID_NONE ? NULL : cook_rules_never_why(r->run, package);
    if (why)
        cook_run_warn(r->run, "%s %s is never cooked: %s", what, name, why);
}

static void warn_all_forbidden(struct rooting *r)
{
    const struct cook_run_options *options = &r->run->options;
    const struct cook_config *config = r->run->project.config;
    const struct cook_config_value *values;
    size_t count = options->map_count ? 0 : cook_config_values(config, "Cook", "Map", &values);
    for (size_t i = 0; i < options->map_count; i++)
        warn_forbidden(r, "map", options->maps[i]);
    for (size_t i = 0; i < count; i++)
        warn_forbidden(r, "map", values[i].text);
    count = cook_config_values(config, "Cook", "Startup", &values);
    for (size_t i = 0; i < count; i++)
        warn_forbidden(r, "startup package", values[i].text);
}

static enum cook_status say_all(struct rooting *r, struct cook_error *error)
{
    enum cook_status status = say_maps(r);
    if (status == COOK_OK)
        status = say_key(r, "Startup", "startup package", COOK_RULE_UNKNOWN);
    if (status == COOK_OK)
        status = say_key(r, "AlwaysCook", "AlwaysCook", COOK_RULE_ALWAYS);
    if (status == COOK_OK)
        status = say_key(r, "DevelopmentCook", "DevelopmentCook", COOK_RULE_DEVELOPMENT);
    return status == COOK_OK ? cook_rules_add_labels(r->run, error) : status;
}

static void collect(struct rooting *r)
{
    const struct cook_state *state = r->run->state;
    struct cook_roots *roots = r->roots;
    for (uint32_t i = 0; i < state->order_packages; i++) {
        uint32_t package = state->package_order[i];
        if (cook_rules_is_root(r->run->rules, package) &&
            !cook_run_never_cook(r->run, package))
            roots->packages[roots->count++] = package;
    }
    warn_all_forbidden(r);
}

enum cook_status cook_run_roots(struct cook_run *run, struct cook_roots *roots,
                                struct cook_error *error)
{
    *roots = (struct cook_roots){ 0 };
    struct rooting r = { .run = run, .roots = roots };
    enum cook_status status = cook_state_sort(run->state, error);
    if (status != COOK_OK)
        return status;
    cook_rules_destroy(run->rules);
    struct cook_rules *rules = run->rules = cook_calloc(1, sizeof(*rules));
    if (!rules)
        return cook_error_no_memory(error);
    rules->package_count = run->state->packages_count;
    rules->shipping = cook_config_bool(run->project.config, "Cook", "Shipping", false);
    size_t room = ((size_t)rules->package_count + 1) * sizeof(uint32_t);
    rules->rule_of = cook_calloc(room, 1);
    roots->packages = cook_arena_alloc(&run->arena, room);
    status = rules->rule_of && roots->packages ? say_all(&r, error) : COOK_E_NO_MEMORY;
    if (status == COOK_OK)
        collect(&r);
    return status == COOK_OK ? COOK_OK : cook_error_set(error, status, "out of memory");
}
