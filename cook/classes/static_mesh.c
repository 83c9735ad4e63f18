#include "cook/classes/classes.h"
#include "cook/classes/mesh.h"

/* Bump when the cooked form, or what the transform makes of the same source, changes. */
#define STATIC_MESH_VERSION 1u

static const struct cook_property section_properties[] = {
    COOK_PROPERTY(struct cook_mesh_section, material, "Material", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct cook_mesh_section, first_index, "FirstIndex", COOK_PROPERTY_U32),
    COOK_PROPERTY(struct cook_mesh_section, index_count, "IndexCount", COOK_PROPERTY_U32),
    COOK_PROPERTY_END,
};
static const struct cook_struct section_struct = {
    .name = "MeshSection",
    .size = sizeof(struct cook_mesh_section),
    .properties = section_properties,
};

/* Sections are written with the ranges of each LOD, so `serialize` saves them. */
static const struct cook_property static_mesh_properties[] = {
    { "Sections", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct cook_static_mesh, sections),
      COOK_PROPERTY_NATIVE, "MeshSection", COOK_PROPERTY_STRUCT },
    COOK_PROPERTY_FLAGGED(struct cook_static_mesh, lod_ratio, "LodRatio", COOK_PROPERTY_F32,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};

static void static_mesh_construct(void *object)
{
    struct cook_static_mesh *self = object;
    self->lod_ratio = 0.5f;
}

static struct cook_mesh_source static_mesh_source(const struct cook_static_mesh *self)
{
    return (struct cook_mesh_source){
        .vertices = self->vertices,
        .vertex_count = self->vertex_count,
        .indices = self->indices,
        .index_count = self->index_count,
        .sections = self->sections.items,
        .section_count = self->sections.count,
        .has_normals = self->has_normals,
        .has_tangents = self->has_tangents,
        .has_uvs = self->has_uvs,
        .has_colors = self->has_colors,
        .lod_ratio = self->lod_ratio,
        .bounds_min = self->bounds_min,
        .bounds_max = self->bounds_max,
    };
}

static enum cook_status report(struct cook_context *context, const void *object,
                               enum cook_status status, const struct cook_error *error)
{
    if (status != COOK_OK)
        cook_log(context, COOK_SEVERITY_ERROR, "%s: %s", cook_object_inner_path(object),
                 error->message);
    return status;
}

/* Bounds are known after load, so that a world that dereferences the mesh has them. */
static enum cook_status static_mesh_post_load(struct cook_context *context, void *object)
{
    struct cook_static_mesh *self = object;
    struct cook_mesh_source source = static_mesh_source(self);
    struct cook_error error = COOK_ERROR_INIT;

    enum cook_status status = cook_mesh_check(&source, &error);
    if (status != COOK_OK)
        return report(context, object, status, &error);
    cook_mesh_bounds(&self->bounds_min, &self->bounds_max, self->vertices, self->vertex_count);
    return COOK_OK;
}

static enum cook_status static_mesh_transform(struct cook_context *context, void *object)
{
    struct cook_static_mesh *self = object;
    struct cook_mesh_source source = static_mesh_source(self);
    struct cook_mesh_build *build = NULL;
    struct cook_error error = COOK_ERROR_INIT;

    enum cook_status status = cook_mesh_build_create(&build, &source, &error);
    self->derived = build;
    return report(context, object, status, &error);
}

static enum cook_status static_mesh_begin_cache(struct cook_context *context, void *object)
{
    const struct cook_static_mesh *self = object;

    if (self->index_count == 0)
        cook_log(context, COOK_SEVERITY_WARNING, "%s: the mesh has no triangles",
                 cook_object_inner_path(object));
    return cook_async_run(context, static_mesh_transform, object);
}

static void static_mesh_clear_cached(struct cook_context *context, void *object)
{
    struct cook_static_mesh *self = object;

    (void)context;
    cook_mesh_build_destroy(self->derived);
    self->derived = NULL;
}

static void write_lod(struct cook_archive *archive, const struct cook_static_mesh *self,
                      const struct cook_mesh_build *build, const struct cook_mesh_lod *lod)
{
    const struct cook_mesh_section *sections = self->sections.items;
    uint32_t section_count = build->section_count;
    uint32_t index_count = lod->index_count;

    cook_field_array(archive, "Sections", &section_count);
    for (uint32_t i = 0; i < section_count; i++) {
        struct cook_ref material = { i < self->sections.count ? sections[i].material.path
                                                              : NULL };
        struct cook_mesh_range range = lod->ranges[i];
        cook_field_element(archive, i);
        cook_field_ref(archive, "Material", &material);
        cook_field_u32(archive, "FirstIndex", &range.first_index);
        cook_field_u32(archive, "IndexCount", &range.index_count);
    }
    cook_field_array_end(archive);
    cook_field_u32(archive, "IndexCount", &index_count);
    cook_write_bulk(archive, "Indices", lod->index_bytes,
                    (size_t)index_count * build->index_stride_bytes);
}

static void static_mesh_serialize(struct cook_archive *archive, void *object)
{
    static const struct cook_mesh_build empty = { .vertex_stride_bytes = 12,
                                                  .index_stride_bytes = 2 };
    struct cook_static_mesh *self = object;

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    /* Without a transform (the class's default object) an empty mesh is written. */
    struct cook_mesh_build build =
        self->derived != NULL ? *(const struct cook_mesh_build *)self->derived : empty;
    uint32_t lod_count = build.lod_count;
    cook_field_struct(archive, "BoundsMin", "Vec3", &self->bounds_min);
    cook_field_struct(archive, "BoundsMax", "Vec3", &self->bounds_max);
    cook_field_u32(archive, "VertexCount", &build.vertex_count);
    cook_field_u32(archive, "VertexStride", &build.vertex_stride_bytes);
    cook_field_u32(archive, "VertexAttributes", &build.attributes);
    cook_field_u32(archive, "IndexStride", &build.index_stride_bytes);
    cook_write_bulk(archive, "Vertices", build.vertex_bytes,
                    (size_t)build.vertex_count * build.vertex_stride_bytes);
    cook_field_array(archive, "Lods", &lod_count);
    for (uint32_t i = 0; i < build.lod_count; i++) {
        cook_field_element(archive, i);
        write_lod(archive, self, &build, &build.lods[i]);
    }
    cook_field_array_end(archive);
}

static void static_mesh_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "Cook.StaticMesh", STATIC_MESH_VERSION);
    cook_schema_add_u64(schema, "meshoptimizer", cook_mesh_library_version());
}

static const struct cook_class static_mesh_class = {
    .name = "StaticMesh",
    .size = sizeof(struct cook_static_mesh),
    .properties = static_mesh_properties,
    .construct = static_mesh_construct,
    .post_load = static_mesh_post_load,
    .begin_cache = static_mesh_begin_cache,
    .clear_cached = static_mesh_clear_cached,
    .serialize = static_mesh_serialize,
    .append_to_class_schema = static_mesh_append_to_class_schema,
};

void cook_static_mesh_register(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &section_struct);
    cook_register_class(registrar, &static_mesh_class);
}
