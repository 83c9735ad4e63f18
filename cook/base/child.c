#include "cook/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/alloc.h"

extern char **environ;

#define READ_BYTES 65536

static const char *name_of(const struct cook_child *child)
{
    return child->argv[0];
}

void cook_child_add(struct cook_child_words *words, const char *text)
{
    if (!text ||
        !cook_grow(&words->items, &words->capacity, words->count + 2, sizeof(*words->items))) {
        words->failed = true;
        return;
    }
    words->items[words->count++] = text;
    words->items[words->count] = NULL;
}

void cook_child_words_finish(struct cook_child_words *words)
{
    cook_free(words->items);
    *words = (struct cook_child_words){ 0 };
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int left_ms(const struct cook_child *child, int64_t started_ms)
{
    if (child->timeout_ms <= 0)
        return -1;
    int64_t left = started_ms + child->timeout_ms - now_ms();
    return left > 0 ? (int)left : 0;
}

/* ---- starting ---- */

static bool is_set(const struct cook_child *child, const char *variable)
{
    size_t length = strcspn(variable, "=");
    for (size_t i = 0; child->set[i]; i++)
        if (strncmp(child->set[i], variable, length) == 0 &&
            (child->set[i][length] == '=' || child->set[i][length] == '\0'))
            return true;
    return false;
}

/* This process's environment with what the child sets; owned by the caller, its texts are not.
 */
static const char **make_environment(const struct cook_child *child)
{
    size_t count = 0, out = 0;
    for (char **e = environ; *e; e++)
        count++;
    for (size_t i = 0; child->set[i]; i++)
        count++;
    const char **list = cook_calloc(count + 1, sizeof(*list));
    if (!list)
        return NULL;
    for (char **e = environ; *e; e++)
        if (!is_set(child, *e))
            list[out++] = *e;
    for (size_t i = 0; child->set[i]; i++)
        if (strchr(child->set[i], '='))
            list[out++] = child->set[i];
    return list;
}

static int add_descriptors(posix_spawn_file_actions_t *actions, const struct cook_child *child,
                           int out_fd)
{
    int code = 0;
    if (!child->own_input)
        code = posix_spawn_file_actions_addopen(
            actions, STDIN_FILENO, child->input_path ? child->input_path : "/dev/null",
            O_RDONLY, 0);
    if (code == 0 && out_fd < 0)
        code =
            posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    else if (code == 0 && out_fd != STDOUT_FILENO)
        code = posix_spawn_file_actions_adddup2(actions, out_fd, STDOUT_FILENO);
    if (code == 0 && child->err_fd < 0)
        code =
            posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    else if (code == 0 && child->err_fd != STDERR_FILENO)
        code = posix_spawn_file_actions_adddup2(actions, child->err_fd, STDERR_FILENO);
    if (code == 0 && child->folder)
        code = posix_spawn_file_actions_addchdir_np(actions, child->folder);
    return code;
}

/* A program with a limit of time gets a process group of its own, so that all of it can be
 * ended; any other stays in ours, where the terminal's interrupt reaches it. */
static int spawn(pid_t *pid, const struct cook_child *child, int out_fd,
                 const char **environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int code = add_descriptors(&actions, child, out_fd);
    if (child->timeout_ms > 0)
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const char *program = child->program ? child->program : child->argv[0];
    union { /* posix_spawn does not write through these */
        const char *const *constant;
        char *const *plain;
    } argv = { child->argv }, variables = { environment };
    if (code == 0)
        code = posix_spawnp(pid, program, &actions, &attributes, argv.plain,
                            environment ? variables.plain : environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

/* ---- waiting ---- */

static void keep_output(const struct cook_child *child, const uint8_t *bytes, size_t size)
{
    size_t room =
        child->max_out_bytes > child->out->size ? child->max_out_bytes - child->out->size : 0;
    cook_buf_put(child->out, bytes, size < room ? size : room);
}

/* Until the program closes its output; false when its time ran out. */
static bool read_output(const struct cook_child *child, int fd, int64_t started_ms)
{
    uint8_t *bytes = cook_malloc(READ_BYTES);
    bool in_time = true;
    if (!bytes) {
        child->out->failed = true;
        return true;
    }
    for (;;) {
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        int ready = poll(&poll_fd, 1, left_ms(child, started_ms));
        if (ready < 0 && errno == EINTR)
            continue;
        in_time = ready != 0;
        ssize_t size = ready > 0 ? read(fd, bytes, READ_BYTES) : 0;
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            break;
        keep_output(child, bytes, (size_t)size);
    }
    cook_free(bytes);
    return in_time;
}

static bool ended_in_time(const struct cook_child *child, pid_t pid, int64_t started_ms)
{
    if (child->timeout_ms <= 0)
        return true;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return true; /* waited for without a limit */
    int ready;
    do {
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        ready = poll(&poll_fd, 1, left_ms(child, started_ms));
    } while (ready < 0 && errno == EINTR);
    close(fd);
    return ready != 0;
}

static enum cook_status await(int *exit_status, const struct cook_child *child, pid_t pid,
                              bool in_time, struct cook_error *error)
{
    int status;
    if (!in_time)
        (void)kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return cook_error_set_errno(error, "cannot wait for %s", name_of(child));
    if (!in_time)
        return cook_error_set(error, COOK_E_TIMEOUT, "%s did not end within %d ms",
                              name_of(child), child->timeout_ms);
    if (WIFSIGNALED(status))
        return cook_error_set(error, COOK_E_CRASHED, "%s ended early: %s", name_of(child),
                              strsignal(WTERMSIG(status)));
    *exit_status = WEXITSTATUS(status);
    return COOK_OK;
}

enum cook_status cook_child_run(int *exit_status, const struct cook_child *child,
                                struct cook_error *error)
{
    int ends[2] = { -1, -1 };
    int64_t started_ms = now_ms();
    pid_t pid;
    *exit_status = 0;
    const char **environment = child->set ? make_environment(child) : NULL;
    if (child->set && !environment)
        return cook_error_no_memory(error);
    if (child->out && pipe2(ends, O_CLOEXEC) != 0) {
        cook_free(environment);
        return cook_error_set_errno(error, "cannot start %s", name_of(child));
    }
    int code = spawn(&pid, child, child->out ? ends[1] : child->out_fd, environment);
    cook_free(environment);
    if (child->out)
        close(ends[1]);
    enum cook_status status;
    if (code == 0) {
        bool in_time = !child->out || read_output(child, ends[0], started_ms);
        in_time = in_time && ended_in_time(child, pid, started_ms);
        status = await(exit_status, child, pid, in_time, error);
    } else {
        errno = code;
        status = cook_error_set_errno(error, "cannot start %s", name_of(child));
    }
    if (child->out)
        close(ends[0]);
    if (status == COOK_OK && child->out && child->out->failed)
        return cook_error_no_memory(error);
    return status;
}

char *cook_child_verb_path(const char *verb, struct cook_arena *arena)
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (size <= 0)
        return NULL;
    self[size] = '\0';
    const char *slash = strrchr(self, '/');
    return slash ? cook_arena_printf(arena, "%.*s/cook-%s", (int)(slash - self), self, verb)
                 : NULL;
}
