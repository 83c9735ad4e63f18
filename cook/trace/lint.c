#include "cook/trace/lint.h"

#include <stdlib.h>
#include <string.h>

const char *cook_lint_advice(enum cook_input_kind kind)
{
    switch (kind) {
    case COOK_INPUT_FILE:
        return "will become a false skip when it changes; read it through cook_read_file()";
    case COOK_INPUT_DIRECTORY:
        return "will become a false skip when its entries change; list it through "
               "cook_list_folder()";
    case COOK_INPUT_STAT:
        return "will become a false skip when it appears, vanishes or changes; ask "
               "cook_file_exists(), or read it through cook_read_file()";
    case COOK_INPUT_LINK:
        return "will become a false skip when it leads elsewhere; read what it leads to through "
               "cook_read_file()";
    case COOK_INPUT_PROCESS:
        return "will become a false skip when the program changes; declare it and what it reads "
               "through cook_depend_file(), or do its work in the class";
    case COOK_INPUT_ENVIRONMENT:
        return "will become a false skip when it is set otherwise; read it through "
               "cook_environment()";
    case COOK_INPUT_CLOCK:
        return "makes results differ from cook to cook if it reaches them; take the time from an "
               "input instead";
    case COOK_INPUT_RANDOM:
        return "makes results differ from cook to cook if it reaches them; seed from the package's "
               "name or content instead";
    case COOK_INPUT_HOST:
        return "makes results differ from machine to machine if it reaches them; take it from "
               "cook_config() instead";
    case COOK_INPUT_UNKNOWN:
    case COOK_INPUT_KIND_END:
        break;
    }
    return "";
}

/* ---- naming ---- */

/* Name the innermost frame of a stack; of a stack without names its module and offset. */
static bool name_input(struct cook_lint *lint, const struct cook_stack_set *stacks, uint32_t stack,
                       struct cook_lint_input *input)
{
    input->function = "";
    input->file = "";
    if (stack == COOK_STACK_NONE || stack >= stacks->stack_count)
        return true;
    input->frames = cook_arena_alloc(&lint->arena, COOK_LINT_MAX_FRAMES * sizeof(*input->frames));
    if (!input->frames)
        return false;
    input->frame_count = cook_symbolizer_stack(lint->symbolizer, stacks, stack, input->frames,
                                               COOK_LINT_MAX_FRAMES);
    if (!input->frame_count)
        return true;
    const struct cook_symbol_frame *frame = &input->frames[0];
    input->function = frame->function ? frame->function
                                      : cook_arena_printf(&lint->arena, "%s+0x%llx", frame->module,
                                                          (unsigned long long)frame->offset);
    input->file = frame->file ? frame->file : "";
    input->line = frame->line;
    return input->function != NULL;
}

/* ---- grouping ---- */

/* One input of one package, on its way into a group. */
struct piece {
    struct cook_lint_input input;
    const char *package;
};
struct pieces {
    struct piece *items;
    size_t count, capacity;
};

static int compare_groups(const struct cook_lint_input *x, const struct cook_lint_input *y)
{
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int order = strcmp(x->key, y->key);
    if (order == 0)
        order = strcmp(x->program, y->program);
    if (order == 0)
        order = strcmp(x->function, y->function);
    if (order == 0)
        order = strcmp(x->file, y->file);
    return order;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a;
    const struct piece *y = b;
    int order = compare_groups(&x->input, &y->input);
    if (order == 0)
        order = strcmp(x->package, y->package);
    if (order == 0)
        order = (x->input.line > y->input.line) - (x->input.line < y->input.line);
    return order;
}

static bool add_piece(struct cook_lint *lint, struct pieces *pieces,
                      const struct cook_stack_set *stacks, const char *package,
                      const struct cook_traced_input *input)
{
    if (!cook_grow(&pieces->items, &pieces->capacity, pieces->count + 1, sizeof(*pieces->items)))
        return false;
    struct piece *piece = &pieces->items[pieces->count++];
    *piece = (struct piece){ .package = package,
                             .input = { .kind = input->kind,
                                        .key = input->key,
                                        .program = input->program,
                                        .value = input->value,
                                        .text = input->text,
                                        .absent = input->absent,
                                        .hidden = input->hidden } };
    return name_input(lint, stacks, input->stack, &piece->input);
}

static bool collect(struct cook_lint *lint, struct pieces *pieces, struct cook_traced *traced)
{
    size_t package_count;
    const char *const *packages = cook_traced_packages(traced, &package_count);
    for (size_t i = 0; i < package_count; i++) {
        size_t count;
        const struct cook_traced_input *inputs =
            cook_traced_inputs(traced, packages[i], &count);
        for (size_t k = 0; k < count; k++)
            if (!inputs[k].declared && !add_piece(lint, pieces, cook_traced_stacks(traced),
                                                  packages[i], &inputs[k]))
                return false;
    }
    return true;
}

/* What is looked at before it is opened by the same function is one reading. */
static bool is_opened_too(const struct pieces *pieces, const struct piece *stat)
{
    static const enum cook_input_kind kinds[] = { COOK_INPUT_FILE, COOK_INPUT_DIRECTORY,
                                                  COOK_INPUT_PROCESS };
    struct piece opened = *stat;
    opened.input.line = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        opened.input.kind = kinds[i];
        size_t low = 0;
        size_t high = pieces->count;
        while (low < high) { /* the first that is not before it */
            size_t middle = low + (high - low) / 2;
            if (compare_pieces(&pieces->items[middle], &opened) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < pieces->count &&
            compare_groups(&pieces->items[low].input, &opened.input) == 0 &&
            strcmp(pieces->items[low].package, opened.package) == 0)
            return true;
    }
    return false;
}

static bool group(struct cook_lint *lint, const struct pieces *pieces)
{
    lint->inputs = cook_arena_alloc(&lint->arena, (pieces->count + 1) * sizeof(*lint->inputs));
    const char **packages =
        cook_arena_alloc(&lint->arena, (pieces->count + 1) * sizeof(*packages));
    if (!lint->inputs || !packages)
        return false;
    for (size_t i = 0; i < pieces->count; i++) {
        const struct piece *piece = &pieces->items[i];
        if (piece->input.kind == COOK_INPUT_STAT && is_opened_too(pieces, piece))
            continue;
        struct cook_lint_input *last = lint->count ? &lint->inputs[lint->count - 1] : NULL;
        if (!last || compare_groups(last, &piece->input) != 0) {
            last = &lint->inputs[lint->count++];
            *last = piece->input;
            last->packages = packages + i;
        }
        if (!last->package_count ||
            strcmp(last->packages[last->package_count - 1], piece->package) != 0)
            last->packages[last->package_count++] = piece->package;
    }
    return true;
}

static void except(struct cook_lint *lint)
{
    for (size_t i = 0; i < lint->count; i++) {
        struct cook_lint_input *input = &lint->inputs[i];
        input->exception =
            cook_trace_exceptions_match(&lint->exceptions, input->kind, input->key);
        lint->finding_count += input->exception == NULL;
    }
}

enum cook_status cook_lint_make(struct cook_lint *lint, struct cook_traced *traced,
                                const struct cook_lint_options *options, struct cook_error *error)
{
    struct pieces pieces = { NULL, 0, 0 };
    const char *folders[] = { options->plugin_folder };
    struct cook_symbolizer_options symbols = { .folders = folders, .folder_count = 1 };
    *lint = (struct cook_lint){ .arena = COOK_ARENA_INIT };
    enum cook_status status = cook_trace_exceptions_load(&lint->exceptions, options->project_fd,
                                                         options->today, error);
    if (status == COOK_OK)
        status = cook_symbolizer_create(&lint->symbolizer, &symbols, error);
    if (status == COOK_OK && !collect(lint, &pieces, traced))
        status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    if (pieces.count)
        qsort(pieces.items, pieces.count, sizeof(*pieces.items), compare_pieces);
    if (status == COOK_OK && !group(lint, &pieces))
        status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    if (status == COOK_OK)
        except(lint);
    cook_free(pieces.items);
    return status;
}

void cook_lint_finish(struct cook_lint *lint)
{
    cook_symbolizer_destroy(lint->symbolizer);
    cook_trace_exceptions_finish(&lint->exceptions);
    cook_arena_finish(&lint->arena);
    *lint = (struct cook_lint){ .arena = COOK_ARENA_INIT };
}
