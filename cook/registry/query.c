#include "cook/registry/query.h"

#include <stdlib.h>
#include <string.h>

#include "cook/base/path.h"
#include "cook/registry/facts.h"

char *cook_query_text(const struct cook_query *query, struct cook_arena *arena)
{
    const char *const members[] = { query->class_name, query->path_glob, query->tag,
                                    query->tag_value };
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (members[i] && strpbrk(members[i], "|\n"))
            return NULL;
    if (query->tag && strchr(query->tag, '='))
        return NULL;
    const char *class_name = query->class_name ? query->class_name : "";
    const char *path = query->path_glob ? query->path_glob : "";
    const char *tag = query->tag ? query->tag : "";
    const char *equals = query->tag && query->tag_value ? "=" : "";
    const char *value = query->tag && query->tag_value ? query->tag_value : "";
    return cook_arena_printf(arena, "class=%s|%s|path=%s|tag=%s%s%s", class_name,
                             query->child_classes ? "children" : "", path, tag, equals, value);
}

bool cook_query_parse(struct cook_query *query, const char *text, struct cook_arena *arena)
{
    char *parts[4];
    char *copy = cook_arena_strdup(arena, text);
    *query = (struct cook_query){ 0 };
    for (size_t i = 0; i < 4; i++) {
        if (!copy)
            return false;
        parts[i] = copy;
        copy = strchr(copy, '|');
        if (copy)
            *copy++ = '\0';
    }
    if (copy || strncmp(parts[0], "class=", 6) != 0 || strncmp(parts[2], "path=", 5) != 0 ||
        strncmp(parts[3], "tag=", 4) != 0)
        return false;
    query->class_name = parts[0][6] ? parts[0] + 6 : NULL;
    query->child_classes = parts[1][0] != '\0';
    query->path_glob = parts[2][5] ? parts[2] + 5 : NULL;
    query->tag = parts[3][4] ? parts[3] + 4 : NULL;
    char *equals = strchr(parts[3] + 4, '=');
    if (equals) {
        *equals = '\0';
        query->tag_value = equals + 1;
    }
    return true;
}

static bool tags_match(const struct cook_facts *facts, const struct cook_query *query)
{
    if (!query->tag)
        return true;
    for (size_t i = 0; i < facts->tag_count; i++)
        if (strcmp(facts->tags[i].key, query->tag) == 0)
            return !query->tag_value || strcmp(facts->tags[i].value, query->tag_value) == 0;
    return false;
}

static bool class_matches(const char *class_name, const struct cook_query *query,
                          cook_query_is_a is_a, void *user)
{
    if (!query->class_name || strcmp(class_name, query->class_name) == 0)
        return true;
    return query->child_classes && is_a(user, class_name, query->class_name);
}

struct matches {
    const char **paths;
    size_t count;
    size_t capacity;
};

static enum cook_status match_package(struct matches *matches, const struct cook_state *state,
                                      uint32_t package, const struct cook_query *query,
                                      cook_query_is_a is_a, void *user, struct cook_arena *arena)
{
    size_t size;
    struct cook_facts facts;
    struct cook_arena scratch = COOK_ARENA_INIT;
    const char *name = cook_state_text(state, state->packages[package].name);
    const uint8_t *blob = cook_state_blob(state, state->results[package].facts, &size);
    enum cook_status decoded =
        size ? cook_facts_decode(&facts, blob, size, &scratch, NULL) : COOK_E_NOT_FOUND;
    /* Short memory must not look like a package that does not match. */
    enum cook_status status = decoded == COOK_E_NO_MEMORY ? decoded : COOK_OK;
    if (decoded == COOK_OK && tags_match(&facts, query)) {
        for (size_t i = 0; status == COOK_OK && i < facts.object_count; i++) {
            if (!class_matches(facts.objects[i].class_name, query, is_a, user))
                continue;
            char *path = cook_arena_printf(arena, "%s.%s", name, facts.objects[i].path);
            if (!path)
                status = COOK_E_NO_MEMORY;
            else if (query->path_glob && !cook_glob_match(query->path_glob, path))
                continue;
            else if (!cook_grow(&matches->paths, &matches->capacity, matches->count + 1,
                                sizeof(*matches->paths)))
                status = COOK_E_NO_MEMORY;
            else
                matches->paths[matches->count++] = path;
        }
    }
    cook_arena_finish(&scratch);
    return status;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum cook_status cook_registry_query(const char ***paths, size_t *count, struct cook_state *state,
                                     const struct cook_query *query, cook_query_is_a is_a,
                                     void *user, struct cook_arena *arena)
{
    struct matches matches = { 0 };
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < state->packages_count; i++)
        if (state->packages[i].flags & COOK_PACKAGE_PRESENT)
            status = match_package(&matches, state, i, query, is_a, user, arena);
    *paths = cook_arena_dup(arena, matches.paths ? (const void *)matches.paths : "",
                            matches.count * sizeof(*matches.paths));
    *count = matches.count;
    cook_free(matches.paths);
    if (status == COOK_OK && !*paths)
        status = COOK_E_NO_MEMORY;
    if (status == COOK_OK)
        qsort(*paths, *count, sizeof(**paths), compare_texts);
    return status;
}

struct cook_hash cook_query_hash(const char *const *paths, size_t count)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    cook_hasher_update_u64(&hasher, count);
    for (size_t i = 0; i < count; i++)
        cook_hasher_update_string(&hasher, paths[i]);
    return cook_hasher_digest(&hasher);
}
