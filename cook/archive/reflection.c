/* Property tables through an archive, in any phase. */
#include <stdlib.h>
#include <string.h>

#include "cook/archive/archive.h"

#define MAX_ELEMENTS (1u << 24)

static void *load_elements(struct cook_archive *archive, const struct cook_property *property,
                           size_t count, size_t size)
{
    if (count > MAX_ELEMENTS || count * size > (size_t)1 << 30) {
        cook_archive_wrong_type(archive, archive->scopes[archive->depth].json, NULL,
                                "at most 16 M elements and 1 GiB");
        return NULL;
    }
    void *items = cook_package_alloc(archive->context->package, count * size + 1);
    if (!items) {
        archive->status = COOK_E_NO_MEMORY;
        return NULL;
    }
    const struct cook_struct_info *info =
        property->element == COOK_PROPERTY_STRUCT
            ? cook_types_struct(&archive->context->session->types, property->type_name)
            : NULL;
    if (info && info->description->construct)
        for (size_t i = 0; i < count; i++)
            info->description->construct((char *)items + i * size);
    return items;
}

static void serialize_array(struct cook_archive *archive, const struct cook_property *property,
                            struct cook_array *array)
{
    size_t size = cook_types_value_size(&archive->context->session->types, property->element,
                                        property->type_name);
    if (archive->phase == COOK_PHASE_LOAD && !cook_archive_json(archive, property->name))
        return; /* not there: as constructed */
    uint32_t count = array->count;
    if (property->flags & COOK_PROPERTY_SET)
        cook_field_set(archive, property->name, &count);
    else
        cook_field_array(archive, property->name, &count);
    if (archive->phase == COOK_PHASE_LOAD && archive->status == COOK_OK) {
        void *items = load_elements(archive, property, count, size);
        if (items)
            *array = (struct cook_array){ items, count, count };
    }
    for (uint32_t i = 0; archive->status == COOK_OK && i < count; i++) {
        cook_archive_set_element(archive, i);
        cook_archive_value(archive, NULL, property->element, property->type_name,
                           (char *)array->items + i * size);
    }
    cook_field_array_end(archive);
}

static int compare_members(const void *a, const void *b)
{
    const struct cook_json *const *x = a;
    const struct cook_json *const *y = b;
    return strcmp((*x)->key, (*y)->key);
}

/* Load a JSON object as a map: entries sorted by key, whatever their order in the file. */
static void load_map(struct cook_archive *archive, const struct cook_property *property,
                     struct cook_map *map, size_t size)
{
    const struct cook_json *json = archive->scopes[archive->depth].json;
    if (json->type != COOK_JSON_OBJECT) {
        cook_archive_wrong_type(archive, json, NULL, "an object");
        return;
    }
    size_t count = json->count;
    void *values = load_elements(archive, property, count, size);
    struct cook_string *keys =
        cook_package_alloc(archive->context->package, (count + 1) * sizeof(*keys));
    const struct cook_json **members = cook_malloc((count + 1) * sizeof(*members));
    if (!values || !keys || !members) {
        if (archive->status == COOK_OK)
            archive->status = COOK_E_NO_MEMORY;
        cook_free(members);
        return;
    }
    size_t n = 0;
    for (const struct cook_json *m = json->child; m; m = m->next)
        members[n++] = m;
    qsort(members, n, sizeof(*members), compare_members);
    for (uint32_t i = 0; archive->status == COOK_OK && i < n; i++) {
        keys[i] = cook_make_string(archive->context, members[i]->key);
        if (!keys[i].data && *members[i]->key)
            archive->status = COOK_E_NO_MEMORY;
        cook_archive_set_key(archive, members[i]->key);
        archive->scopes[archive->depth].cursor = members[i];
        cook_archive_value(archive, NULL, property->element, property->type_name,
                           (char *)values + i * size);
    }
    cook_free(members);
    *map = (struct cook_map){ keys, values, (uint32_t)n, (uint32_t)n };
}

static void serialize_map(struct cook_archive *archive, const struct cook_property *property,
                          struct cook_map *map)
{
    size_t size = cook_types_value_size(&archive->context->session->types, property->element,
                                        property->type_name);
    if (archive->phase == COOK_PHASE_LOAD && !cook_archive_json(archive, property->name))
        return;
    cook_archive_push(archive, property->name);
    if (archive->status == COOK_OK && archive->phase == COOK_PHASE_LOAD)
        load_map(archive, property, map, size);
    else if (archive->status == COOK_OK) {
        if (archive->phase == COOK_PHASE_WRITE)
            cook_archive_put_u32(archive, "#", COOK_TOKEN_COUNT, map->count);
        for (uint32_t i = 0; archive->status == COOK_OK && i < map->count; i++) {
            cook_archive_set_key(archive, map->keys[i].data ? map->keys[i].data : "");
            cook_archive_value(archive, "Key", COOK_PROPERTY_STRING, NULL, &map->keys[i]);
            cook_archive_value(archive, NULL, property->element, property->type_name,
                               (char *)map->values + i * size);
        }
    }
    cook_archive_pop(archive);
}

void cook_archive_properties(struct cook_archive *archive, const struct cook_property *properties,
                             void *base)
{
    bool saving = archive->phase != COOK_PHASE_LOAD;
    for (const struct cook_property *p = properties; p && p->name; p++) {
        if (archive->status != COOK_OK)
            return;
        if (p->flags & COOK_PROPERTY_TRANSIENT)
            continue;
        if (saving && (p->flags & COOK_PROPERTY_NATIVE))
            continue;
        if (saving && (p->flags & COOK_PROPERTY_EDITOR_ONLY) &&
            !archive->context->session->keep_editor_only)
            continue;
        bool outside = archive->true_soft;
        archive->true_soft |= (p->flags & COOK_PROPERTY_TRUE_SOFT) != 0;
        void *value = (char *)base + p->offset;
        if (p->type == COOK_PROPERTY_ARRAY)
            serialize_array(archive, p, value);
        else if (p->type == COOK_PROPERTY_MAP)
            serialize_map(archive, p, value);
        else
            cook_archive_value(archive, p->name, p->type, p->type_name, value);
        archive->true_soft = outside;
    }
}
