/*
 * A run: one cook (or validation) of one target, from opening the project to the last commit. The
 * verbs share its steps:
 *
 *     cook_run_open       project, store, workers, the evaluator's greeting
 *     cook_run_refresh    the registry: what changed on disk, scanned by workers
 *     cook_run_evaluate   the current value of every known dependency, once each; keys
 *     cook_run_roots      the packages that the graph search starts from
 *     cook_dispatch_*     packages to workers and results back (dispatch.h)
 *     cook_run_close
 */
#ifndef COOK_PLAN_RUN_H
#define COOK_PLAN_RUN_H

#include "cook/config/project.h"
#include "cook/plan/progress.h"
#include "cook/plan/trace.h"
#include "cook/registry/registry.h"
#include "cook/store/history.h"
#include "cook/store/store.h"
#include "cook/worker/pool.h"

enum cook_tracing {
    COOK_TRACING_OFF = 0,
    COOK_TRACING_IF_CONFIGURED, /* [Trace] Always=1 */
    COOK_TRACING_ON,
};

struct cook_run_options {
    struct cook_project_options project;
    enum cook_store_mode mode;
    unsigned workers;             /* 0: as many as processors */
    const char *worker_prefix;    /* NULL for none */
    const char *const *maps;      /* --map: replace the configured maps */
    size_t map_count;
    const char *const *arguments; /* after `--`: the command line that class code sees */
    size_t argument_count;
    const char *verb;             /* for facts and history */
    const char *command_line;     /* for facts */
    bool rehash;                  /* hash all files again */
    const char *trace_path;       /* --trace: where the trace goes; NULL for none */
    enum cook_tracing tracing;    /* of what class code reads undeclared */
    const struct cook_state *registry; /* of a run of another target: what a new store may take over */
    bool record_callstacks;       /* keep the callstack of each write with what is cooked */
    const char *store_name;       /* folder below Saved/Cook; NULL: that of the target */
};

struct cook_run {
    struct cook_arena arena;
    struct cook_run_options options;
    struct cook_project project;
    struct cook_redirects *redirects;
    struct cook_store *store;
    struct cook_state *state; /* of the store */
    struct cook_pool *pool;
    char *plugin_folder;
    struct cook_hello hello;
    struct cook_reader_info *readers;
    struct cook_registry_options registry_options;
    bool content_changed;   /* by the refresh: files, or redirects */
    bool classes_changed;   /* classes, or the lists of hybrid incremental */
    bool index_stale;       /* the state differs from index.bin */
    bool registry_shared;
    struct cook_progress progress; /* for others to see; of runs that write */
    struct cook_rules *rules; /* made by cook_run_roots (rules.h) */
    struct cook_trace *trace; /* NULL unless one was asked for */
    int64_t started_ns;     /* wall clock, since the epoch */
    int64_t started_mono_ns;
    char **warnings;        /* of the run itself, not of packages; in the arena */
    size_t warning_count;
    size_t warning_capacity;

    /* evaluation, by id of the state's rows at that time */
    uint8_t *dep_changed;       /* its value differs from the one stored before */
    uint32_t dep_count;
    struct cook_hash *keys;     /* by bundle id */
    uint32_t key_count;
    struct cook_hash *set_hashes; /* by set id */
    uint32_t set_count;
};

enum cook_status cook_run_open(struct cook_run *run, const struct cook_run_options *options,
                               struct cook_error *error) COOK_CHECK_RESULT;
/* Write the trace, when one was asked for. */
enum cook_status cook_run_write_trace(struct cook_run *run,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* Also after a failed open. */
void cook_run_close(struct cook_run *run);
void cook_run_warn(struct cook_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
double cook_run_seconds(const struct cook_run *run);
/* [Store] KeepCooks: how many cooks a store tells about. */
uint32_t cook_run_keep_cooks(const struct cook_run *run);

enum cook_status cook_run_refresh(struct cook_run *run, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_run_evaluate(struct cook_run *run,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* Its parts: functions through the evaluator; keys from the values that the state holds (again at the
 * end of a cook, when dependencies on whole packages have their values). */
enum cook_status cook_run_evaluate_functions(struct cook_run *run,
                                             void (*set)(struct cook_run *, uint32_t,
                                                         struct cook_hash),
                                             struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_run_evaluate_keys(struct cook_run *run,
                                        struct cook_error *error) COOK_CHECK_RESULT;
/* Make the registry available to workers; once, before the first package is dispatched. */
enum cook_status cook_run_share_registry(struct cook_run *run,
                                         struct cook_error *error) COOK_CHECK_RESULT;
/* Facts of the cook as JSON, in the arena (facts.h): command line, host, environment, code. */
char *cook_run_facts_json(struct cook_run *run);
/* Copy the libraries that plugins brought along into the folder of plugin copies, by build id
 * (libraries.c). */
void cook_run_keep_libraries(struct cook_run *run);

/* The error of a worker that ended while the plugins were loaded (death.c). */
enum cook_status cook_run_died_at_start(struct cook_run *run, const struct cook_pool_event *event,
                                        struct cook_error *error);

/* ---- roots and rules (roots.c) ---- */
struct cook_roots {
    uint32_t *packages; /* ascending by name; in the arena */
    size_t count;
    char **missing; /* "cook.ini:7: map /Game/Maps/X does not exist" */
    size_t missing_count;
};
enum cook_status cook_run_roots(struct cook_run *run, struct cook_roots *roots,
                                struct cook_error *error) COOK_CHECK_RESULT;
bool cook_run_never_cook(const struct cook_run *run, uint32_t package);

/* ---- hybrid incremental (policy.c) ---- */
/* Remember a hash of something that decides about packages in general; `*changed` tells whether it
 * differs from the one remembered before. */
enum cook_status cook_run_note_policy(struct cook_run *run, const char *what,
                                      struct cook_hash hash, bool *changed,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* Bring the OPTED_OUT flags up to date: of the given packages, or of all when the policy changed. */
enum cook_status cook_run_apply_policy(struct cook_run *run, const uint32_t *packages, size_t count,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/* Whether packages with objects of a class may be skipped, and by which list; `*rule` is a fixed text. */
bool cook_run_class_allowed(const struct cook_run *run, const char *name, const char **rule);
/* The first class that opts a package out, in `arena`; NULL when none does. */
const char *cook_run_opted_out_class(struct cook_run *run, uint32_t package,
                                     struct cook_arena *arena);

/* ---- decisions (decide.c) ---- */
enum cook_reason {
    COOK_REASON_UNKNOWN = 0,
    COOK_REASON_SKIP,        /* the key is unchanged */
    COOK_REASON_NEW,         /* not cooked before */
    COOK_REASON_KEY_CHANGED,
    COOK_REASON_OPTED_OUT,
    COOK_REASON_FAILED,      /* its last cook failed */
    COOK_REASON_FORCED,      /* store forget, damaged result */
    COOK_REASON_FULL,        /* a full cook recooks everything */
    COOK_REASON_BROKEN,      /* its source cannot be read, or two files claim its name: it fails */
};
const char *cook_reason_text(enum cook_reason reason);
enum cook_reason cook_run_decide(const struct cook_run *run, uint32_t package);

/* A value for people: its text, its hash, "absent" or "(empty)"; in `arena`, NULL when memory is short. */
const char *cook_dep_value_text(uint32_t kind, struct cook_hash value, const char *text,
                                struct cook_arena *arena);

/* A dependency that differs from what a package was cooked with; texts in the arena given. */
struct cook_changed_dep {
    const char *kind;
    const char *args;
    const char *old_text; /* value for people, or its hash, or "absent" */
    const char *new_text;
};
/* The changed dependencies of a package whose key changed, sorted by kind and args. */
enum cook_status cook_run_changed_deps(struct cook_run *run, uint32_t package,
                                       struct cook_changed_dep **deps, size_t *count,
                                       struct cook_arena *arena,
                                       struct cook_error *error) COOK_CHECK_RESULT;

/* ---- edges (edges.c) ---- */
/* Encode the runtime edges of a result into the state's pool; 0 for none. */
uint32_t cook_edges_add(struct cook_run *run, const struct cook_result *result);
/* The edges of a kept result as they were recorded, in `arena`; reads nothing but the state. */
struct cook_edge_row {
    enum cook_edge kind; /* COOK_EDGE_HARD or COOK_EDGE_SOFT */
    const char *path;
    uint32_t package; /* that it led to when it was kept, or COOK_ID_NONE */
};
enum cook_status cook_edges_read(struct cook_edge_row **edges, size_t *count,
                                 const struct cook_state *state, uint32_t package,
                                 struct cook_arena *arena) COOK_CHECK_RESULT;
/* The packages that a kept result leads to, hard and soft, in `arena`. */
enum cook_status cook_edges_targets(struct cook_run *run, uint32_t package, uint32_t **targets,
                                    size_t *count, struct cook_arena *arena) COOK_CHECK_RESULT;
/* The record (deps/dep.h) of what scopes hid from a kept result; borrowed from the state, empty when
 * nothing was hidden. */
struct cook_reader_buf cook_edges_hidden(const struct cook_state *state, uint32_t package);

/* The parts of evaluation, shared with the intake of results. */
struct cook_hash cook_run_engine_value(const struct cook_run *run);
const struct cook_hello_class *cook_run_class(const struct cook_run *run, const char *name);

#endif
