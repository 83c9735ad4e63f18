/*
 * Running another program and waiting for it, with a limit of time. Not for workers, which live
 * long and talk (worker/pool.h).
 */
#ifndef COOK_BASE_CHILD_H
#define COOK_BASE_CHILD_H

#include <stdbool.h>

#include "cook/base/buf.h"
#include "cook/base/error.h"

struct cook_child {
    const char *program;     /* looked up in PATH unless it has a '/'; NULL: argv[0] */
    const char *const *argv; /* NULL-terminated */
    const char *const *set;  /* "NAME=value" over the environment of this process, "NAME": without
                                 it; NULL: none */
    const char *folder;      /* to run in; NULL: this one's */
    const char *input_path;  /* its standard input; NULL: nothing to read */
    bool own_input;          /* standard input is this process's: an interactive program */
    int out_fd;              /* its standard output; -1: dropped, unless `out` is given */
    int err_fd;              /* its standard error; -1: dropped */
    struct cook_buf *out;    /* gets its standard output, appended; NULL: goes to out_fd */
    size_t max_out_bytes;    /* of `out`; what is more is read and dropped */
    int timeout_ms;          /* after it the program and what it started are killed; 0: none */
};
#define COOK_CHILD_INIT                                                                        \
    {                                                                                          \
        NULL, NULL, NULL, NULL, NULL, false, -1, -1, NULL, 0, 0                                \
    }

/* A command line that is put together word by word; the texts are borrowed. */
struct cook_child_words {
    const char **items; /* NULL-terminated from the first word on */
    size_t count, capacity;
    bool failed; /* memory was short, or a word was NULL */
};
void cook_child_add(struct cook_child_words *words, const char *text);
void cook_child_words_finish(struct cook_child_words *words);

/*
 * Run to the end; `*exit_status` out. COOK_E_NOT_FOUND when there is no such program,
 * COOK_E_TIMEOUT, COOK_E_CRASHED when a signal ended it, COOK_E_IO, COOK_E_NO_MEMORY.
 */
enum cook_status cook_child_run(int *exit_status, const struct cook_child *child,
                                struct cook_error *error) COOK_CHECK_RESULT;
/* The program of a verb: they lie beside each other, in the build tree and when installed. In
 * `arena`; NULL when it cannot be told. */
struct cook_arena;
char *cook_child_verb_path(const char *verb, struct cook_arena *arena);

#endif
