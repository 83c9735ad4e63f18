/*
 * Encoded token maps: by the first byte either as they are stored (a zstd frame) or in their
 * plain form, which random changes reach far deeper. What decodes must give every token its
 * text and, encoded and decoded again, be the same map.
 */
#include <stdlib.h>
#include <string.h>

#include "cook/archive/token_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void read_texts(const struct cook_token_map *map)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    for (size_t i = 0; i < map->count && i < 1000; i++)
        require(cook_token_text(map, i, &arena) != NULL);
    cook_arena_finish(&arena);
}

static void encode_again(const struct cook_token_map *map)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_token_map again;
    cook_token_map_init(&again);
    cook_token_map_encode(map, &bytes);
    require(!bytes.failed);
    require(cook_token_map_decode(&again, bytes.data, bytes.size, NULL) == COOK_OK);
    require(again.count == map->count && again.index_count == map->index_count);
    for (size_t i = 0; i < map->count; i++) {
        require(again.tokens[i].path == map->tokens[i].path);
        require(again.tokens[i].size == map->tokens[i].size);
    }
    for (size_t i = 0; i < map->index_count; i++)
        require(again.indices[i] == map->indices[i]);
    cook_token_map_finish(&again);
    cook_buf_finish(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct cook_token_map map;
    cook_token_map_init(&map);
    enum cook_status status = data[0] & 1
                                  ? cook_token_map_decode(&map, data + 1, size - 1, NULL)
                                  : cook_token_codec_unpack(&map, data + 1, size - 1, NULL);
    if (status == COOK_OK) {
        read_texts(&map);
        encode_again(&map);
    }
    cook_token_map_finish(&map);
    return 0;
}
