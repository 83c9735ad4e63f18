#include <string.h>

#include <cjson/cJSON.h>

#include "print.h"
#include "value.h"

/* Collects failures, so that a document is built in one go and checked once. */
struct writer {
    cJSON *object;
    struct cook_arena arena; /* cleaned texts and windows, until cJSON has copied them */
    bool failed;
};

static void add(struct writer *w, const char *key, cJSON *value)
{
    if (value && cJSON_AddItemToObject(w->object, key, value))
        return;
    cJSON_Delete(value);
    w->failed = true;
}

static void add_text(struct writer *w, const char *key, const char *text)
{
    const char *clean = text ? diff_clean_text(text, &w->arena) : NULL;
    w->failed |= text && !clean;
    add(w, key, clean ? cJSON_CreateString(clean) : cJSON_CreateNull());
}

static void add_offset(struct writer *w, const char *key, uint64_t offset)
{
    add(w, key,
        offset == DIFF_NO_OFFSET ? cJSON_CreateNull() : cJSON_CreateNumber((double)offset));
}

static void add_window(struct writer *w, const char *key, const struct diff_window *window)
{
    bool absent = window->offset == DIFF_NO_OFFSET;
    const char *text = absent ? NULL : diff_window_text(window, &w->arena);
    w->failed |= !absent && !text;
    add(w, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

/* Moves the writer's object out; NULL when anything failed. */
static cJSON *finish(struct writer *w)
{
    cook_arena_finish(&w->arena);
    if (!w->failed)
        return w->object;
    cJSON_Delete(w->object);
    return NULL;
}

static struct writer start(void)
{
    struct writer w = { .object = cJSON_CreateObject() };
    w.failed = !w.object;
    return w;
}

cJSON *diff_frame_to_json(const struct cook_symbol_frame *frame)
{
    struct writer w = start();
    add_text(&w, "function", frame->function);
    add_text(&w, "file", frame->file);
    add(&w, "line", cJSON_CreateNumber(frame->line));
    add_text(&w, "module", frame->module);
    add_text(&w, "build_id", frame->build_id);
    add(&w, "offset", cJSON_CreateNumber((double)frame->offset));
    add(&w, "inlined", cJSON_CreateBool(frame->inlined));
    return finish(&w);
}

static void add_stack(struct writer *w, const char *key, bool is_new, uint32_t stack,
                      const struct diff_print_options *options)
{
    cJSON *array = cJSON_CreateArray();
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    size_t count = 0;
    if (options && options->frames && stack != COOK_STACK_NONE)
        count = options->frames(options->user, is_new, stack, frames, DIFF_MAX_FRAMES);
    for (size_t i = diff_skip_sdk_frames(frames, &count); i < count; i++) {
        cJSON *frame = diff_frame_to_json(&frames[i]);
        if (!frame || !cJSON_AddItemToArray(array, frame)) {
            cJSON_Delete(frame);
            w->failed = true;
        }
    }
    add(w, key, array);
}

/* Lines ended by line feeds: an array; null for none. */
static void add_lines(struct writer *w, const char *key, const char *lines)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    cJSON *array = lines ? cJSON_CreateArray() : cJSON_CreateNull();
    for (const char *at = lines; array && at && *at;) {
        size_t length = strcspn(at, "\n");
        const char *line = cook_arena_strndup(&arena, at, length);
        const char *clean = line ? diff_clean_text(line, &arena) : NULL;
        cJSON *item = clean ? cJSON_CreateString(clean) : NULL;
        if (!item || !cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            cJSON_Delete(array);
            array = NULL;
        }
        at += length + (at[length] == '\n');
    }
    add(w, key, array);
    cook_arena_finish(&arena);
}

cJSON *diff_to_json(const struct diff_difference *d, const struct diff_print_options *options)
{
    struct writer w = start();
    add_text(&w, "object", d->object);
    add_text(&w, "property", d->property);
    add_text(&w, "section", d->section);
    add_offset(&w, "old_offset", d->old_offset);
    add_offset(&w, "new_offset", d->new_offset);
    add_window(&w, "old_hex", &d->old_hex);
    add_window(&w, "new_hex", &d->new_hex);
    add_text(&w, "old_value", d->old_value);
    add_text(&w, "new_value", d->new_value);
    add_lines(&w, "lines", d->lines);
    add_stack(&w, "old_stack", false, d->old_stack, options);
    add_stack(&w, "new_stack", true, d->new_stack, options);
    add(&w, "consequence_of",
        d->consequence_of < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(d->consequence_of));
    add(&w, "class", cJSON_CreateString(d->same_meaning ? "same_meaning" : "meaning"));
    add_text(&w, "same_meaning", d->same_meaning);
    return finish(&w);
}

cJSON *diff_result_to_json(const struct diff_result *result,
                           const struct diff_print_options *options)
{
    cJSON *array = cJSON_CreateArray();
    for (uint32_t i = 0; array && i < result->count; i++) {
        cJSON *item = diff_to_json(&result->differences[i], options);
        if (!item || !cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            cJSON_Delete(array);
            array = NULL;
        }
    }
    return array;
}
