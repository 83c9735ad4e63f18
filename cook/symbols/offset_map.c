#include "cook/symbols/offset_map.h"

#include "cook/base/alloc.h"

struct cook_offset_slot {
    uint64_t key;
    uint32_t value;
    bool used;
};

void cook_offset_map_finish(struct cook_offset_map *map)
{
    cook_free(map->slots);
    *map = (struct cook_offset_map){ NULL, 0, 0 };
}

/* The slot that holds `key`, or the free one where it belongs. */
static struct cook_offset_slot *find(struct cook_offset_slot *slots, size_t slot_count,
                                     uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (slot_count - 1);
    while (slots[at].used && slots[at].key != key)
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

bool cook_offset_map_get(const struct cook_offset_map *map, uint64_t key, uint32_t *value)
{
    if (!map->slot_count)
        return false;
    const struct cook_offset_slot *slot = find(map->slots, map->slot_count, key);
    if (slot->used)
        *value = slot->value;
    return slot->used;
}

static bool grow(struct cook_offset_map *map)
{
    size_t slot_count = map->slot_count ? map->slot_count * 2 : 64;
    struct cook_offset_slot *slots = cook_calloc(slot_count, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < map->slot_count; i++) {
        if (map->slots[i].used)
            *find(slots, slot_count, map->slots[i].key) = map->slots[i];
    }
    cook_free(map->slots);
    map->slots = slots;
    map->slot_count = slot_count;
    return true;
}

bool cook_offset_map_put(struct cook_offset_map *map, uint64_t key, uint32_t value)
{
    if ((map->count + 1) * 2 > map->slot_count && !grow(map))
        return false;
    *find(map->slots, map->slot_count, key) = (struct cook_offset_slot){ key, value, true };
    map->count++;
    return true;
}
