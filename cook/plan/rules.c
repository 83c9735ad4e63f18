#include "cook/plan/rules.h"

#include <string.h>

#include "cook/base/path.h"

const char *cook_rule_text(enum cook_rule rule)
{
    switch (rule) {
    case COOK_RULE_NEVER:
        return "never";
    case COOK_RULE_DEVELOPMENT:
        return "development only";
    case COOK_RULE_ALWAYS:
        return "always";
    case COOK_RULE_UNKNOWN:
        break;
    }
    return "unknown";
}

void cook_rules_destroy(struct cook_rules *rules)
{
    if (!rules)
        return;
    cook_free(rules->rule_of);
    cook_free(rules->chunks);
    cook_free(rules->sources);
    cook_free(rules);
}

const struct cook_rule_source *cook_rules_rule(const struct cook_rules *rules, uint32_t package)
{
    if (package >= rules->package_count || rules->rule_of[package] == 0)
        return NULL;
    return &rules->sources[rules->rule_of[package]];
}

bool cook_rules_is_root(const struct cook_rules *rules, uint32_t package)
{
    const struct cook_rule_source *source = cook_rules_rule(rules, package);
    if (!source)
        return false;
    return source->rule == COOK_RULE_ALWAYS ||
           (source->rule == COOK_RULE_DEVELOPMENT && !rules->shipping);
}

/* ---- saying ---- */

uint32_t cook_rules_add_source(struct cook_run *run, enum cook_rule rule, int32_t priority,
                               int32_t chunk, const char *text)
{
    struct cook_rules *rules = run->rules;
    size_t count = rules->source_count ? rules->source_count : 1;
    if (!text || count >= UINT32_MAX ||
        !cook_grow(&rules->sources, &rules->source_capacity, count + 1, sizeof(*rules->sources)))
        return 0;
    rules->sources[0] = (struct cook_rule_source){ .chunk = COOK_CHUNK_NONE, .text = "" };
    rules->sources[count] = (struct cook_rule_source){ rule, priority, chunk, text };
    rules->source_count = count + 1;
    return (uint32_t)count;
}

/* Never wins; then whoever has a word on cooking at all; then priority; then the stronger word. */
static bool rule_beats(const struct cook_rule_source *a, const struct cook_rule_source *b)
{
    if ((a->rule == COOK_RULE_NEVER) != (b->rule == COOK_RULE_NEVER))
        return a->rule == COOK_RULE_NEVER;
    if ((a->rule == COOK_RULE_UNKNOWN) != (b->rule == COOK_RULE_UNKNOWN))
        return b->rule == COOK_RULE_UNKNOWN;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->rule > b->rule;
}

enum cook_status cook_rules_say(struct cook_run *run, uint32_t source, uint32_t package)
{
    struct cook_rules *rules = run->rules;
    const struct cook_rule_source *said = &rules->sources[source];
    if (source == 0)
        return COOK_E_NO_MEMORY;
    if (package >= rules->package_count)
        return COOK_OK;
    uint32_t rule = rules->rule_of[package];
    if (rule == 0 || rule_beats(said, &rules->sources[rule]))
        rules->rule_of[package] = source;
    if (said->chunk == COOK_CHUNK_NONE)
        return COOK_OK;
    if (!cook_grow(&rules->chunks, &rules->chunk_capacity, rules->chunk_count + 1,
                   sizeof(*rules->chunks)))
        return COOK_E_NO_MEMORY;
    rules->chunks[rules->chunk_count++] = (struct cook_rule_chunk){ package, source };
    return COOK_OK;
}

enum cook_status cook_rules_say_glob(struct cook_run *run, uint32_t source, const char *glob)
{
    struct cook_state *state = run->state;
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
    enum cook_status status = COOK_OK;
    for (; status == COOK_OK && low < state->order_packages; low++) {
        uint32_t package = state->package_order[low];
        const char *name = cook_state_text(state, state->packages[package].name);
        if (strncmp(name, glob, fixed) != 0)
            break;
        if ((state->packages[package].flags & COOK_PACKAGE_PRESENT) &&
            (rest_is_star || cook_glob_match(glob, name)))
            status = cook_rules_say(run, source, package);
    }
    return status;
}

/* ---- never ---- */

static const struct cook_config_value *never_glob(const struct cook_run *run, uint32_t package)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(run->project.config, "Cook", "NeverCook", &values);
    const char *name = cook_state_text(run->state, run->state->packages[package].name);
    for (size_t i = 0; i < count; i++)
        if (cook_glob_match(values[i].text, name))
            return &values[i];
    return NULL;
}

bool cook_rules_forbid(const struct cook_rules *rules, uint32_t package)
{
    const struct cook_rule_source *source = cook_rules_rule(rules, package);
    return source && (source->rule == COOK_RULE_NEVER ||
                      (source->rule == COOK_RULE_DEVELOPMENT && rules->shipping));
}

bool cook_run_never_cook(const struct cook_run *run, uint32_t package)
{
    return cook_rules_forbid(run->rules, package) || never_glob(run, package);
}

static const char *forbidden_why(struct cook_run *run, uint32_t package)
{
    const struct cook_rule_source *source = cook_rules_rule(run->rules, package);
    if (source->rule == COOK_RULE_NEVER)
        return source->text;
    const char *text = cook_arena_printf(
        &run->arena, "%s: development only, and [Cook] Shipping=true", source->text);
    return text ? text : source->text;
}

const char *cook_rules_never_why(struct cook_run *run, uint32_t package)
{
    if (cook_rules_forbid(run->rules, package))
        return forbidden_why(run, package);
    const struct cook_config_value *glob = never_glob(run, package);
    if (!glob)
        return NULL;
    const char *text = glob->line ? cook_arena_printf(&run->arena, "%s:%u: NeverCook=%s",
                                                      glob->source, glob->line, glob->text)
                                  : cook_arena_printf(&run->arena, "%s: NeverCook=%s",
                                                      glob->source, glob->text);
    return text ? text : "NeverCook";
}
