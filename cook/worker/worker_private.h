/* What the files of the worker's loop share. */
#ifndef COOK_WORKER_WORKER_PRIVATE_H
#define COOK_WORKER_WORKER_PRIVATE_H

#include "cook/worker/protocol.h"
#include "cook/worker/session.h"
#include "cook/worker/worker.h"

struct cook_worker {
    struct cook_session session;
    struct cook_error error;
};

enum cook_status cook_worker_send(struct cook_worker *worker, enum cook_frame_type type,
                                  const struct cook_buf *payload) COOK_CHECK_RESULT;
/* The package at hand, so that the director knows what a death was of. */
enum cook_status cook_worker_send_begin(struct cook_worker *worker,
                                        const char *name) COOK_CHECK_RESULT;
/* Answer a COOK_FRAME_COOK: a COOK_FRAME_RESULT for each of its packages. Untrusted payload. */
enum cook_status cook_worker_cook(struct cook_worker *worker,
                                  const struct cook_buf *payload) COOK_CHECK_RESULT;

#endif
