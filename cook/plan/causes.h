/*
 * Why packages were recooked, most frequent first: one changed input, how many packages it touched.
 * Collected at the visits, before a recook replaces what a package depended on.
 */
#ifndef COOK_PLAN_CAUSES_H
#define COOK_PLAN_CAUSES_H

#include "cook/plan/run.h"

struct cook_causes {
    uint32_t *by_dep; /* packages per changed dependency; by dep id at the evaluation */
    uint32_t dep_count;
    uint32_t by_reason[16]; /* packages per enum cook_reason */
    uint32_t unknown;       /* key changed, by a change of an earlier evaluation */
};

enum cook_status cook_causes_init(struct cook_causes *causes, const struct cook_run *run,
                                  struct cook_error *error) COOK_CHECK_RESULT;
void cook_causes_finish(struct cook_causes *causes);
/* Note a package that will be cooked, with its reason; its kept result is still the old one. */
void cook_causes_add(struct cook_causes *causes, const struct cook_run *run, uint32_t package,
                     enum cook_reason reason);

/* Where the value of a config key or console variable comes from now, "Config/DefaultGame.ini:12" or "no longer
 * set"; "" for other kinds of dependencies; in `arena`, NULL: no memory. */
const char *cook_run_value_place(const struct cook_run *run, uint32_t kind, const char *args,
                                 struct cook_arena *arena);

struct cook_cause {
    const char *text; /* "file Content/Data/tax.txt", "config [Shop] Tax (cook.ini:12)" */
    uint32_t packages;
};
/* The `limit` most frequent ones, by count and then text; texts in `arena`. */
size_t cook_causes_top(const struct cook_causes *causes, const struct cook_run *run,
                       struct cook_cause *top, size_t limit, struct cook_arena *arena);

#endif
