/* Starting another verb: a tool that needs another tool's work does not link it. */
#ifndef DIFFCOOK_CHILD_H
#define DIFFCOOK_CHILD_H

#include "cook/cli/cli.h"

/*
 * Run a cooking verb ("full") with the common options that this one was given, and wait for it;
 * `*exit_status` out. Its results go where `cli` prints. `store_name` NULL: the target's store.
 * COOK_E_CRASHED when a signal ended it; COOK_E_NOT_FOUND, COOK_E_IO when it cannot be started.
 */
enum cook_status diff_child_cook(int *exit_status, const struct cook_cli *cli,
                                 const char *verb, const char *store_name,
                                 struct cook_error *error) COOK_CHECK_RESULT;

#endif
