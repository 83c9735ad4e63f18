/*
 * JSON input: whatever parses must be a consistent tree, and whatever does not must name a
 * line.
 */
#include "cook/base/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void read_as_every_type(const struct cook_json *value)
{
    const char *text;
    bool flag;
    int64_t i;
    uint64_t u;
    double d;
    require(cook_json_string(value, &text) == (value->type == COOK_JSON_STRING));
    require(cook_json_bool(value, &flag) ==
            (value->type == COOK_JSON_TRUE || value->type == COOK_JSON_FALSE));
    if (cook_json_i64(value, &i) && i >= 0)
        require(cook_json_u64(value, &u) && u == (uint64_t)i);
    if (cook_json_f64(value, &d))
        require(value->type == COOK_JSON_NUMBER);
}

/* Recursion is bounded by the parser's own limit. */
static void walk(const struct cook_json *value, unsigned depth)
{
    size_t count = 0;
    require(depth <= 128 && value->line > 0);
    read_as_every_type(value);
    if (value->type == COOK_JSON_STRING || value->type == COOK_JSON_NUMBER)
        require(strlen(value->text) == value->length);
    for (const struct cook_json *child = value->child; child; child = child->next) {
        require(child->line >= value->line);
        require((child->key != NULL) == (value->type == COOK_JSON_OBJECT));
        if (child->key)
            require(cook_json_get(value, child->key) == child);
        else
            require(cook_json_at(value, count) == child);
        walk(child, depth + 1);
        count++;
    }
    require(count == value->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_error error = COOK_ERROR_INIT;
    const struct cook_json *root;
    uint32_t line;
    enum cook_status status =
        cook_json_parse(&root, &line, (const char *)data, size, &arena, &error);
    require((status == COOK_OK) == (root != NULL));
    require((status == COOK_OK) == (line == 0));
    require(status == error.status);
    if (root)
        walk(root, 0);
    cook_arena_finish(&arena);
    return 0;
}
