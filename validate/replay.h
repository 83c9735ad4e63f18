/*
 * cook incremental-validate --finding ID: whether the cause of a finding is closed, shown by
 * replaying it. In a copy of the project the package is cooked with what caused the finding as
 * it was, that is changed to what it became, and the package must then be recooked by itself,
 * and validate; or it must come out the same although it is skipped, while the code that the
 * finding was found with still shows the finding in the same replay. Anything less is "not
 * shown".
 */
#ifndef VALIDATE_REPLAY_H
#define VALIDATE_REPLAY_H

#include "cook/cli/cli.h"

/* Replay the finding, print the verdict, record it; sets the exit status of the verb. */
enum cook_status replay_finding(struct cook_cli *cli, const char *id,
                                struct cook_error *error) COOK_CHECK_RESULT;

#endif
