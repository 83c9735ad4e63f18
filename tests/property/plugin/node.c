/* Node, and classes that add little but their names to it: what policies and versions see. */
#include "prop.h"

#include <string.h>

uint64_t prop_mix(uint64_t sum, uint64_t item)
{
    sum ^= item + UINT64_C(0x9e3779b97f4a7c15) + (sum << 6) + (sum >> 2);
    return sum * UINT64_C(0x100000001b3);
}

uint64_t prop_hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t sum = prop_mix(1, size);
    for (size_t i = 0; i < size; i++)
        sum = prop_mix(sum, at[i]);
    return sum;
}

static uint64_t worth(const void *object, bool raw)
{
    if (!object)
        return 7;
    if (cook_object_is_a(object, NODE_CLASS)) {
        const struct prop_node *node = object;
        return raw ? (uint64_t)(int64_t)node->value : node->derived;
    }
    if (cook_object_is_a(object, "/Script/Cook.Texture2D")) {
        const struct cook_texture2d *texture = object;
        return prop_hash(texture->source.data, texture->source.size);
    }
    return 13;
}

uint64_t prop_sum(struct cook_context *context, const struct cook_array *references, bool raw)
{
    const struct cook_ref *items = references->items;
    uint64_t sum = references->count;
    for (uint32_t i = 0; i < references->count; i++)
        sum = prop_mix(sum, worth(cook_dereference(context, items[i]), raw));
    return sum;
}

static bool fails(struct cook_context *context, const struct prop_node *self, const char *where)
{
    if (!self->fail.data || strcmp(self->fail.data, where) != 0)
        return false;
    cook_log(context, COOK_SEVERITY_ERROR, "asked to fail in %s", where);
    return true;
}

static enum cook_status node_post_load(struct cook_context *context, void *object)
{
    struct prop_node *self = object;
    if (fails(context, self, "load"))
        return COOK_E_FAILED;
    self->derived = prop_mix((uint64_t)(int64_t)self->value,
                             prop_hash(self->text.data, self->text.size));
    return COOK_OK;
}

static enum cook_status node_pre_save(struct cook_context *context, void *object)
{
    struct prop_node *self = object;
    if (fails(context, self, "save"))
        return COOK_E_FAILED;
    if (self->value % 5 == 0)
        cook_log(context, COOK_SEVERITY_WARNING, "value %d is a multiple of five", self->value);
    self->saved = self->derived;
    return COOK_OK;
}

static void node_serialize(struct cook_archive *archive, void *object)
{
    struct prop_node *self = object;
    uint32_t version = NODE_VERSION;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_u32(archive, "NodeVersion", &version);
    cook_field_u64(archive, "Derived", &self->derived);
    cook_field_u64(archive, "Saved", &self->saved);
}

static void node_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "prop.node", NODE_VERSION);
}

static const struct cook_property node_properties[] = {
    COOK_PROPERTY(struct prop_node, value, "Value", COOK_PROPERTY_I32),
    COOK_PROPERTY(struct prop_node, text, "Text", COOK_PROPERTY_STRING),
    COOK_PROPERTY_ARRAY_OF(struct prop_node, links, "Links", COOK_PROPERTY_REF, NULL),
    COOK_PROPERTY_ARRAY_OF(struct prop_node, softs, "Softs", COOK_PROPERTY_SOFT_REF, NULL),
    { "Editor", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct prop_node, editor),
      COOK_PROPERTY_EDITOR_ONLY, NULL, COOK_PROPERTY_REF },
    COOK_PROPERTY_FLAGGED(struct prop_node, fail, "Fail", COOK_PROPERTY_STRING,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};
static const struct cook_class node_class = {
    .name = "Node",
    .size = sizeof(struct prop_node),
    .properties = node_properties,
    .post_load = node_post_load,
    .pre_save = node_pre_save,
    .serialize = node_serialize,
    .append_to_class_schema = node_schema,
};

/* On the deny list: never skipped. */
static const struct cook_class denied_class = { .name = "Denied",
                                                .parent = NODE_CLASS,
                                                .size = sizeof(struct prop_node) };
/* In a module that is not on the allow list: never skipped either. */
static const struct cook_class loner_class = { .name = "Loner",
                                               .parent = NODE_CLASS,
                                               .size = sizeof(struct prop_node) };
/* Not in every variant of the plugin: its packages fail in the others. */
static const struct cook_class extra_class = { .name = "Extra",
                                               .parent = NODE_CLASS,
                                               .size = sizeof(struct prop_node) };

/* ---- Holder: a class that embeds a struct, whose version enters the class's schema ---- */

struct prop_holder {
    struct prop_node node;
    struct prop_part part;
};

static void part_serialize(struct cook_archive *archive, void *value)
{
    uint32_t version = PART_VERSION;
    (void)value;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_u32(archive, "PartVersion", &version);
}

static void part_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "prop.part", PART_VERSION);
}

static const struct cook_property part_properties[] = {
    COOK_PROPERTY(struct prop_part, weight, "Weight", COOK_PROPERTY_I32),
    COOK_PROPERTY_END,
};
static const struct cook_struct part_struct = {
    .name = "PropPart",
    .size = sizeof(struct prop_part),
    .properties = part_properties,
    .serialize = part_serialize,
    .append_to_class_schema = part_schema,
};
static const struct cook_property holder_properties[] = {
    COOK_PROPERTY_TYPED(struct prop_holder, part, "Part", COOK_PROPERTY_STRUCT, "PropPart"),
    COOK_PROPERTY_END,
};
static const struct cook_class holder_class = { .name = "Holder",
                                                .parent = NODE_CLASS,
                                                .size = sizeof(struct prop_holder),
                                                .properties = holder_properties };

void prop_register_nodes(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &node_class);
    cook_register_class(registrar, &denied_class);
    cook_register_struct(registrar, &part_struct);
    cook_register_class(registrar, &holder_class);
#ifndef WITHOUT_EXTRA
    cook_register_class(registrar, &extra_class);
#else
    (void)extra_class;
#endif
}

void prop_register_stray(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Stray");
    cook_register_class(registrar, &loner_class);
}
