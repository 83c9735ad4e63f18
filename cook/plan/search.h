/*
 * The graph search: each package that the roots lead to, once. What a visit means is the caller's.
 */
#ifndef COOK_PLAN_SEARCH_H
#define COOK_PLAN_SEARCH_H

#include "cook/plan/run.h"

struct cook_search {
    struct cook_run *run;
    uint8_t *visited; /* by package */
    uint32_t package_count;
    uint32_t *stack;
    size_t count;
    size_t capacity;
    /* A package leads to one that is never cooked; NULL: nobody wants to know. */
    enum cook_status (*on_never)(void *user, uint32_t package, uint32_t target,
                                 struct cook_error *error);
    void *user;
};

/* Over the packages that the state holds now (the registry is refreshed before). */
enum cook_status cook_search_init(struct cook_search *search, struct cook_run *run,
                                  struct cook_error *error) COOK_CHECK_RESULT;
void cook_search_finish(struct cook_search *search);
/* Put the roots on the stack, so that they come off in name order. */
enum cook_status cook_search_push_roots(struct cook_search *search, const struct cook_roots *roots,
                                        struct cook_error *error) COOK_CHECK_RESULT;
/* Put what a package's kept result leads to on the stack, but for what is never cooked. */
enum cook_status cook_search_push_edges(struct cook_search *search, uint32_t package,
                                        struct cook_error *error) COOK_CHECK_RESULT;
/* The next package to visit; false when there is none. */
bool cook_search_pop(struct cook_search *search, uint32_t *package);

#endif
