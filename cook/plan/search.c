#include "cook/plan/search.h"

enum cook_status cook_search_init(struct cook_search *search, struct cook_run *run,
                                  struct cook_error *error)
{
    *search = (struct cook_search){ .run = run, .package_count = run->state->packages_count };
    search->visited = cook_calloc((size_t)search->package_count + 1, 1);
    return search->visited ? COOK_OK : cook_error_no_memory(error);
}

void cook_search_finish(struct cook_search *search)
{
    cook_free(search->visited);
    cook_free(search->stack);
    *search = (struct cook_search){ 0 };
}

static enum cook_status push(struct cook_search *search, uint32_t package, struct cook_error *error)
{
    if (package >= search->package_count || search->visited[package])
        return COOK_OK;
    search->visited[package] = 1;
    if (!cook_grow(&search->stack, &search->capacity, search->count + 1, sizeof(uint32_t)))
        return cook_error_no_memory(error);
    search->stack[search->count++] = package;
    return COOK_OK;
}

enum cook_status cook_search_push_roots(struct cook_search *search, const struct cook_roots *roots,
                                        struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (size_t i = roots->count; status == COOK_OK && i-- > 0;)
        status = push(search, roots->packages[i], error);
    return status;
}

enum cook_status cook_search_push_edges(struct cook_search *search, uint32_t package,
                                        struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    uint32_t *targets;
    size_t count;
    enum cook_status status = cook_edges_targets(search->run, package, &targets, &count, &arena);
    if (status != COOK_OK)
        (void)cook_error_set(error, status, "out of memory");
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        if (!cook_run_never_cook(search->run, targets[i]))
            status = push(search, targets[i], error);
        else if (search->on_never && targets[i] != package)
            status = search->on_never(search->user, package, targets[i], error);
    }
    cook_arena_finish(&arena);
    return status;
}

bool cook_search_pop(struct cook_search *search, uint32_t *package)
{
    if (search->count == 0)
        return false;
    *package = search->stack[--search->count];
    return true;
}
