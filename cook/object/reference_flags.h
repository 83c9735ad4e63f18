/*
 * Which references of a class's properties are edges, and of which kind: what a scan must know of
 * the types, and the hash that tells when facts made with it are stale.
 */
#ifndef COOK_OBJECT_REFERENCE_FLAGS_H
#define COOK_OBJECT_REFERENCE_FLAGS_H

#include "cook/object/types.h"

/* The property of a class (its own or inherited) by name; NULL when there is none. */
const struct cook_property *cook_class_property(const struct cook_class_info *info,
                                                const char *name);
const struct cook_property *cook_property_find(const struct cook_property *properties,
                                               const char *name);
/* Of all classes' properties whose flags bear on references, in any struct too; never zero. */
uint64_t cook_reference_flags_hash(const struct cook_registrar *types);

#endif
