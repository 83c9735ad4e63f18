/* What the parts of the collection share. Only files gc*.c and store_commit.c include this. */
#ifndef COOK_STORE_GC_PRIVATE_H
#define COOK_STORE_GC_PRIVATE_H

#include "cook/store/gc.h"
#include "cook/store/store_private.h"

/* New ids by old ones, COOK_ID_NONE for what goes. They keep their order, so a new id is never larger. */
struct cook_gc_maps {
    uint32_t *deps, *sets, *bundles;
    uint32_t dep_count, set_count, bundle_count; /* that stay */
};

struct cook_gc {
    struct cook_store *store;
    struct cook_store_gc_result *result;
    const struct cook_store_gc_options *options;
    struct cook_arena *arena;
    struct cook_store_cook *cooks; /* newest first */
    size_t cook_count;
    uint8_t *drop;      /* by package: its result goes */
    int64_t *since_ns;  /* by package: when it was last reached, where it is unreached; else 0 */
    struct cook_gc_maps maps;
    struct cook_hash *live; /* blobs, sorted */
    size_t live_count, live_capacity;
    struct cook_hash *dead; /* blobs */
    size_t dead_count, dead_capacity;
};

/* gc_reach.c: `drop` and `since_ns`. */
enum cook_status cook_gc_find_unreached(struct cook_gc *gc, struct cook_error *error) COOK_CHECK_RESULT;
/* gc_rows.c: the maps; and the state with what goes taken out, its rows marked. */
enum cook_status cook_gc_map_rows(struct cook_gc *gc, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_gc_take_out(struct cook_gc *gc, struct cook_error *error) COOK_CHECK_RESULT;
/* Within the transaction: renumber what the database alone knows. */
enum cook_status cook_gc_save(struct cook_gc *gc, struct cook_error *error) COOK_CHECK_RESULT;
/* gc_blobs.c */
enum cook_status cook_gc_find_blobs(struct cook_gc *gc, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_gc_move_blobs(struct cook_gc *gc, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_gc_delete_files(struct cook_gc *gc, struct cook_error *error) COOK_CHECK_RESULT;

/* store_manifest.c: the blobs of a manifest, its root included. */
typedef enum cook_status (*cook_gc_take_blob)(void *user, struct cook_hash hash,
                                              struct cook_error *error);
enum cook_status cook_store_manifest_blobs(struct cook_store *store, struct cook_hash manifest,
                                           cook_gc_take_blob take, void *user,
                                           struct cook_error *error) COOK_CHECK_RESULT;

#endif
