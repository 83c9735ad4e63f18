#include "child.h"

#include <string.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/child.h"

struct words {
    const char **items; /* NULL-terminated once complete */
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

enum cook_status diff_child_run(int *exit_status, const struct diff_child *child,
                                struct cook_error *error)
{
    struct words words = { 0 };
    struct cook_child run = COOK_CHILD_INIT;
    *exit_status = 0;
    run.program = cook_child_verb_path(child->verb, &words.arena);
    add(&words, cook_arena_printf(&words.arena, "cook-%s", child->verb));
    if (child->store_name) {
        add(&words, "--store-name");
        add(&words, child->store_name);
    }
    add_arguments(&words, child);
    add(&words, NULL);
    enum cook_status status = COOK_OK;
    if (words.failed || !run.program)
        status = cook_error_set(error, COOK_E_NO_MEMORY, "cannot start cook-%s", child->verb);
    (void)fflush(child->out);
    run.argv = words.items;
    run.own_input = true;
    run.out_fd = child->out_fd;
    run.err_fd = STDERR_FILENO;
    if (status == COOK_OK)
        status = cook_child_run(exit_status, &run, error);
    cook_free(words.items);
    cook_arena_finish(&words.arena);
    return status;
}
