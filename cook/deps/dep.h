/*
 * Build dependency kinds, and records of what one operation read.
 */
#ifndef COOK_DEPS_DEP_H
#define COOK_DEPS_DEP_H

#include "cook/base/buf.h"
#include "cook/base/intern.h"

/* X(name, value, text). Values are frozen: they stand in the store. */
#define COOK_DEP_KINDS(X)                                                                         \
    X(SOURCE, 1, "source")   /* args: package; value: hash of main and side file */               \
    X(READER, 2, "reader")   /* args: extension; value: hash of "name/version" */                 \
    X(REF, 3, "ref")         /* args: object path; value: cook_registry_ref_outcome */            \
    X(CLASS, 4, "class")     /* args: full class name; value: schema, zero when unregistered */   \
    X(CONFIG, 5, "config")   /* args: "[Section] Key"; value: hash of its values */               \
    X(FILE, 6, "file")       /* args: path in the project; value: content hash */                 \
    X(ENGINE, 7, "engine")   /* args: ""; value: format version, target, global settings */       \
    X(POLICY, 8, "policy")   /* args: "incremental"; value: allow and deny lists (never in a set) */ \
    X(PACKAGE, 9, "package") /* args: package; value: its whole key, zero when it has none */      \
    X(CVAR, 10, "cvar")      /* args: name; value: hash of its values */                           \
    X(CMDLINE, 11, "cmdline") /* args: name; value: hash of "=value", of "" for a bare flag */      \
    X(ENV, 12, "env")        /* args: name; value: hash of its text */                             \
    X(DIRECTORY, 13, "directory") /* args: path; value: hash of its listing */                      \
    X(QUERY, 14, "query")    /* args: a filter (deps/query.h); value: hash of the sorted result */ \
    X(REDIRECT, 15, "redirect") /* args: path; value: cook_registry_redirect_outcome */             \
    X(FUNCTION, 16, "function") /* args: "Name base64(arguments)"; value: what it adds up to */ \
    X(KEPT, 17, "kept")      /* args: object path; value: whether it is saved for the target */

enum cook_dep_kind {
    COOK_DEP_UNKNOWN = 0,
#define COOK_DEP_ENUM(name, value, text) COOK_DEP_##name = value,
    COOK_DEP_KINDS(COOK_DEP_ENUM)
#undef COOK_DEP_ENUM
    COOK_DEP_KIND_END
};

const char *cook_dep_kind_text(uint32_t kind); /* "unknown" for a foreign value */

/* By which call class code came to have a dependency, and in which hook; of a dependency that comes by
 * itself (a reference that is saved, the class of an object) no call. Parts may be NULL; the texts are not
 * copied. */
struct cook_dep_origin {
    const char *call;       /* "cook_config_int" */
    const char *hook;       /* "post_load" */
    const char *hook_class; /* whose hook: a class, a reader, an artifact */
};

/* What was read, and the value seen. */
struct cook_observation {
    uint32_t kind;
    const char *args;
    struct cook_hash value;
    const char *text; /* the value for people, or "" */
    struct cook_dep_origin origin; /* none of a decoded one: cook_origins_decode() */
};

/* The observations of one operation, each (kind, args) once. Not thread-safe. */
struct cook_record {
    struct cook_arena arena;
    struct cook_intern names; /* kind byte + args */
    struct cook_observation *items;
    size_t capacity;
    bool failed; /* memory was short: the record is incomplete and must not be kept */
};

void cook_record_init(struct cook_record *record);
void cook_record_finish(struct cook_record *record);
/*
 * Add an observation; the first value seen for (kind, args) stands. Texts are copied, those of the origin
 * excepted. Of several origins one stands that does not depend on which thread came first.
 */
void cook_record_add(struct cook_record *record, uint32_t kind, const char *args,
                     struct cook_hash value, const char *text, struct cook_dep_origin origin);
size_t cook_record_count(const struct cook_record *record);
/* The observation of (kind, args), or NULL. */
const struct cook_observation *cook_record_find(const struct cook_record *record, uint32_t kind,
                                                const char *args);

/* Encode sorted by kind and args, so that equal records have equal bytes; and back (untrusted). */
void cook_record_encode(const struct cook_record *record, struct cook_buf *out);
enum cook_status cook_record_decode(struct cook_observation **items, size_t *count,
                                    struct cook_reader_buf *in,
                                    struct cook_arena *arena) COOK_CHECK_RESULT;
/* The origins of a record, in the order of cook_record_encode(); see cook_origins_encode(). */
void cook_record_encode_origins(const struct cook_record *record, struct cook_buf *out);

/*
 * Origins of a list of dependencies, each different one once:
 *
 *     origins   varint n; n times: call, hook, hook_class; per dependency: varint, 0 for none, else 1-based
 *
 * Nothing at all when no dependency has one.
 */
void cook_origins_encode(const struct cook_dep_origin *origins, size_t count, struct cook_buf *out);
/* Into `origins`, which has room for `count`; no bytes give no origins. Untrusted; texts in `arena`.
 * COOK_E_MALFORMED, COOK_E_NO_MEMORY. */
enum cook_status cook_origins_decode(struct cook_dep_origin *origins, size_t count, const void *bytes,
                                     size_t size, struct cook_arena *arena) COOK_CHECK_RESULT;

/* "[Section] Key": the args of a config dependency, and back (false when malformed). */
char *cook_dep_config_args(struct cook_arena *arena, const char *section, const char *key);
bool cook_dep_config_parse(const char *args, struct cook_arena *arena, const char **section,
                           const char **key);

/* The hash that stands for (kind, args, value) in keys; see cook_key_* below. */
struct cook_hash cook_dep_hash(uint32_t kind, const char *args, struct cook_hash value);

/*
 * The value of a source dependency: main file and side file, whose absence is a value too. Also what
 * registry facts are keyed by. Never zero.
 */
struct cook_hash cook_source_hash(struct cook_hash main_file, bool has_side_file,
                                  struct cook_hash side_file);

/*
 * Order-independent combination, so that a key depends on no id of a store: 128-bit sums of hashes,
 * hashed once more at the end.
 */
struct cook_hash cook_key_sum(struct cook_hash sum, struct cook_hash item);
struct cook_hash cook_key_finish(struct cook_hash sum);

#endif
