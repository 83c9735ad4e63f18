/*
 * Differences of many packages grouped by the write that made them: one changed serializer is
 * one thing to look at, in however many packages it shows. A write is its property, without
 * object and indices, and its callstack, where one is known.
 *
 *     struct diff_groups groups = DIFF_GROUPS_INIT;
 *     diff_groups_add()            each package once
 *     diff_groups_print() / diff_groups_to_json()
 *     diff_groups_finish()
 */
#ifndef DIFFCOOK_GROUPS_H
#define DIFFCOOK_GROUPS_H

#include "print.h"

#define DIFF_GROUP_EXAMPLES 3 /* packages named of each group */
#define DIFF_GROUPS_SHOWN   20

struct diff_group {
    const char *property; /* "Health" of "Rock:Health" */
    const char *frames;   /* lines, innermost first; "" when no callstack is known */
    size_t packages;
    const char *examples[DIFF_GROUP_EXAMPLES];
};
struct diff_groups {
    struct cook_arena arena;
    struct cook_intern keys;
    struct diff_group *items; /* by id of keys, until they are sorted */
    size_t count, capacity;
    size_t packages; /* added so far */
    size_t *last;    /* by group: number of the package that was last counted */
    size_t last_capacity;
    bool sorted;
};
#define DIFF_GROUPS_INIT                                                                       \
    {                                                                                          \
        .keys = COOK_INTERN_INIT                                                               \
    }

/* Add the differences of one package that stand on their own. False when memory is short. */
bool diff_groups_add(struct diff_groups *groups, const char *package,
                     const struct diff_result *result, const struct diff_print_options *print);
/* Groups of two packages or more, the largest first; the rest are counted. Nothing when there
 * are none. No further package can be added. */
void diff_groups_print(FILE *file, struct diff_groups *groups);
/* [{"property", "packages", "examples", "frames"}], the same groups; NULL when memory is short.
 */
struct cJSON *diff_groups_to_json(struct diff_groups *groups);
void diff_groups_finish(struct diff_groups *groups);

#endif
