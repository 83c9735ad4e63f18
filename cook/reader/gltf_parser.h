/*
 * What the parts of the glTF parser share: typed reads of JSON members with sticky errors.
 * After the first fault all of them give defaults and do nothing, so that a part reads straight
 * through and the caller checks `status` once. Private to cook/reader.
 */
#ifndef COOK_READER_GLTF_PARSER_H
#define COOK_READER_GLTF_PARSER_H

#include "cook/base/json.h"
#include "cook/reader/gltf.h"

struct cook_gltf_parser {
    struct cook_gltf *doc;
    struct cook_arena *arena;
    struct cook_error *error; /* may be NULL */
    enum cook_status status;
    uint32_t line;
    const char *subject; /* "accessor": what messages name; NULL for the document itself */
    size_t subject_index;
};

/* Record a fault at the line of `at` (may be NULL): "accessor 3: reason". The first one stays.
 */
void cook_gltf_fail(struct cook_gltf_parser *parser, enum cook_status status,
                    const struct cook_json *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Zeroed memory, or NULL with the status set; a `count` of 0 gives NULL without a fault. */
void *cook_gltf_alloc(struct cook_gltf_parser *parser, size_t count, size_t size);

/*
 * The first item of the array `key` of `object`, and how many there are; NULL and 0 when it is
 * absent. A fault when it is no array, holds other things than `type`, or more than `limit`.
 */
const struct cook_json *cook_gltf_list(struct cook_gltf_parser *parser, uint32_t *count,
                                       const struct cook_json *object, const char *key,
                                       enum cook_json_type type, uint32_t limit);

/* An index below `limit`, or NONE when the member is absent. */
uint32_t cook_gltf_index(struct cook_gltf_parser *parser, const struct cook_json *object,
                         const char *key, uint32_t limit);
/* An array of indices below `limit`. */
uint32_t *cook_gltf_indices(struct cook_gltf_parser *parser, uint32_t *count,
                            const struct cook_json *object, const char *key, uint32_t limit);
/* A whole number from `low` to `high`, or `fallback` when absent. */
uint64_t cook_gltf_number(struct cook_gltf_parser *parser, const struct cook_json *object,
                          const char *key, uint64_t low, uint64_t high, uint64_t fallback);
/* The same, but the member must be there. */
uint64_t cook_gltf_required(struct cook_gltf_parser *parser, const struct cook_json *object,
                            const char *key, uint64_t low, uint64_t high);
/* `count` numbers that fit a float; true when the member is there, else `out` is left alone. */
bool cook_gltf_floats(struct cook_gltf_parser *parser, float *out, uint32_t count,
                      const struct cook_json *object, const char *key);
void cook_gltf_float(struct cook_gltf_parser *parser, float *out,
                     const struct cook_json *object, const char *key);
bool cook_gltf_bool(struct cook_gltf_parser *parser, const struct cook_json *object,
                    const char *key, bool fallback);
/* Text, or NULL when absent. */
const char *cook_gltf_string(struct cook_gltf_parser *parser, const struct cook_json *object,
                             const char *key);

/* The parts, in the order in which they run: each may index what came before. */
void cook_gltf_parse_buffers(struct cook_gltf_parser *parser, const struct cook_json *root);
void cook_gltf_parse_accessors(struct cook_gltf_parser *parser, const struct cook_json *root);
void cook_gltf_parse_materials(struct cook_gltf_parser *parser, const struct cook_json *root);
void cook_gltf_parse_meshes(struct cook_gltf_parser *parser, const struct cook_json *root);
void cook_gltf_parse_nodes(struct cook_gltf_parser *parser, const struct cook_json *root);
void cook_gltf_parse_scenes(struct cook_gltf_parser *parser, const struct cook_json *root);
void cook_gltf_name_objects(struct cook_gltf_parser *parser);

#endif
