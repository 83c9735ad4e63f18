/*
 * Explaining a cook while it runs: which dependencies of a package changed, before its recook replaces them;
 * and whether its whole result came out as it was. Cost follows what changed and what is recooked.
 */
#ifndef COOK_PLAN_EXPLAINING_H
#define COOK_PLAN_EXPLAINING_H

#include "cook/plan/run.h"
#include "cook/store/explanation.h"

/* The value of a changed dependency as of one earlier cook. */
struct cook_explaining_dep {
    struct cook_explained_dep explained;
    uint32_t dep;  /* row */
    uint32_t cook; /* that the old value is of */
    uint32_t next; /* index + 1 of another of the same row */
};
struct cook_explaining {
    struct cook_run *run;
    struct cook_arena arena;
    struct cook_explaining_dep *deps;
    size_t dep_count, dep_capacity;
    uint32_t *first_dep; /* by row: index + 1, or 0 */
    struct cook_explained_package *packages; /* in order of the visits */
    uint32_t *rows;                          /* their package rows */
    size_t package_count, package_capacity, row_capacity;
    uint32_t *entry_of; /* by package row: index + 1, or 0 */
    size_t entry_capacity;
};

enum cook_status cook_explaining_init(struct cook_explaining *explaining, struct cook_run *run,
                                      struct cook_error *error) COOK_CHECK_RESULT;
void cook_explaining_finish(struct cook_explaining *explaining);
/* Note a package that will be cooked; its kept result is still the old one. */
enum cook_status cook_explaining_add(struct cook_explaining *explaining, uint32_t package,
                                     enum cook_reason reason,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/*
 * A hash of the whole kept result of a package: bytes, additional files, artifact parts, references,
 * messages, and what it depends on (not the values). Zero where none is kept.
 */
struct cook_hash cook_explaining_result(const struct cook_state *state, uint32_t package);
/* The package was recooked; `before` is cook_explaining_result() of the result it replaced. */
void cook_explaining_cooked(struct cook_explaining *explaining, uint32_t package,
                            struct cook_hash before);
/* Put the explanation into the store; `*hash` is zero when nothing was cooked. */
enum cook_status cook_explaining_put(struct cook_explaining *explaining, struct cook_hash *hash,
                                     struct cook_error *error) COOK_CHECK_RESULT;

/* The package whose load a set of dependencies is, or NULL when it is no load of another package than
 * `own`; borrowed from the state. */
const char *cook_set_through(const struct cook_state *state, uint32_t set, const char *own);

#endif
