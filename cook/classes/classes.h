/*
 * The standard classes: Texture2D, StaticMesh, Material, Shader, World and DataTable, in the
 * module "Cook". They are written against the public SDK like any plugin's classes, and are
 * linked into the worker program alone. Reentrant; nothing is kept but constant tables.
 */
#ifndef COOK_CLASSES_CLASSES_H
#define COOK_CLASSES_CLASSES_H

#include <cook/cook.h>

/*
 * Register the module "Cook": the standard classes (Object itself is the core's), their structs
 * and enums. Always COOK_OK: faults are collected by the registrar.
 */
enum cook_status cook_standard_classes_register(struct cook_registrar *registrar);

/* One class each; called by the above, in any order. */
void cook_value_structs_register(struct cook_registrar *registrar); /* Vec2, Vec3, Vec4 */
void cook_texture2d_register(struct cook_registrar *registrar);
void cook_static_mesh_register(struct cook_registrar *registrar);
void cook_material_register(struct cook_registrar *registrar);
void cook_shader_register(struct cook_registrar *registrar);
void cook_world_register(struct cook_registrar *registrar);
void cook_data_table_register(struct cook_registrar *registrar);

#endif
