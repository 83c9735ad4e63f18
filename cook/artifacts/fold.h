/*
 * Running the fold of an artifact: what stands behind `struct cook_fold` of the SDK. Used by
 * the director for the built-in artifacts, and by the evaluator for those of plugins.
 */
#ifndef COOK_ARTIFACTS_FOLD_H
#define COOK_ARTIFACTS_FOLD_H

#include <cook/artifact.h>

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/base/error.h"
#include "cook/config/config.h"

struct cook_fold_file {
    const char *name;
    struct cook_buf bytes;
};

/* One fold, from begin to finish. What it put is valid until it is finished. */
struct cook_fold {
    const struct cook_artifact *artifact;
    const struct cook_config *config; /* borrowed; so is `target` */
    const char *target;
    struct cook_buf input; /* the state to start from; owned */
    void *user;
    bool begun;
    struct cook_arena arena;
    struct cook_buf state;
    struct cook_fold_file *files; /* ascending by name after cook_fold_run_finish */
    size_t file_count;
    size_t file_capacity;
    enum cook_status failed; /* of a put */
};

/* Begin with `fold->input`; COOK_E_MALFORMED when the artifact does not understand it. */
enum cook_status cook_fold_run_begin(struct cook_fold *fold) COOK_CHECK_RESULT;
enum cook_status cook_fold_run_finish(struct cook_fold *fold) COOK_CHECK_RESULT;
void cook_fold_finish(struct cook_fold *fold); /* release all; zeroed is fine */

#endif
