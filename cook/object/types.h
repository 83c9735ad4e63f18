/*
 * The type registry of a worker: classes, embedded structs, enums and readers from the core and
 * from plugins, linked and hashed once. Filled at start-up, then immutable and safe on any thread.
 */
#ifndef COOK_OBJECT_TYPES_H
#define COOK_OBJECT_TYPES_H

#include <cook/plugin.h>

#include "cook/base/intern.h"
#include "cook/config/config.h"

#define COOK_CLASS_MAX_DEPTH 32

struct cook_class_info {
    const struct cook_class *description;
    const char *name;   /* "/Script/Arena.Weapon" */
    const char *module; /* "Arena" */
    const struct cook_class_info *chain[COOK_CLASS_MAX_DEPTH]; /* root first, itself last */
    uint32_t chain_count;
    struct cook_hash schema;
    bool project; /* from a plugin of the project, not a standard class */
};

struct cook_struct_info {
    const struct cook_struct *description;
    struct cook_hash schema;
    bool hashing; /* guard against structs that hold themselves */
    bool hashed;
};

struct cook_registrar {
    struct cook_arena arena;
    struct cook_intern class_names;
    struct cook_class_info **classes; /* by id of class_names */
    size_t class_capacity;
    struct cook_intern struct_names;
    struct cook_struct_info **structs;
    size_t struct_capacity;
    struct cook_intern enum_names;
    const struct cook_enum **enums;
    size_t enum_capacity;
    struct cook_intern function_names;
    const struct cook_function **functions;
    size_t function_capacity;
    const struct cook_artifact **artifacts; /* built-in ones first, then in order of registration */
    bool *artifact_is_project;
    size_t artifact_count;
    size_t artifact_capacity;
    size_t artifact_flag_capacity;
    const struct cook_reader **readers; /* built-in ones first, then in order of registration */
    size_t reader_count;
    size_t reader_capacity;
    const char *module; /* of the registrations that follow */
    bool project;       /* registering a project plugin */
    struct cook_error error; /* the first fault of a registration */
};

void cook_types_init(struct cook_registrar *types); /* registers /Script/Cook.Object too */
void cook_types_finish(struct cook_registrar *types);
/*
 * Check and link what was registered: parents, struct and enum names, offsets, sizes; compute each
 * schema with the config given. COOK_E_CONFIG with the first fault.
 */
enum cook_status cook_types_link(struct cook_registrar *types, const struct cook_config *config,
                                 struct cook_error *error) COOK_CHECK_RESULT;

/* Look-ups; NULL when not registered. Borrowed. */
const struct cook_class_info *cook_types_class(const struct cook_registrar *types,
                                               const char *full_name);
const struct cook_struct_info *cook_types_struct(const struct cook_registrar *types,
                                                 const char *name);
const struct cook_enum *cook_types_enum(const struct cook_registrar *types, const char *name);
const struct cook_function *cook_types_function(const struct cook_registrar *types,
                                                const char *name);
/* NULL when there is none of that name. */
const struct cook_artifact *cook_types_artifact(const struct cook_registrar *types,
                                                const char *name);
/* The reader for a file by its extension (any case). Later registrations do not override. */
const struct cook_reader *cook_types_reader(const struct cook_registrar *types, const char *path);
bool cook_class_is_a(const struct cook_class_info *info, const char *full_name);

/* Bytes that one value of a property (or of an element, for arrays and maps) takes in memory; 0
 * when `type_name` is unknown. */
size_t cook_types_value_size(const struct cook_registrar *types, enum cook_property_type type,
                             const char *type_name);
/* The name of an enum value, or NULL; and back, false when there is none. */
const char *cook_enum_name(const struct cook_enum *description, int32_t value);
bool cook_enum_value(const struct cook_enum *description, const char *name, int32_t *value);

#endif
