/*
 * The facts of a cook: what it found around itself, declared by anyone or not. Only what was
 * written down can later be said to have changed. Stored with the cook as JSON; a member that
 * an older cook did not write is unknown (NULL, 0, or `have` false), which is never a change.
 */
#ifndef COOK_PLAN_FACTS_H
#define COOK_PLAN_FACTS_H

#include "cook/plan/run.h"

struct cook_fact {
    const char *name;
    const char *value;
};
struct cook_fact_list {
    struct cook_fact *items; /* ascending by name, plugins in loading order */
    size_t count;
    bool have;
};

struct cook_run_facts {
    const char *host;
    const char *project_path;
    const char *time_zone; /* of the machine: where /etc/localtime leads */
    const char **tokens;   /* the command line that class code saw; NULL: unknown */
    size_t token_count;
    const char **overrides; /* config values over all files: --ini and its like */
    size_t override_count;
    struct cook_fact_list environment;
    struct cook_fact_list plugins; /* name and build id, in loading order */
    struct cook_fact_list
        libraries;       /* name and build id, of all that was loaded at the start */
    int umask;           /* -1: unknown */
    unsigned processors; /* 0: unknown */
};

/* Decode the facts of a stored cook, which are untrusted. COOK_E_MALFORMED, COOK_E_NO_MEMORY.
 */
enum cook_status cook_run_facts_decode(struct cook_run_facts *facts, const char *json,
                                       struct cook_arena *arena,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/* The value of a name, or NULL. */
const char *cook_fact_find(const struct cook_fact_list *list, const char *name);

#endif
