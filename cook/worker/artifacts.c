/* Parts of artifacts, and the registry tags that they ask for. */
#include <stdlib.h>
#include <string.h>

#include "cook/worker/session.h"

struct cook_tags {
    struct cook_arena *arena;
    struct cook_tag *items;
    size_t count;
    size_t capacity;
    bool failed;
    bool made;
};

struct cook_part {
    struct cook_buf bytes;
};

/* What stands behind one cook_saved_package. */
struct cook_saved_state {
    struct cook_context *context;
    struct cook_arena arena;
    struct cook_object_state **objects; /* the saved ones */
    struct cook_tags *tags;             /* per object, made when asked for */
    enum cook_status status;            /* of the first hook that failed */
};

void cook_part_put(struct cook_part *part, const void *bytes, size_t size)
{
    if (size)
        cook_buf_put(&part->bytes, bytes, size);
}

/* ---- tags ---- */

void cook_add_tag(struct cook_tags *tags, const char *key, const char *value)
{
    if (!key || !*key)
        return;
    char *copy = cook_arena_strdup(tags->arena, value ? value : "");
    for (size_t i = 0; copy && i < tags->count; i++) {
        if (strcmp(tags->items[i].key, key) == 0) {
            tags->items[i].value = copy;
            return;
        }
    }
    char *name = cook_arena_strdup(tags->arena, key);
    if (!copy || !name ||
        !cook_grow(&tags->items, &tags->capacity, tags->count + 1, sizeof(*tags->items))) {
        tags->failed = true;
        return;
    }
    tags->items[tags->count++] = (struct cook_tag){ name, copy };
}

static int compare_tags(const void *a, const void *b)
{
    return strcmp(((const struct cook_tag *)a)->key, ((const struct cook_tag *)b)->key);
}

static void make_tags(struct cook_saved_state *state, uint32_t index)
{
    const struct cook_object_state *object = state->objects[index];
    struct cook_tags *tags = &state->tags[index];
    enum cook_status status = COOK_OK;
    tags->made = true;
    tags->arena = &state->arena;
    for (uint32_t i = 0; status == COOK_OK && i < object->class_info->chain_count; i++) {
        const struct cook_class *c = object->class_info->chain[i]->description;
        if (!c->get_registry_tags)
            continue;
        cook_context_enter_hook(state->context, "get_registry_tags",
                                object->class_info->chain[i]->name);
        status = c->get_registry_tags(state->context, object->object, tags);
        cook_context_leave_hook(state->context);
    }
    if (status == COOK_OK && tags->failed)
        status = COOK_E_NO_MEMORY;
    if (status != COOK_OK) {
        if (!cook_context_has_errors(state->context))
            cook_log(state->context, COOK_SEVERITY_ERROR, "%s: get_registry_tags failed: %s",
                     object->inner_path, cook_status_text(status));
        state->status = state->status == COOK_OK ? status : state->status;
        tags->count = 0;
    }
    if (tags->count)
        qsort(tags->items, tags->count, sizeof(*tags->items), compare_tags);
}

const struct cook_tag *cook_saved_tags(const struct cook_saved_package *package,
                                       uint32_t object, size_t *count)
{
    *count = 0;
    if (object >= package->object_count)
        return NULL;
    struct cook_tags *tags = &package->state->tags[object];
    if (!tags->made)
        make_tags(package->state, object);
    *count = tags->count;
    return tags->count ? tags->items : NULL;
}

/* ---- parts ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *const *sorted(const struct cook_intern *table, struct cook_arena *arena)
{
    const char **texts = cook_arena_alloc(arena, (table->count + 1) * sizeof(*texts));
    for (uint32_t i = 0; texts && i < table->count; i++)
        texts[i] = cook_intern_text(table, i);
    if (texts && table->count)
        qsort(texts, table->count, sizeof(*texts), compare_texts);
    return texts;
}

static enum cook_status describe(struct cook_saved_package *saved,
                                 struct cook_saved_state *state,
                                 const struct cook_package *package,
                                 const struct cook_save_result *result)
{
    size_t count = (size_t)package->object_count + 1;
    const void **objects = cook_arena_alloc(&state->arena, count * sizeof(*objects));
    state->objects = cook_arena_alloc(&state->arena, count * sizeof(*state->objects));
    state->tags = cook_arena_alloc(&state->arena, count * sizeof(*state->tags));
    saved->hard = sorted(&result->hard, &state->arena);
    saved->soft = sorted(&result->soft, &state->arena);
    if (!objects || !state->objects || !state->tags || !saved->hard || !saved->soft)
        return COOK_E_NO_MEMORY;
    for (uint32_t i = 0; i < package->object_count; i++) {
        if (package->objects[i]->unsaved)
            continue;
        state->objects[saved->object_count] = package->objects[i];
        objects[saved->object_count++] = package->objects[i]->object;
    }
    saved->name = package->name;
    saved->objects = objects;
    saved->hard_count = result->hard.count;
    saved->soft_count = result->soft.count;
    saved->state = state;
    return COOK_OK;
}

static enum cook_status make_part(struct cook_context *context,
                                  const struct cook_artifact *artifact,
                                  const struct cook_saved_package *saved,
                                  struct cook_buf *parts, uint64_t *count)
{
    struct cook_part part = { COOK_BUF_INIT };
    cook_context_enter_hook(context, "make_part", artifact->name);
    enum cook_status status = artifact->make_part(context, saved, &part);
    cook_context_leave_hook(context);
    if (status == COOK_OK)
        status = saved->state->status;
    if (status == COOK_OK && part.bytes.failed)
        status = COOK_E_NO_MEMORY;
    if (status != COOK_OK && !cook_context_has_errors(context))
        cook_log(context, COOK_SEVERITY_ERROR, "artifact %s cannot make its part: %s",
                 artifact->name, cook_status_text(status));
    if (status == COOK_OK && part.bytes.size) {
        cook_buf_put_string(parts, artifact->name);
        cook_buf_put_bytes(parts, part.bytes.data, part.bytes.size);
        ++*count;
    }
    cook_buf_finish(&part.bytes);
    return status;
}

static int compare_artifacts(const void *a, const void *b)
{
    const struct cook_artifact *const *x = a;
    const struct cook_artifact *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static enum cook_status make_all(struct cook_session *session, struct cook_context *context,
                                 const struct cook_saved_package *saved,
                                 struct cook_save_result *result)
{
    struct cook_registrar *types = &session->types;
    struct cook_buf parts = COOK_BUF_INIT;
    uint64_t count = 0;
    enum cook_status status = COOK_OK;
    const struct cook_artifact **artifacts = cook_arena_dup(
        &saved->state->arena, types->artifacts, types->artifact_count * sizeof(*artifacts));
    if (!artifacts)
        return COOK_E_NO_MEMORY;
    qsort(artifacts, types->artifact_count, sizeof(*artifacts), compare_artifacts);
    for (size_t i = 0; status == COOK_OK && i < types->artifact_count; i++)
        if (artifacts[i]->make_part)
            status = make_part(context, artifacts[i], saved, &parts, &count);
    if (status == COOK_OK && count) {
        cook_buf_put_varint(&result->parts, count);
        cook_buf_put(&result->parts, parts.data, parts.size);
        if (parts.failed || result->parts.failed)
            status = COOK_E_NO_MEMORY;
    }
    cook_buf_finish(&parts);
    return status;
}

enum cook_status cook_session_make_parts(struct cook_session *session,
                                         struct cook_package *package,
                                         struct cook_context *context,
                                         struct cook_save_result *result)
{
    struct cook_saved_state state = { .context = context, .arena = COOK_ARENA_INIT };
    struct cook_saved_package saved = { 0 };
    if (session->types.artifact_count == 0)
        return COOK_OK;
    enum cook_status status = describe(&saved, &state, package, result);
    if (status == COOK_OK)
        status = make_all(session, context, &saved, result);
    for (uint32_t i = 0; state.tags && i < saved.object_count; i++)
        cook_free(state.tags[i].items);
    cook_arena_finish(&state.arena);
    return status;
}

enum cook_status cook_session_tags(struct cook_context *context, struct cook_package *package,
                                   const struct cook_save_result *result,
                                   void (*take)(void *user, const struct cook_tag *tag), void *user)
{
    struct cook_saved_state state = { .context = context };
    struct cook_saved_package saved = { 0 };
    enum cook_status status = describe(&saved, &state, package, result);
    for (uint32_t i = 0; status == COOK_OK && i < saved.object_count; i++) {
        size_t count;
        const struct cook_tag *tags = cook_saved_tags(&saved, i, &count);
        for (size_t k = 0; k < count; k++)
            take(user, &tags[k]);
        status = state.status;
    }
    cook_arena_finish(&state.arena);
    return status;
}
