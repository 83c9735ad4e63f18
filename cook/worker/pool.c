/* The pool as a whole, and sending to its workers. pool_start.c starts them, pool_wait.c hears them. */
#include "cook/worker/pool_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cook/worker/traced_start.h"

extern char **environ;

#define EXIT_MS 10000 /* to run its exit handlers */

enum cook_status cook_pool_create(struct cook_pool **out, const struct cook_pool_options *options,
                                  struct cook_error *error)
{
    *out = NULL;
    unsigned count = options->count < 1 ? 1 : options->count;
    if (count > COOK_POOL_MAX_WORKERS)
        count = COOK_POOL_MAX_WORKERS;
    struct cook_pool *pool = cook_calloc(1, sizeof(*pool));
    struct cook_pool_worker *workers = cook_calloc(count, sizeof(*workers));
    if (!pool || !workers) {
        cook_free(pool);
        cook_free(workers);
        return cook_error_no_memory(error);
    }
    pool->project = options->project;
    pool->workers = workers;
    pool->count = pool->capacity = count;
    pool->registry_fd = cook_pool_move_high(memfd_create("cook-registry", MFD_CLOEXEC));
    for (unsigned i = 0; i < count; i++)
        workers[i].socket = workers[i].crash_pipe = -1;
    enum cook_status status = COOK_OK;
    if (pool->registry_fd < 0)
        status = cook_error_set_errno(error, "cannot create a memory file");
    if (status == COOK_OK)
        status = cook_pool_make_argv(pool, options, error);
    /* Under a debugger silence is no hang. */
    pool->timeout_ms = pool->has_prefix ? 0 : (int64_t)options->timeout_seconds * 1000;
    if (status == COOK_OK)
        status = cook_pool_make_init(pool, options, error);
    if (status == COOK_OK)
        status = cook_pool_trace(pool, options->traced, error);
    if (status == COOK_OK)
        status = cook_pool_spawn(pool, &workers[0], error);
    if (status != COOK_OK) {
        cook_pool_destroy(pool);
        return status;
    }
    *out = pool;
    return COOK_OK;
}

/* Class code may hang at exit too; the crash pipe hangs up when its worker is gone. */
static void reap(const struct cook_pool *pool, const struct cook_pool_worker *worker)
{
    struct pollfd end = { .fd = worker->crash_pipe };
    if (!pool->has_prefix && poll(&end, 1, EXIT_MS) == 0)
        kill(worker->pid, SIGKILL);
    while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

void cook_pool_restart(struct cook_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++) {
        struct cook_pool_worker *worker = &pool->workers[i];
        if (!worker->pid)
            continue;
        /* An idle one ends by itself and runs its exit handlers; a busy one has nothing to finish. */
        if (worker->busy || cook_frame_write(worker->socket, COOK_FRAME_QUIT, NULL, NULL) != COOK_OK)
            kill(worker->pid, SIGKILL);
        close(worker->socket);
        worker->socket = -1;
    }
    for (unsigned i = 0; i < pool->count; i++) {
        if (pool->workers[i].pid)
            reap(pool, &pool->workers[i]);
        cook_pool_close_worker(&pool->workers[i]);
    }
}

static bool same_variable(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

/* Ours without what is given, then what is given a value. */
static const char **join_environment(const struct cook_pool_start *start)
{
    size_t count = 0;
    while (environ[count])
        count++;
    const char **joined = cook_malloc((count + start->environment_count + 1) * sizeof(*joined));
    size_t used = 0;
    for (size_t i = 0; joined && i < count; i++) {
        bool replaced = false;
        for (size_t k = 0; k < start->environment_count; k++)
            replaced |= same_variable(start->environment[k], environ[i]);
        if (!replaced)
            joined[used++] = environ[i];
    }
    for (size_t k = 0; joined && k < start->environment_count; k++)
        if (strchr(start->environment[k], '='))
            joined[used++] = start->environment[k];
    if (joined)
        joined[used] = NULL;
    return joined;
}

static const char **join_arguments(const struct cook_pool *pool,
                                   const struct cook_pool_start *start)
{
    size_t count = 0;
    while (pool->argv[count])
        count++;
    const char **joined = cook_malloc((count + start->argument_count + 1) * sizeof(*joined));
    for (size_t i = 0; joined && i < count; i++)
        joined[i] = pool->argv[i];
    for (size_t i = 0; joined && i < start->argument_count; i++)
        joined[count + i] = start->arguments[i];
    if (joined)
        joined[count + start->argument_count] = NULL;
    return joined;
}

static void forget_start(struct cook_pool *pool)
{
    cook_free(pool->start_argv);
    cook_free(pool->environment);
    cook_buf_clear(&pool->start_init);
    pool->start_argv = NULL;
    pool->environment = NULL;
    pool->other_schemas = false;
    pool->count = pool->capacity;
}

enum cook_status cook_pool_restart_as(struct cook_pool *pool, const struct cook_pool_start *start,
                                      struct cook_error *error)
{
    cook_pool_restart(pool);
    forget_start(pool);
    if (!start)
        return COOK_OK;
    pool->environment = join_environment(start);
    pool->start_argv = join_arguments(pool, start);
    if (!pool->environment || !pool->start_argv)
        return cook_error_no_memory(error);
    if (start->count && start->count < pool->capacity)
        pool->count = start->count;
    pool->other_schemas = start->other_schemas;
    return start->plugins || start->tokens ? cook_pool_make_start_init(pool, start, error) : COOK_OK;
}

void cook_pool_destroy(struct cook_pool *pool)
{
    if (!pool)
        return;
    cook_pool_restart(pool);
    forget_start(pool);
    cook_traced_destroy(pool->traced);
    if (pool->registry_fd >= 0)
        close(pool->registry_fd);
    cook_buf_finish(&pool->config);
    cook_buf_finish(&pool->init);
    cook_buf_finish(&pool->start_init);
    cook_buf_finish(&pool->hello);
    cook_buf_finish(&pool->modules);
    cook_buf_finish(&pool->payload);
    cook_buf_finish(&pool->crash);
    cook_free(pool->workers);
    cook_arena_finish(&pool->arena);
    cook_free(pool);
}

struct cook_traced *cook_pool_traced(const struct cook_pool *pool)
{
    return pool->traced;
}

enum cook_status cook_pool_trace(struct cook_pool *pool, bool traced, struct cook_error *error)
{
    const char *refusal = traced ? cook_traced_refusal(pool->has_prefix ? "" : NULL) : NULL;
    enum cook_status status = COOK_OK;
    if (traced && !pool->traced)
        status = cook_traced_create(&pool->traced, error);
    if (status == COOK_OK && refusal)
        cook_traced_set_partial(pool->traced, refusal);
    pool->start_traced = status == COOK_OK && traced && !refusal;
    return status;
}

unsigned cook_pool_count(const struct cook_pool *pool)
{
    return pool->count;
}

int cook_pool_registry_fd(const struct cook_pool *pool)
{
    return pool->registry_fd;
}

void cook_pool_registry_ready(struct cook_pool *pool)
{
    pool->registry_ready = true;
    for (unsigned i = 0; i < pool->count; i++)
        pool->workers[i].has_registry = false;
}

size_t cook_pool_plugins(const struct cook_pool *pool, const char *const **names,
                         const char *const **build_ids)
{
    *names = pool->plugin_names;
    *build_ids = pool->build_ids;
    return pool->project->plugin_count;
}

const struct cook_buf *cook_pool_modules(const struct cook_pool *pool)
{
    return &pool->modules;
}

enum cook_status cook_pool_send(struct cook_pool *pool, unsigned index, enum cook_frame_type type,
                                const struct cook_buf *payload, struct cook_error *error)
{
    struct cook_pool_worker *worker = &pool->workers[index];
    if (!worker->pid) {
        enum cook_status status = cook_pool_spawn(pool, worker, error);
        if (status != COOK_OK)
            return status;
    }
    enum cook_status status = COOK_OK;
    if ((type == COOK_FRAME_COOK || type == COOK_FRAME_EVALUATE) && pool->registry_ready && !worker->has_registry) {
        status = cook_frame_write(worker->socket, COOK_FRAME_REGISTRY, NULL, error);
        worker->has_registry = status == COOK_OK;
    }
    if (status == COOK_OK)
        status = cook_frame_write(worker->socket, type, payload, error);
    if (status == COOK_OK) {
        worker->busy = true;
        worker->last_ms = cook_pool_now_ms();
    }
    /* A worker that is gone is noticed by the next wait, with its callstack. */
    return status == COOK_E_IO ? COOK_OK : status;
}
