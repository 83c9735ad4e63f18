/*
 * The context: how class code reads the world, logs, allocates and runs work.
 *
 * A context belongs to one operation on one package (its load, or its save) and is valid on any
 * thread until that operation ends. Every read is recorded as a build dependency of that package:
 * reads while loading (and in post_load) enter its *load set*, which every package that
 * dereferences it inherits; reads while saving enter its *save set*. Absence is recorded too: a
 * file that was not there, a key that was not set.
 * All functions here are thread-safe.
 */
#ifndef COOK_CONTEXT_H
#define COOK_CONTEXT_H

#include <cook/types.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *cook_target(struct cook_context *context);       /* "Desktop"; every package knows it */
const char *cook_package_name(struct cook_context *context); /* the package being worked on */
/* Its source file, relative to the project: "Content/Props/Rock.gltf". For messages. */
const char *cook_source_path(struct cook_context *context);

/* ---- memory ---- */

/*
 * Zeroed, 16-byte aligned memory that lives as long as the loaded package. NULL only when memory
 * is short: check it, or return COOK_E_NO_MEMORY.
 */
void *cook_alloc(struct cook_context *context, size_t size);
void *cook_alloc_array(struct cook_context *context, size_t count, size_t size);
/* Copies of text and bytes in package memory. `text` of NULL gives the empty value. */
struct cook_string cook_make_string(struct cook_context *context, const char *text);
struct cook_name cook_make_name(struct cook_context *context, const char *text);
struct cook_ref cook_make_ref(struct cook_context *context, const char *path);

/* ---- reads, each recorded ---- */

/*
 * The last value of a config key after all layers, or NULL when it is not set. `count`
 * (may be NULL) gets the number of values; cook_config_at() gives the others. Text lives as long
 * as the process.
 */
const char *cook_config(struct cook_context *context, const char *section, const char *key,
                        size_t *count);
const char *cook_config_at(struct cook_context *context, const char *section, const char *key,
                           size_t index);
int64_t cook_config_int(struct cook_context *context, const char *section, const char *key,
                        int64_t fallback);
double cook_config_float(struct cook_context *context, const char *section, const char *key,
                         double fallback);
bool cook_config_flag(struct cook_context *context, const char *section, const char *key,
                      bool fallback);

/*
 * A console variable: config [ConsoleVariables] NAME, recorded as a cvar. NULL when it is not set.
 */
const char *cook_console_variable(struct cook_context *context, const char *name);
/*
 * A token of the command line after `--`: "VALUE" of "-Name=VALUE", "" of a bare "-Name", NULL when
 * it is not there (which is recorded too). The last one counts. Each token asked for is recorded by
 * itself, so that an unrelated one recooks nothing.
 */
const char *cook_command_line(struct cook_context *context, const char *name);
/* An environment variable of the process that cooks, or NULL when it is not set. */
const char *cook_environment(struct cook_context *context, const char *name);

/*
 * The names in a folder of the project, sorted by bytes, sub-folders ending in '/': an array of
 * struct cook_string in package memory. Hidden names are left out. COOK_E_NOT_FOUND when it is not
 * there (recorded), COOK_E_INVALID, COOK_E_IO, COOK_E_NO_MEMORY. A changed file in it changes
 * nothing; a new, vanished or renamed one does.
 */
enum cook_status cook_list_folder(struct cook_context *context, const char *path,
                                  struct cook_array *names) COOK_CHECK_RESULT;

/*
 * What the registry knows: objects by class and place. NULL members ask for nothing.
 */
struct cook_query {
    const char *class_name;  /* full name */
    bool child_classes;      /* of class_name too */
    const char *path_glob;   /* of object paths: '*' and '?' */
    const char *tag;         /* a registry tag that must be there … */
    const char *tag_value;   /* … with this value */
};
/*
 * Object paths that match, sorted by bytes: an array of struct cook_string in package memory. The
 * query is recorded with the hash of its result: it recooks when an object that matches appears or
 * vanishes, not when one changes.
 */
enum cook_status cook_query_objects(struct cook_context *context, const struct cook_query *query,
                                    struct cook_array *paths) COOK_CHECK_RESULT;

/*
 * Where redirects send an object path: the path itself when nothing redirects it, which is recorded
 * too. In package memory. Redirects are config [Redirects] +Redirect=OLD -> NEW (packages or objects)
 * and ObjectRedirector assets in the old place (standard.h). References follow them by themselves;
 * this is for paths that class code handles as text.
 */
const char *cook_redirected(struct cook_context *context, const char *path);

/*
 * Read a whole file (at most 1 GiB) into package memory. `path` is relative to the project
 * ("Content/Data/waves.csv"), or, when it starts with "./" or "../", to the folder of the package's
 * source file. Never leaves the project.
 * Errors: COOK_E_NOT_FOUND (recorded as absent), COOK_E_INVALID (path leaves the project),
 * COOK_E_LIMIT, COOK_E_IO, COOK_E_NO_MEMORY. The bytes are NUL-terminated past their size.
 */
enum cook_status cook_read_file(struct cook_context *context, const char *path,
                                struct cook_bytes *bytes) COOK_CHECK_RESULT;
/* Whether a regular file is there; records that file as an input (its content too). */
bool cook_file_exists(struct cook_context *context, const char *path);

/*
 * The object behind a reference, loaded and post-loaded if need be; NULL for a null reference, a
 * missing target, or one that failed to load (logged). Adds the target package's load set to this
 * package's dependencies. The object must not be changed, and must not be kept beyond this
 * operation. Inside a cycle of loads the object may not be post-loaded yet.
 */
const void *cook_dereference(struct cook_context *context, struct cook_ref reference);
const void *cook_dereference_soft(struct cook_context *context, struct cook_soft_ref reference);
/* The same, and NULL with a warning unless the object is of `class_name` or a child of it. */
const void *cook_dereference_as(struct cook_context *context, struct cook_ref reference,
                                const char *class_name);

/*
 * ---- declared dependencies (for what cannot be seen) ----
 *
 * From any hook that has a context: in post_load they enter the load set, later the save set.
 * on_cook_event, which comes after the save, is the hook that is for nothing else.
 */

void cook_depend_file(struct cook_context *context, const char *path);
void cook_depend_config(struct cook_context *context, const char *section, const char *key);
/* The load set of another package, as if one of its objects had been dereferenced. */
enum cook_status cook_depend_package(struct cook_context *context, const char *package)
    COOK_CHECK_RESULT;
/* The whole key of another package: everything that its own cook depends on. */
void cook_depend_package_whole(struct cook_context *context, const char *package);
/* The schema of a native class by its full name; that it is not registered is a value too. */
void cook_depend_class(struct cook_context *context, const char *class_name);
/*
 * A registered function (cook_register_function): called now, and again at each later cook to see
 * whether what it adds up to has changed. `arguments` is a value of its arguments struct, or NULL.
 * COOK_E_NOT_FOUND when no such function is registered.
 */
enum cook_status cook_depend_function(struct cook_context *context, const char *name,
                                      const void *arguments) COOK_CHECK_RESULT;
/*
 * Make another package part of the cook, hard or soft; where redirects send its name, which is
 * recorded. For what no property refers to, like a package that the runtime finds by its name. At
 * save, and when an editor saves; but in the write phase of `serialize`, where the package's tables
 * stand already, it fails the package: add it in the harvest phase.
 */
void cook_add_runtime_dependency(struct cook_context *context, const char *package, bool hard);

/* ---- additional files ---- */

/*
 * Write a file beside the cooked package, for middleware that wants files of its own. Save only. It
 * is kept, compared, staged and deleted with the package. `name` is relative ("bank.bnk",
 * "streams/7.wem"), at most 200 bytes, and never leaves the package's place. The bytes are copied.
 * The same name again with the same bytes is fine (serialize runs twice); with others it is
 * COOK_E_EXISTS and fails the package. COOK_E_INVALID for such a name, or outside of save.
 */
enum cook_status cook_write_additional_file(struct cook_context *context, const char *name,
                                            const void *bytes, size_t size) COOK_CHECK_RESULT;

/* ---- scopes ---- */

enum cook_scope {
    COOK_SCOPE_UNKNOWN = 0,
    /* What is read through the scope does not shape the result, and is not recorded. It is noted all
     * the same: as the first suspect, should the package turn out to be a false skip. */
    COOK_SCOPE_UNRECORDED,
    /* Packages that are dereferenced through the scope are needed to build only: they are not
     * added to the cook. */
    COOK_SCOPE_BUILD_ONLY,
    /* They are soft runtime references of the package. Without one of these two, a package that the
     * registry does not know as referred to is added all the same, with a warning. */
    COOK_SCOPE_RUNTIME,
};
/*
 * A context for the same operation whose reads are taken in the sense of `scope`. Valid as long as
 * `context`, on any thread; scopes add up. Returns `context` itself only when memory is short.
 */
struct cook_context *cook_enter_scope(struct cook_context *context, enum cook_scope scope);

/* ---- messages ---- */

enum cook_severity {
    COOK_SEVERITY_UNKNOWN = 0,
    COOK_SEVERITY_INFO,
    COOK_SEVERITY_WARNING,
    COOK_SEVERITY_ERROR, /* the package fails */
};
/*
 * Log a message for the package. Warnings and errors are kept and logged again when a later cook
 * skips the package. Messages over 4096 bytes are cut.
 */
void cook_log(struct cook_context *context, enum cook_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Text for determinism_helper: kept with the object beside its bytes when a difference is studied.
 * Each call begins a line; a text may have several, of at most 4095 bytes together. */
void cook_note_text(struct cook_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- asynchronous work ---- */

typedef enum cook_status (*cook_async_function)(struct cook_context *context, void *object);
/*
 * Run `function` on one of the worker's threads; from begin_cache only. The object's save waits
 * for it; its failure fails the package. Reads are recorded as usual.
 */
enum cook_status cook_async_run(struct cook_context *context, cook_async_function function,
                                void *object) COOK_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
