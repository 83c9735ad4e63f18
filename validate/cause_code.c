/* Changed code: proved by recooking with the plugins of the kept cook, named by comparing the
 * two builds symbol by symbol. */
#include <string.h>
#include <unistd.h>

#include "cook/symbols/code.h"
#include "cook/symbols/elf_file.h"
#include "diffcook/print.h"
#include "validate/causes_internal.h"

#define MAX_NAMED 5 /* changed functions in the evidence */

const char *cause_copy_path(struct causing *causing, const char *build_id)
{
    return cook_arena_printf(&causing->validate->arena, "%s/%s.so",
                             causing->validate->run->plugin_folder, build_id);
}

void cause_open_builds(struct causing *causing, struct cause_builds *builds)
{
    struct cook_error error = COOK_ERROR_INIT;
    const char *old = cause_copy_path(causing, builds->old_id);
    const char *new = cause_copy_path(causing, builds->new_id);
    if (!old || !new || cook_code_open(&builds->old, old, &error) != COOK_OK ||
        cook_code_open(&builds->new, new, &error) != COOK_OK)
        builds->reason = cook_arena_strdup(&causing->validate->arena, error.message);
}

void cause_close_builds(struct cause_builds *builds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cook_code_close(builds[i].old);
        cook_code_close(builds[i].new);
    }
}

/* ---- where to start ---- */

static const char *short_name(const char *class_name)
{
    const char *dot = strrchr(class_name, '.');
    return dot ? dot + 1 : class_name;
}

size_t cause_stack_roots(const struct validate_finding *finding,
                         const struct cause_builds *builds, const char **roots, size_t max)
{
    const struct cook_stack_set *set = &finding->stacks;
    size_t count = 0;
    for (uint32_t i = 0; finding->explained && i < finding->diff.count; i++) {
        const struct diff_difference *difference = &finding->diff.differences[i];
        if (difference->consequence_of >= 0 || difference->new_stack >= set->stack_count ||
            validate_is_unstable(finding, difference))
            continue;
        const struct cook_stack *stack = &set->stacks[difference->new_stack];
        for (uint32_t k = 0; k < stack->count && count < max; k++) {
            const struct cook_stack_frame *frame = &stack->frames[k];
            if (strcmp(set->modules[frame->module].build_id, builds->new_id) != 0)
                continue;
            const char *name = cook_code_function(builds->new, frame->offset);
            if (name)
                roots[count++] = name;
        }
    }
    return count;
}

size_t cause_class_roots(const struct validate_finding *finding,
                         const struct cause_builds *builds, const char **roots, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < finding->class_count && count < max; i++) {
        const char *name = cook_code_descriptor(builds->new, short_name(finding->classes[i]));
        if (name)
            roots[count++] = name;
    }
    return count;
}

/* ---- comparing ---- */

struct search {
    struct cook_code_comparison comparison;
    const char *where; /* "on the callstack of the write that differs" */
    bool anywhere; /* nothing that the write or the class reaches: named as evidence alone */
};

static enum cook_status search_changes(struct causing *causing,
                                       const struct validate_finding *finding,
                                       const struct cause_builds *builds, struct search *search,
                                       struct cook_error *error)
{
    enum { MAX_ROOTS = 256 };
    struct cook_arena *arena = &causing->validate->arena;
    const char *roots[MAX_ROOTS];
    const char *const *all;
    search->where = "on the callstack of the write";
    size_t count = cause_stack_roots(finding, builds, roots, MAX_ROOTS);
    enum cook_status status = cook_code_compare(&search->comparison, builds->old, builds->new,
                                                roots, count, arena, error);
    if (status != COOK_OK || search->comparison.count)
        return status;
    search->where = "in a hook of a class of the package";
    count = cause_class_roots(finding, builds, roots, MAX_ROOTS);
    status = cook_code_compare(&search->comparison, builds->old, builds->new, roots, count,
                               arena, error);
    if (status != COOK_OK || search->comparison.count)
        return status;
    search->where = "in the plugin";
    search->anywhere = true;
    count = cook_code_functions(builds->new, &all);
    return cook_code_compare(&search->comparison, builds->old, builds->new, all, count, arena,
                             error);
}

/* ---- saying it ---- */

/* The function at an address of a build by its debug information: a C++ name as its author
 * wrote it, with its line. False when there is none, as for constants. */
static bool function_at(const struct causing *causing, const struct cause_builds *builds,
                        uint64_t address, struct cook_symbol_frame *out)
{
    struct cook_stack_frame frame = { 0, address };
    struct cook_stack stack = { &frame, 1 };
    struct cook_stack_module module = { builds->name, "", builds->new_id };
    struct cook_stack_set set = { &module, 1, &stack, 1 };
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    size_t count =
        address ? cook_symbolizer_stack(causing->symbolizer, &set, 0, frames, DIFF_MAX_FRAMES)
                : 0;
    if (!count || !frames[count - 1].function || !frames[count - 1].file)
        return false;
    *out = frames[count - 1];
    return true;
}

static const char *change_name(struct causing *causing, const struct cause_builds *builds,
                               const struct cook_code_change *change)
{
    struct cook_symbol_frame frame;
    uint64_t address = change->chain_count ? change->chain[change->chain_count - 1] : 0;
    if (change->data || !function_at(causing, builds, address, &frame))
        return change->symbol;
    const char *copy = cook_arena_strdup(&causing->validate->arena, frame.function);
    return copy ? copy : change->symbol;
}

/* "table_serialize > odds_of", by the names of the debug information where there are some. */
static const char *change_path(struct causing *causing, const struct cause_builds *builds,
                               const struct cook_code_change *change)
{
    struct cook_buf text = COOK_BUF_INIT;
    struct cook_symbol_frame frame;
    const char *raw = change->path;
    for (size_t i = 0; i < change->chain_count; i++) {
        size_t length = strcspn(raw, ">");
        bool last = raw[length] == '\0';
        if (function_at(causing, builds, change->chain[i], &frame))
            cook_buf_printf(&text, "%s%s", i ? " > " : "", frame.function);
        else
            cook_buf_printf(&text, "%s%.*s", i ? " > " : "", (int)(length - !last), raw);
        raw += length + (last ? 0 : 2);
    }
    const char *copy =
        text.size ? cook_arena_strdup(&causing->validate->arena, cook_buf_text(&text)) : NULL;
    cook_buf_finish(&text);
    return copy ? copy : change->path;
}

static void say_changes(struct causing *causing, struct validate_cause *cause,
                        const struct cause_builds *builds, const struct search *search)
{
    const struct cook_code_comparison *comparison = &search->comparison;
    if (builds->reason)
        cause_say(causing, cause,
                  "the two builds of %s cannot be compared function by function: %s",
                  builds->name, builds->reason);
    for (size_t i = 0; i < comparison->count && i < MAX_NAMED; i++) {
        const struct cook_code_change *change = &comparison->changes[i];
        const char *name = change_name(causing, builds, change);
        struct cook_symbol_frame frame;
        uint64_t address = change->chain_count ? change->chain[change->chain_count - 1] : 0;
        const char *place = "";
        if (function_at(causing, builds, address, &frame))
            place = cook_arena_printf(&causing->validate->arena, " (%s:%u)", frame.file,
                                      frame.line);
        if (change->depth)
            cause_say(causing, cause, "changed: %s%s, reached from a function %s: %s", name,
                      place ? place : "", search->where, change_path(causing, builds, change));
        else
            cause_say(causing, cause, "changed: %s%s, %s", name, place ? place : "",
                      search->where);
    }
    if (comparison->count > MAX_NAMED)
        cause_say(causing, cause, "and %zu more", comparison->count - MAX_NAMED);
    cause_say(causing, cause, "%s was build %.12s at the kept cook, and is build %.12s now",
              builds->name, builds->old_id, builds->new_id);
}

static void blame(struct causing *causing, const struct causing_cook *cook,
                  struct validate_finding *finding, struct cause_builds *builds, size_t count)
{
    const char *class_name = cause_class(causing, finding);
    const struct cook_code_change *first = NULL;
    const char *first_name = builds[0].name;
    struct search searches[8] = { 0 };
    size_t tried = count < 8 ? count : 8;
    for (size_t i = 0; i < tried; i++) {
        if (builds[i].reason)
            continue;
        if (search_changes(causing, finding, &builds[i], &searches[i], NULL) != COOK_OK)
            searches[i] = (struct search){ 0 };
        if (searches[i].comparison.count && !searches[i].anywhere && !first) {
            first = &searches[i].comparison.changes[0];
            first_name = change_name(causing, &builds[i], first);
        }
    }
    struct validate_cause *cause =
        cause_add(causing, finding, VALIDATE_CAUSE_CODE_CHANGED, VALIDATE_CHANGED,
                  first && !first->data ? "%s() was changed, and no version of %s with it"
                                        : "%s was changed, and no version of %s with it",
                  first_name, class_name);
    cause_say(causing, cause, "recooked with the plugins of cook %u, %s is as it was kept",
              cook->id, cause_property(finding));
    for (size_t i = 0; i < tried; i++)
        if (searches[i].comparison.count || builds[i].reason)
            say_changes(causing, cause, &builds[i], &searches[i]);
    cause_write_stack(causing, cause, finding);
    cause_fix(causing, cause,
              "bump the version that append_to_class_schema of %s adds, or add one: "
              "cook_schema_add_version(schema, …)",
              class_name);
}

/* ---- the experiment ---- */

/* Plugins that differ; false when a copy of the kept cook's is gone. */
static bool collect(struct causing *causing, const struct causing_cook *cook,
                    struct cause_builds *builds, size_t *count)
{
    const struct cook_fact_list *then = &cook->facts.plugins;
    bool all_there = true;
    *count = 0;
    for (size_t i = 0; i < then->count; i++) {
        const char *now = cook_fact_find(&causing->now.plugins, then->items[i].name);
        const char *path = cause_copy_path(causing, then->items[i].value);
        all_there &= path && access(path, R_OK) == 0;
        if (now && strcmp(now, then->items[i].value) != 0)
            builds[(*count)++] = (struct cause_builds){ .name = then->items[i].name,
                                                        .old_id = then->items[i].value,
                                                        .new_id = now };
    }
    return all_there;
}

static struct cook_pool_plugin *old_plugins(const struct causing_cook *cook,
                                            struct cook_arena *arena)
{
    const struct cook_fact_list *then = &cook->facts.plugins;
    struct cook_pool_plugin *plugins =
        cook_arena_alloc(arena, (then->count + 1) * sizeof(*plugins));
    for (size_t i = 0; plugins && i < then->count; i++)
        plugins[i] = (struct cook_pool_plugin){ then->items[i].name, then->items[i].value };
    return plugins;
}

enum cook_status cause_find_code(struct causing *causing, const struct causing_cook *cook,
                                 struct cook_error *error)
{
    const struct cook_fact_list *then = &cook->facts.plugins;
    size_t finding_count = cause_select(causing, cook, causing->list);
    size_t count;
    if (!finding_count || !then->have || !then->count)
        return COOK_OK;
    struct cause_builds *builds = cook_calloc(then->count, sizeof(*builds));
    struct cook_pool_start start = { .plugins = old_plugins(cook, &causing->validate->arena),
                                     .plugin_count = then->count };
    enum cook_status status = builds && start.plugins ? COOK_OK : cook_error_no_memory(error);
    if (status == COOK_OK && collect(causing, cook, builds, &count) && count) {
        status = cause_turn_back(causing, &start, causing->list, finding_count,
                                 causing->cleared, error);
        bool any = false;
        for (size_t i = 0; i < finding_count; i++)
            any |= causing->cleared[i];
        for (size_t i = 0; any && i < count; i++)
            cause_open_builds(causing, &builds[i]);
        for (size_t i = 0; status == COOK_OK && i < finding_count; i++)
            if (causing->cleared[i])
                blame(causing, cook, causing->list[i], builds, count);
        cause_close_builds(builds, count);
    }
    cook_free(builds);
    return status;
}
