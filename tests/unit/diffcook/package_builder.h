/*
 * Builds cooked packages with their token maps for tests: values are recorded first, then laid
 * out as the write archive does (tables sorted and harvested from the values, bulk at the end).
 */
#ifndef TESTS_PACKAGE_BUILDER_H
#define TESTS_PACKAGE_BUILDER_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cook/archive/cooked.h"
#include "cook/archive/tokens.h"

struct built_value {
    uint32_t export;
    enum cook_token_type type;
    const char *path;    /* without the object: "Lods[].Count" */
    const char *text;    /* names, references ("/Game/A.B" or "Object"), strings */
    const uint8_t *data; /* data and bulk */
    size_t size;
    uint64_t number;
    uint32_t indices[2];
    bool bulk;
};

struct built_export {
    const char *name;
    const char *class_name;
};

struct builder {
    struct cook_arena arena;
    struct built_export *exports;
    size_t export_count, export_capacity;
    struct built_value *values;
    size_t value_count, value_capacity;
    /* the result */
    struct cook_buf bytes;
    struct cook_token_map tokens;
    /* tables while building */
    const char **names;
    size_t name_count, name_capacity;
    const char **imports;
    size_t import_count, import_capacity;
    const char **soft;
    size_t soft_count, soft_capacity;
};

static inline void build_init(struct builder *b)
{
    *b = (struct builder){ .export_count = 0 };
    cook_token_map_init(&b->tokens);
}

static inline void build_finish(struct builder *b)
{
    cook_arena_finish(&b->arena);
    cook_free(b->exports);
    cook_free(b->values);
    cook_free(b->names);
    cook_free(b->imports);
    cook_free(b->soft);
    cook_buf_finish(&b->bytes);
    cook_token_map_finish(&b->tokens);
}

static inline void build_export(struct builder *b, const char *name, const char *class_name)
{
    bool good =
        cook_grow(&b->exports, &b->export_capacity, b->export_count + 1, sizeof(*b->exports));
    assert(good);
    (void)good;
    b->exports[b->export_count++] =
        (struct built_export){ cook_arena_strdup(&b->arena, name), class_name };
}

static inline struct built_value *build_value(struct builder *b, const char *path,
                                              enum cook_token_type type, uint32_t first,
                                              uint32_t second)
{
    bool good =
        cook_grow(&b->values, &b->value_capacity, b->value_count + 1, sizeof(*b->values));
    assert(good);
    (void)good;
    struct built_value *value = &b->values[b->value_count++];
    *value = (struct built_value){ .export = (uint32_t)b->export_count - 1,
                                   .type = type,
                                   .path = cook_arena_strdup(&b->arena, path),
                                   .indices = { first, second } };
    return value;
}

static inline void build_number(struct builder *b, const char *path, enum cook_token_type type,
                                uint64_t number, uint32_t first)
{
    build_value(b, path, type, first, 0)->number = number;
}

static inline void build_u32(struct builder *b, const char *path, uint32_t number)
{
    build_number(b, path, COOK_TOKEN_U32, number, 0);
}

static inline void build_text(struct builder *b, const char *path, enum cook_token_type type,
                              const char *text, uint32_t first)
{
    build_value(b, path, type, first, 0)->text = text;
}

static inline void build_data(struct builder *b, const char *path, const void *data,
                              size_t size, bool bulk, uint32_t first)
{
    struct built_value *value = build_value(b, path, COOK_TOKEN_DATA, first, 0);
    value->data = cook_arena_dup(&b->arena, data, size);
    value->size = size;
    value->bulk = bulk;
}

/* ---- tables ---- */

static inline int build_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline size_t build_find(const char **texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(texts[i], text) == 0)
            return i;
    }
    return SIZE_MAX;
}

static inline void build_add_text(const char ***texts, size_t *count, size_t *capacity,
                                  const char *text)
{
    bool good = cook_grow(texts, capacity, *count + 1, sizeof(**texts));
    assert(good);
    (void)good;
    (*texts)[(*count)++] = text;
}

static inline size_t build_sort(const char **texts, size_t count)
{
    if (count == 0)
        return 0;
    qsort(texts, count, sizeof(*texts), build_compare);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(texts[i], texts[kept - 1]) != 0)
            texts[kept++] = texts[i];
    }
    return kept;
}

static inline const char *build_package_of(struct builder *b, const char *reference)
{
    return cook_arena_strndup(&b->arena, reference, strcspn(reference, "."));
}

#define BUILD_IMPORT_CLASS "/Script/Test.Imported"

static inline void build_harvest(struct builder *b)
{
    for (size_t i = 0; i < b->export_count; i++) {
        build_add_text(&b->names, &b->name_count, &b->name_capacity, b->exports[i].name);
        build_add_text(&b->names, &b->name_count, &b->name_capacity, b->exports[i].class_name);
    }
    for (size_t i = 0; i < b->value_count; i++) {
        const struct built_value *v = &b->values[i];
        if (v->type == COOK_TOKEN_NAME && v->text)
            build_add_text(&b->names, &b->name_count, &b->name_capacity, v->text);
        if (v->type == COOK_TOKEN_SOFT_REF && v->text)
            build_add_text(&b->soft, &b->soft_count, &b->soft_capacity, v->text);
        if (v->type != COOK_TOKEN_REF || !v->text || v->text[0] != '/')
            continue;
        build_add_text(&b->imports, &b->import_count, &b->import_capacity, v->text);
        build_add_text(&b->names, &b->name_count, &b->name_capacity,
                       build_package_of(b, v->text));
        build_add_text(&b->names, &b->name_count, &b->name_capacity, BUILD_IMPORT_CLASS);
    }
    b->name_count = build_sort(b->names, b->name_count);
    b->import_count = build_sort(b->imports, b->import_count);
    b->soft_count = build_sort(b->soft, b->soft_count);
}

/* ---- layout ---- */

static inline void build_put(struct builder *b, const char *path, enum cook_token_type type,
                             const void *bytes, size_t size, uint32_t first, uint32_t second)
{
    uint32_t indices[2] = { first, second };
    cook_buf_put(&b->bytes, bytes, size);
    cook_token_map_add(&b->tokens, cook_token_map_path(&b->tokens, path, type), size, indices);
}

static inline void build_put_number(struct builder *b, const char *path,
                                    enum cook_token_type type, uint64_t number, size_t size,
                                    uint32_t first, uint32_t second)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    build_put(b, path, type, bytes, size, first, second);
}

static inline void build_put_text(struct builder *b, const char *path, const char *text,
                                  uint32_t first, uint32_t second)
{
    struct cook_buf row = COOK_BUF_INIT;
    cook_buf_put_u32(&row, (uint32_t)strlen(text));
    cook_buf_put(&row, text, strlen(text));
    build_put(b, path, COOK_TOKEN_STRING, row.data, row.size, first, second);
    cook_buf_finish(&row);
}

static inline uint64_t build_name_index(const struct builder *b, const char *text)
{
    return text ? build_find(b->names, b->name_count, text) : UINT32_MAX;
}

static inline void build_put_header(struct builder *b)
{
    static const char *const offsets[] = { "Total",   "Names", "Imports", "Soft",
                                           "Exports", "Data",  "Bulk" };
    char path[64];
    build_put_number(b, "#header.Magic", COOK_TOKEN_U32, COOK_COOKED_MAGIC, 4, 0, 0);
    build_put_number(b, "#header.Version", COOK_TOKEN_U32, COOK_COOKED_VERSION, 4, 0, 0);
    build_put_number(b, "#header.Flags", COOK_TOKEN_U32, 0, 4, 0, 0);
    for (size_t i = 0; i < 7; i++) {
        snprintf(path, sizeof(path), "#header.%s", offsets[i]);
        build_put_number(b, path, COOK_TOKEN_OFFSET, 0, 8, 0, 0);
    }
    build_put_number(b, "#header.NameCount", COOK_TOKEN_COUNT, b->name_count, 4, 0, 0);
    build_put_number(b, "#header.ImportCount", COOK_TOKEN_COUNT, b->import_count, 4, 0, 0);
    build_put_number(b, "#header.SoftCount", COOK_TOKEN_COUNT, b->soft_count, 4, 0, 0);
    build_put_number(b, "#header.ExportCount", COOK_TOKEN_COUNT, b->export_count, 4, 0, 0);
}

/* Header fields: 12 total, then names, imports, soft, exports, data, bulk. */
static inline void build_set(struct builder *b, size_t field)
{
    cook_buf_set_u64(&b->bytes, 12 + 8 * field, b->bytes.size);
}

static inline size_t build_put_tables(struct builder *b)
{
    build_set(b, 1);
    for (uint32_t i = 0; i < b->name_count; i++)
        build_put_text(b, "#names[]", b->names[i], i, 0);
    build_set(b, 2);
    for (uint32_t i = 0; i < b->import_count; i++) {
        const char *package = build_package_of(b, b->imports[i]);
        const char *inner = b->imports[i] + strlen(package);
        build_put_number(b, "#imports[].Package", COOK_TOKEN_NAME, build_name_index(b, package),
                         4, i, 0);
        build_put_text(b, "#imports[].Inner", *inner ? inner + 1 : "", i, 0);
        build_put_number(b, "#imports[].Class", COOK_TOKEN_NAME,
                         build_name_index(b, BUILD_IMPORT_CLASS), 4, i, 0);
    }
    build_set(b, 3);
    for (uint32_t i = 0; i < b->soft_count; i++)
        build_put_text(b, "#soft[]", b->soft[i], i, 0);
    build_set(b, 4);
    size_t rows = b->bytes.size;
    for (uint32_t i = 0; i < b->export_count; i++) {
        build_put_number(b, "#exports[].Name", COOK_TOKEN_NAME,
                         build_name_index(b, b->exports[i].name), 4, i, 0);
        build_put_number(b, "#exports[].Class", COOK_TOKEN_NAME,
                         build_name_index(b, b->exports[i].class_name), 4, i, 0);
        build_put_number(b, "#exports[].Outer", COOK_TOKEN_REF, 0, 4, i, 0);
        build_put_number(b, "#exports[].Flags", COOK_TOKEN_U32, 0, 4, i, 0);
        build_put_number(b, "#exports[].Offset", COOK_TOKEN_OFFSET, 0, 8, i, 0);
        build_put_number(b, "#exports[].Size", COOK_TOKEN_OFFSET, 0, 8, i, 0);
    }
    return rows;
}

static inline int32_t build_reference(const struct builder *b, const char *text)
{
    if (!text)
        return 0;
    if (text[0] == '/')
        return -(int32_t)build_find(b->imports, b->import_count, text) - 1;
    for (size_t i = 0; i < b->export_count; i++) {
        if (strcmp(b->exports[i].name, text) == 0)
            return (int32_t)i + 1;
    }
    return 0;
}

static inline size_t build_number_size(enum cook_token_type type)
{
    switch ((int)type) {
    case COOK_TOKEN_BOOL:
    case COOK_TOKEN_I8:
    case COOK_TOKEN_U8:
        return 1;
    case COOK_TOKEN_I16:
    case COOK_TOKEN_U16:
        return 2;
    case COOK_TOKEN_I64:
    case COOK_TOKEN_U64:
    case COOK_TOKEN_F64:
    case COOK_TOKEN_OFFSET:
        return 8;
    default:
        return 4;
    }
}

static inline void build_put_value(struct builder *b, struct built_value *v)
{
    char path[256];
    snprintf(path, sizeof(path), "%s:%s", b->exports[v->export].name, v->path);
    if (v->bulk) {
        snprintf(path, sizeof(path), "%s:%s.Offset", b->exports[v->export].name, v->path);
        v->number = b->bytes.size;
        build_put_number(b, path, COOK_TOKEN_OFFSET, 0, 8, v->indices[0], v->indices[1]);
        snprintf(path, sizeof(path), "%s:%s.Size", b->exports[v->export].name, v->path);
        build_put_number(b, path, COOK_TOKEN_OFFSET, v->size, 8, v->indices[0], v->indices[1]);
        return;
    }
    uint64_t number = v->number;
    if (v->type == COOK_TOKEN_NAME)
        number = build_name_index(b, v->text);
    else if (v->type == COOK_TOKEN_SOFT_REF)
        number = v->text ? build_find(b->soft, b->soft_count, v->text) : UINT32_MAX;
    else if (v->type == COOK_TOKEN_REF)
        number = (uint32_t)build_reference(b, v->text);
    if (v->type == COOK_TOKEN_DATA)
        build_put(b, path, v->type, v->data, v->size, v->indices[0], v->indices[1]);
    else if (v->type == COOK_TOKEN_STRING)
        build_put_text(b, path, v->text, v->indices[0], v->indices[1]);
    else
        build_put_number(b, path, v->type, number, build_number_size(v->type), v->indices[0],
                         v->indices[1]);
}

static inline void build_put_bulk(struct builder *b)
{
    static const uint8_t zeros[16];
    uint32_t index = 0;
    for (size_t i = 0; i < b->value_count; i++) {
        const struct built_value *v = &b->values[i];
        if (!v->bulk)
            continue;
        size_t padding = (16 - b->bytes.size % 16) % 16;
        if (padding)
            build_put(b, "#bulk[].Padding", COOK_TOKEN_PADDING, zeros, padding, index, 0);
        cook_buf_set_u64(&b->bytes, v->number, b->bytes.size);
        char path[256];
        snprintf(path, sizeof(path), "%s:%s#bulk", b->exports[v->export].name, v->path);
        build_put(b, path, COOK_TOKEN_DATA, v->data, v->size, v->indices[0], v->indices[1]);
        index++;
    }
}

static inline void build(struct builder *b)
{
    build_harvest(b);
    build_put_header(b);
    size_t rows = build_put_tables(b);
    build_set(b, 5);
    size_t at = 0;
    for (uint32_t i = 0; i < b->export_count; i++) {
        size_t start = b->bytes.size;
        for (; at < b->value_count && b->values[at].export == i; at++)
            build_put_value(b, &b->values[at]);
        cook_buf_set_u64(&b->bytes, rows + 32 * i + 16, start);
        cook_buf_set_u64(&b->bytes, rows + 32 * i + 24, b->bytes.size - start);
    }
    build_set(b, 6);
    build_put_bulk(b);
    build_set(b, 0);
    assert(!b->bytes.failed && !b->tokens.failed);
}

#endif
