/* The SDK's context: recorded reads of what is neither config, file nor package. */
#include <stdlib.h>
#include <string.h>

#include "cook/archive/base64.h"
#include "cook/base/path.h"
#include "cook/deps/value.h"
#include "cook/object/functions.h"
#include "cook/registry/query.h"
#include "cook/registry/registry.h"
#include "cook/worker/session.h"

#define CVAR_SECTION "ConsoleVariables"

const char *cook_console_variable(struct cook_context *context, const char *name)
{
    const struct cook_config *config = context->session->config;
    const char *text = cook_config_string(config, CVAR_SECTION, name, NULL);
    cook_context_record(context, COOK_DEP_CVAR, name, cook_config_hash(config, CVAR_SECTION, name),
                        text, "cook_console_variable");
    return text;
}

const char *cook_command_line(struct cook_context *context, const char *name)
{
    const struct cook_session *session = context->session;
    const char *text = cook_argument_find(session->arguments, session->argument_count, name);
    cook_context_record(context, COOK_DEP_CMDLINE, name, cook_text_value(text), text,
                        "cook_command_line");
    return text;
}

const char *cook_environment(struct cook_context *context, const char *name)
{
    const char *text = getenv(name);
    cook_context_record(context, COOK_DEP_ENV, name, cook_text_value(text), text,
                        "cook_environment");
    return text;
}

/* Texts as an array of struct cook_string in package memory. */
static enum cook_status give_texts(struct cook_context *context, const char *const *texts,
                                   size_t count, struct cook_array *out)
{
    struct cook_string *items = cook_alloc_array(context, count + 1, sizeof(*items));
    if (!items || count > UINT32_MAX)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        items[i] = cook_make_string(context, texts[i]);
        if (!items[i].data && *texts[i])
            return COOK_E_NO_MEMORY;
    }
    *out = (struct cook_array){ items, (uint32_t)count, (uint32_t)count };
    return COOK_OK;
}

enum cook_status cook_list_folder(struct cook_context *context, const char *path,
                                  struct cook_array *names)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hash value = { 0, 0 };
    const char **list;
    size_t count;
    *names = (struct cook_array){ 0 };
    const char *resolved = cook_context_path(context, path, &arena);
    enum cook_status status = COOK_E_INVALID;
    if (resolved) {
        status = cook_directory_list(&list, &count, context->session->project_fd, resolved, &arena,
                                     NULL);
        if (status == COOK_OK)
            value = cook_directory_hash(list, count);
        cook_context_record(context, COOK_DEP_DIRECTORY, resolved, value, "", "cook_list_folder");
    }
    if (status == COOK_OK)
        status = give_texts(context, list, count, names);
    cook_arena_finish(&arena);
    return status;
}

static bool is_a(void *user, const char *class_name, const char *ancestor)
{
    const struct cook_class_info *info = cook_types_class(user, class_name);
    return info && cook_class_is_a(info, ancestor);
}

enum cook_status cook_query_objects(struct cook_context *context, const struct cook_query *query,
                                    struct cook_array *paths)
{
    struct cook_session *session = context->session;
    struct cook_arena arena = COOK_ARENA_INIT;
    const char **list;
    size_t count;
    *paths = (struct cook_array){ 0 };
    const char *text = cook_query_text(query, &arena);
    enum cook_status status = COOK_E_INVALID;
    if (text) {
        pthread_mutex_lock(&session->load_lock);
        status = cook_registry_query(&list, &count, &session->registry, query, is_a,
                                     &session->types, &arena);
        pthread_mutex_unlock(&session->load_lock);
    }
    if (status == COOK_OK) {
        cook_context_record(context, COOK_DEP_QUERY, text, cook_query_hash(list, count), "",
                            "cook_query_objects");
        status = give_texts(context, list, count, paths);
    }
    cook_arena_finish(&arena);
    return status;
}

const char *cook_redirected(struct cook_context *context, const char *path)
{
    return cook_context_redirected(context, path, "cook_redirected");
}

const char *cook_context_redirected(struct cook_context *context, const char *path, const char *call)
{
    struct cook_session *session = context->session;
    struct cook_arena arena = COOK_ARENA_INIT;
    if (!path)
        return NULL;
    pthread_mutex_lock(&session->load_lock);
    struct cook_resolved resolved = cook_registry_resolve(&session->registry, path, &arena);
    pthread_mutex_unlock(&session->load_lock);
    cook_context_record(context, COOK_DEP_REDIRECT, path,
                        cook_hash_bytes(resolved.path, strlen(resolved.path)), resolved.path, call);
    const char *out = path;
    if (strcmp(resolved.path, path) != 0)
        out = cook_make_name(context, resolved.path).text;
    cook_arena_finish(&arena);
    if (!out)
        cook_context_short_of_memory(context);
    return out ? out : path;
}

void cook_depend_class(struct cook_context *context, const char *class_name)
{
    if (cook_context_refuses(context, "cook_depend_class"))
        return;
    const struct cook_class_info *info = cook_types_class(&context->session->types, class_name);
    struct cook_hash absent = { 0, 0 };
    cook_context_record(context, COOK_DEP_CLASS, class_name, info ? info->schema : absent, "",
                        "cook_depend_class");
}

void cook_depend_package_whole(struct cook_context *context, const char *package)
{
    struct cook_hash unknown = { 0, 0 };
    /* The director knows the key of the other package, when both are cooked. */
    cook_context_record(context, COOK_DEP_PACKAGE, package, unknown, "",
                        "cook_depend_package_whole");
}

enum cook_status cook_depend_function(struct cook_context *context, const char *name,
                                      const void *arguments)
{
    struct cook_session *session = context->session;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hash value = { 0, 0 };
    if (cook_context_refuses(context, "cook_depend_function"))
        return COOK_E_INVALID;
    const char *args = cook_function_args(&session->types, name, arguments, &arena);
    enum cook_status status = args ? COOK_OK : COOK_E_NOT_FOUND;
    if (status == COOK_OK)
        status = cook_function_evaluate(&session->types, session->config, args, &value);
    else if (name) /* absence is a value too: the day that it is registered counts */
        args = cook_arena_printf(&arena, "%s " COOK_FUNCTION_NO_ARGS, name);
    if (args)
        cook_context_record(context, COOK_DEP_FUNCTION, args, value, "", "cook_depend_function");
    cook_arena_finish(&arena);
    return status;
}
