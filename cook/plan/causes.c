#include "cook/plan/causes.h"

#include <string.h>

#include "cook/deps/dep.h"

enum cook_status cook_causes_init(struct cook_causes *causes, const struct cook_run *run,
                                  struct cook_error *error)
{
    *causes = (struct cook_causes){ .dep_count = run->dep_count };
    causes->by_dep = cook_calloc((size_t)run->dep_count + 1, sizeof(*causes->by_dep));
    return causes->by_dep ? COOK_OK : cook_error_no_memory(error);
}

void cook_causes_finish(struct cook_causes *causes)
{
    cook_free(causes->by_dep);
    *causes = (struct cook_causes){ 0 };
}

/* A dependency may stand in several sets of a bundle: it still counts one package. The sets of a
 * bundle are few and changed dependencies fewer, so looking back is cheaper than marking. */
static bool counted_before(const struct cook_state *state, const struct cook_state_bundle *bundle,
                           uint32_t upto, uint32_t dep)
{
    for (uint32_t i = 0; i < upto; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[bundle->first + i]];
        for (uint32_t k = 0; k < set->count; k++)
            if (state->ids[set->first + k] == dep)
                return true;
    }
    return false;
}

void cook_causes_add(struct cook_causes *causes, const struct cook_run *run, uint32_t package,
                     enum cook_reason reason)
{
    const struct cook_state *state = run->state;
    bool found = false;
    if ((unsigned)reason < sizeof(causes->by_reason) / sizeof(causes->by_reason[0]))
        causes->by_reason[reason]++;
    if (reason != COOK_REASON_KEY_CHANGED)
        return;
    const struct cook_state_bundle *bundle = &state->bundles[state->packages[package].bundle];
    for (uint32_t i = 0; i < bundle->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[bundle->first + i]];
        for (uint32_t k = 0; k < set->count; k++) {
            uint32_t dep = state->ids[set->first + k];
            if (dep >= causes->dep_count || !run->dep_changed[dep])
                continue;
            found = true;
            causes->by_dep[dep] += !counted_before(state, bundle, i, dep);
        }
    }
    causes->unknown += !found;
}

const char *cook_run_value_place(const struct cook_run *run, uint32_t kind, const char *args,
                                 struct cook_arena *arena)
{
    const char *section = "ConsoleVariables";
    const char *key = args;
    const struct cook_config_value *values;
    if (kind != COOK_DEP_CONFIG && kind != COOK_DEP_CVAR)
        return "";
    size_t count = kind == COOK_DEP_CVAR || cook_dep_config_parse(args, arena, &section, &key)
                       ? cook_config_values(run->project.config, section, key, &values)
                       : 0;
    if (count == 0)
        return "no longer set";
    const struct cook_config_value *last = &values[count - 1];
    return last->line ? cook_arena_printf(arena, "%s:%u", last->source, last->line)
                      : cook_arena_strdup(arena, last->source);
}

static const char *dep_text(const struct cook_run *run, uint32_t dep, struct cook_arena *arena)
{
    const struct cook_state *state = run->state;
    const char *args = cook_state_text(state, state->deps[dep].args);
    const char *place = cook_run_value_place(run, state->deps[dep].kind, args, arena);
    const char *kind = cook_dep_kind_text(state->deps[dep].kind);
    return place && *place ? cook_arena_printf(arena, "%s %s (%s)", kind, args, place)
                           : cook_arena_printf(arena, "%s %s", kind, args);
}

static bool precedes(const struct cook_cause *a, const struct cook_cause *b)
{
    return a->packages != b->packages ? a->packages > b->packages : strcmp(a->text, b->text) < 0;
}

/* Insert where it belongs among the best so far; the list is a handful. */
static void offer(struct cook_cause *top, size_t *count, size_t limit, const char *text,
                  uint32_t packages)
{
    struct cook_cause cause = { text, packages };
    if (!text || packages == 0)
        return;
    if (*count == limit) {
        if (!precedes(&cause, &top[limit - 1]))
            return;
        --*count;
    }
    size_t at = (*count)++;
    for (; at > 0 && precedes(&cause, &top[at - 1]); at--)
        top[at] = top[at - 1];
    top[at] = cause;
}

size_t cook_causes_top(const struct cook_causes *causes, const struct cook_run *run,
                       struct cook_cause *top, size_t limit, struct cook_arena *arena)
{
    size_t count = 0;
    for (uint32_t i = 0; i < causes->dep_count; i++)
        if (causes->by_dep[i])
            offer(top, &count, limit, dep_text(run, i, arena), causes->by_dep[i]);
    for (unsigned r = 0; r < sizeof(causes->by_reason) / sizeof(causes->by_reason[0]); r++)
        if (r != COOK_REASON_KEY_CHANGED && r != COOK_REASON_SKIP)
            offer(top, &count, limit, cook_reason_text((enum cook_reason)r), causes->by_reason[r]);
    offer(top, &count, limit, "inputs that changed before the last cook", causes->unknown);
    return count;
}
