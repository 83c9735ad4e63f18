#include "cook/classes/classes.h"

static const struct cook_property vec2_properties[] = {
    COOK_PROPERTY(struct cook_vec2, x, "X", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct cook_vec2, y, "Y", COOK_PROPERTY_F32),
    COOK_PROPERTY_END,
};
static const struct cook_struct vec2_struct = {
    .name = "Vec2",
    .size = sizeof(struct cook_vec2),
    .properties = vec2_properties,
};

static const struct cook_property vec3_properties[] = {
    COOK_PROPERTY(struct cook_vec3, x, "X", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct cook_vec3, y, "Y", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct cook_vec3, z, "Z", COOK_PROPERTY_F32),
    COOK_PROPERTY_END,
};
static const struct cook_struct vec3_struct = {
    .name = "Vec3",
    .size = sizeof(struct cook_vec3),
    .properties = vec3_properties,
};

static const struct cook_property vec4_properties[] = {
    COOK_PROPERTY(struct cook_vec4, x, "X", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct cook_vec4, y, "Y", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct cook_vec4, z, "Z", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct cook_vec4, w, "W", COOK_PROPERTY_F32),
    COOK_PROPERTY_END,
};
static const struct cook_struct vec4_struct = {
    .name = "Vec4",
    .size = sizeof(struct cook_vec4),
    .properties = vec4_properties,
};

void cook_value_structs_register(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &vec2_struct);
    cook_register_struct(registrar, &vec3_struct);
    cook_register_struct(registrar, &vec4_struct);
}
