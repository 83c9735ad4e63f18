/* The values of dependencies on whole packages: the keys of those packages. */
#ifndef COOK_PLAN_WHOLE_H
#define COOK_PLAN_WHOLE_H

#include "cook/plan/run.h"

/*
 * Evaluate all dependencies of kind COOK_DEP_PACKAGE: their values go to the state, their hashes to
 * `deps`, by dependency id, which holds those of all other kinds already. Packages that depend on
 * each other in a ring have one value that all of them make up, so that no order matters.
 * COOK_E_NO_MEMORY.
 */
enum cook_status cook_whole_evaluate(struct cook_run *run, struct cook_hash *deps,
                                     struct cook_error *error) COOK_CHECK_RESULT;

#endif
