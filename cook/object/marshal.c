#include "cook/object/marshal.h"

#include <string.h>

static void put_value(const struct cook_registrar *types, enum cook_property_type type,
                      const char *type_name, const void *value, struct cook_buf *out)
{
    const struct cook_string *string = value;
    const struct cook_bytes *bytes = value;
    switch ((int)type) {
    case COOK_PROPERTY_STRING:
        cook_buf_put_bytes(out, string->data, string->size);
        return;
    case COOK_PROPERTY_BYTES:
        cook_buf_put_bytes(out, bytes->data, bytes->size);
        return;
    case COOK_PROPERTY_NAME:
    case COOK_PROPERTY_REF:
    case COOK_PROPERTY_SOFT_REF: { /* one pointer each; NULL and "" differ */
        const char *text = ((const struct cook_name *)value)->text;
        cook_buf_put_u8(out, text != NULL);
        cook_buf_put_string(out, text);
        return;
    }
    case COOK_PROPERTY_STRUCT:
        cook_marshal(types, cook_types_struct(types, type_name)->description->properties, value,
                     out);
        return;
    default:
        cook_buf_put(out, value, cook_types_value_size(types, type, type_name));
        return;
    }
}

void cook_marshal(const struct cook_registrar *types, const struct cook_property *properties,
                  const void *value, struct cook_buf *out)
{
    for (const struct cook_property *p = properties; p && p->name; p++) {
        const char *at = (const char *)value + p->offset;
        if (p->flags & COOK_PROPERTY_TRANSIENT)
            continue;
        if (p->type != COOK_PROPERTY_ARRAY && p->type != COOK_PROPERTY_MAP) {
            put_value(types, p->type, p->type_name, at, out);
            continue;
        }
        bool is_map = p->type == COOK_PROPERTY_MAP;
        const struct cook_map *map = (const void *)at;
        const struct cook_array *array = (const void *)at;
        uint32_t count = is_map ? map->count : array->count;
        const char *items = is_map ? map->values : array->items;
        size_t size = cook_types_value_size(types, p->element, p->type_name);
        cook_buf_put_varint(out, count);
        for (uint32_t i = 0; i < count; i++) {
            if (is_map)
                put_value(types, COOK_PROPERTY_STRING, NULL, &map->keys[i], out);
            put_value(types, p->element, p->type_name, items + i * size, out);
        }
    }
}

static void read_value(const struct cook_registrar *types, enum cook_property_type type,
                       const char *type_name, void *value, struct cook_reader_buf *in,
                       struct cook_arena *arena)
{
    size_t size;
    switch ((int)type) {
    case COOK_PROPERTY_STRING: {
        const char *text = cook_read_string(in, arena);
        *(struct cook_string *)value = (struct cook_string){ *text ? text : NULL, strlen(text) };
        return;
    }
    case COOK_PROPERTY_BYTES: {
        const uint8_t *bytes = cook_read_bytes(in, &size);
        uint8_t *copy = cook_arena_dup(arena, bytes ? bytes : (const uint8_t *)"", size);
        *(struct cook_bytes *)value = (struct cook_bytes){ copy, copy ? size : 0 };
        in->failed |= !copy;
        return;
    }
    case COOK_PROPERTY_NAME:
    case COOK_PROPERTY_REF:
    case COOK_PROPERTY_SOFT_REF: {
        bool there = cook_read_u8(in) != 0;
        const char *text = cook_read_string(in, arena);
        *(struct cook_name *)value = (struct cook_name){ there ? text : NULL };
        return;
    }
    case COOK_PROPERTY_STRUCT:
        (void)cook_unmarshal(types, cook_types_struct(types, type_name)->description->properties,
                             value, in, arena);
        return;
    case COOK_PROPERTY_BOOL:
        *(bool *)value = cook_read_u8(in) != 0;
        return;
    default: {
        size = cook_types_value_size(types, type, type_name);
        const uint8_t *bytes = cook_read_raw(in, size);
        if (bytes)
            memcpy(value, bytes, size);
        return;
    }
    }
}

static void read_elements(const struct cook_registrar *types, const struct cook_property *p,
                          char *at, struct cook_reader_buf *in, struct cook_arena *arena)
{
    size_t size = cook_types_value_size(types, p->element, p->type_name);
    size_t count = cook_read_count(in, 1);
    char *items = cook_arena_alloc(arena, (count + 1) * size);
    struct cook_string *keys = cook_arena_alloc(arena, (count + 1) * sizeof(*keys));
    in->failed |= !items || !keys;
    for (size_t i = 0; !in->failed && i < count; i++) {
        if (p->type == COOK_PROPERTY_MAP)
            read_value(types, COOK_PROPERTY_STRING, NULL, &keys[i], in, arena);
        read_value(types, p->element, p->type_name, items + i * size, in, arena);
    }
    if (in->failed)
        return;
    if (p->type == COOK_PROPERTY_MAP)
        *(struct cook_map *)(void *)at =
            (struct cook_map){ keys, items, (uint32_t)count, (uint32_t)count };
    else
        *(struct cook_array *)(void *)at =
            (struct cook_array){ items, (uint32_t)count, (uint32_t)count };
}

bool cook_unmarshal(const struct cook_registrar *types, const struct cook_property *properties,
                    void *value, struct cook_reader_buf *in, struct cook_arena *arena)
{
    for (const struct cook_property *p = properties; p && p->name && !in->failed; p++) {
        char *at = (char *)value + p->offset;
        if (p->flags & COOK_PROPERTY_TRANSIENT)
            continue;
        if (p->type == COOK_PROPERTY_ARRAY || p->type == COOK_PROPERTY_MAP)
            read_elements(types, p, at, in, arena);
        else
            read_value(types, p->type, p->type_name, at, in, arena);
    }
    return !in->failed;
}
