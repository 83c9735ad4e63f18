#include "cook/classes/classes.h"

enum cook_status cook_standard_classes_register(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Cook");
    cook_value_structs_register(registrar);
    cook_texture2d_register(registrar);
    cook_static_mesh_register(registrar);
    cook_material_register(registrar);
    cook_shader_register(registrar);
    cook_world_register(registrar);
    cook_data_table_register(registrar);
    return COOK_OK;
}
