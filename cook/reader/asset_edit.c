#include "cook/reader/asset_edit.h"

#include <string.h>

#include "cook/base/json.h"

/* The text was parsed before, so that what follows only has to find its way. */
struct cursor {
    const char *text;
    size_t size, at;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->size && memchr(" \t\r\n", c->text[c->at], 4))
        c->at++;
}

static void skip_string(struct cursor *c)
{
    for (c->at++; c->at < c->size && c->text[c->at] != '"'; c->at++)
        if (c->text[c->at] == '\\')
            c->at++;
    c->at++;
}

static void skip_value(struct cursor *c)
{
    int depth = 0;
    for (; c->at < c->size; c->at++) {
        char at = c->text[c->at];
        if (at == '"') {
            skip_string(c);
            c->at--;
        } else if (at == '{' || at == '[') {
            depth++;
        } else if (at == '}' || at == ']') {
            if (depth == 0)
                return;
            depth--;
        } else if (depth == 0 && memchr(", \t\r\n", at, 5)) {
            return;
        }
        if (depth == 0 && (at == '"' || at == '}' || at == ']')) {
            c->at++;
            return;
        }
    }
}

/* Where things are in the top object. */
struct places {
    size_t key, value, value_end; /* of the member; value_end 0 when there is none */
    size_t before;                /* end of the member before it, or of the brace */
    size_t after;                 /* begin of the member after it; 0 when it is the last */
    size_t last;                  /* end of the last member, or of the brace */
    bool empty;
};

static struct places find(struct cursor *c, const char *member)
{
    struct places places = { .empty = true };
    size_t length = strlen(member);
    skip_blanks(c);
    places.last = ++c->at;
    for (skip_blanks(c); c->at < c->size && c->text[c->at] != '}'; skip_blanks(c)) {
        size_t key = c->at;
        skip_string(c);
        bool ours = c->at - key == length + 2 && memcmp(c->text + key + 1, member, length) == 0;
        if (places.value_end && !places.after)
            places.after = key;
        skip_blanks(c);
        c->at++; /* ':' */
        skip_blanks(c);
        if (ours) {
            places.key = key;
            places.before = places.last;
            places.value = c->at;
        }
        skip_value(c);
        if (ours)
            places.value_end = c->at;
        places.last = c->at;
        places.empty = false;
        skip_blanks(c);
        if (c->at < c->size && c->text[c->at] == ',')
            c->at++;
    }
    return places;
}

enum cook_status cook_asset_set_member(struct cook_buf *out, const char *text, size_t size,
                                       const char *member, const char *value,
                                       struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const struct cook_json *root;
    enum cook_status status = cook_json_parse(&root, NULL, text, size, &arena, error);
    bool object = status == COOK_OK && root->type == COOK_JSON_OBJECT;
    cook_arena_finish(&arena);
    if (status != COOK_OK)
        return status;
    if (!object)
        return cook_error_set(error, COOK_E_MALFORMED, "1: it is no JSON object");
    struct cursor cursor = { text, size, 0 };
    struct places places = find(&cursor, member);
    if (places.value_end && *value) {
        cook_buf_put(out, text, places.value);
        cook_buf_printf(out, "%s", value);
        cook_buf_put(out, text + places.value_end, size - places.value_end);
    } else if (places.value_end && places.after) {
        cook_buf_put(out, text, places.key);
        cook_buf_put(out, text + places.after, size - places.after);
    } else if (places.value_end) {
        cook_buf_put(out, text, places.before);
        cook_buf_put(out, text + places.value_end, size - places.value_end);
    } else if (*value) {
        cook_buf_put(out, text, places.last);
        cook_buf_printf(out, "%s\n  \"%s\": %s", places.empty ? "" : ",", member, value);
        if (memchr(text + places.last, '\n', size - places.last) == NULL || text[places.last] == '}')
            cook_buf_put_u8(out, '\n');
        cook_buf_put(out, text + places.last, size - places.last);
    } else {
        cook_buf_put(out, text, size);
    }
    return out->failed ? cook_error_no_memory(error) : COOK_OK;
}
