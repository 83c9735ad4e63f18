/* Undeclared inputs: a traced recook shows what is read behind the SDK's back, and records say
 * which of it changed since the kept cook. */
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/trace/compare.h"
#include "validate/causes_internal.h"

#define MAX_INPUTS 4 /* causes of one finding */

static enum cook_status take(void *user, uint32_t package, const struct cook_result *result,
                             const struct determinism_print *print, const char *reason,
                             struct cook_error *error)
{
    (void)user;
    (void)package;
    (void)result;
    (void)print;
    (void)reason;
    (void)error;
    return COOK_OK; /* what was seen is with the pool */
}

static enum cook_status cook_traced_round(struct causing *causing, size_t count,
                                          struct cook_error *error)
{
    struct cook_pool *pool = causing->validate->run->pool;
    struct cook_pool_start start = { .count = 1 };
    struct determinism_round round = { .count = count, .on_result = take, .start = &start };
    uint32_t *packages = cook_calloc(count + 1, sizeof(*packages));
    if (!packages)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < count; i++)
        packages[i] = causing->list[i]->package;
    round.packages = packages;
    enum cook_status status = cook_pool_trace(pool, true, error);
    if (status == COOK_OK)
        status = determinism_cook(&causing->determinism, &round, error);
    enum cook_status untraced = cook_pool_trace(pool, false, NULL);
    cook_free(packages);
    return status == COOK_OK ? untraced : status;
}

static void advise(struct causing *causing, struct validate_cause *cause,
                   const struct cook_traced_input *input)
{
    bool inside = input->key[0] != '/';
    switch (input->kind) {
    case COOK_INPUT_FILE:
        if (inside && !*input->program)
            cause_fix(causing, cause, "read it through cook_read_file(context, \"%s\", …)",
                      input->key);
        else if (inside)
            cause_fix(causing, cause, "declare it: cook_depend_file(context, \"%s\")",
                      input->key);
        else
            cause_fix(causing, cause,
                      "put %s into the project, or add its content to the class's schema with "
                      "cook_schema_add_string(schema, …)",
                      input->key);
        break;
    case COOK_INPUT_DIRECTORY:
        cause_fix(causing, cause, "list it with cook_list_folder(context, \"%s\", …)",
                  input->key);
        break;
    case COOK_INPUT_STAT:
        cause_fix(
            causing, cause,
            "leave times out of the result, or declare the file: cook_depend_file(context, "
            "\"%s\")",
            input->key);
        break;
    case COOK_INPUT_LINK:
        cause_fix(causing, cause,
                  "read what it leads to with cook_read_file(context, \"%s\", …)", input->key);
        break;
    case COOK_INPUT_PROCESS:
        cause_fix(causing, cause,
                  "declare the program with cook_depend_function(context, NAME, …), and what "
                  "it reads "
                  "with cook_depend_file(context, PATH)");
        break;
    case COOK_INPUT_ENVIRONMENT:
    case COOK_INPUT_CLOCK:
    case COOK_INPUT_RANDOM:
    case COOK_INPUT_HOST:
    case COOK_INPUT_UNKNOWN:
    case COOK_INPUT_KIND_END:
        break;
    }
}

static void blame(struct causing *causing, struct validate_finding *finding,
                  struct cook_traced *traced, const struct cook_trace_compared *item)
{
    const struct cook_traced_input *input = item->input;
    bool sure = item->change == COOK_INPUT_CHANGED;
    struct validate_cause *cause = cause_add(
        causing, finding, VALIDATE_CAUSE_UNDECLARED_INPUT,
        sure ? VALIDATE_CHANGED : VALIDATE_PROBABLY_CHANGED,
        input->declared
            ? "%s of %s shapes the result, and the dependency is on its content alone"
            : "%s %s is read behind the SDK's back, and no dependency knows of it",
        input->declared ? "what the file system says" : cook_input_kind_text(input->kind),
        input->key);
    uint32_t kind = input->kind == COOK_INPUT_FILE          ? COOK_DEP_FILE
                    : input->kind == COOK_INPUT_DIRECTORY   ? COOK_DEP_DIRECTORY
                    : input->kind == COOK_INPUT_ENVIRONMENT ? COOK_DEP_ENV
                                                            : COOK_DEP_UNKNOWN;
    if (kind != COOK_DEP_UNKNOWN && !input->declared)
        cause_input(causing, cause, kind, input->key);
    if (*item->old_text && strcmp(item->old_text, item->new_text) == 0)
        cause_say(causing, cause, "its content is another than at cook %u (%s)",
                  finding->kept.result.cook, item->new_text);
    else if (*item->old_text)
        cause_say(causing, cause, "it was %s at cook %u, and is %s now", item->old_text,
                  finding->kept.result.cook, item->new_text);
    else if (!sure)
        cause_say(causing, cause,
                  "it was written after cook %u; what it held then was not recorded",
                  finding->kept.result.cook);
    if (!*item->package)
        cause_say(causing, cause, "it is read while the plugin is loaded");
    if (*input->program)
        cause_say(causing, cause, "it is read by the program %s, which class code starts",
                  input->program);
    cause_stack(causing, cause, cook_traced_stacks(traced), input->stack);
    advise(causing, cause, input);
}

/* By evidence: what is recorded to have changed before what probably did, content before times
 * and presence. */
static const struct {
    enum cook_input_change change;
    bool content;
    bool declared; /* a dependency on content says nothing of times */
} ranks[] = {
    { COOK_INPUT_CHANGED, true, false },          { COOK_INPUT_CHANGED, false, false },
    { COOK_INPUT_PROBABLY_CHANGED, true, false }, { COOK_INPUT_PROBABLY_CHANGED, false, false },
    { COOK_INPUT_CHANGED, false, true },          { COOK_INPUT_PROBABLY_CHANGED, false, true },
};

/* Files and the like; variables and the host were turned back, and it was not them. */
static bool has_rank(const struct cook_trace_compared *item, size_t rank)
{
    enum cook_input_kind kind = item->input->kind;
    bool content = kind == COOK_INPUT_FILE || kind == COOK_INPUT_DIRECTORY ||
                   kind == COOK_INPUT_LINK || kind == COOK_INPUT_PROCESS;
    return item->change == ranks[rank].change &&
           item->input->declared == ranks[rank].declared &&
           (ranks[rank].content ? content : kind == COOK_INPUT_STAT);
}

/* The package's own reads, or those of plugin load, which are every package's. */
static void blame_best(struct causing *causing, struct validate_finding *finding,
                       struct cook_traced *traced, const struct cook_trace_compared *items,
                       size_t count, bool loading)
{
    size_t blamed = 0;
    for (size_t rank = 0; rank < sizeof(ranks) / sizeof(ranks[0]) && !blamed; rank++)
        for (size_t i = 0; i < count && blamed < MAX_INPUTS; i++)
            if (!*items[i].package == loading && has_rank(&items[i], rank)) {
                blame(causing, finding, traced, &items[i]);
                blamed++;
            }
}

/* What is another each time it is asked: that a package which differs from itself asks for it
 * is no proof, but nothing else that can be varied makes it differ. */
static void name_sources(struct causing *causing, struct validate_finding *finding,
                         struct cook_traced *traced, const struct cook_trace_compared *items,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct cook_traced_input *input = items[i].input;
        bool process = input->kind == COOK_INPUT_HOST && strcmp(input->key, "process id") == 0;
        enum validate_cause_kind kind = input->kind == COOK_INPUT_CLOCK ? VALIDATE_CAUSE_TIME
                                        : input->kind == COOK_INPUT_RANDOM
                                            ? VALIDATE_CAUSE_RANDOM
                                        : process ? VALIDATE_CAUSE_PROCESS_ID
                                                  : VALIDATE_CAUSE_UNKNOWN;
        if (kind == VALIDATE_CAUSE_UNKNOWN || !*items[i].package)
            continue;
        struct validate_cause *cause =
            cause_add(causing, finding, kind, VALIDATE_VARIES,
                      "the %s is asked for, and two recooks never agree", input->key);
        cause_say(causing, cause, "they disagree without any perturbation");
        cause_stack(causing, cause, cook_traced_stacks(traced), input->stack);
        cause_fix(causing, cause, "leave it out of the bytes");
        return;
    }
}

static enum cook_status compare(struct causing *causing, struct validate_finding *finding,
                                struct cook_traced *traced, struct cook_history *history,
                                bool loading, struct cook_error *error)
{
    const struct validate *validate = causing->validate;
    const struct cook_state *state = validate->run->state;
    const struct causing_cook *cook = cause_cook_of(causing, finding);
    struct cook_trace_compare_options options = {
        .target = validate->run->project.target,
        .kept_ns = cook ? cook->ended_ns : 0,
        .project_fd = validate->run->project.fd,
        .kept_facts = cook && cook->have ? &cook->facts : NULL,
        .declared_too = true,
    };
    struct cook_trace_compared *items;
    size_t count;
    enum cook_status status = cook_trace_compare(
        &items, &count, traced, cook_state_text(state, state->packages[finding->package].name),
        history, &options, &causing->validate->arena, error);
    if (status == COOK_OK && finding->restless && !loading)
        name_sources(causing, finding, traced, items, count);
    else if (status == COOK_OK && !finding->restless)
        blame_best(causing, finding, traced, items, count, loading);
    return status;
}

/* Those with a stable part, and those that differ from themselves; without a cause so far. */
static size_t select_traced(struct causing *causing)
{
    const struct validate *validate = causing->validate;
    size_t count = cause_select(causing, NULL, causing->list);
    for (size_t i = 0; i < validate->finding_count; i++) {
        struct validate_finding *finding = validate->findings[i];
        if (finding->restless && !finding->cause_count && !cause_wants_stable(finding))
            causing->list[count++] = finding;
    }
    return count;
}

/* The first pass was traced, as a rule. */
static bool all_seen(const struct causing *causing, size_t count)
{
    const struct cook_run *run = causing->validate->run;
    const struct cook_traced *traced = cook_pool_traced(run->pool);
    bool seen = traced != NULL;
    for (size_t i = 0; seen && i < count; i++)
        seen = cook_traced_has(
            traced,
            cook_state_text(run->state, run->state->packages[causing->list[i]->package].name));
    return seen;
}

enum cook_status cause_find_inputs(struct causing *causing, bool loading,
                                   struct cook_error *error)
{
    struct cook_history *history = NULL;
    size_t count = select_traced(causing);
    enum cook_status status = COOK_OK;
    if (!count)
        return COOK_OK;
    if (causing->validate->run->options.tracing == COOK_TRACING_OFF)
        return COOK_OK;                        /* as asked */
    if (!loading && !all_seen(causing, count)) /* a round sees both */
        status = cook_traced_round(causing, count, error);
    struct cook_traced *traced = cook_pool_traced(causing->validate->run->pool);
    if (status == COOK_OK)
        status = cook_history_open(&history, causing->validate->run->project.fd, error);
    for (size_t i = 0; status == COOK_OK && traced && i < count; i++)
        status = compare(causing, causing->list[i], traced, history, loading, error);
    cook_history_close(history);
    return status;
}
