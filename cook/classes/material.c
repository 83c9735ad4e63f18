#include "cook/classes/classes.h"

/* Bump when the cooked form changes. */
#define MATERIAL_VERSION 1u

static const struct cook_enum_entry blend_entries[] = {
    { "Opaque", 0 },
    { "Mask", 1 },
    { "Blend", 2 },
    { NULL, 0 },
};
static const struct cook_enum blend_enum = { "MaterialBlend", blend_entries };

static const struct cook_property texture_slot_properties[] = {
    COOK_PROPERTY(struct cook_material_texture, slot, "Slot", COOK_PROPERTY_NAME),
    COOK_PROPERTY(struct cook_material_texture, texture, "Texture", COOK_PROPERTY_REF),
    COOK_PROPERTY_END,
};
static const struct cook_struct texture_slot_struct = {
    .name = "MaterialTexture",
    .size = sizeof(struct cook_material_texture),
    .properties = texture_slot_properties,
};

static const struct cook_property material_properties[] = {
    COOK_PROPERTY(struct cook_material, shader, "Shader", COOK_PROPERTY_REF),
    COOK_PROPERTY_ARRAY_OF(struct cook_material, textures, "Textures", COOK_PROPERTY_STRUCT,
                           "MaterialTexture"),
    COOK_PROPERTY_TYPED(struct cook_material, base_color, "BaseColor", COOK_PROPERTY_STRUCT,
                        "Vec4"),
    COOK_PROPERTY_TYPED(struct cook_material, emissive, "Emissive", COOK_PROPERTY_STRUCT,
                        "Vec3"),
    COOK_PROPERTY(struct cook_material, metallic, "Metallic", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct cook_material, roughness, "Roughness", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct cook_material, alpha_cutoff, "AlphaCutoff", COOK_PROPERTY_F32),
    COOK_PROPERTY_TYPED(struct cook_material, blend, "Blend", COOK_PROPERTY_ENUM,
                        "MaterialBlend"),
    COOK_PROPERTY(struct cook_material, two_sided, "TwoSided", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_END,
};

static void material_construct(void *object)
{
    struct cook_material *self = object;
    self->base_color = (struct cook_vec4){ 1.0f, 1.0f, 1.0f, 1.0f };
    self->metallic = 1.0f;
    self->roughness = 1.0f;
    self->alpha_cutoff = 0.5f;
}

static void material_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "Cook.Material", MATERIAL_VERSION);
}

/* Textures and shader stay references: a changed texture does not change the material's bytes.
 */
static const struct cook_class material_class = {
    .name = "Material",
    .size = sizeof(struct cook_material),
    .properties = material_properties,
    .construct = material_construct,
    .append_to_class_schema = material_append_to_class_schema,
};

void cook_material_register(struct cook_registrar *registrar)
{
    cook_register_enum(registrar, &blend_enum);
    cook_register_struct(registrar, &texture_slot_struct);
    cook_register_class(registrar, &material_class);
}
