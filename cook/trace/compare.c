#include "cook/trace/compare.h"

#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cook/base/fs.h"
#include "cook/plan/facts.h"
#include "cook/store/history_inputs.h"

const char *cook_input_change_text(enum cook_input_change change)
{
    switch (change) {
    case COOK_INPUT_CHANGED:
        return "changed";
    case COOK_INPUT_PROBABLY_CHANGED:
        return "probably changed";
    case COOK_INPUT_UNCHANGED:
        return "unchanged";
    case COOK_INPUT_CHANGE_UNKNOWN:
        break;
    }
    return "unknown";
}

struct comparing {
    struct cook_trace_compared *items;
    size_t count, capacity;
    struct cook_traced *traced;
    struct cook_history *history;
    const struct cook_trace_compare_options *options;
    struct cook_arena *arena;
};

static void decide(struct cook_trace_compared *compared, bool same, const char *old_text)
{
    compared->change = same ? COOK_INPUT_UNCHANGED : COOK_INPUT_CHANGED;
    compared->old_text = old_text;
}

/* ---- what was recorded ---- */

/* "absent" for what has no text of its own. */
static const char *recorded_text(const struct cook_history_input *recorded)
{
    return !*recorded->text && cook_hash_is_zero(recorded->value) ? "absent" : recorded->text;
}

static enum cook_status ask_history(const struct comparing *comparing,
                                    struct cook_trace_compared *compared, struct cook_error *error)
{
    struct cook_history_input recorded;
    const struct cook_traced_input *input = compared->input;
    bool found = false;
    if (!comparing->history)
        return COOK_OK;
    enum cook_status status = cook_history_last_input(
        comparing->history, comparing->options->target, compared->package,
        cook_input_kind_text(input->kind), input->key, comparing->options->kept_ns, &recorded,
        &found, comparing->arena, error);
    if (status != COOK_OK || !found)
        return status;
    bool same = cook_hash_equal(recorded.value, input->value);
    /* Equal to what a later run saw says nothing of the time before it: the times of files do. */
    if (same && recorded.first_ns > comparing->options->kept_ns)
        return COOK_OK;
    decide(compared, same, recorded_text(&recorded));
    return COOK_OK;
}

static void compare_texts(struct cook_trace_compared *compared, const char *old_text)
{
    const char *now = compared->input->absent ? NULL : compared->input->text;
    bool same = old_text && now ? strcmp(old_text, now) == 0 : !old_text && !now;
    decide(compared, same, old_text ? old_text : "absent");
}

/* What every cook writes down of its surroundings. */
static void ask_facts(const struct comparing *comparing, struct cook_trace_compared *compared)
{
    const struct cook_run_facts *facts = comparing->options->kept_facts;
    const struct cook_traced_input *input = compared->input;
    if (!facts)
        return;
    if (input->kind == COOK_INPUT_ENVIRONMENT && facts->environment.have)
        compare_texts(compared, cook_fact_find(&facts->environment, input->key));
    if (input->kind != COOK_INPUT_HOST)
        return;
    if (strcmp(input->key, "host name") == 0 && facts->host)
        compare_texts(compared, facts->host);
    if (strcmp(input->key, "working folder") == 0 && facts->project_path)
        compare_texts(compared, facts->project_path);
    if (strcmp(input->key, "processor count") == 0 && facts->processors) {
        const char *text = cook_arena_printf(comparing->arena, "%u", facts->processors);
        if (text)
            compare_texts(compared, text);
    }
}

/* ---- times of files ---- */

static bool has_file(enum cook_input_kind kind)
{
    return kind == COOK_INPUT_FILE || kind == COOK_INPUT_DIRECTORY || kind == COOK_INPUT_STAT ||
           kind == COOK_INPUT_PROCESS;
}

/* Of a link itself, not of what it leads to. */
static void ask_link_times(const struct comparing *comparing, struct cook_trace_compared *compared)
{
    struct stat facts;
    if (fstatat(comparing->options->project_fd, compared->input->key, &facts,
                AT_SYMLINK_NOFOLLOW) != 0)
        return;
    int64_t changed_ns = (int64_t)facts.st_ctim.tv_sec * 1000000000 + facts.st_ctim.tv_nsec;
    compared->change = changed_ns > comparing->options->kept_ns ? COOK_INPUT_PROBABLY_CHANGED
                                                                : COOK_INPUT_UNCHANGED;
}

static void ask_times(const struct comparing *comparing, struct cook_trace_compared *compared)
{
    const struct cook_traced_input *input = compared->input;
    struct cook_file_stat stat;
    if (input->kind == COOK_INPUT_LINK && !input->absent)
        ask_link_times(comparing, compared);
    if (!has_file(input->kind) || input->absent ||
        cook_fs_stat(&stat, comparing->options->project_fd, input->key, NULL) != COOK_OK ||
        stat.kind == COOK_FILE_ABSENT)
        return;
    bool later = stat.mtime_ns > comparing->options->kept_ns ||
                 stat.ctime_ns > comparing->options->kept_ns;
    compared->change = later ? COOK_INPUT_PROBABLY_CHANGED : COOK_INPUT_UNCHANGED;
}

/* ---- the list ---- */

static bool seen_already(const struct comparing *comparing, const struct cook_traced_input *input)
{
    for (size_t i = 0; i < comparing->count; i++) {
        const struct cook_traced_input *known = comparing->items[i].input;
        if (known->kind == input->kind && strcmp(known->key, input->key) == 0 &&
            known->stack == input->stack && strcmp(known->program, input->program) == 0)
            return true;
    }
    return false;
}

static enum cook_status add(struct comparing *comparing, const char *package,
                            const struct cook_traced_input *input, struct cook_error *error)
{
    if (!cook_grow(&comparing->items, &comparing->capacity, comparing->count + 1,
                   sizeof(*comparing->items)))
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    struct cook_trace_compared *compared = &comparing->items[comparing->count++];
    *compared = (struct cook_trace_compared){
        .input = input,
        .package = package,
        .old_text = "",
        .new_text = input->absent && !*input->text ? "absent" : input->text,
    };
    enum cook_status status = ask_history(comparing, compared, error);
    if (status == COOK_OK && compared->change == COOK_INPUT_CHANGE_UNKNOWN)
        ask_facts(comparing, compared);
    if (status == COOK_OK && compared->change == COOK_INPUT_CHANGE_UNKNOWN)
        ask_times(comparing, compared);
    return status;
}

static enum cook_status add_all(struct comparing *comparing, const char *package,
                                bool loading_only, struct cook_error *error)
{
    size_t count;
    enum cook_status status = COOK_OK;
    const struct cook_traced_input *inputs =
        cook_traced_inputs(comparing->traced, package, &count);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        bool wanted = (!loading_only || inputs[i].loading) &&
                      (comparing->options->declared_too || !inputs[i].declared);
        if (wanted && !seen_already(comparing, &inputs[i]))
            status = add(comparing, package, &inputs[i], error);
    }
    return status;
}

static int rank(enum cook_input_change change)
{
    return change == COOK_INPUT_CHANGED            ? 0
           : change == COOK_INPUT_PROBABLY_CHANGED ? 1
           : change == COOK_INPUT_CHANGE_UNKNOWN   ? 2
                                                   : 3;
}

static int compare_compared(const void *a, const void *b)
{
    const struct cook_trace_compared *x = a;
    const struct cook_trace_compared *y = b;
    if (rank(x->change) != rank(y->change))
        return rank(x->change) - rank(y->change);
    if (x->input->kind != y->input->kind)
        return x->input->kind < y->input->kind ? -1 : 1;
    int order = strcmp(x->input->key, y->input->key);
    if (order == 0)
        order = strcmp(x->package, y->package);
    if (order == 0)
        order = (x->input->stack > y->input->stack) - (x->input->stack < y->input->stack);
    return order;
}

enum cook_status cook_trace_compare(struct cook_trace_compared **out, size_t *count,
                                    struct cook_traced *traced, const char *package,
                                    struct cook_history *history,
                                    const struct cook_trace_compare_options *options,
                                    struct cook_arena *arena, struct cook_error *error)
{
    struct comparing comparing = {
        .traced = traced, .history = history, .options = options, .arena = arena
    };
    size_t use_count;
    *out = NULL;
    *count = 0;
    const char *const *uses = cook_traced_uses(traced, package, &use_count);
    enum cook_status status = add_all(&comparing, package, false, error);
    for (size_t i = 0; status == COOK_OK && i < use_count; i++)
        status = add_all(&comparing, uses[i], true, error);
    if (status == COOK_OK && *package)
        status = add_all(&comparing, "", false, error);
    if (comparing.count)
        qsort(comparing.items, comparing.count, sizeof(*comparing.items), compare_compared);
    if (status == COOK_OK && comparing.count) {
        *out = cook_arena_dup(arena, comparing.items, comparing.count * sizeof(**out));
        *count = comparing.count;
        if (!*out)
            status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    }
    cook_free(comparing.items);
    return status;
}
