/*
 * Collecting garbage: results of packages that no cook reached for long, rows and blobs that nothing names
 * any more, and segments that are mostly holes.
 *
 * A package that the graph search no longer reaches keeps its result, so that it is skipped when it is
 * reached again. How long it has not been reached is known from the manifests of kept cooks, and from marks
 * that each collection leaves behind; the null path knows nothing of it.
 *
 * What is kept: the results of reached packages, and all that kept cooks name (their manifests, the files of
 * their artifacts). Killed at any point, the store is whole: rows and addresses change in one transaction,
 * bytes are copied before it and files deleted after it.
 */
#ifndef COOK_STORE_GC_H
#define COOK_STORE_GC_H

#include "cook/store/store.h"

#define COOK_STORE_KEEP_UNREACHED_DAYS 14 /* [Store] KeepUnreachedDays, by default */

struct cook_store_gc_options {
    int64_t now_ns;  /* since the epoch */
    int64_t keep_ns; /* a result that was not reached for longer goes */
    bool dry_run;    /* find out, and change nothing */
};
struct cook_store_gc_result {
    const char **packages; /* whose results went, ascending by name; in the arena */
    size_t package_count;
    size_t waiting;        /* unreached, but not for long enough */
    size_t deps, sets, bundles, blobs, segments; /* that went */
    uint64_t blob_bytes;   /* of the blobs as stored */
    uint64_t freed_bytes;  /* by which the segments became smaller; 0 of a dry run */
};

/*
 * Collect, in a store opened for writing without a cook under way (for a dry run, opened in any way). Ids of
 * dependencies, sets and bundles are others afterwards, and pointers into the state are invalid.
 * COOK_E_DAMAGED where a kept cook cannot be read: what it names must not be guessed (run store verify);
 * COOK_E_NO_SPACE, COOK_E_IO, COOK_E_NO_MEMORY.
 */
enum cook_status cook_store_gc(struct cook_store *store, struct cook_store_gc_result *result,
                               const struct cook_store_gc_options *options,
                               struct cook_arena *arena, struct cook_error *error) COOK_CHECK_RESULT;

#endif
