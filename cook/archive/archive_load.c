/* The load phase: JSON values into memory, checked by type and range. */
#include <stdio.h>
#include <string.h>

#include "cook/archive/archive.h"
#include "cook/archive/base64.h"

const struct cook_json *cook_archive_json(struct cook_archive *archive, const char *name)
{
    struct cook_archive_scope *scope = &archive->scopes[archive->depth];
    if (!scope->json)
        return NULL;
    if (scope->json->type == COOK_JSON_ARRAY || archive->index_count > scope->index_count) {
        /* Inside an element: the element itself, or a member of it. */
        const struct cook_json *element = scope->cursor;
        return name ? cook_json_get(element, name) : element;
    }
    if (!name)
        return scope->json;
    const struct cook_json *value = cook_json_get(scope->json, name);
    if (value && archive->depth == 0 && archive->consumed) {
        size_t index = 0;
        for (const struct cook_json *m = archive->members->child; m != value; m = m->next)
            index++;
        archive->consumed[index] = true;
    }
    return value;
}

void cook_archive_wrong_type(struct cook_archive *archive, const struct cook_json *value,
                             const char *name, const char *expected)
{
    if (archive->status != COOK_OK)
        return;
    archive->status = COOK_E_MALFORMED;
    char place[COOK_ARCHIVE_PLACE_BYTES];
    cook_log(archive->context, COOK_SEVERITY_ERROR, "%s:%u: %s: expected %s", archive->file,
             value->line, cook_archive_place(archive, name, place), expected);
}

/* An integer in range, or 0 and the error. */
static int64_t load_integer(struct cook_archive *archive, const char *name,
                            const struct cook_json *json, int64_t min, int64_t max)
{
    int64_t number;
    if (cook_json_i64(json, &number) && number >= min && number <= max)
        return number;
    char expected[80];
    (void)snprintf(expected, sizeof(expected), "an integer from %lld to %lld", (long long)min,
                   (long long)max);
    cook_archive_wrong_type(archive, json, name, expected);
    return 0;
}

#define LOAD_INTEGER(ctype, min, max)                                                             \
    *(ctype *)value = (ctype)load_integer(archive, name, json, min, max)

static void load_scalar(struct cook_archive *archive, const char *name,
                        enum cook_property_type type, const struct cook_json *json, void *value)
{
    double real;
    switch ((int)type) {
    case COOK_PROPERTY_BOOL:
        if (!cook_json_bool(json, value))
            cook_archive_wrong_type(archive, json, name, "true or false");
        break;
    case COOK_PROPERTY_I8:
        LOAD_INTEGER(int8_t, INT8_MIN, INT8_MAX);
        break;
    case COOK_PROPERTY_I16:
        LOAD_INTEGER(int16_t, INT16_MIN, INT16_MAX);
        break;
    case COOK_PROPERTY_I32:
        LOAD_INTEGER(int32_t, INT32_MIN, INT32_MAX);
        break;
    case COOK_PROPERTY_I64:
        if (!cook_json_i64(json, value))
            cook_archive_wrong_type(archive, json, name, "a 64-bit integer");
        break;
    case COOK_PROPERTY_U8:
        LOAD_INTEGER(uint8_t, 0, UINT8_MAX);
        break;
    case COOK_PROPERTY_U16:
        LOAD_INTEGER(uint16_t, 0, UINT16_MAX);
        break;
    case COOK_PROPERTY_U32:
        LOAD_INTEGER(uint32_t, 0, UINT32_MAX);
        break;
    case COOK_PROPERTY_U64:
        if (!cook_json_u64(json, value))
            cook_archive_wrong_type(archive, json, name, "an unsigned 64-bit integer");
        break;
    case COOK_PROPERTY_F32:
        if (cook_json_f64(json, &real))
            *(float *)value = (float)real;
        else
            cook_archive_wrong_type(archive, json, name, "a number");
        break;
    default:
        if (!cook_json_f64(json, value))
            cook_archive_wrong_type(archive, json, name, "a number");
        break;
    }
}

static void out_of_memory(struct cook_archive *archive)
{
    archive->status = COOK_E_NO_MEMORY;
}

static const char *package_text(struct cook_archive *archive, const char *text, size_t size)
{
    char *copy = cook_package_alloc(archive->context->package, size + 1);
    if (!copy)
        out_of_memory(archive);
    else
        memcpy(copy, text, size);
    return copy;
}

static void load_text(struct cook_archive *archive, const char *name, enum cook_property_type type,
                      const struct cook_json *json, void *value)
{
    if (json->type == COOK_JSON_NULL && type == COOK_PROPERTY_NAME) {
        *(struct cook_name *)value = (struct cook_name){ NULL };
        return;
    }
    if (json->type != COOK_JSON_STRING) {
        cook_archive_wrong_type(archive, json, name, "text");
        return;
    }
    const char *text = json->length ? package_text(archive, json->text, json->length) : NULL;
    if (type == COOK_PROPERTY_NAME)
        *(struct cook_name *)value = (struct cook_name){ text };
    else
        *(struct cook_string *)value = (struct cook_string){ text, json->length };
}

static void load_bytes(struct cook_archive *archive, const char *name, const struct cook_json *json,
                       struct cook_bytes *value)
{
    size_t size = 0;
    uint8_t *bytes = NULL;
    if (json->type == COOK_JSON_STRING) {
        bytes = cook_package_alloc(archive->context->package, json->length / 4 * 3 + 4);
        if (!bytes) {
            out_of_memory(archive);
            return;
        }
    }
    if (!bytes || !cook_base64_decode(bytes, &size, json->text, json->length)) {
        cook_archive_wrong_type(archive, json, name, "base64 text");
        return;
    }
    *value = (struct cook_bytes){ bytes, size };
}

/* {"$ref": "/Game/X.Y"}, {"$soft": "…"} or null. */
static void load_reference(struct cook_archive *archive, const char *name,
                           enum cook_property_type type, const struct cook_json *json, void *value)
{
    const char *key = type == COOK_PROPERTY_REF ? "$ref" : "$soft";
    const char *path = NULL;
    if (json->type != COOK_JSON_NULL) {
        const struct cook_json *member = cook_json_get(json, key);
        if (!member || json->count != 1 || !cook_json_string(member, &path) || path[0] != '/') {
            cook_archive_wrong_type(archive, json, name,
                                    type == COOK_PROPERTY_REF
                                        ? "{\"$ref\": \"/Root/Package.Object\"} or null"
                                        : "{\"$soft\": \"/Root/Package.Object\"} or null");
            return;
        }
        path = package_text(archive, path, strlen(path));
    }
    *(struct cook_ref *)value = (struct cook_ref){ path }; /* both kinds are one pointer */
}

static void load_enum(struct cook_archive *archive, const char *name, const char *type_name,
                      const struct cook_json *json, int32_t *value)
{
    const struct cook_enum *description =
        cook_types_enum(&archive->context->session->types, type_name);
    const char *text;
    if (!description || !cook_json_string(json, &text) ||
        !cook_enum_value(description, text, value)) {
        char expected[160];
        (void)snprintf(expected, sizeof(expected), "a name of enum %s", type_name ? type_name : "");
        cook_archive_wrong_type(archive, json, name, expected);
    }
}

void cook_archive_load_value(struct cook_archive *archive, const char *name,
                             enum cook_property_type type, const char *type_name, void *value)
{
    const struct cook_json *json = cook_archive_json(archive, name);
    if (!json)
        return;
    switch (type) {
    case COOK_PROPERTY_STRING:
    case COOK_PROPERTY_NAME:
        load_text(archive, name, type, json, value);
        return;
    case COOK_PROPERTY_BYTES:
        load_bytes(archive, name, json, value);
        return;
    case COOK_PROPERTY_REF:
    case COOK_PROPERTY_SOFT_REF:
        load_reference(archive, name, type, json, value);
        return;
    case COOK_PROPERTY_ENUM:
        load_enum(archive, name, type_name, json, value);
        return;
    case COOK_PROPERTY_UNKNOWN:
    case COOK_PROPERTY_BOOL:
    case COOK_PROPERTY_I8:
    case COOK_PROPERTY_I16:
    case COOK_PROPERTY_I32:
    case COOK_PROPERTY_I64:
    case COOK_PROPERTY_U8:
    case COOK_PROPERTY_U16:
    case COOK_PROPERTY_U32:
    case COOK_PROPERTY_U64:
    case COOK_PROPERTY_F32:
    case COOK_PROPERTY_F64:
    case COOK_PROPERTY_STRUCT:
    case COOK_PROPERTY_ARRAY:
    case COOK_PROPERTY_MAP:
        load_scalar(archive, name, type, json, value);
        return;
    }
}
