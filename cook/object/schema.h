/*
 * Class schemas: one hash that changes when what a class writes can change: names, types and flags
 * of its properties, its defaults, its ancestors, its structs and enums, and what its hooks append.
 */
#ifndef COOK_OBJECT_SCHEMA_H
#define COOK_OBJECT_SCHEMA_H

#include "cook/object/types.h"

/* The schema of a linked class. Calls construct and append_to_class_schema of its chain. */
struct cook_hash cook_schema_of_class(struct cook_registrar *types,
                                      const struct cook_class_info *info,
                                      const struct cook_config *config);

/* What tells whether a kept state of an artifact can be folded on: its version and settings. */
struct cook_hash cook_schema_of_artifact(struct cook_registrar *types,
                                         const struct cook_artifact *artifact,
                                         const struct cook_config *config);

/* What a function dependency adds up to for these arguments (a constructed value, or NULL). */
struct cook_hash cook_schema_of_function(struct cook_registrar *types,
                                         const struct cook_function *function,
                                         const void *arguments, const struct cook_config *config);

#endif
