/* The write phase: values into bytes, each with a token and, when asked, a callstack. */
#include <stdio.h>
#include <string.h>

#include "cook/archive/archive.h"
#include "cook/archive/layout.h"

#define MAX_PACKAGE_BYTES ((size_t)1 << 30)

/* The path at hand plus ".name" as a token path id; the archive's own path is left as it was. */
static uint32_t token_path(struct cook_archive *archive, const char *name,
                           enum cook_token_type type)
{
    size_t length = archive->path_length;
    if (name) {
        size_t size = strlen(name);
        bool dot = archive->path[length - 1] != ':' && name[0] != '#';
        if (length + size + 2 > sizeof(archive->path)) {
            cook_archive_fail(archive, "the property path is longer than %d bytes",
                              COOK_ARCHIVE_PATH_BYTES);
            return 0;
        }
        if (dot)
            archive->path[length++] = '.';
        memcpy(archive->path + length, name, size + 1);
    }
    uint32_t id = cook_token_map_path(&archive->result->tokens, archive->path, type);
    archive->path[archive->path_length] = '\0';
    return id;
}

static void capture(struct cook_archive *archive, uint32_t stack)
{
    struct cook_save_result *result = archive->result;
    if (!result->stacks)
        return;
    size_t count = result->tokens.count;
    if (!cook_grow(&result->stack_ids, &result->stack_capacity, count,
                   sizeof(*result->stack_ids))) {
        archive->status = COOK_E_NO_MEMORY;
        return;
    }
    result->stack_ids[count - 1] = stack;
}

static uint32_t stack_here(struct cook_archive *archive)
{
    struct cook_stacks *stacks = archive->result->stacks;
    return stacks ? cook_stacks_capture(stacks, 1, archive->hook_depth) : COOK_STACK_NONE;
}

static void append(struct cook_archive *archive, uint32_t path, const uint32_t *indices,
                   const void *bytes, size_t size, uint32_t stack)
{
    struct cook_save_result *result = archive->result;
    if (size > MAX_PACKAGE_BYTES - result->bytes.size) {
        cook_archive_fail(archive, "the cooked package is larger than 1 GiB");
        return;
    }
    cook_buf_put(&result->bytes, bytes, size);
    cook_token_map_add(&result->tokens, path, size, indices);
    if (result->bytes.failed || result->tokens.failed)
        archive->status = COOK_E_NO_MEMORY;
    else
        capture(archive, stack);
}

void cook_archive_put(struct cook_archive *archive, const char *name, enum cook_token_type type,
                      const void *bytes, size_t size)
{
    uint32_t path = token_path(archive, name, type);
    if (archive->status == COOK_OK)
        append(archive, path, archive->indices, bytes, size, stack_here(archive));
}

void cook_archive_put_u32(struct cook_archive *archive, const char *name,
                          enum cook_token_type type, uint32_t value)
{
    uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                         (uint8_t)(value >> 24) };
    cook_archive_put(archive, name, type, bytes, sizeof(bytes));
}

void cook_archive_put_row(struct cook_archive *archive, const char *path,
                          enum cook_token_type type, uint32_t index, const void *bytes, size_t size)
{
    if (archive->status != COOK_OK)
        return;
    uint32_t id = cook_token_map_path(&archive->result->tokens, path, type);
    append(archive, id, &index, bytes, size, COOK_STACK_NONE);
}

/* Length-prefixed bytes as one token. */
static void put_sized(struct cook_archive *archive, const char *name, enum cook_token_type type,
                      const void *bytes, size_t size)
{
    if (size > MAX_PACKAGE_BYTES) {
        cook_archive_fail(archive, "a value larger than 1 GiB");
        return;
    }
    struct cook_buf buf = COOK_BUF_INIT;
    cook_buf_put_u32(&buf, (uint32_t)size);
    cook_buf_put(&buf, bytes, size);
    if (buf.failed)
        archive->status = COOK_E_NO_MEMORY;
    else
        cook_archive_put(archive, name, type, buf.data, buf.size);
    cook_buf_finish(&buf);
}

static void put_reference(struct cook_archive *archive, const char *name, const char *path)
{
    int32_t index = 0;
    if (path && !cook_tables_reference(archive->tables, path, &index)) {
        cook_archive_push(archive, name); /* for the message: the property itself */
        cook_archive_fail(archive, "reference to %s was written but not harvested", path);
        return;
    }
    cook_archive_put_u32(archive, name, COOK_TOKEN_REF, (uint32_t)index);
}

static void put_named(struct cook_archive *archive, const char *name, enum cook_token_type type,
                      const char *text, uint32_t index)
{
    if (text && index == UINT32_MAX) {
        cook_archive_push(archive, name);
        cook_archive_fail(archive, "'%s' was written but not harvested", text);
        return;
    }
    cook_archive_put_u32(archive, name, type, index);
}

static enum cook_token_type scalar_token(enum cook_property_type type)
{
    /* Both enums list the scalars in the same order, bool first. */
    return type == COOK_PROPERTY_ENUM
               ? COOK_TOKEN_ENUM
               : (enum cook_token_type)((int)type - COOK_PROPERTY_BOOL + COOK_TOKEN_BOOL);
}

void cook_archive_write_value(struct cook_archive *archive, const char *name,
                              enum cook_property_type type, const void *value)
{
    const struct cook_string *string = value;
    const struct cook_bytes *bytes = value;
    const char *text = NULL;
    if (type == COOK_PROPERTY_NAME || type == COOK_PROPERTY_REF || type == COOK_PROPERTY_SOFT_REF)
        text = ((const struct cook_name *)value)->text;
    switch ((int)type) {
    case COOK_PROPERTY_STRING:
        put_sized(archive, name, COOK_TOKEN_STRING, string->data, string->size);
        return;
    case COOK_PROPERTY_BYTES:
        put_sized(archive, name, COOK_TOKEN_BYTES, bytes->data, bytes->size);
        return;
    case COOK_PROPERTY_NAME:
        put_named(archive, name, COOK_TOKEN_NAME, text,
                  cook_tables_name_index(archive->tables, text));
        return;
    case COOK_PROPERTY_SOFT_REF:
        put_named(archive, name, COOK_TOKEN_SOFT_REF, text,
                  cook_tables_soft_index(archive->tables, text));
        return;
    case COOK_PROPERTY_REF:
        put_reference(archive, name, text);
        return;
    case COOK_PROPERTY_BOOL: {
        /* A bool with a bit pattern other than 0 and 1 must not reach the bytes. */
        uint8_t byte = *(const uint8_t *)value != 0;
        cook_archive_put(archive, name, COOK_TOKEN_BOOL, &byte, 1);
        return;
    }
    default: /* little-endian hosts only: checked at configuration */
        cook_archive_put(archive, name, scalar_token(type), value,
                         cook_types_value_size(&archive->context->session->types, type, NULL));
        return;
    }
}

/* ---- bulk ---- */

/* `mark` ends the path of the payload's token. */
static void write_bulk(struct cook_archive *archive, const char *name, const char *mark,
                       const void *bytes, size_t size)
{
    if (archive->status != COOK_OK || archive->phase != COOK_PHASE_WRITE)
        return;
    struct cook_bulk *bulk = archive->bulk;
    if (archive->index_count > COOK_BULK_MAX_DEPTH) {
        cook_archive_fail(archive, "bulk data in more than %d arrays", COOK_BULK_MAX_DEPTH);
        return;
    }
    if (!cook_grow(&bulk->items, &bulk->capacity, bulk->count + 1, sizeof(*bulk->items))) {
        archive->status = COOK_E_NO_MEMORY;
        return;
    }
    struct cook_bulk_item *item = &bulk->items[bulk->count];
    const char *dot = archive->path[archive->path_length - 1] == ':' || !name ? "" : ".";
    *item = (struct cook_bulk_item){
        .path = cook_arena_printf(&bulk->arena, "%s%s%s#bulk%s", archive->path, dot,
                                  name ? name : "", mark),
        .bytes = bytes,
        .size = size,
        .stack = stack_here(archive),
    };
    memcpy(item->indices, archive->indices, archive->index_count * sizeof(uint32_t));
    if (!item->path) {
        archive->status = COOK_E_NO_MEMORY;
        return;
    }
    bulk->count++;
    uint8_t word[8] = { 0 };
    item->patch_offset = archive->result->bytes.size;
    cook_archive_push(archive, name);
    cook_archive_put(archive, "Offset", COOK_TOKEN_OFFSET, word, sizeof(word));
    for (unsigned i = 0; i < 8; i++)
        word[i] = (uint8_t)((uint64_t)size >> (8 * i));
    cook_archive_put(archive, "Size", COOK_TOKEN_OFFSET, word, sizeof(word));
    cook_archive_pop(archive);
}

void cook_write_bulk(struct cook_archive *archive, const char *name, const void *bytes, size_t size)
{
    write_bulk(archive, name, "", bytes, size);
}

#define MARK_BYTES 16

/* "#f32x3" */
static bool make_mark(char mark[MARK_BYTES], struct cook_archive *archive, const char *name,
                      const char *text, size_t size)
{
    struct cook_layout layout;
    if (archive->status != COOK_OK || archive->phase != COOK_PHASE_WRITE)
        return false;
    if (!cook_layout_parse(&layout, text) || size % ((size_t)layout.size * layout.count) != 0) {
        cook_archive_fail(archive, "'%s': %zu bytes are no elements of layout '%s'", name ? name : "",
                          size, text ? text : "");
        return false;
    }
    (void)snprintf(mark, MARK_BYTES, "#%s", text);
    return true;
}

void cook_write_data_elements(struct cook_archive *archive, const char *name, const char *layout,
                              const void *bytes, size_t size)
{
    char mark[MARK_BYTES];
    if (!make_mark(mark, archive, name, layout, size))
        return;
    struct cook_arena arena = COOK_ARENA_INIT;
    char *marked = cook_arena_printf(&arena, "%s%s", name ? name : "", mark);
    if (marked)
        cook_archive_put(archive, marked, COOK_TOKEN_DATA, bytes, size);
    else
        archive->status = COOK_E_NO_MEMORY;
    cook_arena_finish(&arena);
}

void cook_write_bulk_elements(struct cook_archive *archive, const char *name, const char *layout,
                              const void *bytes, size_t size)
{
    char mark[MARK_BYTES];
    if (make_mark(mark, archive, name, layout, size))
        write_bulk(archive, name, mark, bytes, size);
}

void cook_archive_flush_bulk(struct cook_archive *archive)
{
    struct cook_save_result *result = archive->result;
    static const uint8_t zeros[16] = { 0 };
    for (size_t i = 0; archive->status == COOK_OK && i < archive->bulk->count; i++) {
        struct cook_bulk_item *item = &archive->bulk->items[i];
        size_t padding = (16 - result->bytes.size % 16) % 16;
        if (padding)
            cook_archive_put_row(archive, "#bulk[].Padding", COOK_TOKEN_PADDING, (uint32_t)i, zeros,
                                 padding);
        if (archive->status == COOK_OK)
            cook_buf_set_u64(&result->bytes, item->patch_offset, result->bytes.size);
        uint32_t path = cook_token_map_path(&result->tokens, item->path, COOK_TOKEN_DATA);
        append(archive, path, item->indices, item->bytes, item->size, item->stack);
    }
}
