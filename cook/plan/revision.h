/*
 * Which content and which code a run saw, for people who look at the history. Nothing here can
 * make a run fail: what cannot be told is "".
 */
#ifndef COOK_PLAN_REVISION_H
#define COOK_PLAN_REVISION_H

#include "cook/config/project.h"

struct cook_pool;

#define COOK_REVISION_SIZE 80

/*
 * The commit that is checked out where the project lies in a git repository: its hash in hex,
 * followed by "-dirty" when files of the project (cook.ini, Config, content roots) differ from
 * it, or by
 * "-unchecked" when that could not be told within `timeout_ms`; 0: nobody looks. Read from the
 * repository's files; git itself is asked only what differs.
 */
void cook_revision_content(char revision[COOK_REVISION_SIZE],
                           const struct cook_project *project, int timeout_ms);
/* A hash over names and build ids of the plugins that a pool started with. */
void cook_revision_code(char revision[COOK_REVISION_SIZE], const struct cook_pool *pool);

#endif
