/*
 * What the parts of a store share. Only files store*.c in cook/store/ include this.
 */
#ifndef COOK_STORE_PRIVATE_H
#define COOK_STORE_PRIVATE_H

#include "cook/store/index.h"
#include "cook/store/segments.h"
#include "cook/store/sql.h"
#include "cook/store/store.h"

/* X(name, text): the queries, prepared when first used. Columns come in the order of their row.
 */
#define COOK_STORE_QUERIES(X)                                                                  \
    X(META, "SELECT generation, token, kept_since FROM meta WHERE id = 0")                     \
    X(SET_STAMP, "UPDATE meta SET generation = ?, token = ? WHERE id = 0")                     \
    X(SET_KEPT, "UPDATE meta SET kept_since = ? WHERE id = 0")                                 \
    X(FOLDERS, "SELECT id, path, flags, mtime_ns, ctime_ns, inode FROM folders ORDER BY id")   \
    X(FILES, "SELECT id, folder, name, size, mtime_ns, ctime_ns, inode, content, flags, "      \
             "package FROM files ORDER BY id")                                                 \
    X(PACKAGES, "SELECT id, name, file, side_file, bundle, edges, flags, key, facts, reader, " \
                "facts_source, bytes, tokens, size, messages, cook, sequence, duration_us, "   \
                "details FROM packages ORDER BY id")                                           \
    X(DEPS, "SELECT id, kind, args, target, text, value FROM deps ORDER BY id")                \
    X(SETS, "SELECT id, members, origins FROM sets ORDER BY id")                                 \
    X(BUNDLES, "SELECT id, members FROM bundles ORDER BY id")                                  \
    X(PUT_FOLDER, "REPLACE INTO folders VALUES(?,?,?,?,?,?)")                                  \
    X(PUT_FILE, "REPLACE INTO files VALUES(?,?,?,?,?,?,?,?,?,?)")                              \
    X(PUT_PACKAGE, "REPLACE INTO packages VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")      \
    X(PUT_DEP, "INSERT INTO deps(id, kind, args, target, text, value, since) "                 \
               "VALUES(?1,?2,?3,?4,?5,?6,?7) ON CONFLICT(id) DO UPDATE SET kind = ?2, "        \
               "args = ?3, target = ?4, text = ?5, value = ?6")                                \
    X(PUT_SET, "REPLACE INTO sets VALUES(?,?,?)")                                              \
    X(PUT_BUNDLE, "REPLACE INTO bundles VALUES(?,?)")                                          \
    X(DEP, "SELECT text, value, since FROM deps WHERE id = ?")                                 \
    X(PUT_OLD_VALUE, "INSERT OR IGNORE INTO dep_values(dep, until, text, value) "              \
                     "VALUES(?,?,?,?)")                                                        \
    X(OLD_VALUE, "SELECT text, value FROM dep_values WHERE dep = ? AND until > ? "             \
                 "ORDER BY until LIMIT 1")                                                     \
    X(DROP_VALUES, "DELETE FROM dep_values WHERE until <= ?")                                  \
    X(LAST_SEQUENCE, "SELECT max(seq) FROM ops")                                               \
    X(PUT_OP, "INSERT INTO ops(seq, cook, package, op, flags, key, bytes, tokens, size, "      \
              "bundle, edges, messages, result_cook, duration_us, details) "                   \
              "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")                                         \
    X(LOG, "SELECT seq, cook, op, package, key, bytes FROM ops ORDER BY seq DESC LIMIT ?")     \
    X(LAST_COOK, "SELECT max(id) FROM cooks")                                                  \
    X(BEGIN_COOK, "INSERT INTO cooks(kind, started_ns, facts) VALUES(?,?,?)")                  \
    X(END_COOK, "UPDATE cooks SET ended_ns = ?2, manifest = ?3, outputs = ?4, summary = ?5, "  \
                "explanation = ?6 WHERE id = ?1")                                              \
    X(COOKS, "SELECT id, kind, started_ns, ended_ns, manifest, outputs, facts, summary, "      \
             "explanation FROM cooks ORDER BY id DESC LIMIT ?")                                            \
    X(MANIFEST, "SELECT manifest FROM cooks WHERE id = ?")                                     \
    X(LAST_MANIFEST, "SELECT manifest FROM cooks WHERE manifest IS NOT NULL "                  \
                     "ORDER BY id DESC LIMIT 1")                                               \
    X(LAST_OUTPUTS, "SELECT outputs FROM cooks WHERE outputs IS NOT NULL "                     \
                    "ORDER BY id DESC LIMIT 1")                                                \
    X(OLDEST_KEPT,                                                                             \
      "SELECT id FROM cooks WHERE ended_ns > 0 ORDER BY id DESC LIMIT 1 OFFSET ?")             \
    X(DROP_MANIFESTS, "UPDATE cooks SET manifest = NULL, outputs = NULL, "                     \
                      "explanation = NULL WHERE id >= ? AND id < ?")                                              \
    X(LAST_SEGMENT, "SELECT id, size FROM segments ORDER BY id DESC LIMIT 1")                  \
    X(USED_SEGMENTS,                                                                           \
      "SELECT id FROM segments WHERE id IN (SELECT segment FROM blobs) ORDER BY id")           \
    X(PUT_SEGMENT, "REPLACE INTO segments VALUES(?,?)")                                        \
    X(BLOB, "SELECT segment, offset, size, stored FROM blobs WHERE hash = ?")                  \
    X(BLOBS, "SELECT hash, segment, offset, size, stored FROM blobs ORDER BY segment, offset") \
    X(PUT_BLOB, "REPLACE INTO blobs VALUES(?,?,?,?,?)")                                        \
    X(DROP_BLOB, "DELETE FROM blobs WHERE hash = ?")                                           \
    X(STACK_FRAMES, "SELECT id, module, build_id, offset, names FROM stack_frames ORDER BY id") \
    X(STACKS, "SELECT id, frames FROM stacks ORDER BY id")                                     \
    X(PUT_STACK_FRAME, "REPLACE INTO stack_frames VALUES(?,?,?,?,?)")                           \
    X(PUT_STACK, "REPLACE INTO stacks VALUES(?,?)")                                            \
    X(UNREACHED, "SELECT package, since_ns FROM unreached")                                   \
    X(GC_PUT_MARK, "REPLACE INTO unreached VALUES(?,?)")                                       \
    X(GC_DROP_DEP, "DELETE FROM deps WHERE id = ?")                                            \
    X(GC_DROP_DEP_VALUES, "DELETE FROM dep_values WHERE dep = ?")                              \
    X(GC_MOVE_DEP, "UPDATE deps SET id = ?2 WHERE id = ?1")                                    \
    X(GC_MOVE_DEP_VALUES, "UPDATE dep_values SET dep = ?2 WHERE dep = ?1")                     \
    X(GC_SEGMENTS,                                                                             \
      "SELECT id, size, (SELECT total(stored) + 48 * count(*) FROM blobs WHERE segment = "     \
      "segments.id) FROM segments ORDER BY id")                                                \
    X(GC_BLOBS_OF, "SELECT hash FROM blobs WHERE segment = ? ORDER BY offset")                 \
    X(GC_SEGMENT_IDS, "SELECT id FROM segments ORDER BY id")                                   \
    X(STATS, "SELECT (SELECT count(*) FROM cooks), (SELECT count(*) FROM ops), "               \
             "(SELECT count(*) FROM blobs), (SELECT total(size) FROM blobs), "                 \
             "(SELECT count(*) FROM segments), (SELECT total(size) FROM segments)")

enum cook_store_query {
#define COOK_STORE_QUERY_ENUM(name, text) COOK_QUERY_##name,
    COOK_STORE_QUERIES(COOK_STORE_QUERY_ENUM)
#undef COOK_STORE_QUERY_ENUM
        COOK_QUERY_COUNT
};

/* An oplog record that waits for the commit, with the rows as they were then. */
struct cook_pending_op {
    uint32_t cook;
    uint32_t package;
    enum cook_op op;
    struct cook_state_package row;
    struct cook_state_result result;
};

/* A blob whose address waits for the commit, or that was found damaged and is to be dropped. */
struct cook_pending_blob {
    struct cook_hash hash;
    struct cook_blob_address address;
    bool dropped;
};

struct cook_gc;
struct cook_store_stacks;

struct cook_store {
    bool write;
    int folder_fd;
    int lock_fd;
    char advice[256]; /* what to do about a damaged database */
    struct cook_sql *sql;
    struct cook_segments *segments; /* NULL until a blob is asked for */
    struct cook_state state;
    struct cook_index_stamp stamp;       /* of the rows as committed */
    struct cook_index_stamp index_stamp; /* of index.bin, where has_index */
    bool has_index;
    bool index_used;
    uint32_t pool_base;     /* size of the pool when it was last compact */
    uint32_t kept_since;    /* manifests and values of earlier cooks are gone */
    uint32_t saved_deps;    /* dependency rows in the database */
    uint32_t cook;          /* begun and not ended, or 0 */
    uint32_t next_sequence; /* 0: not asked for yet */
    struct cook_pending_op *ops;
    size_t op_count;
    size_t op_capacity;
    struct cook_pending_blob *blobs;
    size_t blob_count;
    size_t blob_capacity;
    uint32_t *blob_slots; /* open addressing over `blobs`, index + 1 */
    size_t blob_slot_count;
    struct cook_store_stacks *stacks; /* store_stacks.c; NULL until one is asked for */
    struct cook_gc *gc; /* a collection that the next commit is part of, or NULL */
};

/* What ending a cook adds to its last commit. */
struct cook_store_ending {
    uint32_t cook;
    const char *summary_json;
    struct cook_hash manifest;
    struct cook_hash outputs;
    struct cook_hash explanation;
    uint32_t keep_cooks;
};

/* Fails in a store that was opened for reading. */
enum cook_status cook_store_check_writable(const struct cook_store *store,
                                           struct cook_error *error) COOK_CHECK_RESULT;

/* store_stacks.c: what was added goes into the transaction; afterwards it counts as saved. */
enum cook_status cook_store_save_stacks(struct cook_store *store,
                                        struct cook_error *error) COOK_CHECK_RESULT;
void cook_store_stacks_saved(struct cook_store *store);
bool cook_store_stacks_wait(const struct cook_store *store); /* for a commit */
void cook_store_free_stacks(struct cook_store *store);

/* store_lock.c: take the lock of the folder, or say who holds it. */
enum cook_status cook_store_lock(int *lock_fd, int folder_fd, const char *target,
                                 struct cook_error *error) COOK_CHECK_RESULT;

/* store_sql.c: the database and its rows. */
enum cook_status cook_store_open_sql(struct cook_store *store,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* Read the stamp and what is kept, as the database has them now. */
enum cook_status cook_store_read_meta(struct cook_store *store,
                                      struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_store_query(struct cook_sql_query **out, struct cook_store *store,
                                  enum cook_store_query number,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* One value of a query without parameters; 0 where it has no row or is NULL. */
enum cook_status cook_store_query_u32(uint32_t *value, struct cook_store *store,
                                      enum cook_store_query number,
                                      struct cook_error *error) COOK_CHECK_RESULT;

/* store_load.c: read a whole state, sorted and checked. */
enum cook_status cook_store_load_state(struct cook_state *state, struct cook_store *store,
                                       struct cook_error *error) COOK_CHECK_RESULT;

/* store_save.c: write rows that are marked dirty, within a transaction; `*changed` out. */
enum cook_status cook_store_save_state(bool *changed, struct cook_store *store,
                                       struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_store_save_ops(struct cook_store *store,
                                     struct cook_error *error) COOK_CHECK_RESULT;

/* store_commit.c: commit, with the end of a cook where `ending` is not NULL. */
enum cook_status cook_store_commit_with(struct cook_store *store,
                                        const struct cook_store_ending *ending,
                                        struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_store_refresh_index(struct cook_store *store,
                                          struct cook_error *error) COOK_CHECK_RESULT;

/* store_blobs.c */
enum cook_status cook_store_open_segments(struct cook_store *store,
                                          struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_store_save_blobs(struct cook_store *store,
                                       struct cook_error *error) COOK_CHECK_RESULT;
void cook_store_clear_blobs(struct cook_store *store); /* what was pending is committed */
/* Forget a damaged blob, so that it can be put again; remembered until the next commit. */
enum cook_status cook_store_drop_blob(struct cook_store *store, struct cook_hash hash,
                                      struct cook_error *error) COOK_CHECK_RESULT;

/* Append a blob's record anew, and name that at the next commit. */
enum cook_status cook_store_move_blob(struct cook_store *store, struct cook_hash hash,
                                      struct cook_error *error) COOK_CHECK_RESULT;

/* store_manifest.c: make the blobs of a manifest; `*hash` out. */
enum cook_status cook_store_put_manifest(struct cook_hash *hash, struct cook_store *store,
                                         const struct cook_store_end *end,
                                         struct cook_error *error) COOK_CHECK_RESULT;

/* store_cooks.c: the cook that a value which changes now belongs to. */
enum cook_status cook_store_value_cook(uint32_t *cook, struct cook_store *store,
                                       struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_store_save_ending(struct cook_store *store,
                                        const struct cook_store_ending *ending,
                                        struct cook_error *error) COOK_CHECK_RESULT;

/* state_compact.c: a copy whose pool holds only what rows refer to. */
enum cook_status cook_state_compact(struct cook_state *out, const struct cook_state *state,
                                    struct cook_error *error) COOK_CHECK_RESULT;

#endif
