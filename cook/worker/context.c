/* The SDK's context: recorded reads, memory, messages. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/fs.h"
#include "cook/base/json.h"
#include "cook/base/path.h"
#include "cook/registry/registry.h"
#include "cook/worker/session.h"

#define MAX_FILE_BYTES (UINT64_C(1) << 30)

enum cook_status cook_context_init(struct cook_context *context, struct cook_session *session,
                                   struct cook_package *package)
{
    *context = (struct cook_context){ .root = context, .session = session, .package = package };
    cook_record_init(&context->record);
    cook_record_init(&context->unrecorded_reads);
    return pthread_mutex_init(&context->lock, NULL) == 0 ? COOK_OK : COOK_E_NO_MEMORY;
}

void cook_context_finish(struct cook_context *context)
{
    if (!context->session)
        return;
    cook_record_finish(&context->record);
    cook_record_finish(&context->unrecorded_reads);
    cook_messages_finish(&context->messages);
    cook_intern_finish(&context->runtime_hard);
    cook_intern_finish(&context->runtime_soft);
    cook_intern_finish(&context->build_only_loads);
    cook_buf_finish(&context->notes);
    for (size_t i = 0; i < context->file_count; i++) {
        cook_free(context->files[i].name);
        cook_free(context->files[i].bytes);
    }
    cook_free(context->files);
    cook_free(context->uses);
    pthread_mutex_destroy(&context->lock);
    *context = (struct cook_context){ 0 };
}

/* Under the root's lock. */
static struct cook_dep_origin origin_of(const struct cook_context *context, const char *call)
{
    const struct cook_context *at = context->hook ? context : context->root;
    return (struct cook_dep_origin){ call, at->hook, at->hook_class };
}

struct cook_dep_origin cook_context_origin(struct cook_context *context, const char *call)
{
    pthread_mutex_lock(&context->root->lock);
    struct cook_dep_origin origin = origin_of(context, call);
    pthread_mutex_unlock(&context->root->lock);
    return origin;
}

void cook_context_record(struct cook_context *context, uint32_t kind, const char *args,
                         struct cook_hash value, const char *text, const char *call)
{
    struct cook_context *root = context->root;
    if (root->session->reads)
        cook_reads_note(root->session->reads, kind, args);
    pthread_mutex_lock(&root->lock);
    cook_record_add(context->unrecorded ? &root->unrecorded_reads : &root->record, kind, args, value,
                    text, origin_of(context, call));
    pthread_mutex_unlock(&root->lock);
}

struct cook_context *cook_enter_scope(struct cook_context *context, enum cook_scope scope)
{
    struct cook_context *entered = cook_package_alloc(context->package, sizeof(*entered));
    if (!entered)
        return context;
    *entered = (struct cook_context){ .root = context->root,
                                      .session = context->session,
                                      .package = context->package,
                                      .unrecorded = context->unrecorded,
                                      .build_only = context->build_only,
                                      .runtime = context->runtime,
                                      .hook = context->hook,
                                      .hook_class = context->hook_class };

    if (scope == COOK_SCOPE_UNRECORDED)
        entered->unrecorded = true;
    if (scope == COOK_SCOPE_BUILD_ONLY || scope == COOK_SCOPE_RUNTIME) {
        entered->build_only = scope == COOK_SCOPE_BUILD_ONLY; /* the inner one counts */
        entered->runtime = scope == COOK_SCOPE_RUNTIME;
    }
    return entered;
}

void cook_context_use(struct cook_context *context, struct cook_package *package)
{
    struct cook_context *root = context->root;
    if (context->unrecorded)
        return; /* the dereference itself is noted */
    pthread_mutex_lock(&root->lock);
    bool known = package == root->package;
    for (size_t i = 0; !known && i < root->use_count; i++)
        known = root->uses[i] == package;
    if (!known) {
        if (cook_grow(&root->uses, &root->use_capacity, root->use_count + 1,
                      sizeof(struct cook_package *)))
            root->uses[root->use_count++] = package;
        else
            root->out_of_memory = true;
    }
    pthread_mutex_unlock(&root->lock);
}

bool cook_context_has_errors(struct cook_context *context)
{
    struct cook_context *root = context->root;
    pthread_mutex_lock(&root->lock);
    bool errors = root->messages.errors || root->messages.failed || root->record.failed ||
                  root->unrecorded_reads.failed || root->out_of_memory;
    pthread_mutex_unlock(&root->lock);
    return errors;
}

void cook_context_short_of_memory(struct cook_context *context)
{
    pthread_mutex_lock(&context->root->lock);
    context->root->out_of_memory = true;
    pthread_mutex_unlock(&context->root->lock);
}

const char *cook_target(struct cook_context *context)
{
    return context->session->target;
}

const char *cook_package_name(struct cook_context *context)
{
    return context->package->name;
}

const char *cook_source_path(struct cook_context *context)
{
    return context->package->path;
}

/* ---- memory ---- */

void *cook_alloc(struct cook_context *context, size_t size)
{
    return cook_package_alloc(context->package, size);
}

void *cook_alloc_array(struct cook_context *context, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return cook_package_alloc(context->package, bytes);
}

static const char *copy_text(struct cook_context *context, const char *text)
{
    size_t size = strlen(text);
    char *copy = cook_package_alloc(context->package, size + 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

struct cook_string cook_make_string(struct cook_context *context, const char *text)
{
    struct cook_string string = { NULL, 0 };
    if (text && *text && (string.data = copy_text(context, text)) != NULL)
        string.size = strlen(text);
    return string;
}

struct cook_name cook_make_name(struct cook_context *context, const char *text)
{
    return (struct cook_name){ text ? copy_text(context, text) : NULL };
}

struct cook_ref cook_make_ref(struct cook_context *context, const char *path)
{
    return (struct cook_ref){ path ? copy_text(context, path) : NULL };
}

/* ---- config ---- */

size_t cook_context_config(struct cook_context *context, const char *section, const char *key,
                           const struct cook_config_value **values, const char *call)
{
    const struct cook_config *config = context->session->config;
    size_t count = cook_config_values(config, section, key, values);
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *args = cook_dep_config_args(&arena, section, key);
    struct cook_buf text = COOK_BUF_INIT;
    for (size_t i = 0; i < count; i++)
        cook_buf_printf(&text, "%s%s", i ? ", " : "", (*values)[i].text);
    if (args && !text.failed)
        cook_context_record(context, COOK_DEP_CONFIG, args,
                            cook_config_hash(config, section, key), cook_buf_text(&text), call);
    else
        cook_context_short_of_memory(context);
    cook_buf_finish(&text);
    cook_arena_finish(&arena);
    return count;
}

const char *cook_config(struct cook_context *context, const char *section, const char *key,
                        size_t *count)
{
    const struct cook_config_value *values;
    size_t n = cook_context_config(context, section, key, &values, "cook_config");
    if (count)
        *count = n;
    return n ? values[n - 1].text : NULL;
}

const char *cook_config_at(struct cook_context *context, const char *section, const char *key,
                           size_t index)
{
    const struct cook_config_value *values;
    size_t n = cook_context_config(context, section, key, &values, "cook_config_at");
    return index < n ? values[index].text : NULL;
}

int64_t cook_config_int(struct cook_context *context, const char *section, const char *key,
                        int64_t fallback)
{
    const struct cook_config_value *values;
    (void)cook_context_config(context, section, key, &values, "cook_config_int");
    return cook_config_i64(context->session->config, section, key, fallback);
}

bool cook_config_flag(struct cook_context *context, const char *section, const char *key,
                      bool fallback)
{
    const struct cook_config_value *values;
    (void)cook_context_config(context, section, key, &values, "cook_config_flag");
    return cook_config_bool(context->session->config, section, key, fallback);
}

double cook_config_float(struct cook_context *context, const char *section, const char *key,
                         double fallback)
{
    const struct cook_config_value *values;
    size_t n = cook_context_config(context, section, key, &values, "cook_config_float");
    const char *text = n ? values[n - 1].text : NULL;
    struct cook_arena arena = COOK_ARENA_INIT;
    const struct cook_json *value;
    double number;
    /* The JSON reader is locale-independent and strict, as a config number should be. */
    if (text && cook_json_parse(&value, NULL, text, strlen(text), &arena, NULL) == COOK_OK &&
        cook_json_f64(value, &number))
        fallback = number;
    cook_arena_finish(&arena);
    return fallback;
}

bool cook_context_refuses(struct cook_context *context, const char *call)
{
    if (context->root->editor_save)
        cook_log(context, COOK_SEVERITY_ERROR,
                 "%s: when an editor saves, only dependencies on packages count; declare it in "
                 "COOK_EVENT_SAVE", call);
    return context->root->editor_save;
}

void cook_depend_config(struct cook_context *context, const char *section, const char *key)
{
    if (cook_context_refuses(context, "cook_depend_config"))
        return;
    const struct cook_config_value *values;
    (void)cook_context_config(context, section, key, &values, "cook_depend_config");
}

/* ---- files ---- */

/* Relative to the project, or to the source's folder for "./" and "../"; NULL when outside. */
char *cook_context_path(struct cook_context *context, const char *path, struct cook_arena *arena)
{
    bool beside = strncmp(path, "./", 2) == 0 || strncmp(path, "../", 3) == 0;
    return cook_path_join(arena, beside ? context->package->folder : "", path);
}

/* Read and record. `out` gets the bytes; the status tells absence. */
static enum cook_status read_file(struct cook_context *context, const char *path,
                                  struct cook_buf *out, const char *call)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *resolved = cook_context_path(context, path, &arena);
    enum cook_status status = COOK_E_INVALID;
    if (resolved) {
        status = cook_fs_read(out, NULL, context->session->project_fd, resolved, MAX_FILE_BYTES,
                              NULL);
        struct cook_hash value = { 0, 0 };
        if (status == COOK_OK)
            value = cook_hash_bytes(out->data, out->size);
        cook_context_record(context, COOK_DEP_FILE, resolved, value, "", call);
    } else {
        cook_log(context, COOK_SEVERITY_WARNING, "path '%s' leaves the project", path);
    }
    cook_arena_finish(&arena);
    return status;
}

enum cook_status cook_read_file(struct cook_context *context, const char *path,
                                struct cook_bytes *bytes)
{
    *bytes = (struct cook_bytes){ NULL, 0 };
    struct cook_buf buf = COOK_BUF_INIT;
    enum cook_status status = read_file(context, path, &buf, "cook_read_file");
    if (status == COOK_OK) {
        bytes->data = cook_package_alloc(context->package, buf.size + 1);
        if (bytes->data && buf.size)
            memcpy(bytes->data, buf.data, buf.size);
        bytes->size = bytes->data ? buf.size : 0;
        status = bytes->data ? COOK_OK : COOK_E_NO_MEMORY;
    }
    cook_buf_finish(&buf);
    return status;
}

static bool file_exists(struct cook_context *context, const char *path, const char *call)
{
    struct cook_buf buf = COOK_BUF_INIT;
    enum cook_status status = read_file(context, path, &buf, call);
    cook_buf_finish(&buf);
    return status == COOK_OK;
}

bool cook_file_exists(struct cook_context *context, const char *path)
{
    return file_exists(context, path, "cook_file_exists");
}

void cook_depend_file(struct cook_context *context, const char *path)
{
    if (cook_context_refuses(context, "cook_depend_file"))
        return;
    (void)file_exists(context, path, "cook_depend_file");
}

/* ---- other packages ---- */

struct cook_resolved cook_context_resolve(struct cook_context *context, const char *path,
                                          const char **package, struct cook_arena *arena,
                                          const char *call)
{
    struct cook_session *session = context->session;
    pthread_mutex_lock(&session->load_lock); /* look-ups of the registry share its scratch state */
    struct cook_resolved resolved = cook_registry_resolve(&session->registry, path, arena);
    struct cook_hash outcome = cook_registry_outcome_of(&session->registry, &resolved);
    *package = NULL;
    if (resolved.package != COOK_ID_NONE)
        *package = cook_state_text(&session->registry,
                                   session->registry.packages[resolved.package].name);
    pthread_mutex_unlock(&session->load_lock);
    cook_context_record(context, COOK_DEP_REF, path, outcome,
                        resolved.class_name ? resolved.class_name : "missing", call);
    return resolved;
}

static const void *dereference(struct cook_context *context, const char *path,
                               const char *call, bool declared)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *name;
    struct cook_resolved resolved = cook_context_resolve(context, path, &name, &arena, call);
    const struct cook_object_state *object = NULL;
    if (name && strcmp(name, context->package->name) == 0) {
        object = resolved.inner ? cook_package_find(context->package, resolved.inner) : NULL;
    } else if (name) {
        struct cook_package *target = cook_session_load(context->session, name);
        if (target)
            cook_context_use(context, target);
        else /* the registry knows it: what it would have given must not be left out in silence */
            cook_log(context, COOK_SEVERITY_ERROR,
                     "%s cannot be loaded: packages dereference each other too deeply, or memory is "
                     "short",
                     path);
        if (target && !declared)
            cook_context_note_load(context, call, name);
        if (target && target->stage == COOK_LOAD_FAILED)
            cook_log(context, COOK_SEVERITY_WARNING, "dereferenced %s, which failed to load", path);
        else if (target && resolved.inner)
            object = cook_package_find(target, resolved.inner);
    }
    cook_arena_finish(&arena);
    return object ? object->object : NULL;
}

const void *cook_dereference(struct cook_context *context, struct cook_ref reference)
{
    return reference.path ? dereference(context, reference.path, "cook_dereference", false) : NULL;
}

const void *cook_dereference_soft(struct cook_context *context, struct cook_soft_ref reference)
{
    return reference.path ? dereference(context, reference.path, "cook_dereference_soft", false)
                          : NULL;
}

const void *cook_dereference_as(struct cook_context *context, struct cook_ref reference,
                                const char *class_name)
{
    const void *object = cook_dereference(context, reference);
    if (object && !cook_object_is_a(object, class_name)) {
        cook_log(context, COOK_SEVERITY_WARNING, "%s is a %s, expected a %s", reference.path,
                 cook_object_class(object), class_name);
        return NULL;
    }
    return object;
}

enum cook_status cook_depend_package(struct cook_context *context, const char *package)
{
    if (!package)
        return COOK_E_INVALID;
    (void)dereference(context, package, "cook_depend_package", true);
    struct cook_context *root = context->root;
    pthread_mutex_lock(&root->lock);
    if (cook_intern_add(&root->build_only_loads, package) == COOK_INTERN_NONE)
        root->out_of_memory = true;
    pthread_mutex_unlock(&root->lock);
    return COOK_OK;
}

void cook_add_runtime_dependency(struct cook_context *context, const char *package, bool hard)
{
    struct cook_context *root = context->root;
    if (root->writing) { /* the tables stand: it would be an edge that the bytes know nothing of */
        cook_log(context, COOK_SEVERITY_ERROR,
                 "%s: a runtime reference to %s was added while writing; add it in harvest",
                 root->writing, package);
        return;
    }
    const char *final = /* recorded: it may move */
        cook_context_redirected(context, package, "cook_add_runtime_dependency");
    if (!final)
        return;
    pthread_mutex_lock(&root->lock);
    struct cook_intern *table = hard ? &root->runtime_hard : &root->runtime_soft;
    if (cook_intern_add(table, final) == COOK_INTERN_NONE)
        root->out_of_memory = true;
    pthread_mutex_unlock(&root->lock);
}

/* ---- messages ---- */

void cook_log(struct cook_context *context, enum cook_severity severity, const char *format, ...)
{
    char text[4097];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (severity < COOK_SEVERITY_INFO || severity > COOK_SEVERITY_ERROR)
        severity = COOK_SEVERITY_ERROR;
    pthread_mutex_lock(&context->root->lock);
    cook_messages_add(&context->root->messages, severity, text);
    pthread_mutex_unlock(&context->root->lock);
}

void cook_note_text(struct cook_context *context, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&context->root->lock);
    cook_buf_printf(&context->root->notes, "%s\n", text);
    pthread_mutex_unlock(&context->root->lock);
}

/* A job may outlast the hook that started it: it goes by that hook's name all the same. */
static struct cook_context *context_of_job(struct cook_context *context)
{
    struct cook_context *entered = cook_enter_scope(context, COOK_SCOPE_UNKNOWN);
    if (entered != context && !entered->hook) {
        struct cook_dep_origin origin = cook_context_origin(context, NULL);
        entered->hook = origin.hook;
        entered->hook_class = origin.hook_class;
    }
    return entered;
}

enum cook_status cook_async_run(struct cook_context *context, cook_async_function function,
                                void *object)
{
    return cook_async_start(context->session->async, context_of_job(context), function, object);
}
