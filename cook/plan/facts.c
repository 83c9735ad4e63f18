#include "cook/plan/facts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

extern char **environ;

/* ---- written ---- */

static void add_environment(cJSON *facts)
{
    cJSON *environment = cJSON_AddObjectToObject(facts, "environment");
    for (char **e = environ; *e; e++) {
        const char *equals = strchr(*e, '=');
        char name[256];
        if (!equals || (size_t)(equals - *e) >= sizeof(name))
            continue;
        (void)snprintf(name, sizeof(name), "%.*s", (int)(equals - *e), *e);
        cJSON_AddStringToObject(environment, name, equals + 1);
    }
}

static void add_pair(cJSON *list, const char *name, const char *build_id)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", name);
    cJSON_AddStringToObject(item, "build_id", build_id);
    cJSON_AddItemToArray(list, item);
}

static void add_code(cJSON *facts, const struct cook_run *run)
{
    const char *const *names;
    const char *const *build_ids;
    size_t count = cook_pool_plugins(run->pool, &names, &build_ids);
    cJSON *plugins = cJSON_AddArrayToObject(facts, "plugins");
    for (size_t i = 0; i < count; i++)
        add_pair(plugins, names[i], build_ids[i]);
    struct cook_arena arena = COOK_ARENA_INIT;
    const struct cook_buf *modules = cook_pool_modules(run->pool);
    struct cook_reader_buf in = cook_read_init(modules->data, modules->size);
    cJSON *libraries = cJSON_AddArrayToObject(facts, "libraries");
    count = modules->size ? cook_read_count(&in, 3) : 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = cook_read_string(&in, &arena);
        const char *build_id = cook_read_string(&in, &arena);
        (void)cook_read_string(&in, &arena);
        if (*build_id && !in.failed)
            add_pair(libraries, name, build_id);
    }
    cook_arena_finish(&arena);
}

static void add_machine(cJSON *facts)
{
    char host[256] = "";
    char zone[PATH_MAX] = "";
    (void)gethostname(host, sizeof(host) - 1);
    cJSON_AddStringToObject(facts, "host", host);
    ssize_t size = readlink("/etc/localtime", zone, sizeof(zone) - 1);
    cJSON_AddStringToObject(facts, "time_zone", size > 0 ? zone : "");
    mode_t mask = umask(0);
    (void)umask(mask);
    cJSON_AddNumberToObject(facts, "umask", mask);
    cJSON_AddNumberToObject(facts, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
}

char *cook_run_facts_json(struct cook_run *run)
{
    cJSON *facts = cJSON_CreateObject();
    cJSON_AddStringToObject(facts, "command_line",
                            run->options.command_line ? run->options.command_line : "");
    cJSON *tokens = cJSON_AddArrayToObject(facts, "tokens");
    for (size_t i = 0; i < run->options.argument_count; i++)
        cJSON_AddItemToArray(tokens, cJSON_CreateString(run->options.arguments[i]));
    cJSON *overrides = cJSON_AddArrayToObject(facts, "overrides");
    for (size_t i = 0; i < run->options.project.override_count; i++)
        cJSON_AddItemToArray(overrides,
                             cJSON_CreateString(run->options.project.overrides[i]));
    cJSON_AddStringToObject(facts, "project", run->project.path);
    add_machine(facts);
    add_environment(facts);
    add_code(facts, run);
    char *text = cJSON_PrintUnformatted(facts);
    char *copy = text ? cook_arena_strdup(&run->arena, text) : NULL;
    cJSON_free(text);
    cJSON_Delete(facts);
    return copy;
}

/* ---- read ---- */

static const char *text_of(const cJSON *object, const char *key, struct cook_arena *arena)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? cook_arena_strdup(arena, item->valuestring) : NULL;
}

static int compare_names(const void *a, const void *b)
{
    const struct cook_fact *x = a;
    const struct cook_fact *y = b;
    return strcmp(x->name, y->name);
}

/* An object of texts, or an array of {name, build_id}. */
static bool read_list(struct cook_fact_list *list, const cJSON *json, struct cook_arena *arena)
{
    const cJSON *item;
    bool pairs = cJSON_IsArray(json);
    *list = (struct cook_fact_list){ .have = pairs || cJSON_IsObject(json) };
    if (!list->have)
        return true;
    list->items =
        cook_arena_alloc(arena, ((size_t)cJSON_GetArraySize(json) + 1) * sizeof(*list->items));
    if (!list->items)
        return false;
    cJSON_ArrayForEach(item, json)
    {
        struct cook_fact *fact = &list->items[list->count];
        const char *name = pairs ? NULL : item->string;
        fact->name = pairs ? text_of(item, "name", arena) : cook_arena_strdup(arena, name);
        if (pairs)
            fact->value = text_of(item, "build_id", arena);
        else
            fact->value =
                cJSON_IsString(item) ? cook_arena_strdup(arena, item->valuestring) : NULL;
        list->count += fact->name && fact->value;
    }
    return true;
}

static bool read_texts(const char ***texts, size_t *count, const cJSON *json,
                       struct cook_arena *arena)
{
    const cJSON *item;
    if (!cJSON_IsArray(json))
        return true;
    *texts = cook_arena_alloc(arena, ((size_t)cJSON_GetArraySize(json) + 1) * sizeof(char *));
    if (!*texts)
        return false;
    cJSON_ArrayForEach(item, json)
    {
        const char *text =
            cJSON_IsString(item) ? cook_arena_strdup(arena, item->valuestring) : NULL;
        if (text)
            (*texts)[(*count)++] = text;
    }
    return true;
}

static double number_of(const cJSON *object, const char *key, double fallback)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    bool sound = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e6;
    return sound ? item->valuedouble : fallback;
}

enum cook_status cook_run_facts_decode(struct cook_run_facts *facts, const char *json,
                                       struct cook_arena *arena, struct cook_error *error)
{
    cJSON *root = cJSON_Parse(json);
    *facts = (struct cook_run_facts){ .umask = -1 };
    if (!cJSON_IsObject(root)) {
        cJSON_Delete(root);
        return cook_error_set(error, COOK_E_MALFORMED,
                              "the facts of a cook are no JSON object");
    }
    facts->host = text_of(root, "host", arena);
    facts->project_path = text_of(root, "project", arena);
    facts->time_zone = text_of(root, "time_zone", arena);
    facts->umask = (int)number_of(root, "umask", -1);
    facts->processors = (unsigned)number_of(root, "processors", 0);
    bool room =
        read_list(&facts->environment, cJSON_GetObjectItemCaseSensitive(root, "environment"),
                  arena) &&
        read_list(&facts->plugins, cJSON_GetObjectItemCaseSensitive(root, "plugins"), arena) &&
        read_list(&facts->libraries, cJSON_GetObjectItemCaseSensitive(root, "libraries"),
                  arena) &&
        read_texts(&facts->tokens, &facts->token_count,
                   cJSON_GetObjectItemCaseSensitive(root, "tokens"), arena) &&
        read_texts(&facts->overrides, &facts->override_count,
                   cJSON_GetObjectItemCaseSensitive(root, "overrides"), arena);
    cJSON_Delete(root);
    if (!room)
        return cook_error_no_memory(error);
    if (facts->environment.count)
        qsort(facts->environment.items, facts->environment.count, sizeof(struct cook_fact),
              compare_names);
    if (facts->libraries.count)
        qsort(facts->libraries.items, facts->libraries.count, sizeof(struct cook_fact),
              compare_names);
    return COOK_OK;
}

const char *cook_fact_find(const struct cook_fact_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return list->items[i].value;
    return NULL;
}
