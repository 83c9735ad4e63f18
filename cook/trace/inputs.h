/*
 * What traced workers saw class code read behind the SDK's back: the data, and the director's
 * collection of it. The pool fills the collection from COOK_FRAME_TRACED; verbs print it
 * (lint.h), the history keeps it (store/history_inputs.h), the judge compares it (compare.h).
 *
 * An input belongs to a package, and to its load or its save: what is read while B is loaded for A
 * stands under B, and A lists B among the packages it used. Inputs of no package were read
 * while plugins were loaded. Not thread-safe.
 */
#ifndef COOK_TRACE_INPUTS_H
#define COOK_TRACE_INPUTS_H

#include "cook/base/buf.h"
#include "cook/base/error.h"
#include "cook/base/hash.h"
#include "cook/base/intern.h"
#include "cook/symbols/stacks.h"

/* X(name, value, text). Values are frozen: they stand in the history. */
#define COOK_INPUT_KINDS(X)                                                                     \
    X(FILE, 1, "file")               /* opened to read, or mapped; key: path */                 \
    X(DIRECTORY, 2, "directory")     /* listed; key: path */                                    \
    X(STAT, 3, "stat")               /* size, times or presence; key: path */                   \
    X(LINK, 4, "link")               /* key: path */                                            \
    X(PROCESS, 5, "process")         /* a program started; key: its path */                     \
    X(ENVIRONMENT, 6, "environment") /* key: name of the variable */                            \
    X(CLOCK, 7, "clock")             /* key: "wall clock", "monotonic clock", … */              \
    X(RANDOM, 8, "random")           /* key: "getrandom", "/dev/urandom" */                     \
    X(HOST, 9, "host")               /* key: "host name", "processor count", "process id", … */

enum cook_input_kind {
    COOK_INPUT_UNKNOWN = 0,
#define COOK_INPUT_ENUM(name, value, text) COOK_INPUT_##name = value,
    COOK_INPUT_KINDS(COOK_INPUT_ENUM)
#undef COOK_INPUT_ENUM
    COOK_INPUT_KIND_END
};

const char *cook_input_kind_text(enum cook_input_kind kind); /* "unknown" for a foreign value */
enum cook_input_kind cook_input_kind_of(const char *text);   /* COOK_INPUT_UNKNOWN when none */

/* Texts live as long as the collection. */
struct cook_traced_input {
    enum cook_input_kind kind;
    const char *key;  /* a path in the project is relative to it, any other is absolute */
    struct cook_hash value; /* of content, listing or text; zero: absent, or a kind without one */
    const char *text; /* the value for people: a variable's text, "absent", "12 bytes"; or "" */
    bool absent;      /* there was nothing by that name */
    bool declared;    /* a recorded dependency of the package tells when it changes */
    bool hidden;      /* read through the SDK too, but in a scope that suppresses recording */
    bool loading;     /* seen while the package was loaded; else while it was saved */
    const char *program; /* of the child process that read it; "" for the worker itself */
    uint32_t stack;   /* in cook_traced_stacks(); COOK_STACK_NONE when none could be had */
};

struct cook_traced; /* the collection */

enum cook_status cook_traced_create(struct cook_traced **out,
                                    struct cook_error *error) COOK_CHECK_RESULT;
void cook_traced_destroy(struct cook_traced *traced); /* NULL allowed */
/* Take in a COOK_FRAME_TRACED payload of a worker (untrusted). Inputs of packages that it names again
 * are added; one that is there gets its new value. COOK_E_PROTOCOL, COOK_E_NO_MEMORY. */
enum cook_status cook_traced_take(struct cook_traced *traced, unsigned worker,
                                  const struct cook_buf *payload,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* A worker ended: the stack ids it defined are void. */
void cook_traced_forget_worker(struct cook_traced *traced, unsigned worker);
/* Drop all inputs, to see those of a further round alone; stacks stay. */
void cook_traced_clear(struct cook_traced *traced);

/*
 * The inputs of one package, in order of (kind, key, stack), declared ones too; NULL and 0 when none
 * were seen. `package` "" asks for plugin load. Borrowed until the next take.
 */
const struct cook_traced_input *cook_traced_inputs(struct cook_traced *traced,
                                                   const char *package, size_t *count);
/* The packages whose load sets a traced package inherits, itself excluded; their inputs with
 * `loading` are its inputs too. Borrowed until the next take. */
const char *const *cook_traced_uses(struct cook_traced *traced, const char *package, size_t *count);
/* All packages that were traced, sorted by name, "" first when plugin load read something. */
const char *const *cook_traced_packages(struct cook_traced *traced, size_t *count);
/* Whether the package was cooked by a traced worker: no inputs then means that it reads none. */
bool cook_traced_has(const struct cook_traced *traced, const char *package);
/* Callstacks, innermost class code first; for cook_symbolizer_stack(). */
const struct cook_stack_set *cook_traced_stacks(const struct cook_traced *traced);

/* Note that tracing sees less than everything; the first reason stands. */
void cook_traced_set_partial(struct cook_traced *traced, const char *reason);
/* Why tracing saw less than everything ("the kernel refuses …"), or NULL when it was complete. */
const char *cook_traced_partial(const struct cook_traced *traced);
/* Sightings that were not kept because a limit was reached. */
uint64_t cook_traced_dropped(const struct cook_traced *traced);

#endif
