#include "cook/object/reference_flags.h"

#include <stdlib.h>
#include <string.h>

#define BEARING (COOK_PROPERTY_EDITOR_ONLY | COOK_PROPERTY_TRANSIENT | COOK_PROPERTY_TRUE_SOFT)
#define MAX_STRUCT_DEPTH 16

const struct cook_property *cook_property_find(const struct cook_property *properties,
                                               const char *name)
{
    for (const struct cook_property *p = properties; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

const struct cook_property *cook_class_property(const struct cook_class_info *info,
                                                const char *name)
{
    for (uint32_t i = info->chain_count; i-- > 0;) {
        const struct cook_property *found =
            cook_property_find(info->chain[i]->description->properties, name);
        if (found)
            return found;
    }
    return NULL;
}

/* Tables whose properties all have plain flags add nothing: most classes may change without any
 * facts becoming stale. Returns whether the table added something. */
static bool add_table(struct cook_hasher *hasher, const struct cook_registrar *types,
                      const struct cook_property *properties, unsigned depth)
{
    bool added = false;
    for (const struct cook_property *p = properties; p && p->name; p++) {
        struct cook_hasher before = *hasher;
        cook_hasher_update_string(hasher, p->name);
        cook_hasher_update_u64(hasher, p->flags & BEARING);
        bool bears = p->flags & BEARING;
        const struct cook_struct_info *inner =
            p->type == COOK_PROPERTY_STRUCT || p->element == COOK_PROPERTY_STRUCT
                ? cook_types_struct(types, p->type_name)
                : NULL;
        if (inner && depth < MAX_STRUCT_DEPTH)
            bears |= add_table(hasher, types, inner->description->properties, depth + 1);
        if (!bears)
            *hasher = before;
        added |= bears;
    }
    return added;
}

static int compare_names(const void *a, const void *b)
{
    const struct cook_class_info *const *x = a;
    const struct cook_class_info *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static void add_class(struct cook_hasher *hasher, const struct cook_registrar *types,
                      const struct cook_class_info *info)
{
    struct cook_hasher before = *hasher;
    bool added = cook_class_is_a(info, "/Script/Cook.PrimaryAssetLabel");
    cook_hasher_update_string(hasher, info->name);
    for (uint32_t i = 0; i < info->chain_count; i++)
        added |= add_table(hasher, types, info->chain[i]->description->properties, 0);
    if (!added)
        *hasher = before;
}

uint64_t cook_reference_flags_hash(const struct cook_registrar *types)
{
    size_t count = types->class_names.count;
    const struct cook_class_info **sorted = cook_malloc((count + 1) * sizeof(*sorted));
    struct cook_hasher hasher;
    if (!sorted)
        return 1; /* other facts than with memory: scanned again, which is slow but right */
    cook_hasher_init(&hasher);
    for (size_t i = 0; i < count; i++)
        sorted[i] = types->classes[i];
    qsort(sorted, count, sizeof(*sorted), compare_names);
    for (size_t i = 0; i < count; i++)
        add_class(&hasher, types, sorted[i]);
    cook_free(sorted);
    uint64_t hash = cook_hasher_digest(&hasher).low;
    return hash ? hash : 1;
}
