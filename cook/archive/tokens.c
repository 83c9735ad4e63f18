#include "cook/archive/tokens.h"

#include <inttypes.h>
#include <string.h>

#include <zstd.h>

#include "cook/archive/token_codec.h"
#include "cook/archive/write_map.h"

#define FORMAT_VERSION       1
#define UNPACKED_LIMIT_BYTES ((uint64_t)1 << 30)
/* The columns are already small numbers: higher levels cost twice the time for a few percent.
 */
#define COMPRESSION_LEVEL 1

void cook_token_map_init(struct cook_token_map *map)
{
    *map = (struct cook_token_map){ .paths = COOK_INTERN_INIT, .keys = COOK_INTERN_INIT };
}

void cook_token_map_finish(struct cook_token_map *map)
{
    cook_intern_finish(&map->paths);
    cook_intern_finish(&map->keys);
    cook_free(map->types);
    cook_free(map->depths);
    cook_free(map->tokens);
    cook_free(map->indices);
    cook_token_map_init(map);
}

size_t cook_token_codec_depth(const char *path)
{
    size_t count = 0;
    for (const char *at = path; (at = strstr(at, "[]")) != NULL; at += 2)
        count++;
    return count;
}

static uint32_t add_path(struct cook_token_map *map, const char *path,
                         enum cook_token_type type)
{
    size_t depth = cook_token_codec_depth(path);
    size_t needed = map->paths.count + 1;
    uint32_t id = COOK_INTERN_NONE;
    if (depth <= COOK_TOKEN_DEPTH_LIMIT &&
        cook_grow(&map->types, &map->path_capacity, needed, sizeof(*map->types)) &&
        cook_grow(&map->depths, &map->depth_capacity, needed, sizeof(*map->depths)))
        id = cook_intern_add(&map->paths, path);
    if (id == COOK_INTERN_NONE) {
        map->failed = true;
        return COOK_INTERN_NONE;
    }
    map->types[id] = (uint8_t)type;
    map->depths[id] = (uint8_t)depth;
    return id;
}

uint32_t cook_token_type_size(enum cook_token_type type)
{
    static const uint8_t sizes[COOK_TOKEN_TYPE_COUNT] = {
        [COOK_TOKEN_BOOL] = 1,  [COOK_TOKEN_I8] = 1,     [COOK_TOKEN_I16] = 2,
        [COOK_TOKEN_I32] = 4,   [COOK_TOKEN_I64] = 8,    [COOK_TOKEN_U8] = 1,
        [COOK_TOKEN_U16] = 2,   [COOK_TOKEN_U32] = 4,    [COOK_TOKEN_U64] = 8,
        [COOK_TOKEN_F32] = 4,   [COOK_TOKEN_F64] = 8,    [COOK_TOKEN_NAME] = 4,
        [COOK_TOKEN_ENUM] = 4,  [COOK_TOKEN_REF] = 4,    [COOK_TOKEN_SOFT_REF] = 4,
        [COOK_TOKEN_COUNT] = 4, [COOK_TOKEN_OFFSET] = 8,
    };
    return sizes[type];
}

static const char *type_name(enum cook_token_type type)
{
    static const char *const names[COOK_TOKEN_TYPE_COUNT] = {
        [COOK_TOKEN_UNKNOWN] = "unknown", [COOK_TOKEN_BOOL] = "bool",
        [COOK_TOKEN_I8] = "i8",           [COOK_TOKEN_I16] = "i16",
        [COOK_TOKEN_I32] = "i32",         [COOK_TOKEN_I64] = "i64",
        [COOK_TOKEN_U8] = "u8",           [COOK_TOKEN_U16] = "u16",
        [COOK_TOKEN_U32] = "u32",         [COOK_TOKEN_U64] = "u64",
        [COOK_TOKEN_F32] = "f32",         [COOK_TOKEN_F64] = "f64",
        [COOK_TOKEN_STRING] = "string",   [COOK_TOKEN_NAME] = "name",
        [COOK_TOKEN_ENUM] = "enum",       [COOK_TOKEN_REF] = "ref",
        [COOK_TOKEN_SOFT_REF] = "soft",   [COOK_TOKEN_BYTES] = "bytes",
        [COOK_TOKEN_COUNT] = "count",     [COOK_TOKEN_DATA] = "data",
        [COOK_TOKEN_OFFSET] = "offset",   [COOK_TOKEN_PADDING] = "padding",
    };
    return names[type];
}

/*
 * Two writes may give one path two types, such as a map's key and its plain value. A path has
 * one type, so the later one is told apart by its text: "Table:Rows[] (string)".
 */
static uint32_t other_type(struct cook_token_map *map, const char *path,
                           enum cook_token_type type)
{
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "%s (%s)", path, type_name(type));
    uint32_t id = COOK_INTERN_NONE;
    if (text.failed)
        map->failed = true;
    else
        id = cook_intern_find(&map->paths, cook_buf_text(&text));
    if (!text.failed && id == COOK_INTERN_NONE)
        id = add_path(map, cook_buf_text(&text), type);
    cook_buf_finish(&text);
    return id;
}

uint32_t cook_token_map_path(struct cook_token_map *map, const char *path,
                             enum cook_token_type type)
{
    uint32_t id = cook_intern_find(&map->paths, path);
    if (id == COOK_INTERN_NONE)
        return add_path(map, path, type);
    return map->types[id] == type ? id : other_type(map, path, type);
}

static void add_token(struct cook_token_map *map, uint32_t path, uint32_t size,
                      size_t first_index)
{
    if (!cook_grow(&map->tokens, &map->capacity, map->count + 1, sizeof(*map->tokens))) {
        map->failed = true;
        return;
    }
    map->tokens[map->count++] =
        (struct cook_token){ .path = path, .size = size, .first_index = (uint32_t)first_index };
}

void cook_token_map_add(struct cook_token_map *map, uint32_t path, size_t size,
                        const uint32_t *indices)
{
    if (map->failed || path >= map->paths.count) {
        map->failed = true;
        return;
    }
    size_t depth = map->depths[path];
    size_t first = map->index_count;
    if (first + depth > UINT32_MAX ||
        !cook_grow(&map->indices, &map->index_capacity, first + depth, sizeof(*map->indices))) {
        map->failed = true;
        return;
    }
    for (size_t i = 0; i < depth; i++)
        map->indices[first + i] = indices[i];
    map->index_count += depth;
    /* A payload of 4 GiB or more becomes several tokens of one path. */
    for (; size > UINT32_MAX; size -= UINT32_MAX)
        add_token(map, path, UINT32_MAX, first);
    add_token(map, path, (uint32_t)size, first);
}

static void compress(struct cook_buf *out, const struct cook_buf *plain)
{
    size_t bound = ZSTD_compressBound(plain->size);
    size_t needed;
    if (out->failed || ZSTD_isError(bound) ||
        __builtin_add_overflow(out->size, bound, &needed) ||
        !cook_grow(&out->data, &out->capacity, needed, 1)) {
        out->failed = true;
        return;
    }
    size_t size = ZSTD_compress(out->data + out->size, bound, plain->data, plain->size,
                                COMPRESSION_LEVEL);
    if (ZSTD_isError(size))
        out->failed = true;
    else
        out->size += size;
}

void cook_token_map_encode(const struct cook_token_map *map, struct cook_buf *out)
{
    struct cook_buf plain = COOK_BUF_INIT;
    cook_token_codec_pack(map, &plain);
    cook_buf_put_u8(out, FORMAT_VERSION);
    if (map->failed || plain.failed)
        out->failed = true;
    else
        compress(out, &plain);
    cook_buf_finish(&plain);
}

/* The size that the frame claims is a limit for the decompressor, not trusted beyond that. */
static enum cook_status plain_size(size_t *out, const uint8_t *frame, size_t size,
                                   struct cook_error *error)
{
    *out = 0;
    unsigned long long claimed = ZSTD_getFrameContentSize(frame, size);
    if (claimed == ZSTD_CONTENTSIZE_ERROR || claimed == ZSTD_CONTENTSIZE_UNKNOWN)
        return cook_error_set(error, COOK_E_MALFORMED, "token map: no compressed frame");
    if (claimed > UNPACKED_LIMIT_BYTES)
        return cook_error_set(error, COOK_E_LIMIT, "token map: %llu bytes unpacked", claimed);
    *out = (size_t)claimed;
    return COOK_OK;
}

enum cook_status cook_token_map_decode(struct cook_token_map *map, const void *bytes,
                                       size_t size, struct cook_error *error)
{
    const uint8_t *data;
    if (!cook_write_map_tokens(&data, &size, bytes, size))
        return cook_error_set(error, COOK_E_MALFORMED, "token map: it ends early");
    if (size < 1 || data[0] != FORMAT_VERSION)
        return cook_error_set(error, COOK_E_MALFORMED, "token map: unknown version");
    size_t claimed;
    enum cook_status status = plain_size(&claimed, data + 1, size - 1, error);
    if (status != COOK_OK)
        return status;
    uint8_t *plain = cook_malloc(claimed);
    if (!plain)
        return cook_error_set(error, COOK_E_NO_MEMORY, "token map: %zu bytes", claimed);
    size_t unpacked = ZSTD_decompress(plain, claimed, data + 1, size - 1);
    if (ZSTD_isError(unpacked))
        status = cook_error_set(error, COOK_E_MALFORMED, "token map: %s",
                                ZSTD_getErrorName(unpacked));
    else
        status = cook_token_codec_unpack(map, plain, unpacked, error);
    cook_free(plain);
    return status;
}

static void put_key(struct cook_buf *text, const char *key, size_t length)
{
    cook_buf_put(text, "[\"", 2);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)key[i];
        if (c == '"' || c == '\\')
            cook_buf_printf(text, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            cook_buf_printf(text, "\\x%02x", c);
        else
            cook_buf_put(text, &c, 1);
    }
    cook_buf_put(text, "\"]", 2);
}

static void put_index(struct cook_buf *text, const struct cook_token_map *map, uint32_t value)
{
    uint32_t id = value & ~COOK_TOKEN_KEY_FLAG;
    if (value & COOK_TOKEN_KEY_FLAG)
        put_key(text, cook_intern_text(&map->keys, id), map->keys.lengths[id]);
    else
        cook_buf_printf(text, "[%" PRIu32 "]", value);
}

char *cook_token_text_prefix(const struct cook_token_map *map, size_t token, size_t length,
                             struct cook_arena *arena)
{
    const struct cook_token *t = &map->tokens[token];
    size_t index = t->first_index; /* of a map without indices nothing is read */
    const char *path = cook_intern_text(&map->paths, t->path);
    const char *end = path + length;
    struct cook_buf text = COOK_BUF_INIT;
    const char *bracket;
    while ((bracket = strstr(path, "[]")) != NULL && bracket + 2 <= end) {
        cook_buf_put(&text, path, (size_t)(bracket - path));
        put_index(&text, map, map->indices[index++]);
        path = bracket + 2;
    }
    cook_buf_put(&text, path, (size_t)(end - path));
    const char *whole = cook_buf_text(&text);
    char *result = text.failed ? NULL : cook_arena_strdup(arena, whole);
    cook_buf_finish(&text);
    return result;
}

char *cook_token_text(const struct cook_token_map *map, size_t token, struct cook_arena *arena)
{
    size_t length = map->paths.lengths[map->tokens[token].path];
    return cook_token_text_prefix(map, token, length, arena);
}
