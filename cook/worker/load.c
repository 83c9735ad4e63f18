/* Loading a package: source bytes, reader, objects, post_load. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "cook/registry/registry.h"
#include "cook/trace/tracer.h"
#include "cook/worker/perturb.h"
#include "cook/worker/session.h"

#define MAX_SOURCE_BYTES (UINT64_C(1) << 30)
#define MAX_LOAD_DEPTH 256

/* ---- the loader that readers fill ---- */

enum cook_status cook_load_fail(struct cook_loader *loader, uint32_t line, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (line)
        cook_log(loader->context, COOK_SEVERITY_ERROR, "%s:%u: %s", loader->source->path, line,
                 text);
    else
        cook_log(loader->context, COOK_SEVERITY_ERROR, "%s: %s", loader->source->path, text);
    return COOK_E_MALFORMED;
}

static struct cook_object_state *add_object(struct cook_package *package, const char *name,
                                            struct cook_object_state *outer)
{
    struct cook_object_state *state = cook_package_alloc(package, sizeof(*state));
    if (!state)
        return NULL;
    size_t outer_size = outer ? strlen(outer->inner_path) + 1 : 0;
    size_t size = strlen(name);
    char *path = cook_package_alloc(package, outer_size + size + 1);
    if (!path)
        return NULL;
    if (outer) {
        memcpy(path, outer->inner_path, outer_size - 1);
        path[outer_size - 1] = '/';
    }
    memcpy(path + outer_size, name, size);
    state->inner_path = path;
    state->name = path + outer_size;
    state->outer = outer;
    state->package = package;
    state->index = package->object_count;
    return state;
}

static bool keep_object(struct cook_package *package, struct cook_object_state *state)
{
    if (cook_intern_add(&package->inner_paths, state->inner_path) == COOK_INTERN_NONE ||
        !cook_grow(&package->objects, &package->object_capacity, package->object_count + 1,
                   sizeof(struct cook_object_state *)))
        return false;
    package->objects[package->object_count++] = state;
    return true;
}

static void construct(struct cook_object_state *state)
{
    for (uint32_t i = 0; i < state->class_info->chain_count; i++) {
        const struct cook_class *c = state->class_info->chain[i]->description;
        if (c->construct)
            c->construct(state->object);
    }
    state->object->state = state; /* last: a construct hook may have cleared the whole struct */
}

void *cook_load_object(struct cook_loader *loader, const char *class_name, const char *name,
                       void *outer)
{
    struct cook_package *package = loader->package;
    const struct cook_class_info *info = cook_types_class(&loader->session->types, class_name);
    struct cook_hash schema = { 0, 0 };
    cook_context_record(loader->context, COOK_DEP_CLASS, class_name, info ? info->schema : schema,
                        "", NULL);
    if (!info) {
        (void)cook_load_fail(loader, 0, "object %s: class %s is not registered", name, class_name);
        return NULL;
    }
    struct cook_object_state *outer_state = outer ? ((struct cook_object *)outer)->state : NULL;
    struct cook_object_state *state = add_object(package, name, outer_state);
    if (state && cook_intern_find(&package->inner_paths, state->inner_path) != COOK_INTERN_NONE) {
        (void)cook_load_fail(loader, 0, "two objects are named %s", state->inner_path);
        return NULL;
    }
    if (state) {
        state->class_info = info;
        state->object = cook_package_alloc(package, info->description->size);
    }
    if (!state || !state->object) {
        (void)cook_load_fail(loader, 0, "out of memory");
        return NULL;
    }
    if (!keep_object(package, state)) {
        (void)cook_load_fail(loader, 0, "out of memory");
        return NULL;
    }
    construct(state); /* once it is kept, and so destructed with the package */
    return state->object;
}

/* ---- reading the source ---- */

/*
 * The edges of a result come from the scan as well. A file that was saved between that and now makes a
 * result of neither version: its source gets a value that no file has, so the next cook does not keep it.
 */
static struct cook_hash value_of_source(struct cook_session *session, const char *name,
                                        struct cook_hash loaded)
{
    struct cook_state *registry = &session->registry;
    uint32_t row = cook_state_find_package(registry, name);
    if (row == COOK_ID_NONE || !(registry->packages[row].flags & COOK_PACKAGE_PRESENT))
        return loaded;
    struct cook_hash both[2] = { cook_registry_source_hash(registry, row), loaded };
    return cook_hash_equal(both[0], loaded) ? loaded : cook_hash_bytes(both, sizeof(both));
}

static enum cook_status read_sources(struct cook_loader *loader, struct cook_source *source,
                                     struct cook_buf *main_bytes, struct cook_buf *side_bytes)
{
    struct cook_session *session = loader->session;
    struct cook_package *package = loader->package;
    struct cook_error error = COOK_ERROR_INIT;
    enum cook_status status = cook_fs_read(main_bytes, NULL, session->project_fd, package->path,
                                           MAX_SOURCE_BYTES, &error);
    char side_path[4200];
    (void)snprintf(side_path, sizeof(side_path), "%s.cook", package->path);
    enum cook_status side = cook_fs_read(side_bytes, NULL, session->project_fd, side_path,
                                         MAX_SOURCE_BYTES, NULL);
    struct cook_hash value = { 0, 0 };
    if (status == COOK_OK)
        value = cook_source_hash(cook_hash_bytes(main_bytes->data, main_bytes->size),
                                 side == COOK_OK,
                                 side == COOK_OK
                                     ? cook_hash_bytes(side_bytes->data, side_bytes->size)
                                     : (struct cook_hash){ 0, 0 });
    if (status == COOK_OK)
        value = value_of_source(session, package->name, value);
    cook_context_record(loader->context, COOK_DEP_SOURCE, package->name, value, "", NULL);
    *source = (struct cook_source){ .package = package->name, .path = package->path };
    if (status != COOK_OK) {
        cook_log(loader->context, COOK_SEVERITY_ERROR, "%s", error.message);
        return status;
    }
    (void)cook_buf_text(main_bytes); /* NUL past the end, as the SDK promises */
    source->data = main_bytes->data;
    source->size = main_bytes->size;
    if (side == COOK_OK) {
        source->side_data = (const uint8_t *)cook_buf_text(side_bytes);
        source->side_size = side_bytes->size;
    } else if (side != COOK_E_NOT_FOUND) {
        cook_log(loader->context, COOK_SEVERITY_ERROR, "%s: cannot be read", side_path);
        return side;
    }
    return COOK_OK;
}

static void lower_extension(char *out, size_t size, const char *path)
{
    (void)snprintf(out, size, "%s", cook_path_extension(path));
    for (char *c = out; *c; c++)
        *c = (char)tolower((unsigned char)*c);
}

static enum cook_status read_objects(struct cook_loader *loader)
{
    struct cook_source source;
    struct cook_buf main_bytes = COOK_BUF_INIT;
    struct cook_buf side_bytes = COOK_BUF_INIT;
    loader->source = &source;
    enum cook_status status = read_sources(loader, &source, &main_bytes, &side_bytes);
    const struct cook_reader *reader =
        cook_types_reader(&loader->session->types, loader->package->path);
    if (status == COOK_OK && !reader) {
        (void)cook_load_fail(loader, 0, "no reader for this kind of file");
        status = COOK_E_UNSUPPORTED;
    }
    if (status == COOK_OK) {
        char text[300];
        (void)snprintf(text, sizeof(text), "%s/%u", reader->name, reader->version);
        char extension[32];
        lower_extension(extension, sizeof(extension), loader->package->path);
        cook_context_record(loader->context, COOK_DEP_READER, extension,
                            cook_hash_bytes(text, strlen(text)), text, NULL);
        cook_context_enter_hook(loader->context, "load", reader->name);
        status = reader->load(loader->context, loader, &source);
        cook_context_leave_hook(loader->context);
        if (status != COOK_OK && !cook_context_has_errors(loader->context))
            (void)cook_load_fail(loader, 0, "reader %s failed: %s", reader->name,
                                 cook_status_text(status));
    }
    cook_buf_finish(&main_bytes);
    cook_buf_finish(&side_bytes);
    return status;
}

static enum cook_status post_load(struct cook_package *package)
{
    for (uint32_t i = 0; i < package->object_count; i++) {
        const struct cook_object_state *object = package->objects[i];
        for (uint32_t c = 0; c < object->class_info->chain_count; c++) {
            const struct cook_class *description = object->class_info->chain[c]->description;
            if (!description->post_load)
                continue;
            cook_context_enter_hook(&package->load, "post_load",
                                    object->class_info->chain[c]->name);
            if (package->load.session->stack_fill >= 0)
                cook_perturb_fill_stack(package->load.session->stack_fill);
            enum cook_status status = description->post_load(&package->load, object->object);
            cook_context_leave_hook(&package->load);
            if (status != COOK_OK) {
                if (!cook_context_has_errors(&package->load))
                    cook_log(&package->load, COOK_SEVERITY_ERROR, "%s: post_load failed: %s",
                             object->inner_path, cook_status_text(status));
                return status;
            }
        }
    }
    return COOK_OK;
}

static void load(struct cook_session *session, struct cook_package *package, uint32_t row)
{
    struct cook_state *registry = &session->registry;
    char *path = cook_state_file_path(registry, registry->packages[row].file, &package->arena);
    cook_context_finish(&package->load);
    package->load_id = 0;
    package->stage = COOK_LOAD_READING;
    if (cook_context_init(&package->load, session, package) != COOK_OK || !path ||
        !(package->folder = cook_path_folder(&package->arena, path))) {
        package->stage = COOK_LOAD_FAILED;
        return;
    }
    package->path = path;
    struct cook_loader loader = { .session = session,
                                  .package = package,
                                  .context = &package->load };
    enum cook_status status = read_objects(&loader);
    if (status == COOK_OK && !cook_context_has_errors(&package->load)) {
        package->stage = COOK_LOAD_POST_LOADING;
        status = post_load(package);
    }
    bool ok = status == COOK_OK && !cook_context_has_errors(&package->load);
    package->stage = ok ? COOK_LOAD_DONE : COOK_LOAD_FAILED;
}

static struct cook_package *shell(struct cook_session *session, const char *name)
{
    uint32_t id = cook_intern_add(&session->resident_names, name);
    size_t before = session->resident_capacity;
    if (id == COOK_INTERN_NONE || !cook_grow(&session->resident, &session->resident_capacity, id + 1,
                                             sizeof(struct cook_package *)))
        return NULL;
    for (size_t i = before; i < session->resident_capacity; i++)
        session->resident[i] = NULL;
    if (session->resident[id])
        return session->resident[id];
    struct cook_package *package = cook_calloc(1, sizeof(*package));
    if (!package)
        return NULL;
    package->name = cook_intern_text(&session->resident_names, id);
    pthread_mutex_init(&package->arena_lock, NULL);
    session->resident[id] = package;
    return package;
}

struct cook_package *cook_session_resident(const struct cook_session *session, const char *name)
{
    uint32_t id = cook_intern_find(&session->resident_names, name);
    return id == COOK_INTERN_NONE || id >= session->resident_capacity ? NULL
                                                                      : session->resident[id];
}

struct cook_package *cook_session_load(struct cook_session *session, const char *name)
{
    pthread_mutex_lock(&session->load_lock);
    uint32_t row = cook_state_find_package(&session->registry, name);
    struct cook_package *package = NULL;
    if (row != COOK_ID_NONE && (session->registry.packages[row].flags & COOK_PACKAGE_PRESENT))
        package = shell(session, name);
    if (package && package->stage == COOK_LOAD_NONE) {
        if (session->load_depth >= MAX_LOAD_DEPTH) {
            package = NULL; /* the caller sees a missing target; nothing was recorded as loaded */
        } else {
            struct cook_tracer_place place = cook_tracer_enter(name, true);
            session->load_depth++;
            load(session, package, row);
            cook_tracer_leave(place);
            package->counted_bytes = package->arena.used_bytes;
            session->resident_bytes += package->counted_bytes;
            session->load_depth--;
        }
    }
    pthread_mutex_unlock(&session->load_lock);
    return package;
}
