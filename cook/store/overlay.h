/*
 * Overlays: for each finding what it was found by, kept beside the store in
 * Saved/History/overlays/ID, whether or not a validation may write. Bundles and differences can
 * then be made later, when the kept result has been healed. A newer overlay of the same finding
 * replaces the older one; the oldest ones go when all together become too large.
 */
#ifndef COOK_STORE_OVERLAY_H
#define COOK_STORE_OVERLAY_H

#include <stddef.h>
#include <stdint.h>

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/base/error.h"

#define COOK_OVERLAY_MAX_BYTES (UINT64_C(64) << 20) /* of one part */

struct cook_overlay_part {
    const char *name; /* "kept.bytes", "kept.tokens", "new.bytes", "new.tokens", "stacks.json",
                         "facts.json" */
    const void *bytes;
    size_t size;
};

/* Write an overlay; parts larger than the limit are left out. COOK_E_IO, COOK_E_NO_SPACE. */
enum cook_status cook_overlay_put(int project_fd, const char *finding_id,
                                  const struct cook_overlay_part *parts, size_t count,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* Append a part to `out`. COOK_E_NOT_FOUND when it is not there. */
enum cook_status cook_overlay_get(struct cook_buf *out, int project_fd, const char *finding_id,
                                  const char *name, struct cook_error *error) COOK_CHECK_RESULT;
/* Remove the oldest until all take at most `max_bytes`; 0: no limit. */
enum cook_status cook_overlay_trim(int project_fd, uint64_t max_bytes,
                                   struct cook_error *error) COOK_CHECK_RESULT;

#endif
