/*
 * JSON input: a read-only tree over untrusted text, with the line of every value. Strict RFC 8259:
 * anything else is COOK_E_MALFORMED with "line: reason" detail. Tokenised by jsmn (json.c alone
 * sees it), then validated. Documents that Cookproof writes go through cJSON instead.
 * Limits: nesting 128, 64 MiB of text, 8 M values.
 */
#ifndef COOK_BASE_JSON_H
#define COOK_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

enum cook_json_type {
    COOK_JSON_UNKNOWN = 0,
    COOK_JSON_NULL,
    COOK_JSON_FALSE,
    COOK_JSON_TRUE,
    COOK_JSON_NUMBER,
    COOK_JSON_STRING,
    COOK_JSON_ARRAY,
    COOK_JSON_OBJECT,
};

struct cook_json {
    enum cook_json_type type;
    uint32_t line;                /* 1-based line where the value starts */
    const char *text;             /* string: unescaped, NUL-terminated; number: its literal text */
    size_t length;                /* of text; a string may hold no NUL (rejected) */
    const char *key;              /* member name, or NULL outside objects */
    size_t count;                 /* children of an array or object */
    const struct cook_json *child; /* first child, or NULL */
    const struct cook_json *next;  /* next sibling, or NULL */
};

/*
 * Parse `size` bytes of `text` into `arena`; `*line` (may be NULL) gets the line of the fault.
 * Duplicate keys are a fault. The tree borrows nothing from `text`.
 */
enum cook_status cook_json_parse(const struct cook_json **root, uint32_t *line, const char *text,
                                 size_t size, struct cook_arena *arena,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* The member `key` of an object, or NULL (also when `object` is NULL or no object). */
const struct cook_json *cook_json_get(const struct cook_json *object, const char *key);
const struct cook_json *cook_json_at(const struct cook_json *array, size_t index); /* or NULL */
/* Typed reads; false (output untouched) when the value is NULL, of another type or out of range. */
bool cook_json_string(const struct cook_json *value, const char **text);
bool cook_json_bool(const struct cook_json *value, bool *out);
bool cook_json_i64(const struct cook_json *value, int64_t *out); /* exact integers only */
bool cook_json_u64(const struct cook_json *value, uint64_t *out);
bool cook_json_f64(const struct cook_json *value, double *out); /* locale-independent, finite */

#endif
