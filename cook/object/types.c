#include "cook/object/types.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "cook/base/path.h"
#include "cook/object/label.h"
#include "cook/object/schema.h"

static const struct cook_class root_class = {
    .name = "Object",
    .size = sizeof(struct cook_object),
};

/* What an editor leaves where an object was; reading it is the registry's business (redirects.h). */
struct redirector {
    struct cook_object object;
    struct cook_ref target;
};
static const struct cook_property redirector_properties[] = {
    COOK_PROPERTY_FLAGGED(struct redirector, target, "Target", COOK_PROPERTY_REF,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};
static const struct cook_class redirector_class = {
    .name = "ObjectRedirector",
    .size = sizeof(struct redirector),
    .properties = redirector_properties,
};

void cook_types_init(struct cook_registrar *types)
{
    *types = (struct cook_registrar){ 0 };
    cook_register_module(types, "Cook");
    cook_register_class(types, &root_class);
    cook_register_class(types, &redirector_class);
    cook_label_register(types);
}

void cook_types_finish(struct cook_registrar *types)
{
    cook_intern_finish(&types->class_names);
    cook_intern_finish(&types->struct_names);
    cook_intern_finish(&types->enum_names);
    cook_free(types->classes);
    cook_free(types->structs);
    cook_free(types->enums);
    cook_intern_finish(&types->function_names);
    cook_free(types->functions);
    cook_free(types->readers);
    cook_free(types->artifacts);
    cook_free(types->artifact_is_project);
    cook_arena_finish(&types->arena);
    *types = (struct cook_registrar){ 0 };
}

/* Only the first fault is kept: it is what the author mends first. */
#define FAULT(types, code, ...)                                                                 \
    do {                                                                                          \
        if ((types)->error.status == COOK_OK)                                                     \
            (void)cook_error_set(&(types)->error, code, __VA_ARGS__);                           \
    } while (0)

static bool valid_identifier(const char *name)
{
    if (!name || !*name || strlen(name) > 128)
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

/* "Module.Name": dots set the names of one plugin apart from another's. */
static bool valid_dotted_name(const char *name)
{
    char part[129];
    while (name && *name) {
        size_t length = strcspn(name, ".");
        if (length == 0 || length >= sizeof(part))
            return false;
        memcpy(part, name, length);
        part[length] = '\0';
        if (!valid_identifier(part))
            return false;
        if (name[length] == '\0')
            return true;
        name += length + 1;
    }
    return false;
}

void cook_register_module(struct cook_registrar *types, const char *module)
{
    if (!valid_identifier(module)) {
        FAULT(types, COOK_E_CONFIG, "'%s' is no module name", module ? module : "(null)");
        return;
    }
    types->module = cook_arena_strdup(&types->arena, module);
}

/* Add `name` to a table; COOK_INTERN_NONE with a fault when it is taken or not valid. */
static uint32_t add_name(struct cook_registrar *types, struct cook_intern *table, const char *name,
                         const char *what)
{
    if (cook_intern_find(table, name) != COOK_INTERN_NONE) {
        FAULT(types, COOK_E_CONFIG, "%s %s is registered twice", what, name);
        return COOK_INTERN_NONE;
    }
    uint32_t id = cook_intern_add(table, name);
    if (id == COOK_INTERN_NONE)
        FAULT(types, COOK_E_NO_MEMORY, "out of memory");
    return id;
}

void cook_register_class(struct cook_registrar *types, const struct cook_class *description)
{
    if (!description || !valid_identifier(description->name) || !types->module) {
        FAULT(types, COOK_E_CONFIG, "a class without a valid name, or before cook_register_module");
        return;
    }
    char *full = cook_arena_printf(&types->arena, "/Script/%s.%s", types->module,
                                   description->name);
    struct cook_class_info *info = cook_arena_alloc(&types->arena, sizeof(*info));
    if (!full || !info) {
        FAULT(types, COOK_E_NO_MEMORY, "out of memory");
        return;
    }
    uint32_t id = add_name(types, &types->class_names, full, "class");
    if (id == COOK_INTERN_NONE)
        return;
    *info = (struct cook_class_info){ .description = description,
                                      .name = full,
                                      .module = types->module,
                                      .project = types->project };
    if (!cook_grow(&types->classes, &types->class_capacity, id + 1, sizeof(*types->classes))) {
        FAULT(types, COOK_E_NO_MEMORY, "out of memory");
        return;
    }
    types->classes[id] = info;
}

void cook_register_struct(struct cook_registrar *types, const struct cook_struct *description)
{
    if (!description || !valid_identifier(description->name) || !description->size) {
        FAULT(types, COOK_E_CONFIG, "a struct without a valid name or size");
        return;
    }
    struct cook_struct_info *info = cook_arena_alloc(&types->arena, sizeof(*info));
    uint32_t id = info ? add_name(types, &types->struct_names, description->name, "struct")
                       : COOK_INTERN_NONE;
    if (id == COOK_INTERN_NONE)
        return;
    info->description = description;
    if (!cook_grow(&types->structs, &types->struct_capacity, id + 1, sizeof(*types->structs))) {
        FAULT(types, COOK_E_NO_MEMORY, "out of memory");
        return;
    }
    types->structs[id] = info;
}

void cook_register_enum(struct cook_registrar *types, const struct cook_enum *description)
{
    if (!description || !valid_identifier(description->name) || !description->entries) {
        FAULT(types, COOK_E_CONFIG, "an enum without a valid name or entries");
        return;
    }
    uint32_t id = add_name(types, &types->enum_names, description->name, "enum");
    if (id == COOK_INTERN_NONE)
        return;
    if (!cook_grow(&types->enums, &types->enum_capacity, id + 1, sizeof(*types->enums))) {
        FAULT(types, COOK_E_NO_MEMORY, "out of memory");
        return;
    }
    types->enums[id] = description;
}

void cook_register_reader(struct cook_registrar *types, const struct cook_reader *description)
{
    if (!description || !description->name || !description->extensions || !description->scan ||
        !description->load) {
        FAULT(types, COOK_E_CONFIG, "a reader without name, extensions, scan or load");
        return;
    }
    if (!cook_grow(&types->readers, &types->reader_capacity, types->reader_count + 1,
                   sizeof(*types->readers))) {
        FAULT(types, COOK_E_NO_MEMORY, "out of memory");
        return;
    }
    types->readers[types->reader_count++] = description;
}

void cook_register_function(struct cook_registrar *types, const struct cook_function *description)
{
    if (!description || !valid_dotted_name(description->name) || !description->evaluate) {
        FAULT(types, COOK_E_CONFIG, "a function without a valid name or evaluate");
        return;
    }
    uint32_t id = add_name(types, &types->function_names, description->name, "function");
    if (id == COOK_INTERN_NONE)
        return;
    if (!cook_grow(&types->functions, &types->function_capacity, id + 1,
                   sizeof(*types->functions))) {
        FAULT(types, COOK_E_NO_MEMORY, "out of memory");
        return;
    }
    types->functions[id] = description;
}

const struct cook_class_info *cook_types_class(const struct cook_registrar *types,
                                               const char *full_name)
{
    uint32_t id = cook_intern_find(&types->class_names, full_name);
    return id == COOK_INTERN_NONE ? NULL : types->classes[id];
}

const struct cook_struct_info *cook_types_struct(const struct cook_registrar *types,
                                                 const char *name)
{
    uint32_t id = name ? cook_intern_find(&types->struct_names, name) : COOK_INTERN_NONE;
    return id == COOK_INTERN_NONE ? NULL : types->structs[id];
}

const struct cook_enum *cook_types_enum(const struct cook_registrar *types, const char *name)
{
    uint32_t id = name ? cook_intern_find(&types->enum_names, name) : COOK_INTERN_NONE;
    return id == COOK_INTERN_NONE ? NULL : types->enums[id];
}

const struct cook_function *cook_types_function(const struct cook_registrar *types,
                                                const char *name)
{
    uint32_t id = name ? cook_intern_find(&types->function_names, name) : COOK_INTERN_NONE;
    return id == COOK_INTERN_NONE ? NULL : types->functions[id];
}

const struct cook_reader *cook_types_reader(const struct cook_registrar *types, const char *path)
{
    const char *extension = cook_path_extension(path);
    for (size_t i = 0; i < types->reader_count; i++)
        for (const char *const *e = types->readers[i]->extensions; *e; e++)
            if (strcasecmp(*e, extension) == 0)
                return types->readers[i];
    return NULL;
}

bool cook_class_is_a(const struct cook_class_info *info, const char *full_name)
{
    for (uint32_t i = 0; i < info->chain_count; i++)
        if (strcmp(info->chain[i]->name, full_name) == 0)
            return true;
    return false;
}

size_t cook_types_value_size(const struct cook_registrar *types, enum cook_property_type type,
                             const char *type_name)
{
    switch (type) {
    case COOK_PROPERTY_BOOL:
        return sizeof(bool);
    case COOK_PROPERTY_I8:
    case COOK_PROPERTY_U8:
        return 1;
    case COOK_PROPERTY_I16:
    case COOK_PROPERTY_U16:
        return 2;
    case COOK_PROPERTY_I32:
    case COOK_PROPERTY_U32:
    case COOK_PROPERTY_F32:
    case COOK_PROPERTY_ENUM:
        return 4;
    case COOK_PROPERTY_I64:
    case COOK_PROPERTY_U64:
    case COOK_PROPERTY_F64:
        return 8;
    case COOK_PROPERTY_STRING:
        return sizeof(struct cook_string);
    case COOK_PROPERTY_NAME:
        return sizeof(struct cook_name);
    case COOK_PROPERTY_BYTES:
        return sizeof(struct cook_bytes);
    case COOK_PROPERTY_REF:
        return sizeof(struct cook_ref);
    case COOK_PROPERTY_SOFT_REF:
        return sizeof(struct cook_soft_ref);
    case COOK_PROPERTY_ARRAY:
        return sizeof(struct cook_array);
    case COOK_PROPERTY_MAP:
        return sizeof(struct cook_map);
    case COOK_PROPERTY_STRUCT: {
        const struct cook_struct_info *info = cook_types_struct(types, type_name);
        return info ? info->description->size : 0;
    }
    case COOK_PROPERTY_UNKNOWN:
        break;
    }
    return 0;
}

const char *cook_enum_name(const struct cook_enum *description, int32_t value)
{
    for (const struct cook_enum_entry *e = description->entries; e->name; e++)
        if (e->value == value)
            return e->name;
    return NULL;
}

bool cook_enum_value(const struct cook_enum *description, const char *name, int32_t *value)
{
    for (const struct cook_enum_entry *e = description->entries; e->name; e++) {
        if (strcmp(e->name, name) == 0) {
            *value = e->value;
            return true;
        }
    }
    return false;
}

/* ---- artifacts ---- */

const struct cook_artifact *cook_types_artifact(const struct cook_registrar *types,
                                                const char *name)
{
    for (size_t i = 0; i < types->artifact_count; i++)
        if (strcmp(types->artifacts[i]->name, name) == 0)
            return types->artifacts[i];
    return NULL;
}

void cook_register_artifact(struct cook_registrar *types, const struct cook_artifact *description)
{
    if (!description || !valid_identifier(description->name)) {
        FAULT(types, COOK_E_CONFIG, "an artifact without a valid name");
        return;
    }
    if (!description->begin || !description->add || !description->remove || !description->finish) {
        FAULT(types, COOK_E_CONFIG, "artifact %s lacks a function", description->name);
        return;
    }
    if (cook_types_artifact(types, description->name)) {
        FAULT(types, COOK_E_CONFIG, "artifact %s is registered twice", description->name);
        return;
    }
    size_t needed = types->artifact_count + 1;
    if (!cook_grow(&types->artifacts, &types->artifact_capacity, needed,
                   sizeof(*types->artifacts)) ||
        !cook_grow(&types->artifact_is_project, &types->artifact_flag_capacity, needed,
                   sizeof(*types->artifact_is_project))) {
        FAULT(types, COOK_E_NO_MEMORY, "out of memory");
        return;
    }
    types->artifact_is_project[types->artifact_count] = types->project;
    types->artifacts[types->artifact_count++] = description;
}

/* ---- linking ---- */

static bool check_properties(struct cook_registrar *types, const char *owner,
                             const struct cook_property *properties, size_t owner_size)
{
    for (const struct cook_property *p = properties; p && p->name; p++) {
        bool container = p->type == COOK_PROPERTY_ARRAY || p->type == COOK_PROPERTY_MAP;
        enum cook_property_type leaf = container ? p->element : p->type;
        if (container && (leaf == COOK_PROPERTY_ARRAY || leaf == COOK_PROPERTY_MAP))
            leaf = COOK_PROPERTY_UNKNOWN;
        size_t size = cook_types_value_size(types, leaf, p->type_name);
        if (size == 0) {
            FAULT(types, COOK_E_CONFIG, "%s.%s: unknown type '%s'", owner, p->name,
                  p->type_name ? p->type_name : "");
            return false;
        }
        if (leaf == COOK_PROPERTY_ENUM && !cook_types_enum(types, p->type_name)) {
            FAULT(types, COOK_E_CONFIG, "%s.%s: unknown enum '%s'", owner, p->name,
                  p->type_name ? p->type_name : "");
            return false;
        }
        if (container)
            size = cook_types_value_size(types, p->type, NULL);
        if (p->offset > owner_size || size > owner_size - p->offset) {
            FAULT(types, COOK_E_CONFIG, "%s.%s lies outside its struct", owner, p->name);
            return false;
        }
    }
    return true;
}

/* Fill the chain by walking the parents; depth-limited, so a cycle is a fault and not a hang. */
static bool link_chain(struct cook_registrar *types, struct cook_class_info *info)
{
    const struct cook_class_info *reversed[COOK_CLASS_MAX_DEPTH];
    uint32_t count = 0;
    const struct cook_class_info *at = info;
    while (at) {
        if (count == COOK_CLASS_MAX_DEPTH) {
            FAULT(types, COOK_E_CONFIG, "class %s: parents nest too deeply", info->name);
            return false;
        }
        reversed[count++] = at;
        if (at->description == &root_class)
            break;
        const char *parent = at->description->parent;
        at = cook_types_class(types, parent ? parent : "/Script/Cook.Object");
        if (!at) {
            FAULT(types, COOK_E_CONFIG, "class %s: unknown parent %s", info->name, parent);
            return false;
        }
        if (at->description->size > reversed[count - 1]->description->size) {
            FAULT(types, COOK_E_CONFIG, "class %s is smaller than its parent %s", info->name,
                  at->name);
            return false;
        }
    }
    info->chain_count = count;
    for (uint32_t i = 0; i < count; i++)
        info->chain[i] = reversed[count - 1 - i];
    return true;
}

enum cook_status cook_types_link(struct cook_registrar *types, const struct cook_config *config,
                                 struct cook_error *error)
{
    for (size_t i = 0; types->error.status == COOK_OK && i < types->struct_names.count; i++)
        (void)check_properties(types, types->structs[i]->description->name,
                               types->structs[i]->description->properties,
                               types->structs[i]->description->size);
    for (size_t i = 0; types->error.status == COOK_OK && i < types->class_names.count; i++) {
        struct cook_class_info *info = types->classes[i];
        if (link_chain(types, info))
            (void)check_properties(types, info->name, info->description->properties,
                                   info->description->size);
    }
    for (size_t i = 0; i < types->function_names.count; i++)
        if (types->functions[i]->arguments_struct &&
            !cook_types_struct(types, types->functions[i]->arguments_struct))
            FAULT(types, COOK_E_CONFIG, "function %s: unknown struct '%s'",
                  types->functions[i]->name, types->functions[i]->arguments_struct);
    for (size_t i = 0; types->error.status == COOK_OK && i < types->class_names.count; i++)
        types->classes[i]->schema = cook_schema_of_class(types, types->classes[i], config);
    if (types->error.status == COOK_OK)
        return COOK_OK;
    if (error)
        *error = types->error;
    return types->error.status;
}
