#include <inttypes.h>

#include <cook/standard.h>

#include "cook/reader/gltf_geometry.h"
#include "cook/reader/gltf_load.h"

static void *package_array(const struct cook_gltf_load *load, uint32_t count, size_t size)
{
    /* One byte for none, so that NULL means that memory is short. */
    return count > 0 ? cook_alloc_array(load->context, count, size)
                     : cook_alloc(load->context, 1);
}

static enum cook_status set_sections(const struct cook_gltf_load *load,
                                     struct cook_static_mesh *out,
                                     const struct cook_gltf_section *sections, uint32_t count)
{
    struct cook_mesh_section *items = package_array(load, count, sizeof(*items));
    if (items == NULL) {
        return COOK_E_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t material = sections[i].material;
        const char *name =
            material != COOK_GLTF_NONE ? load->doc->materials[material].object_name : NULL;
        items[i].material = cook_gltf_inner_ref(load, name);
        items[i].first_index = sections[i].first_index;
        items[i].index_count = sections[i].index_count;
        if (name != NULL && items[i].material.path == NULL) {
            return COOK_E_NO_MEMORY;
        }
    }
    out->sections = (struct cook_array){ items, count, count };
    return COOK_OK;
}

static void set_geometry(struct cook_static_mesh *out, const struct cook_gltf_mesh *mesh,
                         const struct cook_gltf_geometry *geometry)
{
    out->vertices = geometry->vertices;
    out->vertex_count = mesh->vertex_count;
    out->indices = geometry->indices;
    out->index_count = mesh->index_count;
    out->has_normals = geometry->has_normals;
    out->has_tangents = geometry->has_tangents;
    out->has_uvs = geometry->has_uvs;
    out->has_colors = geometry->has_colors;
    out->bounds_min = geometry->bounds_min;
    out->bounds_max = geometry->bounds_max;
}

enum cook_status cook_gltf_load_mesh(const struct cook_gltf_load *load,
                                     const struct cook_gltf_object *object)
{
    const struct cook_gltf_mesh *mesh = &load->doc->meshes[object->index];
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_gltf_geometry geometry = {
        .vertices = package_array(load, mesh->vertex_count, sizeof(*geometry.vertices)),
        .indices = package_array(load, mesh->index_count, sizeof(*geometry.indices)),
        .sections = cook_arena_alloc(load->arena, ((size_t)mesh->primitive_count + 1) *
                                                      sizeof(*geometry.sections)),
    };
    struct cook_static_mesh *out =
        cook_load_object(load->loader, object->class_name, object->name, NULL);
    if (out == NULL) {
        return COOK_E_FAILED;
    }
    if (geometry.vertices == NULL || geometry.indices == NULL || geometry.sections == NULL) {
        return COOK_E_NO_MEMORY;
    }
    enum cook_status status = cook_gltf_fill_geometry(&geometry, load->doc, mesh, &error);
    if (status != COOK_OK) {
        cook_error_prefix(&error, "mesh %" PRIu32, object->index);
        return cook_gltf_load_fault(load, 0, status, &error);
    }
    if (mesh->skipped_count > 0) {
        cook_log(load->context, COOK_SEVERITY_INFO,
                 "%s: mesh %" PRIu32 ": %" PRIu32 " primitives without triangles are left out",
                 load->source->path, object->index, mesh->skipped_count);
    }
    set_geometry(out, mesh, &geometry);
    return set_sections(load, out, geometry.sections, mesh->primitive_count);
}
