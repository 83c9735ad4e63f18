/* What workers say, and their silence and deaths. */
#include "cook/worker/pool_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HANG_REPORT_MS 2000 /* to write its callstack, before it is killed */
#define HANG_UP_MS 200      /* from the end of a worker's connection to its own end */

int64_t cook_pool_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void read_crash(struct cook_pool *pool, const struct cook_pool_worker *worker)
{
    uint8_t chunk[4096];
    ssize_t n;
    cook_buf_clear(&pool->crash);
    while ((n = read(worker->crash_pipe, chunk, sizeof(chunk))) > 0)
        cook_buf_put(&pool->crash, chunk, (size_t)n);
}

/* Reap a worker whose connection has ended; true when it had to be killed, having closed that only. */
static bool reap_dead(pid_t pid, int *wait_status)
{
    *wait_status = 0;
    for (int i = 0; i < HANG_UP_MS; i++) {
        if (waitpid(pid, wait_status, WNOHANG) != 0)
            return false;
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, wait_status, 0) < 0 && errno == EINTR)
        ;
    return true;
}

static void take_death(struct cook_pool *pool, unsigned index, struct cook_pool_event *event)
{
    struct cook_pool_worker *worker = &pool->workers[index];
    int wait_status;
    bool hung_up = reap_dead(worker->pid, &wait_status);
    read_crash(pool, worker);
    *event = (struct cook_pool_event){ .worker = index,
                                       .type = COOK_FRAME_UNKNOWN,
                                       .payload = &pool->payload,
                                       .timed_out = worker->asked_to_report,
                                       .traced = worker->traced,
                                       .hung_up = hung_up,
                                       .wait_status = wait_status,
                                       .crash = &pool->crash };
    cook_pool_close_worker(worker);
}

/* Compare a further greeting with the first. */
static enum cook_status check_hello(struct cook_pool *pool, struct cook_pool_worker *worker, bool *first,
                                    struct cook_error *error)
{
    *first = pool->hello.size == 0;
    worker->greeted = true;
    if (*first) {
        cook_buf_put(&pool->hello, pool->payload.data, pool->payload.size);
        worker->busy = false;
        return pool->hello.failed ? cook_error_no_memory(error)
                                  : COOK_OK;
    }
    if (!pool->other_schemas &&
        (pool->hello.size != pool->payload.size ||
        memcmp(pool->hello.data, pool->payload.data, pool->hello.size) != 0))
        return cook_error_set(error, COOK_E_CONFIG,
                              "two workers disagree about the class schemas: a schema depends on "
                              "something that differs between processes");
    return COOK_OK;
}

/* Told before the greeting; perturbed workers have others. */
static enum cook_status keep_modules(struct cook_pool *pool, struct cook_error *error)
{
    if (pool->hello.size == 0 && pool->modules.size == 0)
        cook_buf_put(&pool->modules, pool->payload.data, pool->payload.size);
    return pool->modules.failed ? cook_error_no_memory(error) : COOK_OK;
}

/* Read one frame; `*have` when it is one for the caller. */
static enum cook_status take_frame(struct cook_pool *pool, unsigned index,
                                   struct cook_pool_event *event, bool *have,
                                   struct cook_error *error)
{
    struct cook_pool_worker *worker = &pool->workers[index];
    enum cook_frame_type type;
    enum cook_status status = cook_frame_read(worker->socket, &type, &pool->payload, NULL);
    *have = true;
    if (status == COOK_E_NO_MEMORY)
        return cook_error_set(error, status, "out of memory");
    if (status != COOK_OK) {
        take_death(pool, index, event);
        return COOK_OK;
    }
    worker->last_ms = cook_pool_now_ms();
    if (type == COOK_FRAME_IDLE)
        worker->busy = false;
    if (type == COOK_FRAME_MODULES) {
        *have = false;
        return keep_modules(pool, error);
    }
    if (type == COOK_FRAME_TRACED && pool->traced) {
        *have = false;
        return cook_traced_take(pool->traced, index, &pool->payload, error);
    }
    if (type == COOK_FRAME_HELLO) {
        status = check_hello(pool, worker, have, error);
        if (status != COOK_OK)
            return status;
    }
    *event = (struct cook_pool_event){ .worker = index,
                                       .type = type,
                                       .payload = &pool->payload,
                                       .crash = &pool->crash };
    return COOK_OK;
}

static int64_t hang_deadline(const struct cook_pool *pool, const struct cook_pool_worker *worker)
{
    if (!worker->pid || !worker->busy || !pool->timeout_ms)
        return INT64_MAX;
    return worker->last_ms + (worker->asked_to_report ? HANG_REPORT_MS : pool->timeout_ms);
}

static int64_t next_deadline(const struct cook_pool *pool)
{
    int64_t next = INT64_MAX;
    for (unsigned i = 0; i < pool->count; i++) {
        int64_t deadline = hang_deadline(pool, &pool->workers[i]);
        if (deadline < next)
            next = deadline;
    }
    return next;
}

/* Ask hanging workers for their callstack, kill those that do not answer. One that has said
 * something does not hang: we may have been busy for so long that it looks so. */
static void question_hanging(struct cook_pool *pool, const struct pollfd *fds)
{
    int64_t now = cook_pool_now_ms();
    for (unsigned i = 0; i < pool->count; i++) {
        struct cook_pool_worker *worker = &pool->workers[i];
        if (fds[i].revents || now < hang_deadline(pool, worker))
            continue;
        kill(worker->pid, worker->asked_to_report ? SIGKILL : SIGUSR2);
        worker->asked_to_report = true;
        worker->last_ms = now;
    }
}

static int poll_workers(struct cook_pool *pool, struct pollfd *fds, int64_t timeout)
{
    bool any = false;
    for (unsigned i = 0; i < pool->count; i++) {
        fds[i] = (struct pollfd){ .fd = pool->workers[i].pid ? pool->workers[i].socket : -1,
                                  .events = POLLIN };
        any |= pool->workers[i].pid != 0;
    }
    if (!any)
        return -1;
    int ready;
    do {
        ready = poll(fds, pool->count, timeout > INT32_MAX ? -1 : (int)timeout);
    } while (ready < 0 && errno == EINTR);
    return ready;
}

enum cook_status cook_pool_wait(struct cook_pool *pool, struct cook_pool_event *event,
                                int timeout_ms, struct cook_error *error)
{
    struct pollfd fds[COOK_POOL_MAX_WORKERS];
    int64_t end = timeout_ms < 0 ? INT64_MAX : cook_pool_now_ms() + timeout_ms;
    for (;;) {
        int64_t now = cook_pool_now_ms();
        int64_t deadline = next_deadline(pool);
        int64_t until = deadline < end ? deadline : end;
        int64_t wait = until == INT64_MAX ? INT64_MAX : until > now ? until - now : 0;
        int ready = poll_workers(pool, fds, wait);
        if (ready < 0)
            return cook_error_set(error, COOK_E_FAILED, "no worker is running");
        question_hanging(pool, fds);
        for (unsigned n = 0; ready > 0 && n < pool->count; n++) {
            unsigned i = (pool->next + n) % pool->count;
            if (!fds[i].revents)
                continue;
            pool->next = i + 1;
            bool have;
            enum cook_status status = take_frame(pool, i, event, &have, error);
            if (status != COOK_OK || have)
                return status;
        }
        if (cook_pool_now_ms() >= end)
            return COOK_E_TIMEOUT;
    }
}
