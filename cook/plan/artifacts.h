/*
 * Artifacts at the end of a cook: folds the parts of what changed into the state that the
 * last cook left, and puts the files into the store.
 */
#ifndef COOK_PLAN_ARTIFACTS_H
#define COOK_PLAN_ARTIFACTS_H

#include "cook/plan/run.h"

/*
 * `packages` are those in the cook, ascending by name, committed. `*outputs` is the blob that
 * names all files: the last cook's where nothing that goes in changed, which costs one look.
 * An artifact that cannot be made is a warning of the run, counted in `*failed`, and made
 * anew by the next cook. Errors: COOK_E_CONFIG for chunk rules, and those of the store.
 */
enum cook_status cook_artifacts_update(struct cook_run *run, const uint32_t *packages,
                                       uint32_t count, struct cook_hash *outputs,
                                       size_t *failed,
                                       struct cook_error *error) COOK_CHECK_RESULT;

/* ---- the parts of it ---- */

/* A package and what stands for its parts; `bytes` only of parts that the plan made. */
struct cook_index_entry {
    const char *name;
    struct cook_hash hash;
    struct cook_hash parts; /* blob of the parts that a worker made */
    const uint8_t *bytes;
    size_t size;
};
struct cook_index {
    struct cook_index_entry *entries; /* ascending by name */
    size_t count;
};
/* The index as kept (artifact_index.c). Decoding gives names and hashes, in `arena`. */
void cook_index_encode(const struct cook_index *index, struct cook_buf *out);
enum cook_status cook_index_decode(struct cook_index *index, const void *bytes, size_t size,
                                   struct cook_arena *arena) COOK_CHECK_RESULT;
/* What is in the cook now, by the parts of workers, or by those of the plan. */
enum cook_status cook_index_of_workers(struct cook_index *index, struct cook_run *run,
                                       const uint32_t *packages, uint32_t count,
                                       struct cook_arena *arena,
                                       struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_index_of_plan(struct cook_index *index, struct cook_run *run,
                                    const uint32_t *packages, uint32_t count,
                                    struct cook_arena *arena,
                                    struct cook_error *error) COOK_CHECK_RESULT;

#endif
