#include "cook/archive/token_codec.h"

#include <string.h>

#define VARINT32_MAX_BYTES 5 /* also holds the 34 bits of a path code */

/* What the next token of each path is predicted from; the same on both sides. */
struct prediction {
    uint32_t *sizes;   /* by path */
    size_t *firsts;    /* by path: into values */
    uint32_t *indices; /* the index values last seen, path after path */
};

static void prediction_finish(struct prediction *p)
{
    cook_free(p->sizes);
    cook_free(p->firsts);
    cook_free(p->indices);
}

/* The caller finishes it, also after a failure. */
static bool prediction_init(struct prediction *p, const struct cook_token_map *map)
{
    size_t count = map->paths.count;
    size_t depth_sum = 0;
    for (size_t i = 0; i < count; i++)
        depth_sum += map->depths[i];
    *p = (struct prediction){
        .sizes = cook_calloc(count, sizeof(*p->sizes)),
        .firsts = cook_calloc(count, sizeof(*p->firsts)),
        .indices = cook_calloc(depth_sum, sizeof(*p->indices)),
    };
    if (!p->sizes || !p->firsts || !p->indices)
        return false;
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        p->sizes[i] = cook_token_type_size((enum cook_token_type)map->types[i]);
        p->firsts[i] = first;
        first += map->depths[i];
    }
    return true;
}

static size_t shared_prefix(const char *a, const char *b)
{
    size_t length = 0;
    while (a[length] && a[length] == b[length])
        length++;
    return length;
}

static void pack_texts(const struct cook_token_map *map, struct cook_buf *out)
{
    cook_buf_put_varint(out, map->paths.count);
    const char *before = "";
    for (uint32_t i = 0; i < map->paths.count; i++) {
        const char *text = cook_intern_text(&map->paths, i);
        size_t shared = shared_prefix(before, text);
        cook_buf_put_varint(out, shared);
        cook_buf_put_bytes(out, text + shared, map->paths.lengths[i] - shared);
        cook_buf_put_u8(out, map->types[i]);
        before = text;
    }
    cook_buf_put_varint(out, map->keys.count);
    for (uint32_t i = 0; i < map->keys.count; i++)
        cook_buf_put_bytes(out, cook_intern_text(&map->keys, i), map->keys.lengths[i]);
}

/* Unchecked, into space set aside for the longest form: this is the hot part of encoding. */
static uint8_t *put_varint(uint8_t *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

static uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

struct columns {
    uint8_t *memory; /* owned */
    uint8_t *starts[3];
    uint8_t *ends[3];
};
enum { COLUMN_PATHS, COLUMN_SIZES, COLUMN_INDICES, COLUMN_COUNT };

static bool columns_init(struct columns *c, const struct cook_token_map *map)
{
    size_t each = map->count * VARINT32_MAX_BYTES;
    /* Tokens split from one payload share their indices, hence not simply index_count. */
    size_t values = 0;
    for (size_t i = 0; i < map->count; i++)
        values += map->depths[map->tokens[i].path];
    *c = (struct columns){ .memory = cook_malloc(2 * each + values * VARINT32_MAX_BYTES) };
    if (!c->memory)
        return false;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        c->starts[i] = c->ends[i] = c->memory + i * each;
    return true;
}

static void fill_columns(struct columns *c, const struct cook_token_map *map,
                         struct prediction *p)
{
    uint8_t *paths = c->starts[COLUMN_PATHS];
    uint8_t *sizes = c->starts[COLUMN_SIZES];
    uint8_t *indices = c->starts[COLUMN_INDICES];
    uint32_t previous = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct cook_token *t = &map->tokens[i];
        bool other_size = p->sizes[t->path] != t->size;
        paths = put_varint(paths, zigzag((int64_t)t->path - previous) << 1 | other_size);
        previous = t->path;
        if (other_size)
            sizes = put_varint(sizes, p->sizes[t->path] = t->size);
        uint32_t *last = p->indices + p->firsts[t->path];
        for (size_t k = 0; k < map->depths[t->path]; k++) {
            uint32_t value = map->indices[t->first_index + k];
            indices = put_varint(indices, zigzag((int32_t)(value - last[k])));
            last[k] = value;
        }
    }
    c->ends[COLUMN_PATHS] = paths;
    c->ends[COLUMN_SIZES] = sizes;
    c->ends[COLUMN_INDICES] = indices;
}

void cook_token_codec_pack(const struct cook_token_map *map, struct cook_buf *out)
{
    struct prediction prediction;
    struct columns columns = { .memory = NULL };
    if (!prediction_init(&prediction, map) || !columns_init(&columns, map)) {
        out->failed = true;
    } else {
        pack_texts(map, out);
        cook_buf_put_varint(out, map->count);
        fill_columns(&columns, map, &prediction);
        for (size_t i = 0; i < COLUMN_COUNT; i++)
            cook_buf_put_bytes(out, columns.starts[i],
                               (size_t)(columns.ends[i] - columns.starts[i]));
    }
    cook_free(columns.memory);
    prediction_finish(&prediction);
}

static enum cook_status malformed(struct cook_error *error, const char *reason)
{
    return cook_error_set(error, COOK_E_MALFORMED, "token map: %s", reason);
}

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "token map: out of memory");
}

/* A path as text so far, kept from one to the next for the shared start. */
static enum cook_status unpack_path(struct cook_token_map *map, struct cook_reader_buf *in,
                                    struct cook_buf *text, struct cook_error *error)
{
    size_t shared = cook_read_varint(in);
    size_t size;
    const uint8_t *rest = cook_read_bytes(in, &size);
    uint8_t type = cook_read_u8(in);
    if (in->failed || shared > text->size || type >= COOK_TOKEN_TYPE_COUNT ||
        memchr(rest, 0, size))
        return malformed(error, "bad path");
    text->size = shared;
    cook_buf_put(text, rest, size);
    uint32_t expected = (uint32_t)map->paths.count;
    const char *path = cook_buf_text(text);
    if (text->failed)
        return no_memory(error);
    if (cook_intern_find(&map->paths, path) != COOK_INTERN_NONE)
        return malformed(error, "a path stands twice");
    if (cook_token_codec_depth(path) > COOK_TOKEN_DEPTH_LIMIT)
        return malformed(error, "a path is too deep");
    uint32_t id = cook_token_map_path(map, path, (enum cook_token_type)type);
    return id == expected ? COOK_OK : no_memory(error);
}

/*
 * Shared starts let few bytes stand for long texts, so what all paths unpack to is bounded too:
 * real maps stay far below, and a hostile one cannot ask for the square of its size.
 */
#define PATH_TEXT_LIMIT_BYTES ((size_t)1 << 28)

static enum cook_status unpack_paths(struct cook_token_map *map, struct cook_reader_buf *in,
                                     struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    struct cook_buf text = COOK_BUF_INIT;
    size_t total = 0;
    size_t count = cook_read_count(in, 3);
    for (size_t i = 0; i < count && status == COOK_OK; i++) {
        status = unpack_path(map, in, &text, error);
        total += text.size;
        if (status == COOK_OK && total > PATH_TEXT_LIMIT_BYTES)
            status = cook_error_set(error, COOK_E_LIMIT, "token map: too much text in paths");
    }
    cook_buf_finish(&text);
    return status == COOK_OK && in->failed ? malformed(error, "bad path count") : status;
}

static enum cook_status unpack_keys(struct cook_token_map *map, struct cook_reader_buf *in,
                                    struct cook_error *error)
{
    size_t count = cook_read_count(in, 1);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const uint8_t *key = cook_read_bytes(in, &size);
        if (!key)
            break;
        uint32_t id = cook_intern_add_n(&map->keys, (const char *)key, size);
        if (id == COOK_INTERN_NONE)
            return no_memory(error);
        if (id != i)
            return malformed(error, "a key stands twice");
    }
    return in->failed ? malformed(error, "bad keys") : COOK_OK;
}

static uint64_t read_varint(struct cook_reader_buf *in)
{
    if (!in->failed && in->offset < in->size && in->data[in->offset] < 0x80)
        return in->data[in->offset++];
    return cook_read_varint(in);
}

static bool unpack_indices(struct cook_token_map *map, struct cook_reader_buf *in,
                           uint32_t *last, size_t depth)
{
    for (size_t k = 0; k < depth; k++) {
        uint64_t code = read_varint(in);
        uint32_t value = last[k] + (uint32_t)unzigzag(code);
        bool key = value & COOK_TOKEN_KEY_FLAG;
        if (code > UINT32_MAX || (key && (value & ~COOK_TOKEN_KEY_FLAG) >= map->keys.count))
            return false;
        map->indices[map->index_count++] = last[k] = value;
    }
    return !in->failed;
}

static bool unpack_token(struct cook_token_map *map, struct cook_reader_buf in[COLUMN_COUNT],
                         struct prediction *p, uint32_t previous)
{
    uint64_t code = read_varint(&in[COLUMN_PATHS]);
    uint64_t path = (uint64_t)previous + (uint64_t)unzigzag(code >> 1);
    if (in[COLUMN_PATHS].failed || path >= map->paths.count)
        return false;
    if (code & 1) {
        uint64_t size = read_varint(&in[COLUMN_SIZES]);
        if (size > UINT32_MAX || in[COLUMN_SIZES].failed)
            return false;
        p->sizes[path] = (uint32_t)size;
    }
    size_t depth = map->depths[path];
    /* Each index takes a byte at least, so a depth beyond what is left cannot be right. */
    if (depth > in[COLUMN_INDICES].size - in[COLUMN_INDICES].offset)
        return false;
    map->tokens[map->count++] =
        (struct cook_token){ .path = (uint32_t)path,
                             .size = p->sizes[path],
                             .first_index = (uint32_t)map->index_count };
    return unpack_indices(map, &in[COLUMN_INDICES], p->indices + p->firsts[path], depth);
}

static bool unpack_columns(struct cook_token_map *map,
                           struct cook_reader_buf columns[COLUMN_COUNT], size_t count)
{
    struct prediction prediction;
    bool good = prediction_init(&prediction, map) &&
                cook_grow(&map->tokens, &map->capacity, count, sizeof(*map->tokens)) &&
                cook_grow(&map->indices, &map->index_capacity, columns[COLUMN_INDICES].size,
                          sizeof(*map->indices));
    map->failed = !good;
    for (size_t i = 0; i < count && good; i++)
        good = unpack_token(map, columns, &prediction, i ? map->tokens[i - 1].path : 0);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        good = good && cook_read_at_end(&columns[i]);
    prediction_finish(&prediction);
    return good;
}

static enum cook_status unpack_tokens(struct cook_token_map *map, struct cook_reader_buf *in,
                                      struct cook_error *error)
{
    size_t count = cook_read_count(in, 1);
    struct cook_reader_buf columns[COLUMN_COUNT];
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        size_t size;
        const uint8_t *bytes = cook_read_bytes(in, &size);
        columns[i] = cook_read_init(bytes, size);
    }
    if (!cook_read_at_end(in))
        return malformed(error, "bad columns");
    if (count > COOK_TOKEN_LIMIT || columns[COLUMN_INDICES].size > UINT32_MAX)
        return cook_error_set(error, COOK_E_LIMIT, "token map: %zu tokens", count);
    if (unpack_columns(map, columns, count))
        return COOK_OK;
    return map->failed ? no_memory(error) : malformed(error, "bad tokens");
}

enum cook_status cook_token_codec_unpack(struct cook_token_map *map, const void *bytes,
                                         size_t size, struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    enum cook_status status = unpack_paths(map, &in, error);
    if (status == COOK_OK)
        status = unpack_keys(map, &in, error);
    if (status == COOK_OK)
        status = unpack_tokens(map, &in, error);
    return status;
}
