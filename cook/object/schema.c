#include "cook/object/schema.h"

#include <string.h>

struct cook_schema {
    struct cook_hasher hasher;
    struct cook_registrar *types;
    const struct cook_config *config;
    struct cook_intern *classes; /* that entered the schema: a class may lead back to itself */
};

static struct cook_hash hash_struct(struct cook_schema *schema, const char *name);

/* A zeroed value to construct defaults in; NULL is a fault of the registration, since a schema
 * without its defaults would look like another class. */
static void *make_value(struct cook_registrar *types, size_t size)
{
    void *value = cook_calloc(1, size);
    if (!value && types->error.status == COOK_OK)
        (void)cook_error_set(&types->error, COOK_E_NO_MEMORY, "out of memory");
    return value;
}

void cook_schema_add_u64(struct cook_schema *schema, const char *label, uint64_t value)
{
    cook_hasher_update_string(&schema->hasher, label);
    cook_hasher_update_u64(&schema->hasher, value);
}

void cook_schema_add_string(struct cook_schema *schema, const char *label, const char *text)
{
    cook_hasher_update_string(&schema->hasher, label);
    cook_hasher_update_string(&schema->hasher, text ? text : "");
}

void cook_schema_add_version(struct cook_schema *schema, const char *guid, uint32_t version)
{
    cook_schema_add_u64(schema, guid, version);
}

static void add_hash(struct cook_schema *schema, const char *label, struct cook_hash hash)
{
    cook_schema_add_u64(schema, label, hash.high);
    cook_hasher_update_u64(&schema->hasher, hash.low);
}

void cook_schema_add_config(struct cook_schema *schema, const char *section, const char *key)
{
    cook_hasher_update_string(&schema->hasher, section);
    add_hash(schema, key, cook_config_hash(schema->config, section, key));
}

static void add_enum(struct cook_schema *schema, const char *name)
{
    const struct cook_enum *description = cook_types_enum(schema->types, name);
    for (const struct cook_enum_entry *e = description->entries; e->name; e++)
        cook_schema_add_u64(schema, e->name, (uint64_t)e->value);
}

static void add_properties(struct cook_schema *schema, const struct cook_property *properties)
{
    for (const struct cook_property *p = properties; p && p->name; p++) {
        cook_schema_add_string(schema, "property", p->name);
        cook_schema_add_u64(schema, "type", (uint64_t)p->type);
        cook_schema_add_u64(schema, "element", (uint64_t)p->element);
        cook_schema_add_u64(schema, "flags", p->flags);
        cook_schema_add_string(schema, "type name", p->type_name);
        if (p->type == COOK_PROPERTY_STRUCT || p->element == COOK_PROPERTY_STRUCT)
            add_hash(schema, "struct", hash_struct(schema, p->type_name));
        if (p->type == COOK_PROPERTY_ENUM || p->element == COOK_PROPERTY_ENUM)
            add_enum(schema, p->type_name);
    }
}

/* Default values. Containers and texts are empty by contract unless construct points them at
 * constants, so lengths and text are enough. */
static void add_default_value(struct cook_schema *schema, const struct cook_property *p,
                              enum cook_property_type type, const void *value)
{
    if (type == COOK_PROPERTY_STRING) {
        const struct cook_string *text = value;
        cook_schema_add_string(schema, p->name, text->data);
    } else if (type == COOK_PROPERTY_NAME || type == COOK_PROPERTY_REF ||
               type == COOK_PROPERTY_SOFT_REF) {
        const struct cook_name *text = value; /* the three are one pointer each */
        cook_schema_add_string(schema, p->name, text->text);
    } else if (type == COOK_PROPERTY_STRUCT) {
        const struct cook_struct_info *info = cook_types_struct(schema->types, p->type_name);
        for (const struct cook_property *q = info->description->properties; q && q->name; q++)
            add_default_value(schema, q, q->type, (const char *)value + q->offset);
    } else if (type == COOK_PROPERTY_ARRAY || type == COOK_PROPERTY_MAP ||
               type == COOK_PROPERTY_BYTES) {
        cook_schema_add_string(schema, p->name, "container");
    } else {
        struct cook_hash hash =
            cook_hash_bytes(value, cook_types_value_size(schema->types, type, p->type_name));
        add_hash(schema, p->name, hash);
    }
}

static struct cook_hash hash_struct(struct cook_schema *outer, const char *name)
{
    uint32_t id = cook_intern_find(&outer->types->struct_names, name);
    struct cook_struct_info *info = outer->types->structs[id];
    if (info->hashed || info->hashing)
        return info->schema;
    info->hashing = true;
    struct cook_intern classes = { 0 };
    struct cook_schema schema = { .types = outer->types,
                                  .config = outer->config,
                                  .classes = &classes };
    cook_hasher_init(&schema.hasher);
    cook_schema_add_string(&schema, "struct", info->description->name);
    cook_schema_add_u64(&schema, "serialize", info->description->serialize != NULL);
    add_properties(&schema, info->description->properties);
    void *value = make_value(outer->types, info->description->size);
    if (value && info->description->construct)
        info->description->construct(value);
    for (const struct cook_property *p = info->description->properties; value && p && p->name; p++)
        add_default_value(&schema, p, p->type, (char *)value + p->offset);
    cook_free(value);
    if (info->description->declare_custom_versions)
        info->description->declare_custom_versions(&schema);
    if (info->description->append_to_class_schema)
        info->description->append_to_class_schema(&schema);
    cook_intern_finish(&classes);
    info->schema = cook_hasher_digest(&schema.hasher);
    info->hashed = true;
    info->hashing = false;
    return info->schema;
}

static struct cook_hash hash_class(struct cook_registrar *types,
                                   const struct cook_class_info *info,
                                   const struct cook_config *config, struct cook_intern *classes)
{
    struct cook_schema schema = { .types = types, .config = config, .classes = classes };
    cook_hasher_init(&schema.hasher);
    void *defaults = make_value(types, info->description->size);
    for (uint32_t i = 0; i < info->chain_count; i++) {
        const struct cook_class *c = info->chain[i]->description;
        cook_schema_add_string(&schema, "class", info->chain[i]->name);
        cook_schema_add_u64(&schema, "serialize", c->serialize != NULL);
        add_properties(&schema, c->properties);
        if (defaults && c->construct)
            c->construct(defaults);
    }
    for (uint32_t i = 0; defaults && i < info->chain_count; i++) {
        const struct cook_class *c = info->chain[i]->description;
        for (const struct cook_property *p = c->properties; p && p->name; p++)
            add_default_value(&schema, p, p->type, (char *)defaults + p->offset);
        if (c->declare_custom_versions)
            c->declare_custom_versions(&schema);
        if (c->declare_construct_classes)
            c->declare_construct_classes(&schema);
        if (c->append_to_class_schema)
            c->append_to_class_schema(&schema);
    }
    if (defaults)
        for (uint32_t i = info->chain_count; i-- > 0;)
            if (info->chain[i]->description->destruct)
                info->chain[i]->description->destruct(defaults);
    cook_free(defaults);
    return cook_hasher_digest(&schema.hasher);
}

void cook_schema_add_class(struct cook_schema *schema, const char *class_name)
{
    const struct cook_class_info *info = cook_types_class(schema->types, class_name);
    cook_hasher_update_string(&schema->hasher, class_name);
    if (!info) {
        cook_schema_add_u64(schema, "schema", 0);
        return;
    }
    if (cook_intern_find(schema->classes, class_name) != COOK_INTERN_NONE ||
        cook_intern_add(schema->classes, class_name) == COOK_INTERN_NONE)
        return;
    add_hash(schema, "schema", hash_class(schema->types, info, schema->config, schema->classes));
}

struct cook_hash cook_schema_of_class(struct cook_registrar *types,
                                      const struct cook_class_info *info,
                                      const struct cook_config *config)
{
    struct cook_intern classes = { 0 };
    (void)cook_intern_add(&classes, info->name);
    struct cook_hash hash = hash_class(types, info, config, &classes);
    cook_intern_finish(&classes);
    return hash;
}

struct cook_hash cook_schema_of_function(struct cook_registrar *types,
                                         const struct cook_function *function,
                                         const void *arguments, const struct cook_config *config)
{
    struct cook_intern classes = { 0 };
    struct cook_schema schema = { .types = types, .config = config, .classes = &classes };
    cook_hasher_init(&schema.hasher);
    cook_schema_add_string(&schema, "function", function->name);
    function->evaluate(&schema, arguments);
    cook_intern_finish(&classes);
    return cook_hasher_digest(&schema.hasher);
}

struct cook_hash cook_schema_of_artifact(struct cook_registrar *types,
                                         const struct cook_artifact *artifact,
                                         const struct cook_config *config)
{
    struct cook_schema schema = { .types = types, .config = config };
    cook_hasher_init(&schema.hasher);
    cook_schema_add_u64(&schema, artifact->name, artifact->version);
    if (artifact->append_to_schema)
        artifact->append_to_schema(&schema);
    return cook_hasher_digest(&schema.hasher);
}
