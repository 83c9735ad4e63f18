/* What the files of the pool share: its rows, and how one worker is started and closed. */
#ifndef COOK_WORKER_POOL_PRIVATE_H
#define COOK_WORKER_POOL_PRIVATE_H

#include "cook/worker/pool.h"

#define COOK_POOL_MAX_WORKERS 256

struct cook_pool_worker {
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
    struct cook_pool_worker *workers;
    unsigned count;    /* in use */
    unsigned capacity; /* of workers */
    int registry_fd;
    bool registry_ready;
    int64_t timeout_ms;
    unsigned next; /* where the next poll starts to look, so that no worker starves */
};

int64_t cook_pool_now_ms(void);
/* Close its descriptors and forget it; the caller has reaped it. */
void cook_pool_close_worker(struct cook_pool_worker *worker);
/* The words of its command line, from the options' prefix and program. COOK_E_USAGE, COOK_E_NO_MEMORY. */
enum cook_status cook_pool_make_argv(struct cook_pool *pool, const struct cook_pool_options *options,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* What every worker is told first, as the options say; copies the plugins. */
enum cook_status cook_pool_make_init(struct cook_pool *pool, const struct cook_pool_options *options,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* The same with the tokens and plugins of `start`, into start_init. */
enum cook_status cook_pool_make_start_init(struct cook_pool *pool, const struct cook_pool_start *start,
                                           struct cook_error *error) COOK_CHECK_RESULT;
/* Start a worker in an empty row. One that dies at once is noticed by the next wait. */
enum cook_status cook_pool_spawn(struct cook_pool *pool, struct cook_pool_worker *worker,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* A descriptor above the numbers that a worker's are moved to; closes `fd`, -1 where there is none. */
int cook_pool_move_high(int fd);

#endif
