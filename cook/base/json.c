/* Parsing. json_string.c decodes strings, json_read.c reads the values. */
#include "cook/base/json_private.h"

#include "cook/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#define TEXT_LIMIT_BYTES ((size_t)64 * 1024 * 1024)
#define VALUE_LIMIT      ((size_t)8 * 1000 * 1000)
#define DEPTH_LIMIT      128
#define PAIRWISE_KEYS    16 /* up to here comparing all pairs beats filling a table */

/*
 * jsmn only finds where tokens start and end, and is lenient about the rest. The builder below
 * walks the text itself, grammar rule by grammar rule, and takes a token where the grammar
 * wants a value; any disagreement between the two is a fault.
 */
struct builder {
    const char *text;
    size_t size;
    size_t at;         /* offset of the next byte to look at */
    uint32_t line;     /* of that byte, 1-based */
    jsmntok_t *tokens; /* owned */
    size_t token_count;
    size_t next_token;
    bool broken; /* jsmn gave up: these are only the tokens before the fault */
    struct cook_arena *arena;
    struct cook_error *error;
};

static enum cook_status fail(struct builder *b, enum cook_status status, const char *reason)
{
    return cook_error_set(b->error, status, "%" PRIu32 ": %s", b->line, reason);
}

static enum cook_status malformed(struct builder *b, const char *reason)
{
    return fail(b, COOK_E_MALFORMED, b->at < b->size ? reason : "unexpected end");
}

static enum cook_status no_memory(struct builder *b)
{
    return fail(b, COOK_E_NO_MEMORY, cook_status_text(COOK_E_NO_MEMORY));
}

/* What one pass over the structure tells before jsmn runs. */
struct outline {
    size_t depth;
    size_t opens;
    size_t commas;
    size_t colons;
    bool after_colon; /* no other bracket or comma since the last ':' */
};

/* Move to the closing quote of the string at `b->at`. */
static enum cook_status scan_string(struct builder *b)
{
    const char *text = b->text;
    size_t size = b->size, at = b->at + 1;
    for (;;) {
        at += at < size ? cook_json_plain_length(text + at, size - at) : 0;
        b->at = at;
        if (at >= size)
            return fail(b, COOK_E_MALFORMED, "string without an end");
        if (text[at] == '"')
            return COOK_OK;
        if ((unsigned char)text[at] < 0x20)
            return malformed(b, "control character in a string");
        at += text[at] == '\\' ? 2 : 1;
    }
}

/* jsmn takes a bracket or quote right behind a word for a part of the word. */
static bool may_start_value(const struct builder *b)
{
    int before = b->at ? b->text[b->at - 1] : ' ';
    return before == ' ' || before == '[' || strchr("\t\r\n,:{", before);
}

static enum cook_status scan_opening(struct builder *b, struct outline *outline)
{
    if (!may_start_value(b))
        return malformed(b, "expected ',' or ':'");
    if (b->text[b->at] == '"')
        return scan_string(b);
    outline->opens++;
    outline->after_colon = false;
    if (++outline->depth > DEPTH_LIMIT)
        return fail(b, COOK_E_LIMIT, "nested more than 128 levels deep");
    return COOK_OK;
}

static enum cook_status scan_byte(struct builder *b, struct outline *outline)
{
    switch (b->text[b->at]) {
    case '"':
    case '{':
    case '[':
        return scan_opening(b, outline);
    case '}':
    case ']':
        return outline->depth-- ? COOK_OK
                                : malformed(b, "closing bracket without an opening one");
    case ',':
        outline->commas++;
        outline->after_colon = false;
        return COOK_OK;
    case ':':
        if (outline->after_colon)
            return malformed(b, "expected ',' before another ':'");
        outline->colons++;
        outline->after_colon = true;
        return COOK_OK;
    case '\n':
        b->line++;
        return COOK_OK;
    case '\0':
        return malformed(b, "NUL byte");
    default:
        return COOK_OK;
    }
}

/*
 * Bound depth and token count. jsmn walks from the last token up to its container at each
 * closing bracket, which is quadratic in the depth and in the length of "a":"b":"c" chains:
 * both must be refused before it sees them.
 */
static enum cook_status scan_outline(struct builder *b, struct outline *outline)
{
    *outline = (struct outline){ 0 };
    for (b->at = 0, b->line = 1; b->at < b->size; b->at++) {
        enum cook_status status = scan_byte(b, outline);
        if (status != COOK_OK)
            return status;
    }
    return COOK_OK;
}

static enum cook_status tokenise(struct builder *b)
{
    struct outline outline;
    enum cook_status status = scan_outline(b, &outline);
    if (status != COOK_OK)
        return status;
    /* No well-formed text of this structure has more values, or more tokens. */
    size_t value_limit = outline.opens + outline.commas + 1;
    size_t token_limit = value_limit + outline.colons;
    if (value_limit > VALUE_LIMIT)
        return fail(b, COOK_E_LIMIT, "more than 8 million values");

    jsmn_parser parser;
    b->tokens = cook_realloc_array(NULL, token_limit, sizeof(*b->tokens));
    if (!b->tokens)
        return no_memory(b);
    jsmn_init(&parser);
    b->broken = jsmn_parse(&parser, b->text, b->size, b->tokens, (unsigned)token_limit) < 0;
    b->token_count = parser.toknext;
    b->at = 0;
    b->line = 1;
    return COOK_OK;
}

/* Skip white space and look at the next byte; NUL at the end (the text holds none itself). */
static int peek(struct builder *b)
{
    const char *text = b->text;
    size_t size = b->size, at = b->at;
    for (; at < size; at++) {
        char c = text[at];
        if (c == '\n')
            b->line++;
        else if (c != ' ' && c != '\t' && c != '\r')
            break;
    }
    b->at = at;
    return at < size ? text[at] : '\0';
}

/* The token of `type` that starts `at`, or NULL where jsmn saw something else. */
static const jsmntok_t *take_token(struct builder *b, jsmntype_t type, size_t at)
{
    if (b->next_token >= b->token_count)
        return NULL;
    const jsmntok_t *token = &b->tokens[b->next_token];
    if (token->type != type || (size_t)token->start != at)
        return NULL;
    b->next_token++;
    return token;
}

/* Decode the string at the current '"' into the arena; an escape is never shorter than its
 * text. */
static enum cook_status build_string(struct builder *b, const char **text, size_t *length)
{
    /* Escapes are all that jsmn checks in a string, so without a token one of them is wrong. */
    const jsmntok_t *token = take_token(b, JSMN_STRING, b->at + 1);
    if (!token)
        return malformed(b, "malformed escape in a string");
    size_t size = (size_t)(token->end - token->start);
    char *out = cook_arena_alloc(b->arena, size + 1);
    if (!out)
        return no_memory(b);

    const char *fault = cook_json_unescape(out, length, b->text + token->start, size);
    if (fault)
        return malformed(b, fault);
    *text = out;
    b->at = (size_t)token->end + 1;
    return COOK_OK;
}

/* Skip digits; false when there is none. */
static bool skip_digits(const char **s, const char *end)
{
    const char *start = *s;
    while (*s < end && cook_json_is_digit(**s))
        (*s)++;
    return *s > start;
}

static bool is_number(const char *s, const char *end)
{
    s += s < end && *s == '-';
    const char *first = s;
    if (!skip_digits(&s, end) || (*first == '0' && s - first > 1))
        return false;
    if (s < end && *s == '.') {
        s++;
        if (!skip_digits(&s, end))
            return false;
    }
    if (s < end && (*s == 'e' || *s == 'E')) {
        s++;
        s += s < end && (*s == '+' || *s == '-');
        if (!skip_digits(&s, end))
            return false;
    }
    return s == end;
}

static enum cook_json_type literal_type(const char *s, size_t size)
{
    if (size == 4 && memcmp(s, "null", 4) == 0)
        return COOK_JSON_NULL;
    if (size == 4 && memcmp(s, "true", 4) == 0)
        return COOK_JSON_TRUE;
    if (size == 5 && memcmp(s, "false", 5) == 0)
        return COOK_JSON_FALSE;
    return is_number(s, s + size) ? COOK_JSON_NUMBER : COOK_JSON_UNKNOWN;
}

static enum cook_status build_primitive(struct builder *b, struct cook_json *node)
{
    const jsmntok_t *token = take_token(b, JSMN_PRIMITIVE, b->at);
    if (!token)
        return malformed(b, "expected a value");
    const char *start = b->text + token->start;
    size_t size = (size_t)(token->end - token->start);
    node->type = literal_type(start, size);
    if (node->type == COOK_JSON_UNKNOWN)
        return malformed(b, "neither a number nor a known word");
    if (node->type == COOK_JSON_NUMBER) {
        node->text = cook_arena_strndup(b->arena, start, size);
        node->length = size;
        if (!node->text)
            return no_memory(b);
    }
    b->at = (size_t)token->end;
    return COOK_OK;
}

static enum cook_status build_value(struct builder *b, struct cook_json *node);

/* The node of the next child; siblings stand side by side, in as many places as jsmn counted.
 */
static struct cook_json *next_child(struct cook_json *children, size_t limit,
                                    struct cook_json *node)
{
    if (node->count >= limit)
        return NULL;
    struct cook_json *child = &children[node->count++];
    if (child != children)
        child[-1].next = child;
    return child;
}

static enum cook_status build_key(struct builder *b, struct cook_json *child)
{
    size_t length;
    if (peek(b) != '"')
        return malformed(b, "expected a member name");
    enum cook_status status = build_string(b, &child->key, &length);
    if (status != COOK_OK)
        return status;
    if (peek(b) != ':')
        return malformed(b, "expected ':'");
    b->at++;
    return COOK_OK;
}

static enum cook_status build_child(struct builder *b, struct cook_json *child, bool keyed)
{
    enum cook_status status = keyed ? build_key(b, child) : COOK_OK;
    return status == COOK_OK ? build_value(b, child) : status;
}

static enum cook_status duplicate_key(struct builder *b, const struct cook_json *child)
{
    b->line = child->line;
    return cook_error_set(b->error, COOK_E_MALFORMED, "%" PRIu32 ": duplicate key '%s'",
                          child->line, child->key);
}

static enum cook_status check_keys_pairwise(struct builder *b, const struct cook_json *object)
{
    const struct cook_json *children = object->child;
    for (size_t i = 1; i < object->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(children[i].key, children[j].key) == 0)
                return duplicate_key(b, &children[i]);
        }
    }
    return COOK_OK;
}

/* Find `key` among the slots (index + 1), or the empty slot where it belongs. */
static size_t find_key(const uint32_t *slots, size_t mask, const struct cook_json *children,
                       const char *key)
{
    size_t slot = cook_hash64(key, strlen(key)) & mask;
    while (slots[slot] && strcmp(children[slots[slot] - 1].key, key) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

static enum cook_status check_keys_hashed(struct builder *b, const struct cook_json *object)
{
    enum cook_status status = COOK_OK;
    size_t slot_count = 64;
    while (slot_count < object->count * 2)
        slot_count *= 2;
    uint32_t *slots = cook_calloc(slot_count, sizeof(*slots));
    if (!slots)
        return no_memory(b);
    for (size_t i = 0; i < object->count && status == COOK_OK; i++) {
        size_t slot = find_key(slots, slot_count - 1, object->child, object->child[i].key);
        if (slots[slot])
            status = duplicate_key(b, &object->child[i]);
        slots[slot] = (uint32_t)i + 1;
    }
    cook_free(slots);
    return status;
}

static enum cook_status check_keys(struct builder *b, const struct cook_json *object)
{
    return object->count <= PAIRWISE_KEYS ? check_keys_pairwise(b, object)
                                          : check_keys_hashed(b, object);
}

static enum cook_status build_children(struct builder *b, struct cook_json *node,
                                       struct cook_json *children, size_t limit)
{
    bool keyed = node->type == COOK_JSON_OBJECT;
    int close = keyed ? '}' : ']';
    b->at++;
    while (peek(b) != close || node->count > 0) {
        struct cook_json *child = next_child(children, limit, node);
        if (!child)
            return malformed(b, keyed ? "expected a member name" : "expected a value");
        enum cook_status status = build_child(b, child, keyed);
        if (status != COOK_OK)
            return status;
        int c = peek(b);
        if (c == close)
            break;
        if (c != ',')
            return malformed(b, keyed ? "expected ',' or '}'" : "expected ',' or ']'");
        b->at++;
    }
    b->at++;
    return COOK_OK;
}

static enum cook_status build_container(struct builder *b, struct cook_json *node, bool keyed)
{
    const jsmntok_t *token = take_token(b, keyed ? JSMN_OBJECT : JSMN_ARRAY, b->at);
    if (!token)
        return malformed(b, "unexpected bracket");
    /* What jsmn choked on is not counted, but has to be looked at to name the fault. */
    size_t limit = (size_t)token->size + b->broken;
    struct cook_json *children = NULL;
    if (limit) {
        children = cook_arena_alloc(b->arena, limit * sizeof(*children));
        if (!children)
            return no_memory(b);
    }
    node->type = keyed ? COOK_JSON_OBJECT : COOK_JSON_ARRAY;
    enum cook_status status = build_children(b, node, children, limit);
    if (status != COOK_OK)
        return status;
    node->child = node->count ? children : NULL;
    return keyed && node->child ? check_keys(b, node) : COOK_OK;
}

/* Recursion is bounded: the outline has refused more than DEPTH_LIMIT levels. */
static enum cook_status build_value(struct builder *b, struct cook_json *node)
{
    int c = peek(b);
    node->line = b->line;
    switch (c) {
    case '{':
        return build_container(b, node, true);
    case '[':
        return build_container(b, node, false);
    case '"':
        node->type = COOK_JSON_STRING;
        return build_string(b, &node->text, &node->length);
    default:
        return build_primitive(b, node);
    }
}

static enum cook_status build_root(struct builder *b, struct cook_json *node)
{
    enum cook_status status = build_value(b, node);
    if (status == COOK_OK && peek(b) != '\0')
        status = malformed(b, "text after the value");
    if (status == COOK_OK && b->broken)
        status = malformed(b, "unexpected text");
    return status;
}

enum cook_status cook_json_parse(const struct cook_json **root, uint32_t *line,
                                 const char *text, size_t size, struct cook_arena *arena,
                                 struct cook_error *error)
{
    struct builder b = {
        .text = text, .size = size, .line = 1, .arena = arena, .error = error
    };
    struct cook_json *node = NULL;
    enum cook_status status;
    *root = NULL;
    if (line)
        *line = 0;
    if (size > TEXT_LIMIT_BYTES) {
        status = fail(&b, COOK_E_LIMIT, "more than 64 MiB of text");
        goto done;
    }
    status = tokenise(&b);
    if (status != COOK_OK)
        goto done;
    node = cook_arena_alloc(arena, sizeof(*node));
    status = node ? build_root(&b, node) : no_memory(&b);
    if (status == COOK_OK)
        *root = node;
done:
    if (status != COOK_OK && line)
        *line = b.line;
    cook_free(b.tokens);
    return status;
}
