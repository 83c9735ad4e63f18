#include "fields.h"

#include <string.h>

bool diff_object_u32(uint32_t *value, const struct diff_version *version, const char *path,
                     const char *field)
{
    char text[1024];
    size_t length = strcspn(path, ":") + 1;
    const struct cook_token_map *map = version->tokens;
    if (length + strlen(field) >= sizeof(text))
        return false;
    memcpy(text, path, length);
    memcpy(text + length, field, strlen(field) + 1);
    uint32_t id = cook_intern_find(&map->paths, text);
    uint64_t offset = 0;
    for (size_t i = 0; id != COOK_INTERN_NONE && i < map->count; i++) {
        const struct cook_token *token = &map->tokens[i];
        if (token->path == id && token->size == 4 && offset + 4 <= version->size) {
            const uint8_t *at = version->bytes + offset;
            *value = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
            return true;
        }
        offset += token->size;
    }
    return false;
}


bool diff_is_write(const struct diff_version *version, size_t token, uint64_t offset, const char *property)
{
    const struct cook_token_map *map = version->tokens;
    if (!map || token >= map->count || offset > version->size ||
        map->tokens[token].size > version->size - offset)
        return false;
    const char *colon = strchr(cook_intern_text(&map->paths, map->tokens[token].path), ':');
    return colon && strcmp(colon + 1, property) == 0;
}
