/*
 * The director's side of its workers: starts them, feeds them frames, tells what they say, and
 * takes their deaths for results. A worker is started once and kept; one that dies is replaced at the
 * next send. Single-threaded: one poll loop.
 */
#ifndef COOK_WORKER_POOL_H
#define COOK_WORKER_POOL_H

#include <sys/types.h>

#include "cook/config/project.h"
#include "cook/trace/inputs.h"
#include "cook/worker/protocol.h"

struct cook_pool;

struct cook_pool_options {
    const struct cook_project *project;
    int plugin_folder_fd;       /* where copies of plugins lie, by build id */
    const char *plugin_folder;  /* the same, as a path that a worker can open */
    const char *worker_path;    /* of the cook-worker program */
    const char *const *arguments; /* the command line that class code sees */
    size_t argument_count;
    const char *worker_prefix;  /* "gdb --args", or NULL; split as a shell splits words */
    unsigned count;             /* 1 to 256 */
    bool traced;                /* see what class code reads behind the SDK's back */
    unsigned timeout_seconds;   /* silence after which a package counts as hanging; 0: never */
};

/*
 * Copies the plugins by build id into the plugin folder and starts the first worker, whose greeting
 * is not awaited. Errors: COOK_E_CONFIG (a plugin is no ELF file), COOK_E_IO, COOK_E_NO_MEMORY.
 */
enum cook_status cook_pool_create(struct cook_pool **out, const struct cook_pool_options *options,
                                  struct cook_error *error) COOK_CHECK_RESULT;
void cook_pool_destroy(struct cook_pool *pool); /* ends and reaps all workers; NULL allowed */
unsigned cook_pool_count(const struct cook_pool *pool);

/*
 * The memory file that workers read the registry from: written by the caller, then announced to each
 * worker (also to those started later) with its first COOK_FRAME_COOK.
 */
int cook_pool_registry_fd(const struct cook_pool *pool);
void cook_pool_registry_ready(struct cook_pool *pool);

/* Send a frame, starting (or restarting) that worker first if it is not running. */
enum cook_status cook_pool_send(struct cook_pool *pool, unsigned worker, enum cook_frame_type type,
                                const struct cook_buf *payload,
                                struct cook_error *error) COOK_CHECK_RESULT;

/* End all workers, so that the next sends start fresh ones. None may be busy. */
void cook_pool_restart(struct cook_pool *pool);

struct cook_pool_plugin {
    const char *name;
    const char *build_id; /* of its copy in the plugin folder */
};

/* How workers are started beside what the options say: each perturbed cook, and each that turns
 * something back to what it was, is one of these. */
struct cook_pool_start {
    const char *const *environment; /* "NAME=VALUE", in place of or beside ours; "NAME": without it */
    size_t environment_count;
    const char *const *arguments; /* of the worker program (perturb.h) */
    size_t argument_count;
    unsigned count; /* workers in use, at most the options' count; 0: all of them */
    const struct cook_pool_plugin *plugins; /* NULL: today's */
    size_t plugin_count;
    const char *const *tokens; /* the command line that class code sees; NULL: today's */
    size_t token_count;
    bool other_schemas; /* their greetings are not compared with the first worker's */
};
/*
 * The same, and start workers so from now on; NULL: plainly again. Texts are borrowed until the next
 * call. COOK_E_NO_MEMORY.
 */
enum cook_status cook_pool_restart_as(struct cook_pool *pool, const struct cook_pool_start *start,
                                      struct cook_error *error) COOK_CHECK_RESULT;

struct cook_pool_event {
    unsigned worker;
    enum cook_frame_type type;  /* COOK_FRAME_UNKNOWN: the worker died */
    struct cook_buf *payload;   /* borrowed until the next call */
    /* of a death: */
    bool timed_out;
    bool traced;                /* a supervisor stood above it, and ended with it */
    bool hung_up;               /* it closed its connection, and was killed for that */
    int wait_status;            /* as of waitpid */
    const struct cook_buf *crash; /* encoded crash report, empty when there is none */
};
/*
 * Wait for the next event, at most `timeout_ms` (-1: for ever). COOK_E_TIMEOUT when nothing came,
 * COOK_E_FAILED when no worker is running. HELLO frames of further workers are compared with the
 * first's and swallowed; a worker that disagrees gives COOK_E_CONFIG ("… was rebuilt during the cook").
 */
enum cook_status cook_pool_wait(struct cook_pool *pool, struct cook_pool_event *event,
                                int timeout_ms, struct cook_error *error) COOK_CHECK_RESULT;

/* The build ids of the plugins, in order, for the facts of a cook. */
size_t cook_pool_plugins(const struct cook_pool *pool, const char *const **names,
                         const char *const **build_ids);
/* The libraries that the first worker had loaded when it greeted, as it told (COOK_FRAME_MODULES);
 * empty before. Borrowed. */
const struct cook_buf *cook_pool_modules(const struct cook_pool *pool);

/* What traced workers saw, told before each result; NULL unless workers are traced. Its `partial`
 * says what could not be seen, which may be all. */
struct cook_traced *cook_pool_traced(const struct cook_pool *pool);
/* Trace workers from the next start on, or no more; what was seen stays. COOK_E_NO_MEMORY. */
enum cook_status cook_pool_trace(struct cook_pool *pool, bool traced,
                                 struct cook_error *error) COOK_CHECK_RESULT;

/* Find "cook-worker": $COOK_WORKER, then beside the running program, then ../libexec/cookproof. The
 * text is in `arena`; NULL when it is nowhere. */
char *cook_worker_find(struct cook_arena *arena);

#endif
