/* cook explain size PACKAGE: what of a cooked package takes the room, beside what its source takes. */
#include <stdlib.h>
#include <string.h>

#include "cook/archive/tokens.h"
#include "cook/base/intern.h"
#include "explain/explain.h"

#define SHOWN 30

struct sizes {
    struct cook_intern names; /* "Object:Property", or "#names" of the package's tables */
    uint64_t *bytes;
    size_t capacity;
    uint64_t total;
    bool failed;
};

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
        size_t before = sizes->names.count;
        uint32_t id = cook_intern_add_n(&sizes->names, path, head_length(path));
        if (id == COOK_INTERN_NONE ||
            !cook_grow(&sizes->bytes, &sizes->capacity, (size_t)id + 1, sizeof(*sizes->bytes))) {
            sizes->failed = true;
            return;
        }
        if (sizes->names.count != before)
            sizes->bytes[id] = 0;
        sizes->bytes[id] += map->tokens[i].size;
        sizes->total += map->tokens[i].size;
    }
}

static int by_bytes(const void *a, const void *b, void *user)
{
    const struct sizes *sizes = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (sizes->bytes[x] != sizes->bytes[y])
        return sizes->bytes[x] < sizes->bytes[y] ? 1 : -1;
    return strcmp(cook_intern_text(&sizes->names, x), cook_intern_text(&sizes->names, y));
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
    cJSON *summary = cJSON_AddObjectToObject(explain->document, "summary");
    cJSON_AddNumberToObject(summary, "cooked_bytes", (double)sizes->total);
    cJSON_AddNumberToObject(summary, "source_bytes", (double)source_bytes);
    cJSON *list = cJSON_AddArrayToObject(explain->document, "properties");
    for (size_t i = 0; i < count; i++) {
        const char *name = cook_intern_text(&sizes->names, order[i]);
        uint64_t bytes = sizes->bytes[order[i]];
        if (i < SHOWN)
            fprintf(out, "%12llu  %5.1f%%  %s\n", (unsigned long long)bytes,
                    sizes->total ? 100.0 * (double)bytes / (double)sizes->total : 0.0, name);
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "name", name);
        cJSON_AddNumberToObject(json, "bytes", (double)bytes);
        cJSON_AddItemToArray(list, json);
    }
    if (count > SHOWN)
        fprintf(out, "and %zu more; all of them: --json FILE\n", count - SHOWN);
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
        uint64_t source = row->file != COOK_ID_NONE ? run->state->files[row->file].size_bytes : 0;
        add_tokens(&sizes, &map);
        cJSON_AddStringToObject(explain->document, "package", operands[0]);
        status = print_sizes(explain, &sizes, source, error);
    }
    cook_token_map_finish(&map);
    cook_buf_finish(&tokens);
    cook_intern_finish(&sizes.names);
    cook_free(sizes.bytes);
    return status;
}
