#include "cook/object/reflect.h"

#include <string.h>

#include "cook/archive/archive.h"

static void warn_unknown(struct cook_archive *archive, const struct cook_json *members,
                         const char *class_name)
{
    size_t index = 0;
    for (const struct cook_json *m = members->child; m; m = m->next, index++)
        if (!archive->consumed[index])
            cook_log(archive->context, COOK_SEVERITY_WARNING, "%s:%u: %s%s is no property of %s",
                     archive->file, m->line, archive->path, m->key, class_name);
}

static void load_chain(struct cook_archive *archive, const struct cook_object_state *state)
{
    for (uint32_t i = 0; archive->status == COOK_OK && i < state->class_info->chain_count; i++) {
        const struct cook_class *c = state->class_info->chain[i]->description;
        cook_archive_properties(archive, c->properties, state->object);
        if (archive->status == COOK_OK && c->serialize)
            c->serialize(archive, state->object);
    }
}

enum cook_status cook_reflect_load(struct cook_loader *loader, void *object,
                                   const struct cook_json *members, const char *path)
{
    if (!members || members->type != COOK_JSON_OBJECT)
        return cook_load_fail(loader, members ? members->line : 0, "properties must be an object");
    const struct cook_object_state *state = ((struct cook_object *)object)->state;
    struct cook_archive *archive = cook_calloc(1, sizeof(*archive));
    bool *consumed = cook_calloc(members->count + 1, sizeof(*consumed));
    enum cook_status status = COOK_E_NO_MEMORY;
    if (archive && consumed) {
        archive->phase = COOK_PHASE_LOAD;
        archive->context = loader->context;
        archive->file = path;
        archive->consumed = consumed;
        cook_archive_begin(archive, state->inner_path, members);
        load_chain(archive, state);
        status = archive->status;
        if (status == COOK_OK)
            warn_unknown(archive, members, state->class_info->name);
    }
    cook_free(archive);
    cook_free(consumed);
    return status;
}

static enum cook_status load_side_objects(struct cook_loader *loader,
                                          const struct cook_json *objects, const char *path)
{
    for (const struct cook_json *m = objects->child; m; m = m->next) {
        struct cook_object_state *state = cook_package_find(loader->package, m->key);
        if (!state) {
            cook_log(loader->context, COOK_SEVERITY_WARNING, "%s:%u: no object is named %s", path,
                     m->line, m->key);
            continue;
        }
        enum cook_status status = cook_reflect_load(loader, state->object, m, path);
        if (status != COOK_OK)
            return status;
    }
    return COOK_OK;
}

/* The side file without its member "Objects", which is no property. */
static struct cook_json *without_objects(const struct cook_json *root, struct cook_arena *arena)
{
    struct cook_json *copy = cook_arena_dup(arena, root, sizeof(*root));
    const struct cook_json **link = copy ? &copy->child : NULL;
    for (const struct cook_json *m = root->child; link && m; m = m->next) {
        if (strcmp(m->key, "Objects") == 0) {
            copy->count--;
            continue;
        }
        struct cook_json *member = cook_arena_dup(arena, m, sizeof(*m));
        if (!member)
            return NULL;
        *link = member;
        link = &member->next;
    }
    if (link)
        *link = NULL;
    return copy;
}

enum cook_status cook_reflect_load_side(struct cook_loader *loader, const struct cook_source *source)
{
    if (!source->side_data)
        return COOK_OK;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_error error = COOK_ERROR_INIT;
    const struct cook_json *root = NULL;
    const char *path = cook_arena_printf(&arena, "%s.cook", source->path);
    enum cook_status status = COOK_E_NO_MEMORY;
    if (path)
        status = cook_json_parse(&root, NULL, (const char *)source->side_data, source->side_size,
                                 &arena, &error);
    if (path && status != COOK_OK)
        cook_log(loader->context, COOK_SEVERITY_ERROR, "%s:%s", path, error.message);
    if (status == COOK_OK && root->type != COOK_JSON_OBJECT) {
        cook_log(loader->context, COOK_SEVERITY_ERROR, "%s:%u: a side file is a JSON object", path,
                 root->line);
        status = COOK_E_MALFORMED;
    }
    struct cook_object_state *first = cook_package_find(loader->package, NULL);
    if (status == COOK_OK && first) {
        const struct cook_json *members = without_objects(root, &arena);
        status = members ? cook_reflect_load(loader, first->object, members, path)
                         : COOK_E_NO_MEMORY;
        const struct cook_json *objects = cook_json_get(root, "Objects");
        if (status == COOK_OK && objects)
            status = load_side_objects(loader, objects, path);
    }
    cook_arena_finish(&arena);
    return status;
}
