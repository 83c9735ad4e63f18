/*
 * Registry queries as dependencies: a filter in a canonical text, its sorted result, its hash. Asked
 * in workers (by class code) and in the director (to see whether the result changed).
 */
#ifndef COOK_REGISTRY_QUERY_H
#define COOK_REGISTRY_QUERY_H

#include <cook/context.h>

#include "cook/store/state.h"

struct cook_arena;

/* "class=/Script/A.B|children|path=/Game/…|tag=Key=Value"; NULL when a member holds '|' or memory is
 * short. Text and query in `arena`. */
char *cook_query_text(const struct cook_query *query, struct cook_arena *arena);
bool cook_query_parse(struct cook_query *query, const char *text, struct cook_arena *arena);

/* Whether a class is another or a child of it; false for unregistered ones. */
typedef bool (*cook_query_is_a)(void *user, const char *class_name, const char *ancestor);

/* The object paths that match, sorted by bytes; texts in `arena`. COOK_E_NO_MEMORY. */
enum cook_status cook_registry_query(const char ***paths, size_t *count, struct cook_state *state,
                                     const struct cook_query *query, cook_query_is_a is_a,
                                     void *user, struct cook_arena *arena) COOK_CHECK_RESULT;
struct cook_hash cook_query_hash(const char *const *paths, size_t count); /* never zero */

#endif
