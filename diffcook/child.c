#include "child.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cook/base/alloc.h"

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

/* How many arguments an option of the calling verb takes up; 0: it is none. */
static size_t own_length(const struct diff_child *child, const char *argument)
{
    for (size_t i = 0; child->own[i]; i++) {
        const char *option = child->own[i];
        size_t length = strcspn(option, "=");
        if (strncmp(argument, option, length) != 0)
            continue;
        if (argument[length] == '=')
            return 1;
        if (argument[length] == '\0')
            return option[length] ? 2 : 1;
    }
    return 0;
}

/* As given, so that an option which cooks have is passed on without being known here. What
 * follows "--" is for class code alone. */
static void add_arguments(struct words *words, const struct diff_child *child)
{
    bool options = true;
    for (size_t i = 1; child->argv[i];) {
        const char *argument = child->argv[i];
        options &= strcmp(argument, "--") != 0;
        size_t skip = options ? own_length(child, argument) : 0;
        if (skip == 0)
            add(words, argument);
        for (i++; skip > 1 && child->argv[i]; skip--)
            i++;
    }
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

enum cook_status diff_child_run(int *exit_status, const struct diff_child *child,
                                struct cook_error *error)
{
    struct words words = { 0 };
    pid_t pid;
    *exit_status = 0;
    const char *program = find_program(child->verb, &words.arena);
    add(&words, cook_arena_printf(&words.arena, "cook-%s", child->verb));
    if (child->store_name) {
        add(&words, "--store-name");
        add(&words, child->store_name);
    }
    add_arguments(&words, child);
    add(&words, NULL);
    enum cook_status status = COOK_OK;
    if (words.failed || !program)
        status = cook_error_set(error, COOK_E_NO_MEMORY, "cannot start cook-%s", child->verb);
    if (status == COOK_OK)
        status = start(&pid, &words, program, child->out, error);
    if (status == COOK_OK)
        status = await(exit_status, pid, words.items[0], error);
    cook_free(words.items);
    cook_arena_finish(&words.arena);
    return status;
}
