#include "cook/artifacts/part_map.h"

#include <stdlib.h>
#include <string.h>

void cook_part_map_finish(struct cook_part_map *map)
{
    cook_intern_finish(&map->names);
    cook_free(map->entries);
    cook_arena_finish(&map->arena);
    *map = (struct cook_part_map)COOK_PART_MAP_INIT;
}

static enum cook_status put(struct cook_part_map *map, uint32_t id, const uint8_t *bytes,
                            size_t size)
{
    if (id == COOK_INTERN_NONE)
        return COOK_E_NO_MEMORY;
    size_t before = map->capacity;
    if (!cook_grow(&map->entries, &map->capacity, (size_t)id + 1, sizeof(*map->entries)))
        return COOK_E_NO_MEMORY;
    if (map->capacity > before)
        memset(map->entries + before, 0, (map->capacity - before) * sizeof(*map->entries));
    map->present_count += !map->entries[id].present;
    map->entries[id] = (struct cook_part_entry){ bytes, size, true };
    return COOK_OK;
}

enum cook_status cook_part_map_add(struct cook_part_map *map, const char *package,
                                   const void *bytes, size_t size)
{
    uint8_t *copy = cook_arena_alloc(&map->arena, size + 1);
    if (!copy)
        return COOK_E_NO_MEMORY;
    if (size)
        memcpy(copy, bytes, size);
    return put(map, cook_intern_add(&map->names, package), copy, size);
}

void cook_part_map_remove(struct cook_part_map *map, const char *package)
{
    uint32_t id = cook_intern_find(&map->names, package);
    if (id == COOK_INTERN_NONE || id >= map->capacity || !map->entries[id].present)
        return;
    map->entries[id].present = false;
    map->present_count--;
}

static int compare_ids(const void *a, const void *b, void *user)
{
    const struct cook_part_map *map = user;
    return strcmp(cook_intern_text(&map->names, *(const uint32_t *)a),
                  cook_intern_text(&map->names, *(const uint32_t *)b));
}

uint32_t *cook_part_map_order(const struct cook_part_map *map)
{
    uint32_t *order = cook_malloc((map->present_count + 1) * sizeof(*order));
    size_t count = 0;
    for (uint32_t i = 0; order && i < map->names.count; i++)
        if (map->entries[i].present)
            order[count++] = i;
    if (order && count) {
        struct cook_part_map copy = *map; /* qsort_r's argument is not const */
        qsort_r(order, count, sizeof(*order), compare_ids, &copy);
    }
    return order;
}

enum cook_status cook_part_map_encode(const struct cook_part_map *map, struct cook_buf *out)
{
    uint32_t *order = cook_part_map_order(map);
    if (!order)
        return COOK_E_NO_MEMORY;
    cook_buf_put_varint(out, map->present_count);
    for (size_t i = 0; i < map->present_count; i++) {
        cook_buf_put_string(out, cook_intern_text(&map->names, order[i]));
        cook_buf_put_bytes(out, map->entries[order[i]].bytes, map->entries[order[i]].size);
    }
    cook_free(order);
    return out->failed ? COOK_E_NO_MEMORY : COOK_OK;
}

enum cook_status cook_part_map_decode(struct cook_part_map *map, struct cook_reader_buf *in)
{
    size_t count = cook_read_count(in, 2);
    for (size_t i = 0; i < count; i++) {
        size_t name_size;
        size_t size;
        const uint8_t *name = cook_read_bytes(in, &name_size);
        const uint8_t *bytes = cook_read_bytes(in, &size);
        if (in->failed || !name || memchr(name, 0, name_size))
            return COOK_E_MALFORMED;
        enum cook_status status = put(
            map, cook_intern_add_n(&map->names, (const char *)name, name_size), bytes, size);
        if (status != COOK_OK)
            return status;
    }
    return in->failed ? COOK_E_MALFORMED : COOK_OK;
}

/* ---- as the state of an artifact ---- */

enum cook_status cook_part_map_fold_begin(void **user, struct cook_fold *fold)
{
    struct cook_part_map *map = cook_calloc(1, sizeof(*map));
    *user = map;
    if (!map)
        return COOK_E_NO_MEMORY;
    size_t size;
    const void *state = cook_fold_state(fold, &size);
    struct cook_reader_buf in = cook_read_init(state, size);
    enum cook_status status = size ? cook_part_map_decode(map, &in) : COOK_OK;
    return status == COOK_OK && size && !cook_read_at_end(&in) ? COOK_E_MALFORMED : status;
}

enum cook_status cook_part_map_fold_add(void *user, const char *package, const void *part,
                                        size_t size)
{
    return cook_part_map_add(user, package, part, size);
}

enum cook_status cook_part_map_fold_remove(void *user, const char *package)
{
    cook_part_map_remove(user, package);
    return COOK_OK;
}

void cook_part_map_fold_release(void *user)
{
    if (user)
        cook_part_map_finish(user);
    cook_free(user);
}
