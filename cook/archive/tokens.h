/*
 * Token maps: the sequence of writes that made a cooked package, kept beside its bytes so that a
 * kept version can be aligned with a new one by meaning instead of by offset.
 *
 * A token is one write: a property path, a type and a size. Tokens cover the package without gaps,
 * in order; a token's offset is the sum of the sizes before it. A path is stored once, normalised:
 * "Rock:Lods[].Indices", each "[]" standing for an array index or a map key, whose values stand with
 * the token. Paths of the package's own tables begin with '#': "#header.Version", "#names[]",
 * "#imports[].Path", "#exports[].Offset".
 *
 * Encoded: dictionary of paths and map keys, tokens as varints (path as delta to the previous,
 * indices as delta to the last token of the same path), all zstd-compressed. Typically 1 to 3 % of
 * the package.
 */
#ifndef COOK_ARCHIVE_TOKENS_H
#define COOK_ARCHIVE_TOKENS_H

#include "cook/base/buf.h"
#include "cook/base/error.h"
#include "cook/base/intern.h"

/* How a token's bytes are to be read. Frozen values: they stand in stored maps. */
enum cook_token_type {
    COOK_TOKEN_UNKNOWN = 0,
    COOK_TOKEN_BOOL = 1,
    COOK_TOKEN_I8 = 2,
    COOK_TOKEN_I16 = 3,
    COOK_TOKEN_I32 = 4,
    COOK_TOKEN_I64 = 5,
    COOK_TOKEN_U8 = 6,
    COOK_TOKEN_U16 = 7,
    COOK_TOKEN_U32 = 8,
    COOK_TOKEN_U64 = 9,
    COOK_TOKEN_F32 = 10,
    COOK_TOKEN_F64 = 11,
    COOK_TOKEN_STRING = 12,   /* u32 size + UTF-8 bytes */
    COOK_TOKEN_NAME = 13,     /* u32 index into the name table; UINT32_MAX: none */
    COOK_TOKEN_ENUM = 14,     /* i32 */
    COOK_TOKEN_REF = 15,      /* i32: 0 null, >0 export index + 1, <0 -(import index + 1) */
    COOK_TOKEN_SOFT_REF = 16, /* u32 index into the soft reference table; UINT32_MAX: null */
    COOK_TOKEN_BYTES = 17,    /* u32 size + bytes */
    COOK_TOKEN_COUNT = 18,    /* u32 count of the elements that follow */
    COOK_TOKEN_DATA = 19,     /* raw bytes (cook_write_data, a bulk payload) */
    COOK_TOKEN_OFFSET = 20,   /* u64: a position or size inside the package: follows from others */
    COOK_TOKEN_PADDING = 21,  /* zero bytes */
    COOK_TOKEN_TYPE_COUNT
};

/* The bytes that every token of a type has; 0 where they vary. */
uint32_t cook_token_type_size(enum cook_token_type type);

struct cook_token {
    uint32_t path;        /* id in paths */
    uint32_t size;        /* bytes */
    uint32_t first_index; /* into indices: as many values as the path has "[]" */
};

struct cook_token_map {
    struct cook_intern paths;
    uint8_t *types;       /* by path id: enum cook_token_type */
    uint8_t *depths;      /* by path id: number of "[]" */
    size_t path_capacity; /* of types and depths */
    size_t depth_capacity;
    struct cook_intern keys; /* map keys */
    struct cook_token *tokens;
    size_t count;
    size_t capacity;
    uint32_t *indices; /* an index, or COOK_TOKEN_KEY_FLAG | id in keys */
    size_t index_count;
    size_t index_capacity;
    bool failed; /* an allocation failed: the map is incomplete */
};
#define COOK_TOKEN_KEY_FLAG 0x80000000u

void cook_token_map_init(struct cook_token_map *map);
void cook_token_map_finish(struct cook_token_map *map);

/* The id of a normalised path with its type; the depth is counted from the text. */
uint32_t cook_token_map_path(struct cook_token_map *map, const char *path,
                             enum cook_token_type type);
/* Append a token; `indices` holds as many values as the path's depth. */
void cook_token_map_add(struct cook_token_map *map, uint32_t path, size_t size,
                        const uint32_t *indices);

void cook_token_map_encode(const struct cook_token_map *map, struct cook_buf *out);
/* Decode untrusted bytes into an initialised map. At most 1 << 26 tokens, 1 GiB unpacked. */
enum cook_status cook_token_map_decode(struct cook_token_map *map, const void *bytes, size_t size,
                                       struct cook_error *error) COOK_CHECK_RESULT;

/* A token's path with its indices: "Rock:Lods[0].Indices", "Table:Rows["Sword"].Damage". */
char *cook_token_text(const struct cook_token_map *map, size_t token, struct cook_arena *arena);
/* The same for the first `length` bytes of the normalised path: the element or array around it. */
char *cook_token_text_prefix(const struct cook_token_map *map, size_t token, size_t length,
                             struct cook_arena *arena);

#endif
