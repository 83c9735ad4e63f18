#include "diffcook/saved.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "cook/base/intern.h"
#include "cook/base/json.h"

#define SCHEMA     "cookproof/stacks/1"
#define MAX_STACKS 4096 /* of differences; further ones are not named */

/* ---- writing ---- */

struct saving {
    const struct diff_print_options *print;
    struct cook_intern known; /* frames by their JSON, each once; its ids are indices */
    cJSON *frames;
    cJSON *stacks;
    bool is_new[MAX_STACKS]; /* by index into `stacks`: whose it is */
    uint32_t own[MAX_STACKS]; /* … and its id there */
    uint32_t count;
    bool failed;
};

static uint32_t find_stack(const struct saving *saving, bool is_new, uint32_t own)
{
    for (uint32_t i = 0; i < saving->count; i++)
        if (saving->is_new[i] == is_new && saving->own[i] == own)
            return i;
    return COOK_STACK_NONE;
}

static cJSON *save_frame(struct saving *saving, const struct cook_symbol_frame *frame)
{
    cJSON *json = diff_frame_to_json(frame);
    char *text = json ? cJSON_PrintUnformatted(json) : NULL;
    size_t before = saving->known.count;
    uint32_t id = text ? cook_intern_add(&saving->known, text) : COOK_INTERN_NONE;
    cJSON_free(text);
    if (id == before && cJSON_AddItemToArray(saving->frames, json))
        json = NULL;
    cJSON_Delete(json);
    return id == COOK_INTERN_NONE ? NULL : cJSON_CreateNumber(id);
}

static void save_stack(struct saving *saving, bool is_new, uint32_t own)
{
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    if (own == COOK_STACK_NONE || saving->count == MAX_STACKS ||
        find_stack(saving, is_new, own) != COOK_STACK_NONE)
        return;
    size_t count =
        saving->print->frames(saving->print->user, is_new, own, frames, DIFF_MAX_FRAMES);
    if (!count)
        return;
    cJSON *stack = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *frame = save_frame(saving, &frames[i]);
        saving->failed |= !frame || !cJSON_AddItemToArray(stack, frame);
    }
    saving->failed |= !cJSON_AddItemToArray(saving->stacks, stack);
    saving->is_new[saving->count] = is_new;
    saving->own[saving->count++] = own;
}

/* [first, count, stack] for each run of writes of one saved stack. */
static cJSON *save_writes(struct saving *saving, bool is_new,
                          const struct diff_version *version)
{
    cJSON *runs = cJSON_CreateArray();
    for (size_t i = 0; version->stacks && i < version->stack_count;) {
        size_t first = i;
        uint32_t stack = find_stack(saving, is_new, version->stacks[i]);
        while (i < version->stack_count && version->stacks[i] == version->stacks[first])
            i++;
        if (stack == COOK_STACK_NONE)
            continue;
        const double run[] = { (double)first, (double)(i - first), stack };
        cJSON *item = cJSON_CreateDoubleArray(run, 3);
        saving->failed |= !item || !cJSON_AddItemToArray(runs, item);
    }
    return runs;
}

static cJSON *save(struct saving *saving, const struct diff_result *diff,
                   const struct diff_version *old, const struct diff_version *new)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", SCHEMA);
    saving->frames = cJSON_AddArrayToObject(document, "frames");
    saving->stacks = cJSON_AddArrayToObject(document, "stacks");
    for (uint32_t i = 0; saving->frames && saving->stacks && i < diff->count; i++) {
        save_stack(saving, false, diff->differences[i].old_stack);
        save_stack(saving, true, diff->differences[i].new_stack);
    }
    cJSON_AddItemToObject(document, "old", save_writes(saving, false, old));
    cJSON_AddItemToObject(document, "new", save_writes(saving, true, new));
    return document;
}

enum cook_status diff_saved_encode(struct cook_buf *out, const struct diff_result *diff,
                                   const struct diff_version *old,
                                   const struct diff_version *new,
                                   const struct diff_print_options *print,
                                   struct cook_error *error)
{
    struct saving *saving = cook_calloc(1, sizeof(*saving));
    if (!saving)
        return cook_error_no_memory(error);
    saving->print = print;
    cJSON *document = save(saving, diff, old, new);
    char *text = saving->failed ? NULL : cJSON_PrintUnformatted(document);
    if (text)
        cook_buf_printf(out, "%s\n", text);
    enum cook_status status = text && !out->failed ? COOK_OK : cook_error_no_memory(error);
    cJSON_free(text);
    cJSON_Delete(document);
    cook_intern_finish(&saving->known);
    cook_free(saving);
    return status;
}

/* ---- reading ---- */

static bool read_number(const struct cook_json *value, uint64_t below, uint32_t *out)
{
    uint64_t number;
    if (!cook_json_u64(value, &number) || number >= below)
        return false;
    *out = (uint32_t)number;
    return true;
}

static bool read_frame(struct cook_symbol_frame *frame, const struct cook_json *json)
{
    uint32_t line;
    frame->module = frame->build_id = "?";
    (void)cook_json_string(cook_json_get(json, "function"), &frame->function);
    (void)cook_json_string(cook_json_get(json, "file"), &frame->file);
    (void)cook_json_string(cook_json_get(json, "module"), &frame->module);
    (void)cook_json_string(cook_json_get(json, "build_id"), &frame->build_id);
    (void)cook_json_bool(cook_json_get(json, "inlined"), &frame->inlined);
    frame->line = read_number(cook_json_get(json, "line"), UINT32_MAX, &line) ? line : 0;
    return cook_json_u64(cook_json_get(json, "offset"), &frame->offset);
}

static bool read_stack(const struct diff_saved *saved, struct diff_saved_stack *stack,
                       const struct cook_json *json, struct cook_arena *arena)
{
    if (!json || json->type != COOK_JSON_ARRAY || json->count > DIFF_MAX_FRAMES)
        return false;
    stack->frames = cook_arena_alloc(arena, (json->count + 1) * sizeof(uint32_t));
    for (const struct cook_json *id = json->child; id; id = id->next)
        if (!stack->frames ||
            !read_number(id, saved->frame_count, &stack->frames[stack->count++]))
            return false;
    return true;
}

static bool read_tables(struct diff_saved *saved, const struct cook_json *root,
                        struct cook_arena *arena)
{
    const struct cook_json *frames = cook_json_get(root, "frames");
    const struct cook_json *stacks = cook_json_get(root, "stacks");
    if (!frames || frames->type != COOK_JSON_ARRAY || !stacks ||
        stacks->type != COOK_JSON_ARRAY || stacks->count > 2 * MAX_STACKS)
        return false;
    saved->frames = cook_arena_alloc(arena, (frames->count + 1) * sizeof(*saved->frames));
    saved->stacks = cook_arena_alloc(arena, (stacks->count + 1) * sizeof(*saved->stacks));
    if (!saved->frames || !saved->stacks)
        return false;
    for (const struct cook_json *json = frames->child; json; json = json->next)
        if (!read_frame(&saved->frames[saved->frame_count++], json))
            return false;
    for (const struct cook_json *json = stacks->child; json; json = json->next)
        if (!read_stack(saved, &saved->stacks[saved->stack_count++], json, arena))
            return false;
    return true;
}

static bool read_writes(struct diff_saved *saved, int side, const struct cook_json *runs,
                        size_t count, struct cook_arena *arena)
{
    uint32_t *ids = cook_arena_alloc(arena, (count + 1) * sizeof(*ids));
    if (!ids || !runs || runs->type != COOK_JSON_ARRAY)
        return false;
    for (size_t i = 0; i < count; i++)
        ids[i] = COOK_STACK_NONE;
    for (const struct cook_json *run = runs->child; run; run = run->next) {
        uint32_t first, length, stack;
        if (!read_number(cook_json_at(run, 0), count, &first) ||
            !read_number(cook_json_at(run, 1), count - first + 1, &length) ||
            !read_number(cook_json_at(run, 2), saved->stack_count, &stack))
            return false;
        for (uint32_t i = 0; i < length; i++)
            ids[first + i] = stack;
    }
    saved->ids[side] = ids;
    saved->id_counts[side] = count;
    return true;
}

enum cook_status diff_saved_decode(struct diff_saved *saved, const void *bytes, size_t size,
                                   const struct cook_token_map *old,
                                   const struct cook_token_map *new, struct cook_arena *arena,
                                   struct cook_error *error)
{
    const struct cook_json *root;
    const char *schema = "";
    *saved = (struct diff_saved){ 0 };
    enum cook_status status = cook_json_parse(&root, NULL, bytes, size, arena, error);
    if (status != COOK_OK)
        return status;
    (void)cook_json_string(cook_json_get(root, "schema"), &schema);
    if (strcmp(schema, SCHEMA) != 0 || !read_tables(saved, root, arena) ||
        !read_writes(saved, 0, cook_json_get(root, "old"), old ? old->count : 0, arena) ||
        !read_writes(saved, 1, cook_json_get(root, "new"), new ? new->count : 0, arena)) {
        *saved = (struct diff_saved){ 0 };
        return cook_error_set(error, COOK_E_MALFORMED, "the saved callstacks are not sound");
    }
    return COOK_OK;
}

/* ---- naming ---- */

size_t diff_saved_frames(const struct diff_saved *saved, uint32_t stack,
                         struct cook_symbol_frame *frames, size_t max)
{
    size_t count = 0;
    if (stack >= saved->stack_count)
        return 0;
    for (; count < saved->stacks[stack].count && count < max; count++)
        frames[count] = saved->frames[saved->stacks[stack].frames[count]];
    return count;
}

static bool same_place(const struct cook_symbol_frame *a, const struct cook_symbol_frame *b)
{
    return a->offset == b->offset && a->build_id && b->build_id && *a->build_id &&
           strcmp(a->build_id, b->build_id) == 0;
}

/* What was saved for a place, what was inlined into it first. */
static size_t find_place(const struct diff_saved *saved, const struct cook_symbol_frame *place,
                         struct cook_symbol_frame *out, size_t max)
{
    size_t count = 0;
    for (uint32_t i = 0; i < saved->stack_count && !count; i++) {
        const struct diff_saved_stack *stack = &saved->stacks[i];
        for (uint32_t k = 0; k < stack->count && count < max; k++) {
            const struct cook_symbol_frame *frame = &saved->frames[stack->frames[k]];
            if (same_place(frame, place))
                out[count++] = *frame;
            else if (count)
                break;
        }
    }
    return count && out[0].file ? count : 0;
}

size_t diff_saved_name(const struct diff_saved *saved, struct cook_symbol_frame *frames,
                       size_t count, size_t max)
{
    struct cook_symbol_frame named[DIFF_MAX_FRAMES];
    size_t total = 0;
    for (size_t i = 0; i < count && total < DIFF_MAX_FRAMES; i++) {
        size_t found = frames[i].file ? 0
                                      : find_place(saved, &frames[i], &named[total],
                                                   DIFF_MAX_FRAMES - total);
        if (!found)
            named[total] = frames[i];
        total += found ? found : 1;
    }
    if (total > max)
        total = max;
    memcpy(frames, named, total * sizeof(*frames));
    return total;
}
