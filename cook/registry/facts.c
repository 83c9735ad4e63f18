#include "cook/registry/facts.h"

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/registry/facts_internal.h"

/*
 * The blob: u8 version; u8 1 and the fault, or 0; objects (path, class); references (u8 edge,
 * path); tags (key, value). Each list starts with its count. Equal facts have equal blobs.
 */
#define FACTS_VERSION 1

static bool is_edge(unsigned value)
{
    return value >= COOK_EDGE_HARD && value <= COOK_EDGE_BUILD_ONLY;
}

void cook_facts_encode(const struct cook_facts *facts, struct cook_buf *out)
{
    cook_buf_put_u8(out, FACTS_VERSION);
    cook_buf_put_u8(out, facts->fault != NULL);
    if (facts->fault)
        cook_buf_put_string(out, facts->fault);
    cook_buf_put_varint(out, facts->object_count);
    for (size_t i = 0; i < facts->object_count; i++) {
        cook_buf_put_string(out, facts->objects[i].path);
        cook_buf_put_string(out, facts->objects[i].class_name);
    }
    cook_buf_put_varint(out, facts->reference_count);
    for (size_t i = 0; i < facts->reference_count; i++) {
        cook_buf_put_u8(out, (uint8_t)facts->references[i].edge);
        cook_buf_put_string(out, facts->references[i].path);
    }
    cook_buf_put_varint(out, facts->tag_count);
    for (size_t i = 0; i < facts->tag_count; i++) {
        cook_buf_put_string(out, facts->tags[i].key);
        cook_buf_put_string(out, facts->tags[i].value);
    }
}

/* A blob on its way out, with what a failed read cannot tell: whether memory was short. */
struct decoder {
    struct cook_reader_buf in;
    struct cook_arena *arena;
    bool short_of_memory;
};

/* A count and zeroed room for that many items; NULL when there are none, or on failure. */
static void *read_items(struct decoder *decoder, size_t *count, size_t item_size)
{
    *count = cook_read_count(&decoder->in, 2);
    if (*count == 0)
        return NULL;
    size_t size;
    void *items = NULL;
    if (!__builtin_mul_overflow(*count, item_size, &size))
        items = cook_arena_alloc(decoder->arena, size);
    if (!items) {
        decoder->short_of_memory = true;
        *count = 0;
    }
    return items;
}

static const char *read_text(struct decoder *decoder)
{
    size_t size;
    const uint8_t *bytes = cook_read_bytes(&decoder->in, &size);
    if (!bytes || memchr(bytes, 0, size)) {
        decoder->in.failed = true;
        return "";
    }
    char *text = cook_arena_strndup(decoder->arena, (const char *)bytes, size);
    if (!text)
        decoder->short_of_memory = true;
    return text ? text : "";
}

/* False where the blob ends, memory ran out, or the version is not ours. */
static bool read_head(struct decoder *decoder, const char **fault)
{
    *fault = NULL;
    bool known = cook_read_u8(&decoder->in) == FACTS_VERSION;
    uint8_t has_fault = cook_read_u8(&decoder->in);
    if (!known || has_fault > 1)
        decoder->in.failed = true;
    else if (has_fault)
        *fault = read_text(decoder);
    return !decoder->in.failed && !decoder->short_of_memory;
}

static void read_objects(struct decoder *decoder, struct cook_facts *facts)
{
    struct cook_fact_object *objects =
        read_items(decoder, &facts->object_count, sizeof(*objects));
    for (size_t i = 0; i < facts->object_count; i++) {
        objects[i].path = read_text(decoder);
        objects[i].class_name = read_text(decoder);
    }
    facts->objects = objects;
}

static void read_references(struct decoder *decoder, struct cook_facts *facts)
{
    struct cook_fact_reference *references =
        read_items(decoder, &facts->reference_count, sizeof(*references));
    for (size_t i = 0; i < facts->reference_count; i++) {
        uint8_t edge = cook_read_u8(&decoder->in);
        if (!is_edge(edge))
            decoder->in.failed = true;
        else
            references[i].edge = (enum cook_edge)edge;
        references[i].path = read_text(decoder);
    }
    facts->references = references;
}

static void read_tags(struct decoder *decoder, struct cook_facts *facts)
{
    struct cook_fact_tag *tags = read_items(decoder, &facts->tag_count, sizeof(*tags));
    for (size_t i = 0; i < facts->tag_count; i++) {
        tags[i].key = read_text(decoder);
        tags[i].value = read_text(decoder);
    }
    facts->tags = tags;
}

enum cook_status cook_facts_decode(struct cook_facts *facts, const void *bytes, size_t size,
                                   struct cook_arena *arena, struct cook_error *error)
{
    struct decoder decoder = { cook_read_init(bytes, size), arena, false };
    memset(facts, 0, sizeof(*facts));
    if (read_head(&decoder, &facts->fault)) {
        read_objects(&decoder, facts);
        read_references(&decoder, facts);
        read_tags(&decoder, facts);
    }
    enum cook_status status = COOK_OK;
    if (decoder.short_of_memory)
        status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for registry facts");
    else if (!cook_read_at_end(&decoder.in))
        status = cook_error_set(error, COOK_E_MALFORMED, "registry facts are malformed");
    if (status != COOK_OK)
        memset(facts, 0, sizeof(*facts));
    return status;
}

bool cook_facts_have_tag(const struct cook_facts *facts, const char *prefix)
{
    for (size_t i = 0; i < facts->tag_count; i++)
        if (strncmp(facts->tags[i].key, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

bool cook_facts_has_fault(const void *bytes, size_t size)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    uint8_t version = cook_read_u8(&in);
    uint8_t has_fault = cook_read_u8(&in);
    return in.failed || version != FACTS_VERSION || has_fault != 0;
}

static bool is_text(const uint8_t *bytes, size_t size, const char *text)
{
    return strlen(text) == size && memcmp(bytes, text, size) == 0;
}

static enum cook_status copy_object(struct cook_fact_object *object, const uint8_t *path,
                                    size_t path_size, const uint8_t *class_name,
                                    size_t class_size, struct cook_arena *arena)
{
    object->path = cook_arena_strndup(arena, (const char *)path, path_size);
    object->class_name = cook_arena_strndup(arena, (const char *)class_name, class_size);
    return object->path && object->class_name ? COOK_OK : COOK_E_NO_MEMORY;
}

enum cook_status cook_facts_find_object(struct cook_fact_object *object, const void *bytes,
                                        size_t size, const char *inner,
                                        struct cook_arena *arena)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    object->path = NULL;
    object->class_name = NULL;
    /* What has a fault has no objects, so the fault's text need not be stepped over. */
    if (cook_read_u8(&in) != FACTS_VERSION || cook_read_u8(&in) != 0)
        return COOK_E_NOT_FOUND;
    size_t count = cook_read_count(&in, 2);
    for (size_t i = 0; i < count; i++) {
        size_t path_size, class_size;
        const uint8_t *path = cook_read_bytes(&in, &path_size);
        const uint8_t *class_name = cook_read_bytes(&in, &class_size);
        if (!path || !class_name)
            return COOK_E_NOT_FOUND;
        if (!inner || is_text(path, path_size, inner))
            return copy_object(object, path, path_size, class_name, class_size, arena);
    }
    return COOK_E_NOT_FOUND;
}
