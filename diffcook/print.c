#include "print.h"

#include <inttypes.h>
#include <string.h>

#include "diffcook/saved.h"

#define SDK_MODULE       "libcook.so"
#define SDK_FRAMES_SHOWN 4

size_t diff_symbol_frames(void *user, bool is_new, uint32_t stack,
                          struct cook_symbol_frame *frames, size_t max)
{
    const struct diff_symbols *symbols = user;
    const struct cook_stack_set *set = is_new ? symbols->new_stacks : symbols->old_stacks;
    struct cook_store *store = is_new ? symbols->new_store : symbols->old_store;
    if (!set && store)
        return cook_store_stack(store, stack, frames, max);
    if (!set && symbols->saved)
        return diff_saved_frames(symbols->saved, stack, frames, max);
    if (!set || stack >= set->stack_count || !symbols->symbolizer)
        return 0;
    size_t count = cook_symbolizer_stack(symbols->symbolizer, set, stack, frames, max);
    return symbols->saved ? diff_saved_name(symbols->saved, frames, count, max) : count;
}

static bool is_sdk(const struct cook_symbol_frame *frame)
{
    return frame->module && strncmp(frame->module, SDK_MODULE, strlen(SDK_MODULE)) == 0;
}

size_t diff_skip_sdk_frames(const struct cook_symbol_frame *frames, size_t *count)
{
    size_t skip = 0;
    while (skip < *count && is_sdk(&frames[skip]))
        skip++;
    if (skip < *count)
        return skip;
    if (*count > SDK_FRAMES_SHOWN)
        *count = SDK_FRAMES_SHOWN;
    return 0;
}

char *diff_window_text(const struct diff_window *window, struct cook_arena *arena)
{
    struct cook_buf text = COOK_BUF_INIT;
    for (uint32_t i = 0; i < window->size; i++) {
        bool marked = window->marked >> i & 1;
        bool before = i > 0 && (window->marked >> (i - 1) & 1);
        bool after = i + 1 < window->size && (window->marked >> (i + 1) & 1);
        cook_buf_printf(&text, "%s%s%02x%s", i ? " " : "", marked && !before ? "[" : "",
                        window->bytes[i], marked && !after ? "]" : "");
    }
    const char *whole = cook_buf_text(&text);
    char *result = text.failed ? NULL : cook_arena_strdup(arena, whole);
    cook_buf_finish(&text);
    return result;
}

static void print_window(FILE *file, int indent, const char *side,
                         const struct diff_window *window)
{
    if (window->offset == DIFF_NO_OFFSET)
        return;
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *text = diff_window_text(window, &arena);
    fprintf(file, "%*s    %s %08" PRIx64 "  %s\n", indent, "", side, window->offset, text ? text : "");
    cook_arena_finish(&arena);
}

static void print_stack(FILE *file, bool is_new, uint32_t stack,
                        const struct diff_print_options *options)
{
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    if (!options || !options->frames || stack == COOK_STACK_NONE)
        return;
    size_t count = options->frames(options->user, is_new, stack, frames, DIFF_MAX_FRAMES);
    struct cook_arena arena = COOK_ARENA_INIT;
    for (size_t i = diff_skip_sdk_frames(frames, &count); i < count; i++) {
        const char *text = cook_symbol_text(&frames[i], &arena);
        fprintf(file, "%*s    %s at %s\n", options->indent, "", is_new ? "new" : "old", text ? text : "?");
    }
    cook_arena_finish(&arena);
}

static void print_place(FILE *file, const struct diff_difference *d)
{
    fprintf(file, " (%s%s", d->section, d->section[0] ? ", " : "");
    if (d->old_offset == DIFF_NO_OFFSET)
        fprintf(file, "at 0x%" PRIx64 ")", d->new_offset);
    else if (d->new_offset == DIFF_NO_OFFSET || d->new_offset == d->old_offset)
        fprintf(file, "at 0x%" PRIx64 ")", d->old_offset);
    else
        fprintf(file, "at 0x%" PRIx64 " -> 0x%" PRIx64 ")", d->old_offset, d->new_offset);
}

/* "changed Rock:Health: 100 -> 120 (data, at 0x1c0)" */
static void print_line(FILE *file, int indent, const struct diff_difference *d)
{
    fprintf(file, "%s %s%s", diff_kind_text(d->kind), d->property, d->property[0] ? ": " : "");
    const char *only = d->old_value ? d->old_value : d->new_value;
    if (d->kind == DIFF_CHANGED && d->old_value && d->new_value)
        fprintf(file, "%s -> %s", d->old_value, d->new_value);
    else if (only)
        fprintf(file, "%s", only);
    print_place(file, d);
    fprintf(file, "\n");
    if (d->same_meaning)
        fprintf(file, "%*s    same meaning, other bytes: %s\n", indent, "", d->same_meaning);
}

static void print_lines(FILE *file, int indent, const char *lines)
{
    for (const char *at = lines; at && *at;) {
        size_t length = strcspn(at, "\n");
        fprintf(file, "%*s    %.*s\n", indent, "", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

void diff_print_text(FILE *file, const struct diff_result *result,
                     const struct diff_print_options *options)
{
    int indent = options ? options->indent : 0;
    for (uint32_t i = 0; i < result->count; i++) {
        const struct diff_difference *d = &result->differences[i];
        fprintf(file, "%*s", indent, "");
        if (d->consequence_of >= 0) {
            fprintf(file, "    follows: ");
            print_line(file, indent, d);
            continue;
        }
        print_line(file, indent, d);
        print_lines(file, indent, d->lines);
        print_window(file, indent, "old", &d->old_hex);
        print_window(file, indent, "new", &d->new_hex);
        print_stack(file, false, d->old_stack, options);
        print_stack(file, true, d->new_stack, options);
    }
    if (result->dropped_differences || result->dropped_consequences)
        fprintf(file,
                "%*snot listed: %" PRIu64 " more differences, %" PRIu64 " more consequences\n",
                indent, "", result->dropped_differences, result->dropped_consequences);
}
