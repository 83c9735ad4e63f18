/*
 * Taking results in: what a worker observed becomes dependency rows, sets, a bundle and a key. Used
 * by cooks, which then keep the result, and by validation, which compares it.
 */
#ifndef COOK_PLAN_INTAKE_H
#define COOK_PLAN_INTAKE_H

#include "cook/plan/run.h"
#include "cook/store/details.h"

struct cook_intake_set {
    uint32_t set;          /* row, or COOK_ID_NONE: not defined */
    struct cook_hash hash; /* of the values that the worker saw */
    uint32_t package_set;  /* row of its dependencies on whole packages, or COOK_ID_NONE */
};
/* A kept result whose key waits for the keys of other packages. */
struct cook_intake_pending {
    uint32_t package;
    struct cook_hash sum; /* over its other sets */
};
struct cook_intake_worker {
    struct cook_intake_set *sets; /* by the worker's load set id */
    size_t capacity;
};
struct cook_intake {
    struct cook_run *run;
    struct cook_intake_worker *workers;
    unsigned worker_count;
    struct cook_intake_pending *pending;
    size_t pending_count, pending_capacity;
    size_t load_count; /* packages loaded, once for each worker that did */
    struct cook_hash waiting_sum; /* of the result taken last, where its key is still zero */
};

enum cook_status cook_intake_init(struct cook_intake *intake, struct cook_run *run,
                                  struct cook_error *error) COOK_CHECK_RESULT;
void cook_intake_finish(struct cook_intake *intake);
/* A worker ended: its load set ids start anew. */
void cook_intake_forget_worker(struct cook_intake *intake, unsigned worker);
/* A COOK_FRAME_LOAD_SET payload. */
enum cook_status cook_intake_load_set(struct cook_intake *intake, unsigned worker,
                                      const struct cook_buf *payload,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* The bundle and the key of a result. The key is zero, which no evaluation gives, while it depends on
 * the keys of other packages; see cook_intake_finalize. */
enum cook_status cook_intake_result(struct cook_intake *intake, unsigned worker,
                                    const struct cook_result *result, uint32_t *bundle,
                                    struct cook_hash *key,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* Warnings and errors of a result, encoded anew for replay; empty when there are none. */
enum cook_status cook_intake_messages(const struct cook_result *result, struct cook_buf *out,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* The details of a result (files and parts by their hashes), in `arena`; the blobs are put into the
 * store only when `store` is not NULL. */
enum cook_status cook_intake_details(struct cook_details *details, struct cook_store *store,
                                     const struct cook_result *result, struct cook_arena *arena,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* Make a result the kept one of its package: blobs, rows, oplog. */
enum cook_status cook_intake_keep(struct cook_intake *intake, uint32_t package, uint32_t cook,
                                  const struct cook_result *result, uint32_t bundle,
                                  struct cook_hash key, enum cook_op op,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* At the end of a cook: give packages that depend on others whole their keys. */
enum cook_status cook_intake_finalize(struct cook_intake *intake,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* Note that a package failed; its kept result, if any, is no longer served. */
enum cook_status cook_intake_fail(struct cook_intake *intake, uint32_t package,
                                  struct cook_error *error) COOK_CHECK_RESULT;

#endif
