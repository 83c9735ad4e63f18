/* What a traced worker saw, told to the director between packages. */
#ifndef COOK_WORKER_TRACED_H
#define COOK_WORKER_TRACED_H

#include "cook/worker/session.h"

/*
 * Send COOK_FRAME_TRACED: what was seen since the last, compared with what was recorded. `saving` is
 * the context of the package just cooked, whose result must not have been sent yet; NULL between
 * packages. Does nothing in a worker that is not traced. Does not return when the supervisor is dead.
 */
enum cook_status cook_session_tell_traced(struct cook_session *session,
                                          struct cook_context *saving,
                                          struct cook_error *error) COOK_CHECK_RESULT;

#endif
