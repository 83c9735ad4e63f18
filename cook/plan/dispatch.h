/*
 * Feeding packages to workers in batches and taking back what they say, whatever happens to them: a
 * worker that dies loses the package at hand, and the rest of its batch is given out again.
 */
#ifndef COOK_PLAN_DISPATCH_H
#define COOK_PLAN_DISPATCH_H

#include "cook/plan/run.h"

struct cook_dispatch;

/* What a use of the dispatcher does; `user` is passed back. Any failure ends the dispatch. */
struct cook_dispatch_operations {
    enum cook_frame_type type; /* COOK_FRAME_SCAN or COOK_FRAME_COOK */
    bool capture;              /* COOK: callstacks per write */
    bool resave;               /* COOK: not at all, but what an editor's save records */
    /* Append what the batch says of one package. NULL: its name, which is all that COOK takes. */
    void (*put_item)(void *user, uint32_t package, struct cook_buf *out);
    /* A LOAD_SET, SCANNED or RESULT frame; SCANNED and RESULT end the package at hand. */
    enum cook_status (*on_frame)(void *user, unsigned worker, uint32_t package,
                                 enum cook_frame_type type, const struct cook_buf *payload,
                                 struct cook_error *error);
    /* The package that a worker died of; `reason` is text with a callstack, lines and all. */
    enum cook_status (*on_lost)(void *user, uint32_t package, const char *reason,
                                struct cook_error *error);
    /* A worker ended: what it defined (load sets) is void. May be NULL. */
    void (*on_worker_gone)(void *user, unsigned worker);
    /* Called at least every 100 ms, for progress and for timed commits. May be NULL. */
    enum cook_status (*on_tick)(void *user, struct cook_error *error);
    void *user;
};

enum cook_status cook_dispatch_create(struct cook_dispatch **out, struct cook_run *run,
                                      const struct cook_dispatch_operations *operations,
                                      struct cook_error *error) COOK_CHECK_RESULT;
void cook_dispatch_destroy(struct cook_dispatch *dispatch); /* NULL allowed */
/*
 * Decode the RESULT frame of a package that was dispatched, in on_frame. COOK_E_PROTOCOL when it is
 * malformed, or of another package.
 */
enum cook_status cook_dispatch_result(struct cook_result *result, const struct cook_run *run,
                                      uint32_t package, const struct cook_buf *payload,
                                      struct cook_arena *arena,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* Queue a package; also from on_frame. */
enum cook_status cook_dispatch_add(struct cook_dispatch *dispatch, uint32_t package,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Before the run: from now on give packages that load the same to one worker where that costs no other
 * one time (pending.h). `packages` are those that are known to be cooked, `full` as in graph.h.
 */
enum cook_status cook_dispatch_arrange(struct cook_dispatch *dispatch, const uint32_t *packages,
                                       size_t count, bool full,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/* Run until nothing is queued and nothing is in flight. */
enum cook_status cook_dispatch_run(struct cook_dispatch *dispatch,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* The package that a worker is at, or COOK_ID_NONE, and for how many seconds; for progress. */
uint32_t cook_dispatch_current(const struct cook_dispatch *dispatch, unsigned worker,
                               double *seconds);

/* "crashed: Segmentation fault" or "did not return within 300 s", with a symbolised callstack, in
 * the arena. */
char *cook_death_text(struct cook_run *run, const struct cook_pool_event *event,
                      struct cook_arena *arena);

#endif
