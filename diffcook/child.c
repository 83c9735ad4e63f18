#include "child.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct words {
    char **items; /* NULL-terminated once complete */
    size_t count, capacity;
    struct cook_arena arena;
    bool failed;
};

static void add(struct words *words, const char *text)
{
    char *copy = text ? cook_arena_strdup(&words->arena, text) : NULL;
    if ((text && !copy) ||
        !cook_grow(&words->items, &words->capacity, words->count + 1, sizeof(*words->items)))
        words->failed = true;
    else
        words->items[words->count++] = copy;
}

static void add_option(struct words *words, const char *option, const char *value)
{
    if (!value)
        return;
    add(words, option);
    add(words, value);
}

static void add_options(struct words *words, const char *option, char *const *values)
{
    for (size_t i = 0; values && values[i]; i++)
        add_option(words, option, values[i]);
}

static void add_common(struct words *words, const struct cook_cli *cli)
{
    add_option(words, "-C", cli->folder);
    add_option(words, "--target", cli->target);
    add_options(words, "--ini", cli->inis);
    add_options(words, "--map", cli->maps);
    add_option(words, "--worker-prefix", cli->worker_prefix);
    add_option(words, "--progress", cli->progress);
    if (cli->workers)
        add_option(words, "--workers", cook_arena_printf(&words->arena, "%d", cli->workers));
    if (cli->rehash)
        add(words, "--rehash");
    if (cli->quiet)
        add(words, "--quiet");
    if (cli->verbose)
        add(words, "--verbose");
}

/* The verbs' programs lie beside each other, in the build tree and when installed. */
static char *find_program(const char *verb, struct cook_arena *arena)
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

static enum cook_status start(pid_t *pid, const struct words *words, const char *program,
                              FILE *out, struct cook_error *error)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0 && fileno(out) != STDOUT_FILENO)
        code = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    (void)fflush(out);
    if (code == 0)
        code = posix_spawn(pid, program, &actions, NULL, words->items, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = code;
    return code ? cook_error_set_errno(error, "cannot start %s", words->items[0]) : COOK_OK;
}

static enum cook_status await(int *exit_status, pid_t pid, const char *name,
                              struct cook_error *error)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return cook_error_set_errno(error, "cannot wait for %s", name);
    if (WIFSIGNALED(status))
        return cook_error_set(error, COOK_E_CRASHED, "%s ended early: %s", name,
                              strsignal(WTERMSIG(status)));
    *exit_status = WEXITSTATUS(status);
    return COOK_OK;
}

enum cook_status diff_child_cook(int *exit_status, const struct cook_cli *cli,
                                 const char *verb, const char *store_name,
                                 struct cook_error *error)
{
    struct words words = { 0 };
    pid_t pid;
    *exit_status = 0;
    const char *program = find_program(verb, &words.arena);
    add(&words, cook_arena_printf(&words.arena, "cook-%s", verb));
    add_common(&words, cli);
    add_option(&words, "--store-name", store_name);
    if (cli->class_argument_count)
        add(&words, "--");
    for (size_t i = 0; i < cli->class_argument_count; i++)
        add(&words, cli->class_arguments[i]);
    add(&words, NULL);
    enum cook_status status = COOK_OK;
    if (words.failed || !program)
        status = cook_error_set(error, COOK_E_NO_MEMORY, "cannot start cook-%s", verb);
    if (status == COOK_OK)
        status = start(&pid, &words, program, cli->out, error);
    if (status == COOK_OK)
        status = await(exit_status, pid, words.items[0], error);
    cook_free(words.items);
    cook_arena_finish(&words.arena);
    return status;
}
