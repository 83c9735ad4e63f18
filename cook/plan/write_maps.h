/* Keeping token maps, with the callstack of each write where the cook records them. */
#ifndef COOK_PLAN_WRITE_MAPS_H
#define COOK_PLAN_WRITE_MAPS_H

#include "cook/plan/run.h"

/* Put a result's token map, or write map, into the store; its hash out. */
enum cook_status cook_write_maps_keep(struct cook_hash *tokens, struct cook_run *run,
                                      const struct cook_result *result,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* At the end of a cook that records callstacks: name what has no names yet, while the binaries are
 * there. Nothing to do in other cooks. */
enum cook_status cook_write_maps_end(struct cook_run *run,
                                     struct cook_error *error) COOK_CHECK_RESULT;

#endif
