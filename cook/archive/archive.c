#include "cook/archive/archive.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_UNKNOWN_MEMBERS 20 /* that are named one by one, of an object */

void cook_archive_begin(struct cook_archive *archive, const char *object_path,
                        const struct cook_json *members)
{
    archive->object_path = object_path;
    archive->members = members;
    archive->depth = 0;
    archive->index_count = 0;
    int length = snprintf(archive->path, sizeof(archive->path), "%s:", object_path);
    archive->path_length = (size_t)length < sizeof(archive->path) ? (size_t)length
                                                                  : sizeof(archive->path) - 1;
    archive->scopes[0] = (struct cook_archive_scope){ .path_length = archive->path_length,
                                                      .json = members };
}

/* Append ".name" (or "name" right after the ':'); false when the path grows too long. */
static bool append_name(struct cook_archive *archive, const char *name)
{
    if (!name)
        return true;
    size_t size = strlen(name);
    bool dot = archive->path[archive->path_length - 1] != ':';
    if (archive->path_length + size + 4 > sizeof(archive->path)) {
        cook_archive_fail(archive, "the property path is longer than %d bytes",
                          COOK_ARCHIVE_PATH_BYTES);
        return false;
    }
    if (dot)
        archive->path[archive->path_length++] = '.';
    memcpy(archive->path + archive->path_length, name, size);
    archive->path_length += size;
    archive->path[archive->path_length] = '\0';
    return true;
}

void cook_archive_push(struct cook_archive *archive, const char *name)
{
    if (archive->status != COOK_OK)
        return;
    if (archive->depth + 1 >= COOK_ARCHIVE_MAX_DEPTH) {
        cook_archive_fail(archive, "fields nest deeper than %d", COOK_ARCHIVE_MAX_DEPTH);
        return;
    }
    const struct cook_json *json = NULL;
    if (archive->phase == COOK_PHASE_LOAD)
        json = cook_archive_json(archive, name);
    struct cook_archive_scope *scope = &archive->scopes[archive->depth + 1];
    *scope = (struct cook_archive_scope){ .path_length = archive->path_length,
                                          .index_count = archive->index_count,
                                          .json = json };
    if (append_name(archive, name))
        archive->depth++;
}

void cook_archive_pop(struct cook_archive *archive)
{
    if (archive->status != COOK_OK)
        return;
    if (archive->depth == 0) {
        cook_archive_fail(archive, "a group or array was ended that was not begun");
        return;
    }
    const struct cook_archive_scope *scope = &archive->scopes[archive->depth--];
    archive->path_length = scope->path_length;
    archive->path[archive->path_length] = '\0';
    archive->index_count = scope->index_count;
}

/* Put "[]" and one index value after the array's own path, in place of the last element's. */
static void set_index(struct cook_archive *archive, uint32_t value, const char *key)
{
    struct cook_archive_scope *scope = &archive->scopes[archive->depth];
    if (archive->index_count == scope->index_count) {
        if (archive->path_length + 3 > sizeof(archive->path) || archive->depth == 0 ||
            archive->index_count == COOK_ARCHIVE_MAX_DEPTH) {
            cook_archive_fail(archive, "an element outside an array");
            return;
        }
        archive->path[archive->path_length++] = '[';
        archive->path[archive->path_length++] = ']';
        archive->path[archive->path_length] = '\0';
        archive->index_count++;
    }
    archive->indices[archive->index_count - 1] = value;
    archive->keys[archive->index_count - 1] = key;
}

void cook_archive_set_element(struct cook_archive *archive, uint32_t index)
{
    if (archive->status != COOK_OK)
        return;
    struct cook_archive_scope *scope = &archive->scopes[archive->depth];
    set_index(archive, index & ~COOK_TOKEN_KEY_FLAG, NULL);
    if (archive->phase != COOK_PHASE_LOAD || !scope->json)
        return;
    if (index == 0 || !scope->cursor || index < scope->cursor_index) {
        scope->cursor = scope->json->child;
        scope->cursor_index = 0;
    }
    for (; scope->cursor && scope->cursor_index < index; scope->cursor_index++)
        scope->cursor = scope->cursor->next;
}

void cook_archive_set_key(struct cook_archive *archive, const char *key)
{
    if (archive->status != COOK_OK)
        return;
    uint32_t id = 0;
    if (archive->phase == COOK_PHASE_WRITE) {
        id = cook_intern_add(&archive->result->tokens.keys, key);
        if (id == COOK_INTERN_NONE) {
            archive->status = COOK_E_NO_MEMORY;
            return;
        }
    }
    set_index(archive, COOK_TOKEN_KEY_FLAG | id, key);
}

const char *cook_archive_place(const struct cook_archive *archive, const char *name,
                               char text[COOK_ARCHIVE_PLACE_BYTES])
{
    size_t length = 0;
    uint32_t index = 0;
    text[0] = '\0';
    for (const char *at = archive->path; *at && length + 1 < COOK_ARCHIVE_PLACE_BYTES; at++) {
        text[length++] = *at;
        text[length] = '\0';
        if (*at != '[' || index >= archive->index_count)
            continue;
        const char *key = archive->keys[index];
        size_t room = COOK_ARCHIVE_PLACE_BYTES - length;
        int size = key ? snprintf(text + length, room, "\"%s\"", key)
                       : snprintf(text + length, room, "%u", archive->indices[index]);
        length += size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
        index++;
    }
    if (name)
        (void)snprintf(text + length, COOK_ARCHIVE_PLACE_BYTES - length, "%s%s",
                       length && text[length - 1] == ':' ? "" : ".", name);
    return text;
}

enum cook_phase cook_archive_phase(const struct cook_archive *archive)
{
    return archive->phase;
}

struct cook_context *cook_archive_context(struct cook_archive *archive)
{
    return archive->context;
}

enum cook_status cook_archive_status(const struct cook_archive *archive)
{
    return archive->status;
}

void cook_archive_fail(struct cook_archive *archive, const char *format, ...)
{
    if (archive->status != COOK_OK)
        return;
    archive->status = COOK_E_FAILED;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char place[COOK_ARCHIVE_PLACE_BYTES];
    size_t length = strlen(cook_archive_place(archive, NULL, place));
    if (length && place[length - 1] == ':') /* at the object itself */
        place[length - 1] = '\0';
    cook_log(archive->context, COOK_SEVERITY_ERROR, "%s: %s", place, text);
}

void cook_archive_value(struct cook_archive *archive, const char *name,
                        enum cook_property_type type, const char *type_name, void *value)
{
    if (archive->status != COOK_OK)
        return;
    if (type == COOK_PROPERTY_STRUCT) {
        cook_field_struct(archive, name, type_name, value);
        return;
    }
    switch (archive->phase) {
    case COOK_PHASE_LOAD:
        cook_archive_load_value(archive, name, type, type_name, value);
        return;
    case COOK_PHASE_HARVEST:
        cook_archive_harvest_value(archive, name, type, value);
        return;
    case COOK_PHASE_WRITE:
        cook_archive_write_value(archive, name, type, value);
        return;
    case COOK_PHASE_UNKNOWN:
        break;
    }
    archive->status = COOK_E_INVALID;
}

/* ---- the SDK's functions ---- */

#define FIELD(suffix, ctype, TYPE)                                                                \
    void cook_field_##suffix(struct cook_archive *archive, const char *name, ctype *value)        \
    {                                                                                             \
        cook_archive_value(archive, name, COOK_PROPERTY_##TYPE, NULL, value);                     \
    }
FIELD(bool, bool, BOOL)
FIELD(i8, int8_t, I8)
FIELD(i16, int16_t, I16)
FIELD(i32, int32_t, I32)
FIELD(i64, int64_t, I64)
FIELD(u8, uint8_t, U8)
FIELD(u16, uint16_t, U16)
FIELD(u32, uint32_t, U32)
FIELD(u64, uint64_t, U64)
FIELD(f32, float, F32)
FIELD(f64, double, F64)
FIELD(string, struct cook_string, STRING)
FIELD(name, struct cook_name, NAME)
FIELD(bytes, struct cook_bytes, BYTES)
FIELD(ref, struct cook_ref, REF)
FIELD(soft_ref, struct cook_soft_ref, SOFT_REF)
#undef FIELD

static bool is_property(const struct cook_property *properties, const char *name)
{
    for (const struct cook_property *p = properties; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

/* The JSON of a struct: an object, whose members the struct has. A struct that serializes fields of
 * its own may have any. */
static void check_members(struct cook_archive *archive, const struct cook_struct *description)
{
    const struct cook_json *json = archive->scopes[archive->depth].json;
    if (!json)
        return;
    if (json->type != COOK_JSON_OBJECT) {
        cook_archive_wrong_type(archive, json, NULL, "an object");
        return;
    }
    for (const struct cook_json *m = json->child; !description->serialize && m; m = m->next) {
        char place[COOK_ARCHIVE_PLACE_BYTES];
        if (is_property(description->properties, m->key) ||
            archive->unknown_count > MAX_UNKNOWN_MEMBERS)
            continue;
        if (archive->unknown_count++ == MAX_UNKNOWN_MEMBERS)
            cook_log(archive->context, COOK_SEVERITY_WARNING, "%s:%u: further unknown members",
                     archive->file, m->line);
        else
            cook_log(archive->context, COOK_SEVERITY_WARNING, "%s:%u: %s is no member of struct %s",
                     archive->file, m->line, cook_archive_place(archive, m->key, place),
                     description->name);
    }
}

void cook_field_struct(struct cook_archive *archive, const char *name, const char *struct_name,
                       void *value)
{
    if (archive->status != COOK_OK)
        return;
    const struct cook_struct_info *info =
        cook_types_struct(&archive->context->session->types, struct_name);
    if (!info) {
        cook_archive_fail(archive, "unknown struct '%s'", struct_name ? struct_name : "");
        return;
    }
    cook_archive_push(archive, name);
    if (archive->phase == COOK_PHASE_LOAD && archive->status == COOK_OK)
        check_members(archive, info->description);
    if (archive->phase != COOK_PHASE_LOAD || archive->scopes[archive->depth].json) {
        cook_archive_properties(archive, info->description->properties, value);
        if (info->description->serialize && archive->status == COOK_OK)
            info->description->serialize(archive, value);
    }
    cook_archive_pop(archive);
}

#define MAX_ARRAY_COUNT (1u << 24)

static void begin_array(struct cook_archive *archive, const char *name, const char *mark,
                        uint32_t *count)
{
    cook_archive_push(archive, name);
    if (archive->status != COOK_OK) {
        *count = 0; /* the caller loops up to it, whatever went wrong */
        return;
    }
    const struct cook_json *json = archive->scopes[archive->depth].json;
    if (archive->phase == COOK_PHASE_LOAD) {
        if (!json)
            *count = 0;
        else if (json->type != COOK_JSON_ARRAY || json->count > MAX_ARRAY_COUNT)
            cook_archive_wrong_type(archive, json, NULL, "an array of at most 16 M elements");
        else
            *count = (uint32_t)json->count;
        if (archive->status != COOK_OK)
            *count = 0;
    } else if (archive->phase == COOK_PHASE_WRITE) {
        cook_archive_put_u32(archive, mark, COOK_TOKEN_COUNT, *count);
    }
}

void cook_field_array(struct cook_archive *archive, const char *name, uint32_t *count)
{
    begin_array(archive, name, "#", count);
}

void cook_field_set(struct cook_archive *archive, const char *name, uint32_t *count)
{
    begin_array(archive, name, "#set", count);
}

void cook_field_element(struct cook_archive *archive, uint32_t index)
{
    cook_archive_set_element(archive, index);
}

void cook_field_key(struct cook_archive *archive, uint32_t index, const char *key)
{
    cook_archive_set_element(archive, index);
    if (archive->phase != COOK_PHASE_LOAD)
        cook_archive_set_key(archive, key ? key : "");
}

void cook_field_array_end(struct cook_archive *archive)
{
    cook_archive_pop(archive);
}

void cook_field_group(struct cook_archive *archive, const char *name)
{
    cook_archive_push(archive, name);
}

void cook_field_group_end(struct cook_archive *archive)
{
    cook_archive_pop(archive);
}

void cook_write_data(struct cook_archive *archive, const char *name, const void *bytes, size_t size)
{
    if (archive->status == COOK_OK && archive->phase == COOK_PHASE_WRITE)
        cook_archive_put(archive, name, COOK_TOKEN_DATA, bytes, size);
}
