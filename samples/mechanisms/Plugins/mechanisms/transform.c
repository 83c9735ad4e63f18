/*
 * Asynchronous transforms, for what takes long: begin_cache starts the work for all objects of
 * a package, the save waits for it, clear_cached drops it. In pre_save the objects would come
 * one after another, and the worker's other threads would idle.
 */
#include "mechanisms.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct transform {
    struct exhibit exhibit;
    uint32_t hops; /* from begin_cache to clear_cached */
    /* ThreadTransform only */
    pthread_t thread;
    bool started;
    atomic_bool done;
};

static void save_hops(struct cook_archive *archive, void *object)
{
    struct transform *self = object;

    if (cook_archive_phase(archive) != COOK_PHASE_LOAD)
        cook_field_u32(archive, "Hops", &self->hops);
}

/* On a thread of the worker. Reads through the context are recorded there as well. */
static enum cook_status count_hops(struct cook_context *context, void *object)
{
    struct transform *self = object;

    self->hops = (uint32_t)cook_config_int(context, "Mechanisms", "HopsPerThread", 1);
    return COOK_OK;
}

static enum cook_status async_begin_cache(struct cook_context *context, void *object)
{
    return cook_async_run(context, count_hops, object); /* its failure fails the package */
}

static void async_clear_cached(struct cook_context *context, void *object)
{
    struct transform *self = object;

    (void)context;
    self->hops = 0;
}

/*
 * Work that the SDK does not know of, as on a thread of a library: is_cached says when the
 * object can be saved. Without it the save would not wait, and save what is there by chance.
 */
static void *run_thread(void *object)
{
    struct transform *self = object;

    self->hops = 7;
    atomic_store(&self->done, true);
    return NULL;
}

static enum cook_status thread_begin_cache(struct cook_context *context, void *object)
{
    struct transform *self = object;

    (void)context;
    self->started = pthread_create(&self->thread, NULL, run_thread, self) == 0;
    return self->started ? COOK_OK : COOK_E_FAILED;
}

static bool thread_is_cached(struct cook_context *context, void *object)
{
    struct transform *self = object;

    (void)context;
    return !self->started || atomic_load(&self->done);
}

/* Also after a failed save, and after a failed begin_cache. */
static void thread_clear_cached(struct cook_context *context, void *object)
{
    struct transform *self = object;

    (void)context;
    if (self->started)
        (void)pthread_join(self->thread, NULL);
    self->started = false;
}

static const struct cook_class async_class = {
    .name = "AsyncTransform",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct transform),
    .serialize = save_hops,
    .begin_cache = async_begin_cache,
    .clear_cached = async_clear_cached,
};
static const struct cook_class thread_class = {
    .name = "ThreadTransform",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct transform),
    .serialize = save_hops,
    .begin_cache = thread_begin_cache,
    .is_cached = thread_is_cached,
    .clear_cached = thread_clear_cached,
};

void mechanisms_register_transform(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &async_class);
    cook_register_class(registrar, &thread_class);
}
