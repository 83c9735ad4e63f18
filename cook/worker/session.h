/*
 * A worker's session: types, config, registry and the packages in memory. Everything that class
 * code can reach hangs here; there is no other state in the process.
 *
 * Loading is serialised by `load_lock` (recursive: a load may dereference further packages);
 * recording and logging by each operation's own lock.
 */
#ifndef COOK_WORKER_SESSION_H
#define COOK_WORKER_SESSION_H

#include <pthread.h>

#include <cook/cook.h>

#include "cook/archive/tokens.h"
#include "cook/deps/dep.h"
#include "cook/object/types.h"
#include "cook/registry/registry.h"
#include "cook/store/state.h"
#include "cook/symbols/stacks.h"
#include "cook/worker/reads.h"

/* Messages of an operation, in order of logging. */
struct cook_message {
    enum cook_severity severity;
    const char *text;
};
struct cook_messages {
    struct cook_arena arena;
    struct cook_message *items;
    size_t count;
    size_t capacity;
    size_t errors;
    bool failed;
};
void cook_messages_finish(struct cook_messages *messages);
void cook_messages_add(struct cook_messages *messages, enum cook_severity severity,
                       const char *text);
void cook_messages_encode(const struct cook_messages *messages, struct cook_buf *out);
/* Decode untrusted bytes, appending. */
enum cook_status cook_messages_decode(struct cook_messages *messages, struct cook_reader_buf *in)
    COOK_CHECK_RESULT;

struct cook_async; /* the worker's thread pool and the jobs of the package at hand */

/* An additional file of a save. */
struct cook_context_file {
    char *name;
    uint8_t *bytes;
    size_t size;
};

/* One operation on one package: its load, or its save; or a scope of one (cook_enter_scope), which
 * shares everything with its root but what the reads through it mean. */
struct cook_context {
    struct cook_context *root; /* the operation itself; points at itself there */
    struct cook_session *session;
    struct cook_package *package;
    bool unrecorded; /* a scope whose reads are noted, not recorded */
    bool build_only; /* a scope whose loads are needed to build only */
    bool runtime;    /* a scope whose loads are runtime references */
    const char *hook; /* the hook at work, and of which class; a scope of another thread has its own */
    const char *hook_class;

    /* Of the root only. */
    pthread_mutex_t lock; /* guards all below */
    struct cook_record record;
    struct cook_record unrecorded_reads;
    struct cook_messages messages;
    struct cook_package **uses; /* packages dereferenced, in order of first use */
    size_t use_count;
    size_t use_capacity;
    struct cook_intern runtime_hard; /* cook_add_runtime_dependency */
    struct cook_intern runtime_soft;
    struct cook_intern build_only_loads;
    struct cook_buf notes; /* cook_note_text */
    struct cook_context_file *files; /* cook_write_additional_file */
    size_t file_count;
    size_t file_capacity;
    bool saving;
    bool editor_save; /* of resave.c: only dependencies on packages count */
    const char *writing; /* the property at hand in the write phase, else NULL */
    bool out_of_memory;
};

/* An object of a loaded package; what `struct cook_object.state` points at. */
struct cook_object_state {
    struct cook_package *package;
    const struct cook_class_info *class_info;
    const char *name;
    const char *inner_path;
    struct cook_object_state *outer;
    struct cook_object *object;
    uint32_t index; /* in the package */
    bool editor_only;
    bool unsaved; /* not part of the save at hand: editor-only, or not for this target */
};

enum cook_load_stage {
    COOK_LOAD_NONE = 0,
    COOK_LOAD_READING,
    COOK_LOAD_POST_LOADING,
    COOK_LOAD_DONE,
    COOK_LOAD_FAILED,
};

struct cook_package {
    const char *name;
    const char *path;   /* source file, relative to the project */
    const char *folder; /* of it */
    struct cook_arena arena;
    pthread_mutex_t arena_lock;
    struct cook_object_state **objects;
    uint32_t object_count;
    size_t object_capacity;
    struct cook_intern inner_paths; /* id is the object's index */
    enum cook_load_stage stage;
    struct cook_context load; /* its load set, messages, and the packages it used */
    size_t counted_bytes;     /* its share of the session's resident_bytes */
    uint32_t load_id;         /* under which the load set was sent to the director; 0: not yet */
    uint32_t visit;           /* mark of the last closure walk */
    struct cook_package *next; /* list of resident packages */
};

struct cook_session {
    struct cook_registrar types; /* classes, structs, enums, readers, functions */
    struct cook_config *config;
    const char *target;
    const char *configuration; /* config [Cook] Configuration, "client" by default */
    bool keep_editor_only;     /* config [Cook] KeepEditorOnly */
    const char **arguments; /* the command line that class code sees; in the arena */
    size_t argument_count;
    int project_fd;
    uint64_t reference_flags; /* hash of the property flags that scans look at */
    struct cook_redirects *redirects;
    struct cook_state registry; /* mapped; empty until the director sends it */
    struct cook_arena arena;    /* of the session */
    struct cook_intern resident_names;
    struct cook_package **resident; /* by id of resident_names; NULL when evicted */
    size_t resident_capacity;
    size_t resident_bytes; /* of the objects in memory, as counted when each package was loaded */
    pthread_mutex_t load_lock; /* recursive */
    struct cook_async *async;
    uint32_t next_load_id;
    uint32_t visit;
    unsigned load_depth;
    int stack_fill; /* of a perturbed worker: what unused stack is full of when a hook is called; -1 */
    pthread_t main_thread; /* which made the session, and calls the hooks of a save */
    int hook_errno;        /* what the last hook on it left behind */
    bool capture; /* callstacks per write and per read */
    bool resave;  /* packages are not saved for a target, but looked at as an editor does */
    struct cook_reads *reads; /* of the package at hand, when capturing */
};

enum cook_status cook_session_init(struct cook_session *session,
                                   struct cook_error *error) COOK_CHECK_RESULT;
void cook_session_finish(struct cook_session *session);

/* ---- contexts ---- */
enum cook_status cook_context_init(struct cook_context *context, struct cook_session *session,
                                   struct cook_package *package) COOK_CHECK_RESULT;
void cook_context_finish(struct cook_context *context);
/* Record a read, thread-safely. `call`: the SDK's function that class code called, or NULL for what comes by
 * itself; not copied. */
void cook_context_record(struct cook_context *context, uint32_t kind, const char *args,
                         struct cook_hash value, const char *text, const char *call);
/* The hook at work: where the context is one of a job that outlasted its hook, that one. Thread-safe. */
struct cook_dep_origin cook_context_origin(struct cook_context *context, const char *call);
/* What cook_config() and cook_redirected() do, for another call or none. */
size_t cook_context_config(struct cook_context *context, const char *section, const char *key,
                           const struct cook_config_value **values, const char *call);
const char *cook_context_redirected(struct cook_context *context, const char *path, const char *call);
void cook_context_use(struct cook_context *context, struct cook_package *package);
bool cook_context_has_errors(struct cook_context *context);
void cook_context_short_of_memory(struct cook_context *context); /* fails the package */
/* A path that class code gave: relative to the project, or to the source's folder for "./" and
 * "../"; NULL when it leaves the project. */
char *cook_context_path(struct cook_context *context, const char *path, struct cook_arena *arena);
/* What a reference means now, recorded as a dependency on its outcome, by `call` as above. `*package` is
 * the name of the package that it leads to, or NULL; thread-safe, other texts are in `arena`. */
struct cook_resolved cook_context_resolve(struct cook_context *context, const char *path,
                                          const char **package, struct cook_arena *arena,
                                          const char *call);

/* ---- packages in memory ---- */

/*
 * The package by name, loaded and post-loaded; NULL when no such package is present. A package that
 * failed to load comes back in stage COOK_LOAD_FAILED. Takes load_lock.
 */
struct cook_package *cook_session_load(struct cook_session *session, const char *name);
/* The package by name if it is in memory, else NULL; load_lock is not taken. */
struct cook_package *cook_session_resident(const struct cook_session *session, const char *name);
/* Drop a package, so that the next load starts from its source again. */
void cook_session_evict(struct cook_session *session, struct cook_package *package);
/* Drop all when more than `limit` are resident; between packages only. */
void cook_session_trim(struct cook_session *session, size_t limit);
void *cook_package_alloc(struct cook_package *package, size_t size); /* thread-safe; or NULL */
/* The object by inner path, or the first one for NULL; NULL when there is none. */
struct cook_object_state *cook_package_find(const struct cook_package *package, const char *inner);
/* All packages whose load set `context` inherits: its uses and theirs, transitively, in a
 * deterministic order; `*out` is owned by the caller. Includes context->package when `self`. */
enum cook_status cook_session_closure(struct cook_session *session, struct cook_context *context,
                                      bool self, struct cook_package ***out,
                                      size_t *count) COOK_CHECK_RESULT;

/* The loader that readers fill. */
struct cook_loader {
    struct cook_session *session;
    struct cook_package *package;
    struct cook_context *context;
    const struct cook_source *source;
};

/* ---- the greeting (hello.c) ---- */
/* The payloads of COOK_FRAME_HELLO and COOK_FRAME_MODULES. COOK_E_NO_MEMORY. */
enum cook_status cook_session_put_hello(struct cook_session *session, struct cook_buf *out,
                                        struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_session_put_modules(struct cook_buf *out,
                                          struct cook_error *error) COOK_CHECK_RESULT;
/* Of the property flags that a reader's scan looks at; 0: it looks at none. */
uint64_t cook_session_scan_hash(const struct cook_session *session,
                                const struct cook_reader *reader);

/* ---- cooking ---- */
struct cook_save_result {
    bool ok;
    struct cook_buf bytes;
    struct cook_token_map tokens;
    uint32_t *stack_ids; /* per token when capturing; owned */
    size_t stack_capacity;
    struct cook_stacks *stacks; /* when capturing; owned */
    struct cook_intern hard;    /* edges: object paths of imports and declared packages */
    struct cook_intern soft;
    struct cook_intern harvested; /* references as written that the harvest saw */
    struct cook_buf recorded;     /* edges that lead nowhere: u8 kind, path, one after another */
    bool dropped;                 /* an object was left out for this target */
    bool omitted;                 /* nothing is left to save */
    struct cook_buf parts; /* of artifacts, as in store/details.h */
};
void cook_save_result_finish(struct cook_save_result *result);
/* Transform and save a loaded package; reads go to `context` (a save context of it). */
enum cook_status cook_session_save(struct cook_session *session, struct cook_package *package,
                                   struct cook_context *context,
                                   struct cook_save_result *result) COOK_CHECK_RESULT;

/* Harvest the references of a loaded package, of the objects that are not `unsaved`; `take` sees the tables. */
struct cook_tables;
enum cook_status cook_session_harvest(struct cook_context *context, struct cook_package *package,
                                      struct cook_save_result *result,
                                      void (*take)(void *user, const struct cook_tables *tables),
                                      void *user) COOK_CHECK_RESULT;
/* Tell the objects that are not `unsaved` of an event. */
enum cook_status cook_session_events(struct cook_context *context, struct cook_package *package,
                                     enum cook_event event) COOK_CHECK_RESULT;
/*
 * What an editor that saves the package would record of it (resave.c): `result->bytes` becomes the text of
 * the asset's "registry" member, as lines that are indented for their place, or nothing.
 */
enum cook_status cook_session_resave(struct cook_session *session, struct cook_package *package,
                                     struct cook_context *context,
                                     struct cook_save_result *result) COOK_CHECK_RESULT;
/* For declarations that do not count when an editor saves: logs an error that names the call, and true. */
bool cook_context_refuses(struct cook_context *context, const char *call);

/* ---- artifacts (artifacts.c) ---- */
/* The registry tags of the objects that are not `unsaved`, object by object. */
enum cook_status cook_session_tags(struct cook_context *context, struct cook_package *package,
                                   const struct cook_save_result *result,
                                   void (*take)(void *user, const struct cook_tag *tag),
                                   void *user) COOK_CHECK_RESULT;
/* Make the parts of a package that is being saved, before its transforms are dropped. */
enum cook_status cook_session_make_parts(struct cook_session *session, struct cook_package *package,
                                         struct cook_context *context,
                                         struct cook_save_result *result) COOK_CHECK_RESULT;
/* Run a fold as a COOK_FRAME_FOLD payload says; the COOK_FRAME_FOLDED payload out (fold.c). */
void cook_session_fold(struct cook_session *session, const struct cook_buf *payload,
                       struct cook_buf *out);
/* Sort a context's additional files by name. */
void cook_context_sort_files(struct cook_context *context);

/* ---- hooks (hook.c) ---- */
/* Right before a hook is called: name it, for messages, and give class code its errno back. Texts
 * must outlive the operation. */
void cook_context_enter_hook(struct cook_context *context, const char *hook,
                             const char *class_name);
/* Right after it: keep errno for the next hook. */
void cook_context_leave_hook(struct cook_context *context);

/* ---- edges (edges.c) ---- */
/* Class code loaded another package: an edge by scope, or with a warning when nothing names it. */
void cook_context_note_load(struct cook_context *context, const char *call, const char *target);
/* Add what the registry knows to the edges that the save made. */
void cook_session_add_registry_edges(struct cook_session *session, struct cook_context *context,
                                     struct cook_save_result *result);

/* ---- what is saved for the target (kept.c) ---- */
bool cook_object_is_kept(const struct cook_session *session, const struct cook_object_state *object);
/* Set `unsaved` of all objects; false when nothing is saved. `*dropped`: one is left out for the
 * target. */
bool cook_session_mark_saved(struct cook_context *context, struct cook_package *package,
                             bool *dropped);
/* The value of a KEPT dependency, and whether the object is kept. `*asked` is false, and the value
 * zero, when no class around it has a say (unless `always`). May load the package. */
struct cook_hash cook_session_kept_value(struct cook_session *session, const char *path,
                                         bool always, bool *asked, bool *kept);

/* ---- asynchronous work (async.c) ---- */
/* The threads are started with the first job. */
enum cook_status cook_async_create(struct cook_async **out, unsigned threads,
                                   struct cook_error *error) COOK_CHECK_RESULT;
void cook_async_destroy(struct cook_async *async); /* joins; NULL allowed */
/* Wait for all jobs of the package at hand; COOK_OK or the first job's failure. */
enum cook_status cook_async_wait(struct cook_async *async) COOK_CHECK_RESULT;
enum cook_status cook_async_start(struct cook_async *async, struct cook_context *context,
                                  cook_async_function function, void *object) COOK_CHECK_RESULT;

#endif
