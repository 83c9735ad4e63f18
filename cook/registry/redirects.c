#include "cook/registry/redirects.h"

#include <stdlib.h>
#include <string.h>

#include "cook/base/intern.h"

#define SECTION "Redirects"
#define KEY "Redirect"

struct cook_redirects {
    struct cook_arena arena;
    struct cook_intern from;
    const char **to; /* by id of from */
    size_t capacity;
};

static char *trimmed(struct cook_arena *arena, const char *text, size_t length)
{
    while (length && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return cook_arena_strndup(arena, text, length);
}

static enum cook_status add(struct cook_redirects *redirects, const struct cook_config_value *value,
                            struct cook_error *error)
{
    const char *arrow = strstr(value->text, "->");
    size_t length = arrow ? (size_t)(arrow - value->text) : 0;
    const char *rest = arrow ? arrow + 2 : "";
    const char *from = trimmed(&redirects->arena, value->text, length);
    const char *to = trimmed(&redirects->arena, rest, strlen(rest));
    if (!from || !to)
        return cook_error_no_memory(error);
    if (from[0] != '/' || to[0] != '/')
        return cook_error_set(error, COOK_E_CONFIG, "%s:%u: a redirect is '/Old/Path -> /New/Path'",
                              value->source, value->line);
    uint32_t id = cook_intern_add(&redirects->from, from);
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&redirects->to, &redirects->capacity, id + 1, sizeof(*redirects->to)))
        return cook_error_no_memory(error);
    redirects->to[id] = to; /* a later layer wins */
    return COOK_OK;
}

enum cook_status cook_redirects_create(struct cook_redirects **out,
                                       const struct cook_config *config, struct cook_error *error)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(config, SECTION, KEY, &values);
    *out = NULL;
    struct cook_redirects *redirects = cook_calloc(1, sizeof(*redirects));
    enum cook_status status = redirects ? COOK_OK : COOK_E_NO_MEMORY;
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = add(redirects, &values[i], error);
    if (status != COOK_OK) {
        cook_redirects_destroy(redirects);
        return status;
    }
    *out = redirects;
    return COOK_OK;
}

void cook_redirects_destroy(struct cook_redirects *redirects)
{
    if (!redirects)
        return;
    cook_intern_finish(&redirects->from);
    cook_free(redirects->to);
    cook_arena_finish(&redirects->arena);
    cook_free(redirects);
}

const char *cook_redirects_apply(const struct cook_redirects *redirects, const char *path,
                                 struct cook_arena *arena)
{
    if (!redirects || redirects->from.count == 0)
        return path;
    uint32_t id = cook_intern_find(&redirects->from, path);
    if (id != COOK_INTERN_NONE)
        return redirects->to[id];
    /* A package that moved: the longest package part, up to a '.', that an entry names. */
    for (size_t length = strlen(path); length-- > 1;) {
        if (path[length] != '.')
            continue;
        id = cook_intern_find_n(&redirects->from, path, length);
        if (id != COOK_INTERN_NONE) {
            const char *moved = cook_arena_printf(arena, "%s%s", redirects->to[id], path + length);
            return moved ? moved : path;
        }
    }
    return path;
}

struct cook_hash cook_redirects_hash(const struct cook_config *config)
{
    return cook_config_hash(config, SECTION, KEY);
}
