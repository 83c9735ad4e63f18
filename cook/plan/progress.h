/*
 * How far a running cook is, for others to see: a small file in the folder of its store, replaced twice a
 * second at most and removed when the run ends. Nothing is decided by it.
 */
#ifndef COOK_PLAN_PROGRESS_H
#define COOK_PLAN_PROGRESS_H

#include "cook/plan/cook.h"

#define COOK_PROGRESS_FILE "progress.json"

/* Publish; failures are nobody's concern. `now` in monotonic seconds. */
void cook_progress_publish(struct cook_run *run, const struct cook_progress_figures *figures,
                           const char *slowest);
void cook_progress_withdraw(struct cook_run *run);

#endif
