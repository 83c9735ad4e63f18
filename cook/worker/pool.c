#include "cook/worker/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <popt.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cook/worker/plugin_copy.h"
#include "cook/worker/traced_start.h"

extern char **environ;

#define MAX_WORKERS 256
#define HANG_REPORT_MS 2000 /* to write its callstack, before it is killed */
#define EXIT_MS 10000       /* to run its exit handlers */
#define HANG_UP_MS 200      /* from the end of a worker's connection to its own end */

struct worker {
    pid_t pid;
    int socket;
    int crash_pipe;
    bool busy;
    bool greeted;
    bool has_registry;
    bool traced;
    bool asked_to_report; /* it hung: SIGUSR2 was sent */
    int64_t last_ms;      /* of the last frame, or when it was asked to report */
};

struct cook_pool {
    struct cook_arena arena;
    const struct cook_project *project;
    const char **argv; /* prefix words, then the worker program */
    const char **start_argv;  /* the same with arguments; NULL: argv. Owned, as the next */
    const char **environment; /* NULL: ours */
    size_t program; /* its number in argv */
    bool has_prefix;
    bool start_traced;          /* workers that start from now on */
    struct cook_traced *traced; /* NULL until one was to be traced */
    bool other_schemas;  /* workers started so greet otherwise */
    const char *plugin_folder;
    struct cook_buf config;  /* encoded */
    const char *const *tokens;
    size_t token_count;
    struct cook_buf init;
    struct cook_buf start_init; /* of restarted workers; empty: init */
    struct cook_buf hello;      /* of the first worker */
    struct cook_buf modules;    /* of the first worker */
    struct cook_buf payload;
    struct cook_buf crash;
    const char **plugin_names;
    const char **build_ids;
    struct worker *workers;
    unsigned count;    /* in use */
    unsigned capacity; /* of workers */
    int registry_fd;
    bool registry_ready;
    int64_t timeout_ms;
    unsigned next; /* where the next poll starts to look, so that no worker starves */
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Above the numbers that a worker's descriptors are moved to. */
static int move_high(int fd)
{
    if (fd < 0)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 16);
    close(fd);
    return high;
}

/* ---- creation ---- */

static enum cook_status copy_plugins(struct cook_pool *pool, const struct cook_pool_options *options,
                                     struct cook_error *error)
{
    const struct cook_project *project = options->project;
    pool->plugin_names = cook_arena_alloc(&pool->arena, (project->plugin_count + 1) * sizeof(char *));
    pool->build_ids = cook_arena_alloc(&pool->arena, (project->plugin_count + 1) * sizeof(char *));
    if (!pool->plugin_names || !pool->build_ids)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < project->plugin_count; i++) {
        const char *file_name;
        enum cook_status status =
            cook_plugin_copy(&pool->build_ids[i], &file_name, options->plugin_folder_fd, project->fd,
                             project->plugins[i], &pool->arena, error);
        if (status != COOK_OK)
            return status;
        pool->plugin_names[i] = project->plugins[i];
    }
    return COOK_OK;
}

/* What a worker is told at its start: `start` may replace tokens and plugins, or be NULL. */
static enum cook_status put_init(struct cook_pool *pool, struct cook_buf *out,
                                 const struct cook_pool_start *start, struct cook_error *error)
{
    bool tokens = start && start->tokens;
    bool plugins = start && start->plugins;
    size_t token_count = tokens ? start->token_count : pool->token_count;
    size_t plugin_count = plugins ? start->plugin_count : pool->project->plugin_count;
    cook_buf_clear(out);
    cook_buf_put_u32(out, COOK_PROTOCOL_VERSION);
    cook_buf_put_string(out, pool->project->target);
    cook_buf_put_bytes(out, pool->config.data, pool->config.size);
    cook_buf_put_varint(out, token_count);
    for (size_t i = 0; i < token_count; i++)
        cook_buf_put_string(out, tokens ? start->tokens[i] : pool->tokens[i]);
    cook_buf_put_varint(out, plugin_count);
    for (size_t i = 0; i < plugin_count; i++) {
        struct cook_buf path = COOK_BUF_INIT;
        cook_buf_printf(&path, "%s/%s.so", pool->plugin_folder,
                        plugins ? start->plugins[i].build_id : pool->build_ids[i]);
        cook_buf_put_string(out, cook_buf_text(&path));
        cook_buf_put_string(out, plugins ? start->plugins[i].name : pool->plugin_names[i]);
        out->failed |= path.failed;
        cook_buf_finish(&path);
    }
    return out->failed ? cook_error_no_memory(error) : COOK_OK;
}

static enum cook_status make_init(struct cook_pool *pool, const struct cook_pool_options *options,
                                  struct cook_error *error)
{
    cook_config_encode(options->project->config, &pool->config);
    pool->tokens = options->arguments;
    pool->token_count = options->argument_count;
    pool->plugin_folder = cook_arena_strdup(&pool->arena, options->plugin_folder);
    if (pool->config.failed || !pool->plugin_folder)
        return cook_error_no_memory(error);
    enum cook_status status = copy_plugins(pool, options, error);
    return status == COOK_OK ? put_init(pool, &pool->init, NULL, error) : status;
}

static enum cook_status make_argv(struct cook_pool *pool, const struct cook_pool_options *options,
                                  struct cook_error *error)
{
    int words = 0;
    const char **parts = NULL;
    if (options->worker_prefix &&
        poptParseArgvString(options->worker_prefix, &words, &parts) != 0)
        return cook_error_set(error, COOK_E_USAGE, "--worker-prefix '%s' cannot be split into words",
                              options->worker_prefix);
    pool->argv = cook_arena_alloc(&pool->arena, ((size_t)words + 2) * sizeof(char *));
    for (int i = 0; pool->argv && i < words; i++)
        pool->argv[i] = cook_arena_strdup(&pool->arena, parts[i]);
    free(parts);
    if (!pool->argv)
        return cook_error_no_memory(error);
    pool->program = (size_t)words;
    pool->argv[words] = cook_arena_strdup(&pool->arena, options->worker_path);
    pool->has_prefix = words > 0;
    return COOK_OK;
}

static enum cook_status spawn(struct cook_pool *pool, struct worker *worker,
                              struct cook_error *error);

enum cook_status cook_pool_create(struct cook_pool **out, const struct cook_pool_options *options,
                                  struct cook_error *error)
{
    *out = NULL;
    unsigned count = options->count < 1 ? 1 : options->count;
    if (count > MAX_WORKERS)
        count = MAX_WORKERS;
    struct cook_pool *pool = cook_calloc(1, sizeof(*pool));
    struct worker *workers = cook_calloc(count, sizeof(*workers));
    if (!pool || !workers) {
        cook_free(pool);
        cook_free(workers);
        return cook_error_no_memory(error);
    }
    pool->project = options->project;
    pool->workers = workers;
    pool->count = pool->capacity = count;
    pool->registry_fd = move_high(memfd_create("cook-registry", MFD_CLOEXEC));
    for (unsigned i = 0; i < count; i++)
        workers[i].socket = workers[i].crash_pipe = -1;
    enum cook_status status = COOK_OK;
    if (pool->registry_fd < 0)
        status = cook_error_set_errno(error, "cannot create a memory file");
    if (status == COOK_OK)
        status = make_argv(pool, options, error);
    /* Under a debugger silence is no hang. */
    pool->timeout_ms = pool->has_prefix ? 0 : (int64_t)options->timeout_seconds * 1000;
    if (status == COOK_OK)
        status = make_init(pool, options, error);
    if (status == COOK_OK)
        status = cook_pool_trace(pool, options->traced, error);
    if (status == COOK_OK)
        status = spawn(pool, &workers[0], error);
    if (status != COOK_OK) {
        cook_pool_destroy(pool);
        return status;
    }
    *out = pool;
    return COOK_OK;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void close_worker(struct worker *worker)
{
    close_if_open(worker->socket);
    close_if_open(worker->crash_pipe);
    *worker = (struct worker){ .socket = -1, .crash_pipe = -1 };
}

/* Class code may hang at exit too; the crash pipe hangs up when its worker is gone. */
static void reap(const struct cook_pool *pool, const struct worker *worker)
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
        struct worker *worker = &pool->workers[i];
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
        close_worker(&pool->workers[i]);
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
    return start->plugins || start->tokens ? put_init(pool, &pool->start_init, start, error)
                                           : COOK_OK;
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

/* ---- starting ---- */

/* What a worker is started with; what is made for it alone stands in the last three. */
struct start_texts {
    const char *const *argv;
    const char *const *environment;
    const char **made_argv;
    const char **made_environment;
    char *preload;
};

static bool start_texts_make(const struct cook_pool *pool, struct start_texts *texts)
{
    char *const *ours = environ;
    *texts = (struct start_texts){ .argv = pool->start_argv ? pool->start_argv : pool->argv };
    memcpy(&texts->environment, &ours, sizeof(ours));
    if (pool->environment)
        texts->environment = pool->environment;
    if (!pool->start_traced)
        return true;
    texts->made_argv = cook_traced_arguments(texts->argv, pool->program);
    texts->made_environment = cook_traced_environment(
        texts->environment, pool->argv[pool->program], &texts->preload);
    texts->argv = texts->made_argv;
    texts->environment = texts->made_environment;
    return texts->argv && texts->environment;
}

static void start_texts_finish(struct start_texts *texts)
{
    cook_free(texts->made_argv);
    cook_free(texts->made_environment);
    cook_free(texts->preload);
}

static enum cook_status spawn_process(struct cook_pool *pool, pid_t *pid, int socket, int crash_pipe,
                                      struct cook_error *error)
{
    struct start_texts texts;
    if (!start_texts_make(pool, &texts)) {
        start_texts_finish(&texts);
        return cook_error_no_memory(error);
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, socket, COOK_WORKER_SOCKET_FD);
    posix_spawn_file_actions_adddup2(&actions, crash_pipe, COOK_WORKER_CRASH_FD);
    posix_spawn_file_actions_adddup2(&actions, pool->registry_fd, COOK_WORKER_REGISTRY_FD);
    /* Class code that prints must not get into a document on our standard output. */
    if (!pool->has_prefix)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, pool->project->path);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    char *const *argv; /* posix_spawn does not write through these */
    char *const *environment;
    memcpy(&argv, &texts.argv, sizeof(argv));
    memcpy(&environment, &texts.environment, sizeof(environment));
    int failed = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    start_texts_finish(&texts);
    errno = failed;
    return failed ? cook_error_set_errno(error, "cannot start '%s'", pool->argv[0]) : COOK_OK;
}

static enum cook_status spawn(struct cook_pool *pool, struct worker *worker,
                              struct cook_error *error)
{
    int sockets[2] = { -1, -1 };
    int pipes[2] = { -1, -1 };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return cook_error_set_errno(error, "cannot create a socket");
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        close(sockets[0]);
        close(sockets[1]);
        return cook_error_set_errno(error, "cannot create a pipe");
    }
    int theirs = move_high(sockets[1]);
    int crash = move_high(pipes[1]);
    if (pool->traced)
        cook_traced_forget_worker(pool->traced, (unsigned)(worker - pool->workers));
    *worker = (struct worker){ .socket = move_high(sockets[0]),
                               .crash_pipe = move_high(pipes[0]),
                               .traced = pool->start_traced,
                               .last_ms = now_ms() };
    enum cook_status status = COOK_OK;
    if (theirs < 0 || crash < 0 || worker->socket < 0 || worker->crash_pipe < 0)
        status = cook_error_set(error, COOK_E_IO, "cannot start a worker: too many open files");
    else
        (void)fcntl(worker->crash_pipe, F_SETFL, O_NONBLOCK);
    if (status == COOK_OK)
        status = spawn_process(pool, &worker->pid, theirs, crash, error);
    close_if_open(theirs);
    close_if_open(crash);
    if (status != COOK_OK) {
        close_worker(worker);
        return status;
    }
    worker->busy = true; /* until it has greeted */
    status = cook_frame_write(worker->socket, COOK_FRAME_INIT,
                              pool->start_init.size ? &pool->start_init : &pool->init, error);
    /* One that died already is noticed by the next wait, with its callstack. */
    return status == COOK_E_IO ? COOK_OK : status;
}

enum cook_status cook_pool_send(struct cook_pool *pool, unsigned index, enum cook_frame_type type,
                                const struct cook_buf *payload, struct cook_error *error)
{
    struct worker *worker = &pool->workers[index];
    if (!worker->pid) {
        enum cook_status status = spawn(pool, worker, error);
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
        worker->last_ms = now_ms();
    }
    /* A worker that is gone is noticed by the next wait, with its callstack. */
    return status == COOK_E_IO ? COOK_OK : status;
}

/* ---- waiting ---- */

static void read_crash(struct cook_pool *pool, const struct worker *worker)
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
    struct worker *worker = &pool->workers[index];
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
    close_worker(worker);
}

/* Compare a further greeting with the first. */
static enum cook_status check_hello(struct cook_pool *pool, struct worker *worker, bool *first,
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
    struct worker *worker = &pool->workers[index];
    enum cook_frame_type type;
    enum cook_status status = cook_frame_read(worker->socket, &type, &pool->payload, NULL);
    *have = true;
    if (status == COOK_E_NO_MEMORY)
        return cook_error_set(error, status, "out of memory");
    if (status != COOK_OK) {
        take_death(pool, index, event);
        return COOK_OK;
    }
    worker->last_ms = now_ms();
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

static int64_t hang_deadline(const struct cook_pool *pool, const struct worker *worker)
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
    int64_t now = now_ms();
    for (unsigned i = 0; i < pool->count; i++) {
        struct worker *worker = &pool->workers[i];
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
    struct pollfd fds[MAX_WORKERS];
    int64_t end = timeout_ms < 0 ? INT64_MAX : now_ms() + timeout_ms;
    for (;;) {
        int64_t now = now_ms();
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
        if (now_ms() >= end)
            return COOK_E_TIMEOUT;
    }
}

/* ---- finding the worker program ---- */

char *cook_worker_find(struct cook_arena *arena)
{
    const char *given = getenv("COOK_WORKER");
    if (given && *given)
        return cook_arena_strdup(arena, given);
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (size <= 0)
        return NULL;
    self[size] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    static const char *const places[] = { "", "/../libexec/cookproof" };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char *path = cook_arena_printf(arena, "%s%s/cook-worker", self, places[i]);
        if (path && access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}
