#include "cook/worker/session.h"

#include <string.h>
#include <unistd.h>

#include "cook/registry/redirects.h"

enum cook_status cook_session_init(struct cook_session *session, struct cook_error *error)
{
    *session = (struct cook_session){ .project_fd = -1, .next_load_id = 1 };
    session->stack_fill = -1;
    session->main_thread = pthread_self();
    cook_types_init(&session->types);
    cook_state_init(&session->registry);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&session->load_lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    /* Two threads: one that computes while the other waits for a file. Workers are many already. */
    return cook_async_create(&session->async, 2, error);
}

/* Free the objects; the shell with its load set stays for those that used it. */
static void drop_objects(struct cook_package *package)
{
    for (uint32_t i = package->object_count; i-- > 0;) {
        const struct cook_object_state *object = package->objects[i];
        for (uint32_t c = object->class_info->chain_count; c-- > 0;)
            if (object->class_info->chain[c]->description->destruct)
                object->class_info->chain[c]->description->destruct(object->object);
    }
    cook_free(package->objects);
    package->objects = NULL;
    package->object_count = 0;
    package->object_capacity = 0;
    cook_intern_finish(&package->inner_paths);
    cook_arena_finish(&package->arena);
    package->path = NULL;
    package->folder = NULL;
}

static void destroy_package(struct cook_package *package)
{
    drop_objects(package);
    cook_context_finish(&package->load);
    pthread_mutex_destroy(&package->arena_lock);
    cook_free(package);
}

static void drop_all(struct cook_session *session)
{
    for (size_t i = 0; i < session->resident_capacity; i++)
        if (session->resident[i])
            destroy_package(session->resident[i]);
    cook_intern_finish(&session->resident_names);
    cook_free(session->resident);
    session->resident = NULL;
    session->resident_capacity = 0;
    session->resident_bytes = 0;
}

void cook_session_finish(struct cook_session *session)
{
    cook_async_destroy(session->async);
    drop_all(session);
    cook_state_finish(&session->registry);
    cook_types_finish(&session->types);
    cook_redirects_destroy(session->redirects);
    cook_config_destroy(session->config);
    cook_arena_finish(&session->arena);
    pthread_mutex_destroy(&session->load_lock);
}

void cook_session_evict(struct cook_session *session, struct cook_package *package)
{
    pthread_mutex_lock(&session->load_lock);
    drop_objects(package);
    session->resident_bytes -= package->counted_bytes;
    package->counted_bytes = 0;
    package->stage = COOK_LOAD_NONE;
    pthread_mutex_unlock(&session->load_lock);
}

#define MAX_RESIDENT_BYTES ((size_t)768 << 20)

void cook_session_trim(struct cook_session *session, size_t limit)
{
    if (session->resident_names.count > limit || session->resident_bytes > MAX_RESIDENT_BYTES)
        drop_all(session);
}

void *cook_package_alloc(struct cook_package *package, size_t size)
{
    pthread_mutex_lock(&package->arena_lock);
    void *memory = cook_arena_alloc(&package->arena, size ? size : 1);
    pthread_mutex_unlock(&package->arena_lock);
    return memory;
}

struct cook_object_state *cook_package_find(const struct cook_package *package, const char *inner)
{
    if (!inner)
        return package->object_count ? package->objects[0] : NULL;
    uint32_t id = cook_intern_find(&package->inner_paths, inner);
    return id == COOK_INTERN_NONE || id >= package->object_count ? NULL : package->objects[id];
}

enum cook_status cook_session_closure(struct cook_session *session, struct cook_context *context,
                                      bool self, struct cook_package ***out, size_t *count)
{
    *out = NULL;
    *count = 0;
    size_t capacity = 0;
    uint32_t mark = ++session->visit;
    if (self) {
        if (!cook_grow(out, &capacity, 1, sizeof(**out)))
            return COOK_E_NO_MEMORY;
        (*out)[(*count)++] = context->package;
        context->package->visit = mark;
    }
    struct cook_context *at = context;
    /* Breadth first over the list itself: at == context first, then each listed package's load. */
    for (size_t next = 0;; next++) {
        for (size_t i = 0; i < at->use_count; i++) {
            struct cook_package *used = at->uses[i];
            if (used->visit == mark)
                continue;
            used->visit = mark;
            if (!cook_grow(out, &capacity, *count + 1, sizeof(**out)))
                return COOK_E_NO_MEMORY;
            (*out)[(*count)++] = used;
        }
        if (next >= *count)
            return COOK_OK;
        at = &(*out)[next]->load;
    }
}

/* ---- facts of objects ---- */

static const struct cook_object_state *state_of(const void *object)
{
    return ((const struct cook_object *)object)->state;
}

const char *cook_object_name(const void *object)
{
    return state_of(object)->name;
}

const char *cook_object_class(const void *object)
{
    return state_of(object)->class_info->name;
}

const char *cook_object_package(const void *object)
{
    return state_of(object)->package->name;
}

const char *cook_object_inner_path(const void *object)
{
    return state_of(object)->inner_path;
}

void *cook_object_outer(const void *object)
{
    const struct cook_object_state *outer = state_of(object)->outer;
    return outer ? outer->object : NULL;
}

bool cook_object_is_a(const void *object, const char *class_name)
{
    return cook_class_is_a(state_of(object)->class_info, class_name);
}
