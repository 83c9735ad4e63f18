#include "cook/reader/gltf_parser.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void cook_gltf_fail(struct cook_gltf_parser *parser, enum cook_status status,
                    const struct cook_json *at, const char *format, ...)
{
    if (parser->status != COOK_OK) {
        return;
    }
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    parser->line = at != NULL ? at->line : 0;
    if (parser->subject != NULL) {
        parser->status = cook_error_set(parser->error, status, "%s %zu: %s", parser->subject,
                                        parser->subject_index, reason);
    } else {
        parser->status = cook_error_set(parser->error, status, "%s", reason);
    }
}

void *cook_gltf_alloc(struct cook_gltf_parser *parser, size_t count, size_t size)
{
    size_t bytes;
    if (count == 0 || parser->status != COOK_OK) {
        return NULL;
    }
    void *memory = __builtin_mul_overflow(count, size, &bytes)
                       ? NULL
                       : cook_arena_alloc(parser->arena, bytes);
    if (memory == NULL) {
        cook_gltf_fail(parser, COOK_E_NO_MEMORY, NULL, "out of memory");
    }
    return memory;
}

static const char *type_text(enum cook_json_type type)
{
    switch (type) {
    case COOK_JSON_NUMBER:
        return "numbers";
    case COOK_JSON_STRING:
        return "strings";
    case COOK_JSON_OBJECT:
        return "objects";
    case COOK_JSON_UNKNOWN:
    case COOK_JSON_NULL:
    case COOK_JSON_FALSE:
    case COOK_JSON_TRUE:
    case COOK_JSON_ARRAY:
        break;
    }
    return "values";
}

const struct cook_json *cook_gltf_list(struct cook_gltf_parser *parser, uint32_t *count,
                                       const struct cook_json *object, const char *key,
                                       enum cook_json_type type, uint32_t limit)
{
    *count = 0;
    const struct cook_json *list = cook_json_get(object, key);
    if (list == NULL || parser->status != COOK_OK) {
        return NULL;
    }
    if (list->type != COOK_JSON_ARRAY) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, list, "'%s' is not an array", key);
        return NULL;
    }
    if (list->count > limit) {
        cook_gltf_fail(parser, COOK_E_LIMIT, list, "'%s' has %zu items, at most %" PRIu32, key,
                       list->count, limit);
        return NULL;
    }
    for (const struct cook_json *item = list->child; item != NULL; item = item->next) {
        if (item->type != type) {
            cook_gltf_fail(parser, COOK_E_MALFORMED, item, "'%s' holds other things than %s",
                           key, type_text(type));
            return NULL;
        }
    }
    *count = (uint32_t)list->count;
    return list->child;
}

static uint64_t read_number(struct cook_gltf_parser *parser, const struct cook_json *value,
                            const char *key, uint64_t low, uint64_t high)
{
    uint64_t number = low;
    if (parser->status != COOK_OK) {
        return low;
    }
    if (!cook_json_u64(value, &number)) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, value, "'%s' is not a whole number", key);
        return low;
    }
    if (number < low || number > high) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, value,
                       "'%s' is %" PRIu64 ", not between %" PRIu64 " and %" PRIu64, key, number,
                       low, high);
        return low;
    }
    return number;
}

static uint32_t read_index(struct cook_gltf_parser *parser, const struct cook_json *value,
                           const char *key, uint32_t limit)
{
    uint64_t index = read_number(parser, value, key, 0, UINT64_MAX);
    if (parser->status == COOK_OK && index >= limit) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, value,
                       "'%s' is %" PRIu64 ", but there are only %" PRIu32, key, index, limit);
    }
    return parser->status == COOK_OK ? (uint32_t)index : COOK_GLTF_NONE;
}

uint32_t cook_gltf_index(struct cook_gltf_parser *parser, const struct cook_json *object,
                         const char *key, uint32_t limit)
{
    const struct cook_json *value = cook_json_get(object, key);
    return value != NULL ? read_index(parser, value, key, limit) : COOK_GLTF_NONE;
}

uint32_t *cook_gltf_indices(struct cook_gltf_parser *parser, uint32_t *count,
                            const struct cook_json *object, const char *key, uint32_t limit)
{
    const struct cook_json *item =
        cook_gltf_list(parser, count, object, key, COOK_JSON_NUMBER, COOK_GLTF_MAX_ITEMS);
    uint32_t *out = cook_gltf_alloc(parser, *count, sizeof(*out));
    if (out == NULL) {
        *count = 0;
        return NULL;
    }
    for (uint32_t i = 0; item != NULL; item = item->next, i++) {
        out[i] = read_index(parser, item, key, limit);
    }
    return out;
}

uint64_t cook_gltf_number(struct cook_gltf_parser *parser, const struct cook_json *object,
                          const char *key, uint64_t low, uint64_t high, uint64_t fallback)
{
    const struct cook_json *value = cook_json_get(object, key);
    return value != NULL ? read_number(parser, value, key, low, high) : fallback;
}

uint64_t cook_gltf_required(struct cook_gltf_parser *parser, const struct cook_json *object,
                            const char *key, uint64_t low, uint64_t high)
{
    if (cook_json_get(object, key) == NULL) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, object, "'%s' is missing", key);
    }
    return cook_gltf_number(parser, object, key, low, high, low);
}

static void read_float(struct cook_gltf_parser *parser, float *out,
                       const struct cook_json *value, const char *key)
{
    double number;
    if (!cook_json_f64(value, &number) || fabs(number) > (double)FLT_MAX) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, value,
                       "'%s' is not a number that fits a float", key);
    } else {
        *out = (float)number;
    }
}

bool cook_gltf_floats(struct cook_gltf_parser *parser, float *out, uint32_t count,
                      const struct cook_json *object, const char *key)
{
    uint32_t found;
    const struct cook_json *list = cook_json_get(object, key);
    const struct cook_json *item =
        cook_gltf_list(parser, &found, object, key, COOK_JSON_NUMBER, COOK_GLTF_MAX_ITEMS);
    if (list == NULL || parser->status != COOK_OK) {
        return false;
    }
    if (found != count) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, list,
                       "'%s' has %" PRIu32 " numbers, not %" PRIu32, key, found, count);
        return false;
    }
    for (uint32_t i = 0; item != NULL; item = item->next, i++) {
        read_float(parser, &out[i], item, key);
    }
    return parser->status == COOK_OK;
}

void cook_gltf_float(struct cook_gltf_parser *parser, float *out,
                     const struct cook_json *object, const char *key)
{
    const struct cook_json *value = cook_json_get(object, key);
    if (value != NULL && parser->status == COOK_OK) {
        read_float(parser, out, value, key);
    }
}

bool cook_gltf_bool(struct cook_gltf_parser *parser, const struct cook_json *object,
                    const char *key, bool fallback)
{
    bool out = fallback;
    const struct cook_json *value = cook_json_get(object, key);
    if (value != NULL && !cook_json_bool(value, &out)) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, value, "'%s' is neither true nor false", key);
    }
    return out;
}

const char *cook_gltf_string(struct cook_gltf_parser *parser, const struct cook_json *object,
                             const char *key)
{
    const char *text = NULL;
    const struct cook_json *value = cook_json_get(object, key);
    if (value != NULL && !cook_json_string(value, &text)) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, value, "'%s' is not a string", key);
    }
    return text;
}
