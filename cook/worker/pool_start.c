/* How a worker is started: its words, its environment, its descriptors and what it is told
 * first. */
#include "cook/worker/pool_private.h"

#include <errno.h>
#include <fcntl.h>
#include <popt.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cook/worker/plugin_copy.h"
#include "cook/worker/traced_start.h"

extern char **environ;

/* Above the numbers that a worker's descriptors are moved to. */
int cook_pool_move_high(int fd)
{
    if (fd < 0)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 16);
    close(fd);
    return high;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

void cook_pool_close_worker(struct cook_pool_worker *worker)
{
    close_if_open(worker->socket);
    close_if_open(worker->crash_pipe);
    *worker = (struct cook_pool_worker){ .socket = -1, .crash_pipe = -1 };
}

/* ---- what it is told ---- */

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

enum cook_status cook_pool_make_init(struct cook_pool *pool, const struct cook_pool_options *options,
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
enum cook_status cook_pool_make_start_init(struct cook_pool *pool, const struct cook_pool_start *start,
                                 struct cook_error *error)
{
    return put_init(pool, &pool->start_init, start, error);
}

enum cook_status cook_pool_make_argv(struct cook_pool *pool, const struct cook_pool_options *options,
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

enum cook_status cook_pool_spawn(struct cook_pool *pool, struct cook_pool_worker *worker,
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
    int theirs = cook_pool_move_high(sockets[1]);
    int crash = cook_pool_move_high(pipes[1]);
    if (pool->traced)
        cook_traced_forget_worker(pool->traced, (unsigned)(worker - pool->workers));
    *worker = (struct cook_pool_worker){ .socket = cook_pool_move_high(sockets[0]),
                               .crash_pipe = cook_pool_move_high(pipes[0]),
                               .traced = pool->start_traced,
                               .last_ms = cook_pool_now_ms() };
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
        cook_pool_close_worker(worker);
        return status;
    }
    worker->busy = true; /* until it has greeted */
    status = cook_frame_write(worker->socket, COOK_FRAME_INIT,
                              pool->start_init.size ? &pool->start_init : &pool->init, error);
    /* One that died already is noticed by the next wait, with its callstack. */
    return status == COOK_E_IO ? COOK_OK : status;
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
