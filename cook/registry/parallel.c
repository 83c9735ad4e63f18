#include "cook/registry/parallel.h"

#include <pthread.h>

#define MAX_HELPERS 63u

struct job {
    void (*work)(void *context);
    void *context;
};

static void *run_job(void *argument)
{
    const struct job *job = argument;
    job->work(job->context);
    return NULL;
}

void cook_parallel_run(unsigned threads, void (*work)(void *context), void *context)
{
    pthread_t helpers[MAX_HELPERS];
    struct job job = { work, context };
    unsigned wanted = threads > 1 ? threads - 1 : 0;
    unsigned started = 0;
    while (started < wanted && started < MAX_HELPERS) {
        if (pthread_create(&helpers[started], NULL, run_job, &job) != 0)
            break;
        started++;
    }
    work(context);
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(helpers[i], NULL);
}
