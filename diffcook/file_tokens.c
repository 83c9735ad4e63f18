#include "file_tokens.h"

#include <string.h>

#include "cook/archive/cooked.h"

struct builder {
    struct cook_token_map *map;
    struct cook_cooked cooked;
    struct cook_arena arena;
    uint64_t at; /* bytes covered so far */
};

static void add(struct builder *builder, const char *path, enum cook_token_type type,
                uint64_t size, uint32_t index)
{
    uint32_t id = cook_token_map_path(builder->map, path, type);
    cook_token_map_add(builder->map, id, (size_t)size, &index);
    builder->at += size;
}

/* Names of tokens as the save archive gives them: what is aligned with it then matches. */
static void add_header(struct builder *builder)
{
    static const char *const words[] = { "#header.Magic", "#header.Version", "#header.Flags" };
    static const char *const offsets[] = { "#header.Total",   "#header.Names",
                                           "#header.Imports", "#header.Soft",
                                           "#header.Exports", "#header.Data",
                                           "#header.Bulk" };
    static const char *const counts[] = { "#header.NameCount", "#header.ImportCount",
                                          "#header.SoftCount", "#header.ExportCount" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        add(builder, words[i], COOK_TOKEN_U32, 4, 0);
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        add(builder, offsets[i], COOK_TOKEN_OFFSET, 8, 0);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        add(builder, counts[i], COOK_TOKEN_COUNT, 4, 0);
}

static void add_tables(struct builder *builder)
{
    const struct cook_cooked *cooked = &builder->cooked;
    for (uint32_t i = 0; i < cooked->name_count; i++)
        add(builder, "#names[]", COOK_TOKEN_STRING, 4 + strlen(cooked->names[i]), i);
    for (uint32_t i = 0; i < cooked->import_count; i++) {
        add(builder, "#imports[].Package", COOK_TOKEN_NAME, 4, i);
        add(builder, "#imports[].Inner", COOK_TOKEN_STRING,
            4 + strlen(cooked->imports[i].inner), i);
        add(builder, "#imports[].Class", COOK_TOKEN_NAME, 4, i);
    }
    for (uint32_t i = 0; i < cooked->soft_count; i++)
        add(builder, "#soft[]", COOK_TOKEN_STRING, 4 + strlen(cooked->soft[i]), i);
    for (uint32_t i = 0; i < cooked->export_count; i++) {
        add(builder, "#exports[].Name", COOK_TOKEN_NAME, 4, i);
        add(builder, "#exports[].Class", COOK_TOKEN_NAME, 4, i);
        add(builder, "#exports[].Outer", COOK_TOKEN_REF, 4, i);
        add(builder, "#exports[].Flags", COOK_TOKEN_U32, 4, i);
        add(builder, "#exports[].Offset", COOK_TOKEN_OFFSET, 8, i);
        add(builder, "#exports[].Size", COOK_TOKEN_OFFSET, 8, i);
    }
}

/* "Outer/Object:#data"; NULL when memory is short, or when a name would read as an index. */
static const char *data_path(struct builder *builder, uint32_t export)
{
    const struct cook_cooked *cooked = &builder->cooked;
    const char *path = cooked->exports[export].name;
    uint32_t depth = 0;
    for (int32_t outer = cooked->exports[export].outer; outer > 0 && path && depth < 64;
         outer = cooked->exports[outer - 1].outer, depth++)
        path =
            cook_arena_printf(&builder->arena, "%s/%s", cooked->exports[outer - 1].name, path);
    if (!path || strpbrk(path, "[]:"))
        return NULL;
    return cook_arena_printf(&builder->arena, "%s:#data", path);
}

static void add_data(struct builder *builder)
{
    const struct cook_cooked *cooked = &builder->cooked;
    for (uint32_t i = 0; i < cooked->export_count; i++) {
        const char *path = data_path(builder, i);
        if (cooked->exports[i].size_bytes)
            add(builder, path ? path : "#data[]", COOK_TOKEN_DATA,
                cooked->exports[i].size_bytes, i);
    }
    if (builder->at < cooked->bulk_offset)
        add(builder, "#bulk.Padding", COOK_TOKEN_PADDING, cooked->bulk_offset - builder->at, 0);
    if (builder->at < cooked->size)
        add(builder, "#bulk.Data", COOK_TOKEN_DATA, cooked->size - builder->at, 0);
}

enum cook_status diff_file_tokens(struct cook_token_map *map, const uint8_t *bytes, size_t size,
                                  struct cook_error *error)
{
    struct builder builder = { .map = map };
    enum cook_status status =
        cook_cooked_parse_any_order(&builder.cooked, bytes, size, &builder.arena, error);
    if (status == COOK_OK) {
        add_header(&builder);
        add_tables(&builder);
        add_data(&builder);
        if (map->failed)
            status = cook_error_no_memory(error);
    }
    cook_arena_finish(&builder.arena);
    return status;
}
