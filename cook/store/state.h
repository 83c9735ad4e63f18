/*
 * The state of a target's store in memory: flat arrays of small rows that refer to each other by
 * index, so that the null path maps them from one file and touches only what it needs.
 *
 * Rows are never removed and their ids never change while a process runs; a compacting rewrite may
 * renumber them only through SQLite (store gc). Texts and blobs lie in one pool, addressed by
 * offset; offset 0 is the empty text. The arrays are either mapped (read-only, from the index file)
 * or owned; any change thaws the whole state (one memcpy per array) and marks the row dirty, and
 * cook_store_commit() writes the dirty rows to SQLite.
 *
 * Not thread-safe for writing; safe for concurrent reading while nothing writes.
 */
#ifndef COOK_STORE_STATE_H
#define COOK_STORE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cook/base/error.h"
#include "cook/base/hash.h"

#define COOK_ID_NONE UINT32_MAX

/* A folder that holds tracked files, or that once was probed for one. */
struct cook_state_folder {
    uint32_t path;      /* pool: relative to the project, "" is the project folder */
    uint32_t flags;     /* enum cook_folder_flags */
    int64_t mtime_ns;   /* of the listing that the file rows reflect */
    int64_t ctime_ns;
    uint64_t inode;
};
enum cook_folder_flags {
    COOK_FOLDER_PRESENT = 1u << 0,
    COOK_FOLDER_CONTENT = 1u << 1, /* lies in a content root: new files in it are packages */
    COOK_FOLDER_RACY = 1u << 2,    /* changed too shortly before it was listed: list again */
    COOK_FOLDER_LISTED_SHIFT = 8,  /* the bits from here on sign the readers and the mount that the
                                      listing was made for; others mean list again */
};

/* A tracked file: a package's main or side file, or one that was read as a file dependency. */
struct cook_state_file {
    uint32_t folder;
    uint32_t name; /* pool: within the folder */
    uint64_t size_bytes;
    int64_t mtime_ns;
    int64_t ctime_ns;
    uint64_t inode;
    struct cook_hash content; /* zero when absent */
    uint32_t flags;           /* enum cook_file_flags */
    uint32_t package;         /* whose main file this is, or COOK_ID_NONE */
};
enum cook_file_flags {
    COOK_FILE_PRESENT = 1u << 0,
    COOK_FILE_RACY = 1u << 1,       /* changed too shortly before it was read: hash again */
    COOK_FILE_UNREADABLE = 1u << 2, /* present, but reading failed; content is zero */
    COOK_FILE_TRACKED = 1u << 3,    /* stat it on each cook (cleared for vanished package files) */
};

/* A package name that was ever seen. Hot: what a null cook reads. */
struct cook_state_package {
    uint32_t name;      /* pool: "/Game/X/Y" */
    uint32_t file;      /* main file, or COOK_ID_NONE for a name that is only referred to */
    uint32_t side_file; /* row of FILE.cook (present or absent), or COOK_ID_NONE */
    uint32_t bundle;    /* dependencies of the kept result, or COOK_ID_NONE */
    uint32_t edges;     /* pool: runtime edges of the kept result (encoding below), 0 for none */
    uint32_t flags;     /* enum cook_package_flags */
    struct cook_hash key; /* target domain key of the kept result */
};
enum cook_package_flags {
    COOK_PACKAGE_PRESENT = 1u << 0,       /* its main file exists now */
    COOK_PACKAGE_HAS_RESULT = 1u << 1,    /* a kept result exists */
    COOK_PACKAGE_FAILED = 1u << 2,        /* its last cook failed: never skipped */
    COOK_PACKAGE_OPTED_OUT = 1u << 3,     /* holds an object whose class is not allowed */
    COOK_PACKAGE_HAS_MESSAGES = 1u << 4,  /* there is something to replay */
    COOK_PACKAGE_SCAN_FAILED = 1u << 5,   /* its reader could not scan it */
    COOK_PACKAGE_DUPLICATE = 1u << 6,     /* two files claim this name */
    COOK_PACKAGE_FORCED = 1u << 7,        /* recook next time (store forget, damaged result) */
    COOK_PACKAGE_SCAN_PENDING = 1u << 8,  /* its facts are missing or stale: scan it */
    COOK_PACKAGE_OMITTED = 1u << 9,       /* its kept result is that nothing of it is saved */
    COOK_PACKAGE_HAS_LABEL = 1u << 10,    /* holds a PrimaryAssetLabel: its facts have the tag */
};

/* Cold facts, parallel to the packages. */
struct cook_state_result {
    uint32_t facts;      /* pool: registry facts (cook_facts_* in registry/facts.h), 0 for none */
    uint32_t reader;     /* pool: "png/1", the reader and version that made the facts */
    struct cook_hash facts_source; /* content the facts were made of (main + side file) */
    struct cook_hash bytes;  /* blob: the cooked package */
    struct cook_hash tokens; /* blob: its token map */
    uint64_t size_bytes;
    uint32_t messages;  /* pool: encoded messages (plan/messages.h), 0 for none */
    uint32_t cook;      /* the cook that made the result */
    uint32_t sequence;  /* of its oplog record */
    uint32_t duration_us;
    uint32_t details;   /* pool: additional files and artifact parts (details.h), 0 for none */
    uint32_t reserved;  /* zero */
};

/* A distinct build dependency: how to compute its value, and the value last computed. */
struct cook_state_dep {
    uint32_t kind;   /* enum cook_dep_kind (deps/deps.h) */
    uint32_t args;   /* pool: canonical text of its arguments */
    uint32_t target; /* file or package row that it speaks of, or COOK_ID_NONE */
    uint32_t text;   /* pool: its value for people ("" when only the hash says it) */
    struct cook_hash value; /* zero: absent */
};

/* A set of dependencies (ids ascending), stored once however many packages share it. */
struct cook_state_set {
    uint32_t first; /* into `ids` */
    uint32_t count;
    uint32_t origins; /* pool: by which calls in which hooks (deps/dep.h), 0 for none */
};
/* A set of sets (ids ascending): all that one package depends on. Its ids lie in the same table. */
struct cook_state_bundle {
    uint32_t first;
    uint32_t count;
};

/* X(field, row type): the tables, in the order of the index file. */
#define COOK_STATE_TABLES(X)                                                                      \
    X(folders, struct cook_state_folder)                                                          \
    X(files, struct cook_state_file)                                                              \
    X(packages, struct cook_state_package)                                                        \
    X(results, struct cook_state_result)                                                          \
    X(deps, struct cook_state_dep)                                                                \
    X(sets, struct cook_state_set)                                                                \
    X(bundles, struct cook_state_bundle)                                                          \
    X(ids, uint32_t)                                                                              \
    X(pool, char)

enum cook_state_table {
#define COOK_STATE_TABLE_ENUM(field, type) COOK_TABLE_##field,
    COOK_STATE_TABLES(COOK_STATE_TABLE_ENUM)
#undef COOK_STATE_TABLE_ENUM
    COOK_STATE_TABLE_COUNT
};

struct cook_redirects; /* registry/redirects.h */
struct cook_redirects;    /* registry/redirects.h */
struct cook_state_lookup; /* hash indexes, built at the first look-up after a thaw */

struct cook_state {
#define COOK_STATE_FIELDS(field, type)                                                            \
    type *field;                                                                                  \
    uint32_t field##_count;                                                                       \
    uint32_t field##_capacity; /* 0 while mapped */
    COOK_STATE_TABLES(COOK_STATE_FIELDS)
#undef COOK_STATE_FIELDS
    uint32_t *package_order; /* package ids by name (bytes); valid when order_count matches */
    uint32_t *file_order;    /* file ids by folder id, then name */
    uint32_t order_packages; /* number of ids in package_order */
    uint32_t order_files;
    bool mapped;
    void *map;
    size_t map_size;
    uint8_t *dirty[COOK_STATE_TABLE_COUNT]; /* a byte per row; folders to bundles only */
    struct cook_state_lookup *lookup;
    /* Borrowed, or NULL: what look-ups of references apply. Part of no file. */
    const struct cook_redirects *redirects;
    enum cook_status failed; /* sticky: an addition or a touch that failed; commits refuse it */
};

void cook_state_init(struct cook_state *state); /* empty; pool holds the empty text */
void cook_state_finish(struct cook_state *state);
/* Make every array owned. Pointers into the arrays become invalid; ids stay. */
enum cook_status cook_state_thaw(struct cook_state *state, struct cook_error *error)
    COOK_CHECK_RESULT;
/* Recompute package_order and file_order where rows were added. */
enum cook_status cook_state_sort(struct cook_state *state, struct cook_error *error)
    COOK_CHECK_RESULT;

/* The text at a pool offset; "" for an offset out of range. Borrowed until the next addition. */
const char *cook_state_text(const struct cook_state *state, uint32_t offset);
/* Varint length + bytes stored at a pool offset; NULL and size 0 where it does not fit. */
const uint8_t *cook_state_blob(const struct cook_state *state, uint32_t offset, size_t *size);

/*
 * Look-ups: the id, or COOK_ID_NONE. Work on a mapped state too: packages by binary search, which
 * changes nothing and so may run concurrently; the others may build a hash index on first use.
 */
uint32_t cook_state_find_folder(struct cook_state *state, const char *path);
uint32_t cook_state_find_file(struct cook_state *state, const char *path);
uint32_t cook_state_find_package(struct cook_state *state, const char *name);
uint32_t cook_state_find_dep(struct cook_state *state, uint32_t kind, const char *args);

/*
 * Additions: each thaws, returns the existing row's id where there is one, else a new row (zeroed
 * but for what is given; refs COOK_ID_NONE) marked dirty. COOK_ID_NONE only when memory is short.
 */
uint32_t cook_state_add_folder(struct cook_state *state, const char *path);
uint32_t cook_state_add_file(struct cook_state *state, const char *path); /* and its folder */
uint32_t cook_state_add_package(struct cook_state *state, const char *name);
uint32_t cook_state_add_dep(struct cook_state *state, uint32_t kind, const char *args);
/* Sorts and deduplicates `ids` in place first; with origins (in the order of the ids, not looked at here; NULL
 * and 0 for none) they ascend already. A set with other origins is another set. */
uint32_t cook_state_add_set(struct cook_state *state, uint32_t *ids, uint32_t count,
                            const void *origins, size_t origins_size);
uint32_t cook_state_add_bundle(struct cook_state *state, uint32_t *set_ids, uint32_t count);
/*
 * New pool entries; equal ones are shared where cheap. 0 for "" (and, of blobs, size 0);
 * COOK_ID_NONE, which reads as empty, when memory is short. `text` and `bytes` may lie in the pool.
 */
uint32_t cook_state_add_text(struct cook_state *state, const char *text);
uint32_t cook_state_add_blob(struct cook_state *state, const void *bytes, size_t size);
/*
 * Mark a row for the next commit; thaws, so call it (or cook_state_thaw) before writing the row.
 * Packages and results are marked together. Out of memory sets `failed`.
 */
void cook_state_touch(struct cook_state *state, enum cook_state_table table, uint32_t id);
/* The full relative path of a file row, in `arena`. */
struct cook_arena;
char *cook_state_file_path(const struct cook_state *state, uint32_t file, struct cook_arena *arena);

#endif
