/* The worker's threads for begin_cache work, and the jobs of the package at hand. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "cook/symbols/stacks.h"
#include "cook/trace/tracer.h"
#include "cook/worker/perturb.h"
#include "cook/worker/session.h"

struct job {
    struct cook_context *context;
    cook_async_function function;
    void *object;
    unsigned number;
    struct job *next;
};

struct cook_async {
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_cond_t idle;
    struct job *first;
    struct job **last;
    size_t running;
    unsigned started; /* jobs so far */
    unsigned delay_ms; /* a perturbed worker holds jobs back for about so long */
    enum cook_status status; /* of the first job that failed since the last wait */
    bool stop;
    pthread_t *threads;
    unsigned thread_count; /* started */
    unsigned wanted;
    unsigned ready; /* of them, that have set themselves up */
};

/* Every other job is late, by a length of its own: jobs that race swap places. */
static void hold_back(const struct cook_async *async, const struct job *job)
{
    if (!async->delay_ms || job->number % 2 != 0)
        return;
    unsigned ms = async->delay_ms + job->number * 2654435761u % 7u;
    struct timespec delay = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };
    (void)nanosleep(&delay, NULL);
}

/*
 * Asked where it hangs (SIGUSR2, to the process), a worker must answer with the stack of class code:
 * so idle threads, and the one that waits for them, leave the signal to a thread with a job.
 */
static void take_questions(bool take)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(take ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

static void *run_jobs(void *argument)
{
    take_questions(false);
    struct cook_async *async = argument;
    (void)!cook_crash_install_thread(NULL); /* without it a crash is only reported less well */
    pthread_mutex_lock(&async->lock);
    async->ready++;
    pthread_cond_broadcast(&async->idle);
    for (;;) {
        while (!async->first && !async->stop)
            pthread_cond_wait(&async->work, &async->lock);
        struct job *job = async->first;
        if (!job)
            break;
        async->first = job->next;
        if (!async->first)
            async->last = &async->first;
        async->running++;
        pthread_mutex_unlock(&async->lock);
        take_questions(true);
        hold_back(async, job);
        struct cook_tracer_place place =
            cook_tracer_enter(job->context->package->name, !job->context->root->saving);
        enum cook_status status = job->function(job->context, job->object);
        cook_tracer_leave(place);
        take_questions(false);
        cook_free(job);
        pthread_mutex_lock(&async->lock);
        async->running--;
        if (async->status == COOK_OK)
            async->status = status;
        if (async->running == 0 && !async->first)
            pthread_cond_broadcast(&async->idle);
    }
    pthread_mutex_unlock(&async->lock);
    return NULL;
}

enum cook_status cook_async_create(struct cook_async **out, unsigned threads,
                                   struct cook_error *error)
{
    *out = NULL;
    struct cook_async *async = cook_calloc(1, sizeof(*async));
    if (!async || !(async->threads = cook_calloc(threads, sizeof(*async->threads)))) {
        cook_free(async);
        return cook_error_no_memory(error);
    }
    const char *delay = getenv(COOK_PERTURB_ASYNC_MS);
    async->delay_ms = delay ? (unsigned)strtoul(delay, NULL, 10) : 0;
    async->last = &async->first;
    pthread_mutex_init(&async->lock, NULL);
    pthread_cond_init(&async->work, NULL);
    pthread_cond_init(&async->idle, NULL);
    async->wanted = threads;
    *out = async;
    return COOK_OK;
}

void cook_async_destroy(struct cook_async *async)
{
    if (!async)
        return;
    pthread_mutex_lock(&async->lock);
    async->stop = true;
    pthread_cond_broadcast(&async->work);
    pthread_mutex_unlock(&async->lock);
    for (unsigned i = 0; i < async->thread_count; i++)
        pthread_join(async->threads[i], NULL);
    pthread_cond_destroy(&async->work);
    pthread_cond_destroy(&async->idle);
    pthread_mutex_destroy(&async->lock);
    cook_free(async->threads);
    cook_free(async);
}

/* At the first job, one after the other: what a thread allocates lies where it lay in every process
 * that does the same, and a process without jobs has none. */
static enum cook_status start_threads(struct cook_async *async)
{
    enum cook_status status = COOK_OK;
    pthread_mutex_lock(&async->lock);
    while (status == COOK_OK && async->thread_count < async->wanted) {
        if (pthread_create(&async->threads[async->thread_count], NULL, run_jobs, async) != 0)
            status = COOK_E_NO_MEMORY;
        else
            async->thread_count++;
        while (async->ready < async->thread_count)
            pthread_cond_wait(&async->idle, &async->lock);
    }
    pthread_mutex_unlock(&async->lock);
    return status;
}

enum cook_status cook_async_start(struct cook_async *async, struct cook_context *context,
                                  cook_async_function function, void *object)
{
    enum cook_status status = start_threads(async);
    if (status != COOK_OK)
        return status;
    struct job *job = cook_calloc(1, sizeof(*job));
    if (!job)
        return COOK_E_NO_MEMORY;
    *job = (struct job){ .context = context, .function = function, .object = object };
    pthread_mutex_lock(&async->lock);
    job->number = async->started++;
    *async->last = job;
    async->last = &job->next;
    pthread_cond_signal(&async->work);
    pthread_mutex_unlock(&async->lock);
    return COOK_OK;
}

enum cook_status cook_async_wait(struct cook_async *async)
{
    pthread_mutex_lock(&async->lock);
    bool wait = async->first || async->running;
    if (wait)
        take_questions(false);
    while (async->first || async->running)
        pthread_cond_wait(&async->idle, &async->lock);
    enum cook_status status = async->status;
    async->status = COOK_OK;
    pthread_mutex_unlock(&async->lock);
    if (wait)
        take_questions(true);
    return status;
}
