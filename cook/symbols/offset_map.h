/* A map from 64-bit offsets to 32-bit indices: names by DIE, frames by address. */
#ifndef COOK_SYMBOLS_OFFSET_MAP_H
#define COOK_SYMBOLS_OFFSET_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cook_offset_map {
    struct cook_offset_slot *slots; /* owned; a power of two, at most half full */
    size_t slot_count;
    size_t count;
};

void cook_offset_map_finish(struct cook_offset_map *map);
bool cook_offset_map_get(const struct cook_offset_map *map, uint64_t key, uint32_t *value);
/* `key` must not be there yet. False when memory is short. */
bool cook_offset_map_put(struct cook_offset_map *map, uint64_t key, uint32_t value);

#endif
