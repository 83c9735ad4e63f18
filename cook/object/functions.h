/* Function dependencies: arguments as text, and evaluation from that text. */
#ifndef COOK_OBJECT_FUNCTIONS_H
#define COOK_OBJECT_FUNCTIONS_H

#include "cook/object/types.h"

/* "Name" or "Name base64(marshalled arguments)", in `arena`; NULL when the function, or its struct, is
 * not registered or memory is short. */
char *cook_function_args(const struct cook_registrar *types, const char *name,
                         const void *arguments, struct cook_arena *arena);
/* What stands for the arguments of a function that is not registered: no text of real ones. */
#define COOK_FUNCTION_NO_ARGS "?"
/*
 * Call it as `args` says. COOK_E_NOT_FOUND when it is no longer registered (the value is zero),
 * COOK_E_MALFORMED when the arguments no longer fit its struct (a value of its own, so that a function
 * which was asked for before it was registered counts as changed when it is).
 */
enum cook_status cook_function_evaluate(struct cook_registrar *types,
                                        const struct cook_config *config, const char *args,
                                        struct cook_hash *value) COOK_CHECK_RESULT;

#endif
