/*
 * The store of one target: Saved/Cook/<Target>/ below the project.
 *
 *     cook.db      SQLite (WAL): the record. Oplog, state rows, cooks, dependency values over time.
 *     blobs/       append-only, checksummed segments (seg-000001.blob …) addressed by XXH3-128.
 *     index.bin    the state as one flat file, mapped by the next cook; rebuilt when missing,
 *                  damaged, or of another generation than cook.db.
 *     plugins/     copies of the plugins by build id (written by the worker pool).
 *     lock         held (flock) by the one writer.
 *
 * Durable order: blob bytes are fsynced before the transaction that names them commits; the index
 * is replaced (rename) after the commit, and its generation tells whether it matches. A killed
 * process loses at most what was not committed. Torn tails of segments are ignored and overwritten.
 *
 * One thread uses a store at a time.
 */
#ifndef COOK_STORE_H
#define COOK_STORE_H

#include "cook/base/buf.h"
#include "cook/store/state.h"

struct cook_store;

enum cook_store_mode {
    COOK_STORE_UNKNOWN = 0,
    COOK_STORE_READ,  /* no lock, nothing written; COOK_E_NOT_FOUND when there is no store */
    COOK_STORE_WRITE, /* creates what is missing; COOK_E_LOCKED when another process holds it */
    COOK_STORE_READ_OR_EMPTY, /* as READ; where there is no store, an empty one in memory */
};

/*
 * Open the store of `target`. `project_fd` is the open project folder. The state is loaded: mapped
 * from index.bin, or read from cook.db.
 * Errors: COOK_E_LOCKED, COOK_E_DAMAGED (cook.db unreadable; the message says what to do),
 * COOK_E_NO_SPACE, COOK_E_IO, COOK_E_NO_MEMORY, COOK_E_NOT_FOUND, COOK_E_UNSUPPORTED (newer format).
 */
enum cook_status cook_store_open(struct cook_store **out, int project_fd, const char *target,
                                 enum cook_store_mode mode,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Open the store in a folder for reading, wherever it lies (a store folder given as an operand, an
 * unpacked snapshot). Errors as above.
 */
enum cook_status cook_store_open_folder(struct cook_store **out, int folder_fd,
                                        struct cook_error *error) COOK_CHECK_RESULT;
/* Release; an uncommitted transaction is rolled back. NULL allowed. */
void cook_store_close(struct cook_store *store);

struct cook_state *cook_store_state(struct cook_store *store); /* owned by the store */
int cook_store_folder(const struct cook_store *store);          /* borrowed handle of its folder */
bool cook_store_index_was_used(const struct cook_store *store); /* mapped, not rebuilt */

/* ---- blobs ---- */

/* Append bytes unless a blob of that hash is there; `*hash` out. Durable at the next commit. */
enum cook_status cook_store_put_blob(struct cook_store *store, struct cook_hash *hash,
                                     const void *bytes, size_t size,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* Read a blob, appending to `out`, verifying its hash. COOK_E_NOT_FOUND, COOK_E_DAMAGED. */
enum cook_status cook_store_get_blob(struct cook_store *store, struct cook_buf *out,
                                     struct cook_hash hash,
                                     struct cook_error *error) COOK_CHECK_RESULT;
bool cook_store_has_blob(struct cook_store *store, struct cook_hash hash);

/* ---- cooks, the oplog and commits ---- */

enum cook_op {
    COOK_OP_UNKNOWN = 0,
    COOK_OP_COOKED,    /* the package row carries its result */
    COOK_OP_FAILED,    /* its last result, if any, is kept but not served */
    COOK_OP_FORGOTTEN, /* store forget */
    COOK_OP_HEALED,    /* validation committed a recook (--allow-write) */
    COOK_OP_COLLECTED, /* store gc: its result went, as no cook had reached it for long */
};

struct cook_store_cook {
    uint32_t id;
    const char *kind;        /* "full", "incremental", … */
    int64_t started_ns;      /* since the epoch */
    int64_t ended_ns;        /* 0 while it runs or when it was killed */
    const char *facts_json;  /* environment, command line, host, build ids */
    const char *summary_json;
    struct cook_hash manifest; /* blob, see below; zero when not finished */
    struct cook_hash outputs;  /* blob: the files of the whole cook (outputs.h); zero for none */
    struct cook_hash explanation; /* blob: why it cooked what it did (explanation.h); zero for none */
};

/* Begin a cook: a row with its facts, committed at once. Its id is used by the results. */
enum cook_status cook_store_begin_cook(struct cook_store *store, uint32_t *id, const char *kind,
                                       const char *facts_json,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/* Append an oplog record for a package whose row was changed; sets the row's sequence. */
enum cook_status cook_store_append_op(struct cook_store *store, uint32_t package, enum cook_op op,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* fsync the segments, then write all dirty rows, oplog records and blob addresses in one
 * transaction. Cheap when nothing is dirty. */
enum cook_status cook_store_commit(struct cook_store *store,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/*
 * End a cook: commit, record summary and manifest, drop the manifests and values of all but the
 * last `keep_cooks`, and replace index.bin where the state changed. The manifest lists what is in
 * the cook: `packages` ids ascending by name; stored as a blob that lists blobs of some hundred
 * entries each, so that cooks share what is equal.
 */
struct cook_store_end {
    const char *summary_json;
    const uint32_t *packages;
    uint32_t package_count;
    bool manifest_unchanged; /* known equal to the last cook's: the blob is not built again */
    struct cook_hash outputs; /* a blob put before; zero for none */
    struct cook_hash explanation; /* likewise */
    uint32_t keep_cooks; /* 0: all */
};
enum cook_status cook_store_end_cook(struct cook_store *store, uint32_t id,
                                     const struct cook_store_end *end,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* The outputs of the newest cook that has some; zero when none has. */
enum cook_status cook_store_last_outputs(struct cook_store *store, struct cook_hash *outputs,
                                         struct cook_error *error) COOK_CHECK_RESULT;
/* Replace index.bin now (after a registry refresh that found other times, say). Commits first. */
enum cook_status cook_store_write_index(struct cook_store *store,
                                        struct cook_error *error) COOK_CHECK_RESULT;

/* The newest `limit` cooks, newest first, in `arena`. */
struct cook_arena;
enum cook_status cook_store_cooks(struct cook_store *store, struct cook_store_cook **cooks,
                                  size_t *count, size_t limit, struct cook_arena *arena,
                                  struct cook_error *error) COOK_CHECK_RESULT;

/*
 * The value of a dependency as of the end of a past cook: `*text` in `arena`, `*value` its hash.
 * COOK_E_NOT_FOUND when it was not known then, or when values of that cook are no longer kept.
 */
enum cook_status cook_store_dep_value_at(struct cook_store *store, struct cook_hash *value,
                                         char **text, uint32_t dep, uint32_t cook,
                                         struct cook_arena *arena,
                                         struct cook_error *error) COOK_CHECK_RESULT;

/* One entry of a manifest. */
struct cook_manifest_entry {
    const char *package; /* name, in the arena */
    struct cook_hash key;
    struct cook_hash bytes;
    struct cook_hash tokens;
    uint64_t size_bytes;
};
/* The manifest of a finished cook, ascending by name, in `arena`. */
enum cook_status cook_store_manifest(struct cook_store *store,
                                     struct cook_manifest_entry **entries, size_t *count,
                                     uint32_t cook_id, struct cook_arena *arena,
                                     struct cook_error *error) COOK_CHECK_RESULT;

/* ---- whole-store verbs ---- */

struct cook_store_stats {
    uint64_t packages, results, files, folders, deps, sets, bundles, cooks, ops;
    uint64_t blobs, blob_bytes, segments, segment_bytes, db_bytes, index_bytes;
};
enum cook_status cook_store_stats(struct cook_store *store, struct cook_store_stats *stats,
                                  struct cook_error *error) COOK_CHECK_RESULT;

/* A fault found by verify; texts in `arena`. */
struct cook_store_fault {
    const char *what;  /* "blob 12ab…: bytes do not match their hash (seg-000001.blob at 4096)" */
    uint32_t package;  /* a package whose result is hit, or COOK_ID_NONE */
};
/*
 * Read everything: every named segment record, every reference from a result, the database's own
 * check, the index. In a store opened for writing damaged blobs are forgotten at the next commit,
 * so that a recook stores them anew.
 */
enum cook_status cook_store_verify(struct cook_store *store, struct cook_store_fault **faults,
                                   size_t *count, struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;

/* One oplog line for `store log`; the newest `limit` come newest first. */
struct cook_store_op {
    uint32_t sequence;
    uint32_t cook;
    enum cook_op op;
    const char *package;
    struct cook_hash key, bytes;
};
enum cook_status cook_store_log(struct cook_store *store, struct cook_store_op **ops,
                                size_t *count, size_t limit, struct cook_arena *arena,
                                struct cook_error *error) COOK_CHECK_RESULT;

#endif
