/* Turning things back: a recook under something of the kept cook's that gives the kept result
 * again proves what changed it. */
#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/worker/perturb.h"
#include "validate/causes_internal.h"

#define MAX_JOINT 8 /* names of variables that are needed together */

/* ---- one experiment ---- */

struct turning {
    struct causing *causing;
    struct validate_finding **findings;
    size_t count;
    bool *cleared;
};

static bool has_property(const struct diff_result *diff, const char *property)
{
    for (uint32_t i = 0; i < diff->count; i++)
        if (diff->differences[i].consequence_of < 0 &&
            strcmp(diff->differences[i].property_normalized, property) == 0)
            return true;
    return false;
}

/* Whether a property that differed from the kept result, and not by chance, does not any more.
 */
static bool clears(const struct validate_finding *finding, const struct diff_result *now)
{
    for (uint32_t i = 0; i < finding->diff.count; i++) {
        const struct diff_difference *difference = &finding->diff.differences[i];
        if (difference->consequence_of < 0 && !validate_is_unstable(finding, difference) &&
            !has_property(now, difference->property_normalized))
            return true;
    }
    return false;
}

static enum cook_status compare_bytes(const struct validate_finding *finding,
                                      const struct cook_result *result, bool *cleared,
                                      struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_token_map tokens;
    struct diff_result diff;
    struct diff_options options = DIFF_OPTIONS_INIT;
    *cleared = cook_hash_equal(cook_hash_bytes(result->bytes, result->size),
                               finding->kept.result.bytes);
    if (*cleared || !finding->explained)
        return COOK_OK;
    cook_token_map_init(&tokens);
    enum cook_status status =
        cook_token_map_decode(&tokens, result->tokens, result->tokens_size, error);
    struct diff_version kept = { .bytes = finding->old_bytes,
                                 .size = finding->kept.result.size_bytes,
                                 .tokens = &finding->old_tokens };
    struct diff_version now = { .bytes = result->bytes,
                                .size = result->size,
                                .tokens = &tokens };
    if (status == COOK_OK)
        status = diff_compare(&diff, &kept, &now, &options, &arena, error);
    if (status == COOK_OK)
        *cleared = !diff.by_offset && clears(finding, &diff);
    cook_token_map_finish(&tokens);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status take(void *user, uint32_t package, const struct cook_result *result,
                             const struct determinism_print *print, const char *reason,
                             struct cook_error *error)
{
    struct turning *turning = user;
    struct validate *validate = turning->causing->validate;
    (void)reason;
    for (size_t i = 0; i < turning->count; i++) {
        const struct validate_finding *finding = turning->findings[i];
        const char *detail;
        if (finding->package != package || !print->ok)
            continue;
        if (finding->parts & VALIDATE_BYTES)
            return compare_bytes(finding, result, &turning->cleared[i], error);
        turning->cleared[i] =
            !(finding->parts &
              validate_compare_parts(validate, &finding->kept, result, print->bundle, &detail));
    }
    return COOK_OK;
}

enum cook_status cause_turn_back(struct causing *causing, const struct cook_pool_start *start,
                                 struct validate_finding **findings, size_t count,
                                 bool *cleared, struct cook_error *error)
{
    struct turning turning = { causing, findings, count, cleared };
    struct cook_pool_start own = *start;
    struct determinism_round round = {
        .count = count, .on_result = take, .user = &turning, .start = &own
    };
    uint32_t *packages = cook_calloc(count + 1, sizeof(*packages));
    if (!packages)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        packages[i] = findings[i]->package;
        cleared[i] = false;
    }
    own.count = 1;
    own.other_schemas = true;
    round.packages = packages;
    enum cook_status status =
        count ? determinism_cook(&causing->determinism, &round, error) : COOK_OK;
    causing->turned = status == COOK_OK;
    /* Old code may not load any more, or not among the things of now: nothing is learned from
     * it. */
    if (status == COOK_E_CONFIG || status == COOK_E_FAILED || status == COOK_E_PROTOCOL ||
        status == COOK_E_CRASHED || status == COOK_E_TIMEOUT)
        status = COOK_OK;
    cook_free(packages);
    return status;
}

/* ---- the environment ---- */

static const char *assignment(struct causing *causing, const struct cook_run_facts *facts,
                              const char *name)
{
    const char *value = cook_fact_find(&facts->environment, name);
    struct cook_arena *arena = &causing->validate->arena;
    return value ? cook_arena_printf(arena, "%s=%s", name, value)
                 : cook_arena_strdup(arena, name);
}

static bool differs(const char *a, const char *b)
{
    return !a != !b || (a && strcmp(a, b) != 0);
}

static void collect_changed(struct causing *causing, const struct cook_run_facts *facts,
                            const struct cook_fact_list *of, bool only_new, const char **names,
                            size_t *count)
{
    for (size_t i = 0; i < of->count; i++) {
        const char *then = cook_fact_find(&facts->environment, of->items[i].name);
        const char *now = cook_fact_find(&causing->now.environment, of->items[i].name);
        if (differs(then, now) && !(only_new && then))
            names[(*count)++] = of->items[i].name;
    }
}

static enum validate_cause_kind kind_of_variable(const char *name)
{
    if (strncmp(name, "LC_", 3) == 0 || strcmp(name, "LANG") == 0 ||
        strcmp(name, "LANGUAGE") == 0)
        return VALIDATE_CAUSE_LOCALE;
    return strcmp(name, "TZ") == 0 ? VALIDATE_CAUSE_TIME_ZONE : VALIDATE_CAUSE_ENVIRONMENT;
}

static void blame_variables(struct causing *causing, const struct causing_cook *cook,
                            struct validate_finding *finding, const char *const *names,
                            size_t count)
{
    struct validate_cause *cause =
        cause_add(causing, finding, kind_of_variable(names[0]), VALIDATE_CHANGED,
                  "the value of %s shaped the result, and no dependency knows of it",
                  cause_names(causing, names, count));
    for (size_t i = 0; i < count && i < MAX_JOINT; i++) {
        const char *then = cook_fact_find(&cook->facts.environment, names[i]);
        const char *now = cook_fact_find(&causing->now.environment, names[i]);
        cause_input(causing, cause, COOK_DEP_ENV, names[i]);
        cause_say(causing, cause, "%s was %s%s%s at cook %u, and is %s%s%s now", names[i],
                  then ? "\"" : "", then ? then : "not set", then ? "\"" : "", cook->id,
                  now ? "\"" : "", now ? now : "not set", now ? "\"" : "");
    }
    cause_say(causing, cause, "recooked with the old value%s, %s is as it was kept",
              count > 1 ? "s" : "", cause_property(finding));
    cause_write_stack(causing, cause, finding);
    cause_fix(causing, cause,
              cause->kind == VALIDATE_CAUSE_ENVIRONMENT
                  ? "read it with cook_environment(context, \"%s\"), in a hook of the package"
                  : "make the result independent of it, or declare it: "
                    "cook_environment(context, \"%s\")",
              names[0]);
}

/* Split the names until one is left, for the findings that the whole set cleared. */
static enum cook_status split_variables(struct causing *causing,
                                        const struct causing_cook *cook, const char **names,
                                        size_t count, struct validate_finding **findings,
                                        size_t finding_count, struct cook_error *error);

static enum cook_status turn_variables(struct causing *causing, const struct causing_cook *cook,
                                       const char **names, size_t count,
                                       struct validate_finding **findings,
                                       size_t *finding_count,
                                       struct validate_finding **cleared_ones,
                                       struct cook_error *error)
{
    const char **environment = cook_calloc(count + 1, sizeof(*environment));
    bool *cleared = cook_calloc(*finding_count + 1, sizeof(*cleared));
    enum cook_status status = environment && cleared ? COOK_OK : cook_error_no_memory(error);
    size_t kept = 0;
    size_t left = 0;
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        if (!(environment[i] = assignment(causing, &cook->facts, names[i])))
            status = cook_error_no_memory(error);
    struct cook_pool_start start = { .environment = environment, .environment_count = count };
    if (status == COOK_OK)
        status = cause_turn_back(causing, &start, findings, *finding_count, cleared, error);
    for (size_t i = 0; status == COOK_OK && i < *finding_count; i++) {
        if (cleared[i])
            cleared_ones[kept++] = findings[i];
        else
            findings[left++] = findings[i];
    }
    cleared_ones[kept] = NULL;
    *finding_count = left;
    cook_free(environment);
    cook_free(cleared);
    return status;
}

static size_t length_of(struct validate_finding **list)
{
    size_t count = 0;
    while (list[count])
        count++;
    return count;
}

static enum cook_status split_variables(struct causing *causing,
                                        const struct causing_cook *cook, const char **names,
                                        size_t count, struct validate_finding **findings,
                                        size_t finding_count, struct cook_error *error)
{
    if (!finding_count)
        return COOK_OK;
    struct validate_finding **cleared = cook_calloc(finding_count + 1, sizeof(*cleared));
    enum cook_status status = cleared ? COOK_OK : cook_error_no_memory(error);
    size_t half = count / 2;
    if (count > 1 && status == COOK_OK)
        status = turn_variables(causing, cook, names, half, findings, &finding_count, cleared,
                                error);
    if (count > 1 && status == COOK_OK)
        status =
            split_variables(causing, cook, names, half, cleared, length_of(cleared), error);
    if (count > 1 && status == COOK_OK)
        status = turn_variables(causing, cook, names + half, count - half, findings,
                                &finding_count, cleared, error);
    if (count > 1 && status == COOK_OK)
        status = split_variables(causing, cook, names + half, count - half, cleared,
                                 length_of(cleared), error);
    for (size_t i = 0; status == COOK_OK && i < finding_count; i++)
        blame_variables(causing, cook, findings[i], names, count);
    cook_free(cleared);
    return status;
}

static enum cook_status find_environment(struct causing *causing,
                                         const struct causing_cook *cook,
                                         struct cook_error *error)
{
    const struct cook_fact_list *then = &cook->facts.environment;
    const struct cook_fact_list *now = &causing->now.environment;
    size_t count = 0;
    size_t finding_count = cause_select(causing, cook, causing->list);
    if (!then->have || !finding_count)
        return COOK_OK;
    const char **names = cook_calloc(then->count + now->count + 1, sizeof(*names));
    struct validate_finding **cleared = cook_calloc(finding_count + 1, sizeof(*cleared));
    enum cook_status status = names && cleared ? COOK_OK : cook_error_no_memory(error);
    if (status == COOK_OK) {
        collect_changed(causing, &cook->facts, then, false, names, &count);
        collect_changed(causing, &cook->facts, now, true, names, &count);
    }
    if (status == COOK_OK && count)
        status = turn_variables(causing, cook, names, count, causing->list, &finding_count,
                                cleared, error);
    if (status == COOK_OK && count)
        status =
            split_variables(causing, cook, names, count, cleared, length_of(cleared), error);
    cook_free(names);
    cook_free(cleared);
    return status;
}

/* ---- one thing at a time ---- */

struct thing {
    enum validate_cause_kind kind;
    const char *name; /* "the host's name" */
    const char *then;
    const char *now;
    const char *fix;
    struct cook_pool_start start;
};

static enum cook_status try_thing(struct causing *causing, const struct causing_cook *cook,
                                  const struct thing *thing, struct cook_error *error)
{
    size_t count = cause_select(causing, cook, causing->list);
    if (!count || !thing->then || !differs(thing->then, thing->now))
        return COOK_OK;
    enum cook_status status =
        cause_turn_back(causing, &thing->start, causing->list, count, causing->cleared, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        if (!causing->cleared[i])
            continue;
        struct validate_cause *cause =
            cause_add(causing, causing->list[i], thing->kind, VALIDATE_CHANGED,
                      "%s shaped the result, and no dependency knows of it", thing->name);
        cause_say(causing, cause, "it was \"%s\" at cook %u, and is \"%s\" now", thing->then,
                  cook->id, thing->now ? thing->now : "");
        cause_say(causing, cause, "recooked with the old one, %s is as it was kept",
                  cause_property(causing->list[i]));
        cause_write_stack(causing, cause, causing->list[i]);
        cause_fix(causing, cause, "%s", thing->fix);
    }
    return status;
}

static const char *join_tokens(struct causing *causing, const char *const *tokens, size_t count)
{
    struct cook_buf text = COOK_BUF_INIT;
    for (size_t i = 0; i < count; i++)
        cook_buf_printf(&text, "%s%s", i ? " " : "", tokens[i]);
    const char *copy = cook_arena_strdup(&causing->validate->arena, cook_buf_text(&text));
    cook_buf_finish(&text);
    return copy;
}

static enum cook_status find_tokens(struct causing *causing, const struct causing_cook *cook,
                                    struct cook_error *error)
{
    const struct cook_run_facts *then = &cook->facts;
    if (!then->tokens)
        return COOK_OK;
    struct thing thing = {
        .kind = VALIDATE_CAUSE_COMMAND_LINE,
        .name = "the command line",
        .then = join_tokens(causing, then->tokens, then->token_count),
        .now = join_tokens(causing, causing->now.tokens, causing->now.token_count),
        .fix =
            "ask for each token with cook_command_line(context, NAME), outside of scopes that "
            "hide it and not once for all packages",
        .start = { .tokens = then->tokens, .token_count = then->token_count },
    };
    return try_thing(causing, cook, &thing, error);
}

/* Host, umask, processors and time zone: by the worker's arguments and what is preloaded. */
static enum cook_status find_machine(struct causing *causing, const struct causing_cook *cook,
                                     struct cook_error *error)
{
    struct cook_arena *arena = &causing->validate->arena;
    const struct cook_run_facts *then = &cook->facts;
    const struct cook_run_facts *now = &causing->now;
    const char *preload = causing->determinism.machine.preload;
    const char *load = cook_arena_printf(arena, "LD_PRELOAD=%s", preload ? preload : "");
    const char *host_environment[] = { load, cook_arena_printf(arena, COOK_PERTURB_HOST "=%s",
                                                               then->host ? then->host : "") };
    const char *count_environment[] = {
        load, cook_arena_printf(arena, COOK_PERTURB_PROCESSORS "=%u", then->processors)
    };
    const char *zone_environment[] = { cook_arena_printf(
        arena, "TZ=:%s", then->time_zone ? then->time_zone : "") };
    const char *umask_arguments[] = {
        "--perturb", cook_arena_printf(arena, "umask=%03o", (unsigned)(then->umask & 0777))
    };
    size_t preloaded = preload ? 2 : 0;
    const struct thing things[] = {
        { VALIDATE_CAUSE_HOST,
          "the host's name",
          then->host,
          now->host,
          "leave the host's name out of the result",
          { .environment = host_environment, .environment_count = preloaded } },
        { VALIDATE_CAUSE_PROCESSORS,
          "the number of processors",
          then->processors ? cook_arena_printf(arena, "%u", then->processors) : NULL,
          cook_arena_printf(arena, "%u", now->processors),
          "make the result independent of the number of processors: cut work by its size",
          { .environment = count_environment, .environment_count = preloaded } },
        { VALIDATE_CAUSE_TIME_ZONE,
          "the machine's time zone",
          then->time_zone,
          now->time_zone,
          "use gmtime_r() instead of localtime_r()",
          { .environment = zone_environment, .environment_count = 1 } },
        { VALIDATE_CAUSE_UMASK,
          "the umask",
          then->umask >= 0 ? cook_arena_printf(arena, "%03o", (unsigned)then->umask) : NULL,
          cook_arena_printf(arena, "%03o", (unsigned)now->umask),
          "leave file modes out of the result",
          { .arguments = umask_arguments, .argument_count = 2 } },
    };
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < sizeof(things) / sizeof(things[0]); i++)
        if (things[i].start.environment_count || things[i].start.argument_count)
            status = try_thing(causing, cook, &things[i], error);
    return status;
}

/* Where the project lay cannot be turned back; a recook of it elsewhere was tried. */
static void find_project(struct causing *causing, const struct causing_cook *cook)
{
    const char *then = cook->facts.project_path;
    size_t count = cause_select(causing, cook, causing->list);
    uint32_t places = DETERMINISM_BIT(PROJECT) | DETERMINISM_BIT(FOLDER);
    for (size_t i = 0; i < count; i++) {
        if (!then || !differs(then, causing->now.project_path) ||
            !(causing->list[i]->machine & places))
            continue;
        struct validate_cause *cause =
            cause_add(causing, causing->list[i], VALIDATE_CAUSE_ABSOLUTE_PATH, VALIDATE_CHANGED,
                      "the folder that the project lies in shaped the result");
        cause_say(causing, cause, "it was %s at cook %u, and is %s now", then, cook->id,
                  causing->now.project_path);
        cause_say(causing, cause, "recooked with the project in another place, %s differs",
                  cause_property(causing->list[i]));
        cause_write_stack(causing, cause, causing->list[i]);
        cause_fix(causing, cause,
                  "write paths relative to the project: cook_source_path(context)");
    }
}

enum cook_status cause_find_surroundings(struct causing *causing,
                                         const struct causing_cook *cook,
                                         struct cook_error *error)
{
    enum cook_status status = find_environment(causing, cook, error);
    if (status == COOK_OK)
        status = find_tokens(causing, cook, error);
    if (status == COOK_OK)
        status = find_machine(causing, cook, error);
    find_project(causing, cook);
    return status;
}
