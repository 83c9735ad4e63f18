/*
 * The outputs of a cook: the files of its artifacts, with what the next cook needs to bring
 * them up to date. One blob, named by the row of the cook.
 *
 * Artifacts come in two groups by where their parts come from: made by workers with the
 * results, or by the planner of each cook (chunk manifests). Each group has an index blob:
 * what was folded in, package by package.
 */
#ifndef COOK_STORE_OUTPUTS_H
#define COOK_STORE_OUTPUTS_H

#include "cook/store/store.h"

enum cook_output_group { COOK_OUTPUT_WORKERS = 0, COOK_OUTPUT_PLAN, COOK_OUTPUT_GROUPS };

struct cook_output_file {
    const char *name; /* relative: "AssetRegistry.bin" */
    struct cook_hash hash;
    uint64_t size_bytes;
};
struct cook_output_artifact {
    const char *name;
    /* Of version and settings: another one starts from nothing. Zero: it could not be made. */
    struct cook_hash identity;
    enum cook_output_group group;
    struct cook_hash state; /* blob; zero: there is none, so that the next fold starts anew */
    struct cook_output_file *files; /* ascending by name */
    size_t file_count;
};
struct cook_outputs {
    struct cook_hash mark; /* of all that went in: an equal one is up to date */
    struct cook_hash index[COOK_OUTPUT_GROUPS];
    struct cook_output_artifact *artifacts; /* ascending by name */
    size_t artifact_count;
};

void cook_outputs_encode(const struct cook_outputs *outputs, struct cook_buf *out);
enum cook_status cook_outputs_decode(struct cook_outputs *outputs, const void *bytes,
                                     size_t size, struct cook_arena *arena) COOK_CHECK_RESULT;
/* Read the outputs of a cook; all zero for a zero hash. Texts and arrays are in `arena`. */
enum cook_status cook_store_outputs(struct cook_store *store, struct cook_outputs *outputs,
                                    struct cook_hash hash, struct cook_arena *arena,
                                    struct cook_error *error) COOK_CHECK_RESULT;

#endif
