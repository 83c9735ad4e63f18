#include "groups.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "value.h"

/* The frames of a difference, the new side's where it has a stack; NULL when memory is short. */
static const char *frames_text(struct cook_arena *arena, const struct diff_difference *d,
                               const struct diff_print_options *print)
{
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    struct cook_buf text = COOK_BUF_INIT;
    size_t count = 0;
    if (print && print->frames && d->new_stack != COOK_STACK_NONE)
        count = print->frames(print->user, true, d->new_stack, frames, DIFF_MAX_FRAMES);
    if (!count && print && print->frames && d->old_stack != COOK_STACK_NONE)
        count = print->frames(print->user, false, d->old_stack, frames, DIFF_MAX_FRAMES);
    for (size_t i = diff_skip_sdk_frames(frames, &count); i < count; i++) {
        const char *frame = cook_symbol_text(&frames[i], arena);
        cook_buf_printf(&text, "%s\n", frame ? frame : "?");
    }
    const char *whole = cook_buf_text(&text);
    const char *result = text.failed ? NULL : cook_arena_strdup(arena, whole);
    cook_buf_finish(&text);
    return result;
}

static const char *property_of(const struct diff_difference *d)
{
    const char *colon = strchr(d->property_normalized, ':');
    return colon ? colon + 1 : d->property_normalized;
}

static struct diff_group *find_group(struct diff_groups *groups, const char *property,
                                     const char *frames)
{
    char *key = cook_arena_printf(&groups->arena, "%s\n%s", property, frames);
    uint32_t id = key ? cook_intern_add(&groups->keys, key) : COOK_INTERN_NONE;
    if (id == COOK_INTERN_NONE)
        return NULL;
    if (id < groups->count)
        return &groups->items[id];
    if (!cook_grow(&groups->items, &groups->capacity, groups->count + 1,
                   sizeof(*groups->items)) ||
        !cook_grow(&groups->last, &groups->last_capacity, groups->count + 1,
                   sizeof(*groups->last)))
        return NULL;
    struct diff_group *group = &groups->items[groups->count];
    *group = (struct diff_group){ .property = cook_arena_strdup(&groups->arena, property),
                                  .frames = cook_arena_strdup(&groups->arena, frames) };
    groups->last[groups->count++] = 0;
    return group->property && group->frames ? group : NULL;
}

bool diff_groups_add(struct diff_groups *groups, const char *package,
                     const struct diff_result *result, const struct diff_print_options *print)
{
    struct cook_arena scratch = COOK_ARENA_INIT;
    bool good = true;
    groups->packages++;
    for (uint32_t i = 0; good && i < result->count; i++) {
        const struct diff_difference *d = &result->differences[i];
        if (d->consequence_of >= 0 || !*d->property_normalized)
            continue;
        const char *frames = frames_text(&scratch, d, print);
        struct diff_group *group = frames ? find_group(groups, property_of(d), frames) : NULL;
        good = group != NULL;
        if (!good || groups->last[group - groups->items] == groups->packages)
            continue; /* the same write twice in one package counts once */
        groups->last[group - groups->items] = groups->packages;
        if (group->packages < DIFF_GROUP_EXAMPLES) {
            const char *name = cook_arena_strdup(&groups->arena, package);
            good = name != NULL;
            group->examples[group->packages] = name;
        }
        group->packages++;
    }
    cook_arena_finish(&scratch);
    return good;
}

static int compare_groups(const void *a, const void *b)
{
    const struct diff_group *x = a;
    const struct diff_group *y = b;
    if (x->packages != y->packages)
        return x->packages < y->packages ? 1 : -1;
    int order = strcmp(x->property, y->property);
    return order ? order : strcmp(x->frames, y->frames);
}

/* How many groups are worth telling, largest first. */
static size_t sort_groups(struct diff_groups *groups)
{
    if (!groups->sorted && groups->count)
        qsort(groups->items, groups->count, sizeof(*groups->items), compare_groups);
    groups->sorted = true;
    size_t count = 0;
    while (count < groups->count && groups->items[count].packages > 1)
        count++;
    return count;
}

static void print_group(FILE *file, const struct diff_group *group)
{
    fprintf(file, "this write differs in %zu packages: %s\n", group->packages, group->property);
    for (const char *at = group->frames; *at;) {
        size_t length = strcspn(at, "\n");
        fprintf(file, "    at %.*s\n", (int)length, at);
        at += length + 1;
    }
    fprintf(file, "    in ");
    for (size_t i = 0; i < DIFF_GROUP_EXAMPLES && i < group->packages; i++)
        fprintf(file, "%s%s", i ? ", " : "", group->examples[i]);
    if (group->packages > DIFF_GROUP_EXAMPLES)
        fprintf(file, " and %zu more", group->packages - DIFF_GROUP_EXAMPLES);
    fputc('\n', file);
}

void diff_groups_print(FILE *file, struct diff_groups *groups)
{
    size_t count = sort_groups(groups);
    for (size_t i = 0; i < count && i < DIFF_GROUPS_SHOWN; i++)
        print_group(file, &groups->items[i]);
    if (count > DIFF_GROUPS_SHOWN)
        fprintf(file, "further writes that differ in several packages: %zu (all: --json)\n",
                count - DIFF_GROUPS_SHOWN);
    if (count)
        fputc('\n', file);
}

static cJSON *group_to_json(const struct diff_group *group)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    cJSON *json = cJSON_CreateObject();
    const char *property = diff_clean_text(group->property, &arena);
    bool good = property && cJSON_AddStringToObject(json, "property", property) &&
                cJSON_AddNumberToObject(json, "packages", (double)group->packages);
    cJSON *examples = cJSON_AddArrayToObject(json, "examples");
    for (size_t i = 0; good && i < DIFF_GROUP_EXAMPLES && i < group->packages; i++) {
        const char *name = diff_clean_text(group->examples[i], &arena);
        good = name && cJSON_AddItemToArray(examples, cJSON_CreateString(name));
    }
    cJSON *frames = cJSON_AddArrayToObject(json, "frames");
    for (const char *at = group->frames; good && *at;) {
        size_t length = strcspn(at, "\n");
        const char *line = cook_arena_strndup(&arena, at, length);
        line = line ? diff_clean_text(line, &arena) : NULL;
        good = line && cJSON_AddItemToArray(frames, cJSON_CreateString(line));
        at += length + 1;
    }
    cook_arena_finish(&arena);
    if (good && examples && frames)
        return json;
    cJSON_Delete(json);
    return NULL;
}

cJSON *diff_groups_to_json(struct diff_groups *groups)
{
    cJSON *array = cJSON_CreateArray();
    size_t count = sort_groups(groups);
    for (size_t i = 0; array && i < count; i++) {
        cJSON *item = group_to_json(&groups->items[i]);
        if (!item || !cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            cJSON_Delete(array);
            array = NULL;
        }
    }
    return array;
}

void diff_groups_finish(struct diff_groups *groups)
{
    cook_arena_finish(&groups->arena);
    cook_intern_finish(&groups->keys);
    cook_free(groups->items);
    cook_free(groups->last);
    *groups = (struct diff_groups)DIFF_GROUPS_INIT;
}
