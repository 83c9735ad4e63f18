/*
 * Reflection over property tables: JSON to objects. (Objects to bytes is archive/.)
 */
#ifndef COOK_OBJECT_REFLECT_H
#define COOK_OBJECT_REFLECT_H

#include <cook/reader.h>

#include "cook/base/json.h"

/*
 * Set the properties of `object` (a class instance made by cook_load_object) from the members of
 * the JSON object `members`, then run its `serialize` hooks in the load phase over the same
 * members. A member that no property and no hook asked for is a warning with its line; a value of
 * the wrong type is COOK_E_MALFORMED, logged as "path:line: reason". `path` is the file that
 * `members` came from (the main or the side file).
 */
enum cook_status cook_reflect_load(struct cook_loader *loader, void *object,
                                   const struct cook_json *members, const char *path)
    COOK_CHECK_RESULT;

/*
 * Apply a side file (source->side_data) to the objects of a loaded package: its members are
 * properties of the first object; a member "Objects" maps inner paths to members of other objects.
 * Does nothing when there is no side file. Readers call it last. Errors as cook_reflect_load.
 */
enum cook_status cook_reflect_load_side(struct cook_loader *loader,
                                        const struct cook_source *source) COOK_CHECK_RESULT;

#endif
