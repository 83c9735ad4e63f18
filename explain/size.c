/* cook explain size PACKAGE: what of a cooked package takes the room, beside what its source takes, and what
 * of it the classes say is for the editor only. */
#include <stdlib.h>
#include <string.h>

#include "cook/archive/cooked.h"
#include "cook/archive/tokens.h"
#include "cook/base/fs.h"
#include "cook/base/intern.h"
#include "cook/base/json.h"
#include "explain/explain.h"

#define SHOWN            30
#define MAX_SOURCE_BYTES (UINT64_C(1) << 30)

struct part {
    uint64_t cooked;
    uint64_t source;  /* of its text in a native source */
    bool in_source;
    bool many; /* cooked as an array or a map */
    const char *class_name; /* that declares the property editor-only; NULL: none does */
};
struct sizes {
    struct cook_intern names; /* "Object:Property", or "#names" of the package's tables */
    struct part *parts;
    size_t capacity;
    uint64_t total;
    uint64_t leaked; /* cooked, although for the editor only */
    bool failed;
};

static struct part *part_of(struct sizes *sizes, const char *name, size_t length)
{
    size_t before = sizes->names.count;
    uint32_t id = cook_intern_add_n(&sizes->names, name, length);
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&sizes->parts, &sizes->capacity, (size_t)id + 1, sizeof(*sizes->parts))) {
        sizes->failed = true;
        return NULL;
    }
    if (sizes->names.count != before)
        sizes->parts[id] = (struct part){ 0 };
    return &sizes->parts[id];
}

/* ---- the cooked package ---- */

/* The object and the first part of the property's path: "Rock:Lods[].Indices" counts for "Rock:Lods". */
static size_t head_length(const char *path)
{
    const char *colon = strchr(path, ':');
    const char *at = colon ? colon + 1 : path;
    return (size_t)(at - path) + strcspn(at + (*path == '#'), ".[#") + (*path == '#');
}

static void add_tokens(struct sizes *sizes, const struct cook_token_map *map)
{
    for (size_t i = 0; i < map->count && !sizes->failed; i++) {
        const char *path = cook_intern_text(&map->paths, map->tokens[i].path);
        struct part *part = part_of(sizes, path, head_length(path));
        if (part) {
            part->cooked += map->tokens[i].size;
            part->many |= strchr("[#", path[head_length(path)]) && path[head_length(path)] && *path != '#';
        }
        sizes->total += map->tokens[i].size;
    }
}

/* ---- a native source ---- */

/* Of a value as it is written without spaces. */
static uint64_t text_bytes(const struct cook_json *value)
{
    uint64_t bytes = 2;
    switch (value->type) {
    case COOK_JSON_STRING:
        return value->length + 2;
    case COOK_JSON_NUMBER:
        return value->length;
    case COOK_JSON_ARRAY:
    case COOK_JSON_OBJECT:
        for (const struct cook_json *child = value->child; child; child = child->next)
            bytes += text_bytes(child) + (child->key ? strlen(child->key) + 3 : 0) + (child->next ? 1 : 0);
        return bytes;
    case COOK_JSON_FALSE:
        return 5;
    case COOK_JSON_NULL:
    case COOK_JSON_TRUE:
    case COOK_JSON_UNKNOWN:
        break;
    }
    return 4;
}

static void add_object(struct sizes *sizes, const struct cook_json *object, struct cook_arena *arena)
{
    const char *name = "", *outer = NULL;
    (void)cook_json_string(cook_json_get(object, "name"), &name);
    (void)cook_json_string(cook_json_get(object, "outer"), &outer);
    const struct cook_json *properties = cook_json_get(object, "properties");
    for (const struct cook_json *p = properties ? properties->child : NULL; p; p = p->next) {
        char *path = cook_arena_printf(arena, "%s%s%s:%s", outer ? outer : "", outer ? "/" : "", name,
                                       p->key ? p->key : "");
        struct part *part = path ? part_of(sizes, path, strlen(path)) : NULL;
        sizes->failed |= !path;
        if (part) {
            part->source += text_bytes(p);
            part->in_source = true;
        }
    }
}

/* A source of another format is one thing: its size is known, not that of its parts. */
static void add_source(struct sizes *sizes, const struct explain *explain, const char *path)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_arena arena = COOK_ARENA_INIT;
    const struct cook_json *root;
    uint32_t line;
    size_t length = strlen(path);
    if (length > 6 && strcmp(path + length - 6, ".asset") == 0 &&
        cook_fs_read(&bytes, NULL, explain->run.project.fd, path, MAX_SOURCE_BYTES, NULL) == COOK_OK &&
        cook_json_parse(&root, &line, cook_buf_text(&bytes), bytes.size, &arena, NULL) == COOK_OK) {
        const struct cook_json *objects = cook_json_get(root, "objects");
        for (const struct cook_json *o = objects ? objects->child : NULL; o; o = o->next)
            add_object(sizes, o, &arena);
    }
    cook_arena_finish(&arena);
    cook_buf_finish(&bytes);
}

/* ---- for the editor only ---- */

static bool is_named(const char *declared, const char *property)
{
    size_t length = strlen(property);
    return strncmp(declared, property, length) == 0 &&
           (declared[length] == '\0' || strcmp(declared + length, "[]") == 0);
}

/*
 * The class that declares a property editor-only: the object's own, or one above it. What is cooked under
 * its name in another shape is another thing, as the mips that a flag of a texture asks for.
 */
static const char *editor_only_class(const struct cook_run *run, const char *class_name,
                                     const char *property, const struct part *part)
{
    for (const struct cook_hello_class *c = cook_run_class(run, class_name); c;
         c = *c->parent ? cook_run_class(run, c->parent) : NULL)
        for (size_t i = 0; i < c->editor_only_count; i++)
            if (is_named(c->editor_only[i], property) &&
                (!part->cooked || part->many == (strchr(c->editor_only[i], '[') != NULL)))
                return c->name;
    return NULL;
}

static void mark_object(struct sizes *sizes, const struct cook_run *run, const char *object,
                        const char *class_name)
{
    size_t length = strlen(object);
    for (uint32_t i = 0; i < sizes->names.count; i++) {
        const char *name = cook_intern_text(&sizes->names, i);
        if (strncmp(name, object, length) != 0 || name[length] != ':')
            continue;
        struct part *part = &sizes->parts[i];
        part->class_name = editor_only_class(run, class_name, name + length + 1, part);
        sizes->leaked += part->class_name ? part->cooked : 0;
    }
}

static enum cook_status mark_editor_only(struct sizes *sizes, struct explain *explain, struct cook_hash hash,
                                         struct cook_error *error)
{
    struct cook_run *run = &explain->run;
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_cooked cooked;
    enum cook_status status = cook_store_get_blob(run->store, &bytes, hash, error);
    if (status == COOK_OK)
        status = cook_cooked_parse(&cooked, bytes.data, bytes.size, &explain->arena, error);
    const char **paths = NULL;
    if (status == COOK_OK &&
        !(paths = cook_arena_alloc(&explain->arena, (cooked.export_count + 1) * sizeof(*paths))))
        status = cook_error_no_memory(error);
    for (uint32_t i = 0; status == COOK_OK && i < cooked.export_count; i++) {
        const struct cook_cooked_export *export = &cooked.exports[i];
        paths[i] = export->outer ? cook_arena_printf(&explain->arena, "%s/%s", paths[export->outer - 1],
                                                     export->name)
                                 : export->name;
        if (!paths[i])
            status = cook_error_no_memory(error);
        else
            mark_object(sizes, run, paths[i], export->class_name);
    }
    cook_buf_finish(&bytes);
    return status;
}

/* ---- printing ---- */

static int by_bytes(const void *a, const void *b, void *user)
{
    const struct sizes *sizes = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct part *one = &sizes->parts[x], *other = &sizes->parts[y];
    if (one->cooked != other->cooked)
        return one->cooked < other->cooked ? 1 : -1;
    if (one->source != other->source)
        return one->source < other->source ? 1 : -1;
    return strcmp(cook_intern_text(&sizes->names, x), cook_intern_text(&sizes->names, y));
}

static void print_part(FILE *out, const struct sizes *sizes, const char *name, const struct part *part)
{
    char source[32] = "";
    if (part->in_source)
        (void)snprintf(source, sizeof(source), "%llu", (unsigned long long)part->source);
    fprintf(out, "%12llu  %5.1f%%  %12s  %s%s\n", (unsigned long long)part->cooked,
            sizes->total ? 100.0 * (double)part->cooked / (double)sizes->total : 0.0, source, name,
            part->class_name ? "  (editor-only)" : part->cooked ? "" : "  (not cooked)");
}

static void add_part(cJSON *list, const char *name, const struct part *part)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", name);
    cJSON_AddNumberToObject(json, "bytes", (double)part->cooked);
    if (part->in_source)
        cJSON_AddNumberToObject(json, "source_bytes", (double)part->source);
    else
        cJSON_AddNullToObject(json, "source_bytes");
    cJSON_AddBoolToObject(json, "editor_only", part->class_name != NULL);
    cJSON_AddItemToArray(list, json);
}

static void print_leaks(FILE *out, const struct sizes *sizes, const uint32_t *order)
{
    if (!sizes->leaked)
        return;
    fprintf(out, "for the editor only, but cooked: %llu bytes\n", (unsigned long long)sizes->leaked);
    for (size_t i = 0; i < sizes->names.count; i++) {
        const struct part *part = &sizes->parts[order[i]];
        if (part->class_name && part->cooked)
            fprintf(out, "    %s, %llu bytes: %s flags it editor-only, and its serialize hook writes it\n",
                    cook_intern_text(&sizes->names, order[i]), (unsigned long long)part->cooked,
                    part->class_name);
    }
}

static enum cook_status print_sizes(struct explain *explain, struct sizes *sizes, uint64_t source_bytes,
                                    struct cook_error *error)
{
    FILE *out = explain->cli.out;
    size_t count = sizes->names.count;
    uint32_t *order = cook_arena_alloc(&explain->arena, (count + 1) * sizeof(*order));
    if (!order || sizes->failed)
        return cook_error_no_memory(error);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (count)
        qsort_r(order, count, sizeof(*order), by_bytes, sizes);
    fprintf(out, "cooked %llu bytes, from %llu bytes of source\n", (unsigned long long)sizes->total,
            (unsigned long long)source_bytes);
    fprintf(out, "%12s  %6s  %12s  property\n", "cooked", "", "source");
    cJSON *summary = cJSON_AddObjectToObject(explain->document, "summary");
    cJSON_AddNumberToObject(summary, "cooked_bytes", (double)sizes->total);
    cJSON_AddNumberToObject(summary, "source_bytes", (double)source_bytes);
    cJSON_AddNumberToObject(summary, "leaked_bytes", (double)sizes->leaked);
    cJSON *list = cJSON_AddArrayToObject(explain->document, "properties");
    for (size_t i = 0; i < count; i++) {
        const char *name = cook_intern_text(&sizes->names, order[i]);
        if (i < SHOWN)
            print_part(out, sizes, name, &sizes->parts[order[i]]);
        add_part(list, name, &sizes->parts[order[i]]);
    }
    if (count > SHOWN)
        fprintf(out, "and %zu more; all of them: --json FILE\n", count - SHOWN);
    print_leaks(out, sizes, order);
    return COOK_OK;
}

enum cook_status explain_size(struct explain *explain, const char *const *operands,
                              struct cook_error *error)
{
    struct cook_run *run = &explain->run;
    struct cook_token_map map;
    struct cook_buf tokens = COOK_BUF_INIT;
    struct sizes sizes = { .total = 0 };
    uint32_t package;
    enum cook_status status = explain_package(&package, explain, operands, error);
    if (status != COOK_OK)
        return status;
    const struct cook_state_package *row = &run->state->packages[package];
    if (!(row->flags & COOK_PACKAGE_HAS_RESULT) || (row->flags & COOK_PACKAGE_OMITTED))
        return cook_error_set(error, COOK_E_USAGE, "%s has no cooked result; see: cook explain not-cooked %s",
                              operands[0], operands[0]);
    cook_token_map_init(&map);
    status = cook_store_get_blob(run->store, &tokens, run->state->results[package].tokens, error);
    if (status == COOK_OK)
        status = cook_token_map_decode(&map, tokens.data, tokens.size, error);
    if (status == COOK_OK) {
        const char *path = row->file != COOK_ID_NONE
                               ? cook_state_file_path(run->state, row->file, &explain->arena)
                               : NULL;
        add_tokens(&sizes, &map);
        if (path)
            add_source(&sizes, explain, path);
        status = mark_editor_only(&sizes, explain, run->state->results[package].bytes, error);
    }
    if (status == COOK_OK) {
        uint64_t source = row->file != COOK_ID_NONE ? run->state->files[row->file].size_bytes : 0;
        cJSON_AddStringToObject(explain->document, "package", operands[0]);
        status = print_sizes(explain, &sizes, source, error);
    }
    cook_token_map_finish(&map);
    cook_buf_finish(&tokens);
    cook_intern_finish(&sizes.names);
    cook_free(sizes.parts);
    return status;
}
