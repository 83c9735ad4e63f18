#include "cook/classes/mesh.h"

#include <math.h>

static bool coordinate_is_fine(float value)
{
    return fabsf(value) <= COOK_MESH_MAX_COORDINATE; /* false for NaN too */
}

static enum cook_status check_sections(const struct cook_mesh_source *source,
                                       struct cook_error *error)
{
    uint64_t total = 0;

    if (source->section_count > COOK_MESH_MAX_SECTIONS)
        return cook_error_set(error, COOK_E_LIMIT,
                              "mesh has %u sections, at most %u can be cooked",
                              source->section_count, COOK_MESH_MAX_SECTIONS);
    for (uint32_t i = 0; i < source->section_count; i++) {
        const struct cook_mesh_section *section = &source->sections[i];
        if (section->first_index % 3 != 0 || section->index_count % 3 != 0)
            return cook_error_set(error, COOK_E_MALFORMED,
                                  "section %u does not hold whole triangles", i);
        if ((uint64_t)section->first_index + section->index_count > source->index_count)
            return cook_error_set(error, COOK_E_MALFORMED, "section %u passes the last index",
                                  i);
        total += section->index_count;
    }
    if (total > source->index_count)
        return cook_error_set(error, COOK_E_MALFORMED, "sections overlap");
    return COOK_OK;
}

enum cook_status cook_mesh_check(const struct cook_mesh_source *source,
                                 struct cook_error *error)
{
    if (source->vertex_count > COOK_MESH_MAX_VERTICES)
        return cook_error_set(error, COOK_E_LIMIT,
                              "mesh has %u vertices, at most %u can be cooked",
                              source->vertex_count, COOK_MESH_MAX_VERTICES);
    if (source->index_count > COOK_MESH_MAX_INDICES)
        return cook_error_set(error, COOK_E_LIMIT,
                              "mesh has %u indices, at most %u can be cooked",
                              source->index_count, COOK_MESH_MAX_INDICES);
    if (source->index_count % 3 != 0)
        return cook_error_set(error, COOK_E_MALFORMED, "%u indices are no whole triangles",
                              source->index_count);
    for (uint32_t i = 0; i < source->index_count; i++) {
        if (source->indices[i] >= source->vertex_count)
            return cook_error_set(error, COOK_E_MALFORMED,
                                  "index %u names vertex %u, the mesh has %u", i,
                                  source->indices[i], source->vertex_count);
    }
    for (uint32_t i = 0; i < source->vertex_count; i++) {
        struct cook_vec3 position = source->vertices[i].position;
        if (!coordinate_is_fine(position.x) || !coordinate_is_fine(position.y) ||
            !coordinate_is_fine(position.z))
            return cook_error_set(error, COOK_E_MALFORMED,
                                  "vertex %u is not at a finite place within 1e15", i);
    }
    return check_sections(source, error);
}

void cook_mesh_bounds(struct cook_vec3 *min, struct cook_vec3 *max,
                      const struct cook_mesh_vertex *vertices, uint32_t vertex_count)
{
    *min = *max = vertex_count != 0 ? vertices[0].position : (struct cook_vec3){ 0 };
    for (uint32_t i = 1; i < vertex_count; i++) {
        struct cook_vec3 at = vertices[i].position;
        min->x = at.x < min->x ? at.x : min->x;
        min->y = at.y < min->y ? at.y : min->y;
        min->z = at.z < min->z ? at.z : min->z;
        max->x = at.x > max->x ? at.x : max->x;
        max->y = at.y > max->y ? at.y : max->y;
        max->z = at.z > max->z ? at.z : max->z;
    }
}

/* Twice the triangle's area times its normal; scaled so that huge meshes stay within range. */
static struct cook_vec3 face_normal(struct cook_vec3 a, struct cook_vec3 b, struct cook_vec3 c)
{
    struct cook_vec3 u = { b.x - a.x, b.y - a.y, b.z - a.z };
    struct cook_vec3 v = { c.x - a.x, c.y - a.y, c.z - a.z };

    return (struct cook_vec3){ u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z,
                               u.x * v.y - u.y * v.x };
}

void cook_mesh_generate_normals(struct cook_mesh_vertex *vertices, uint32_t vertex_count,
                                const uint32_t *indices, uint32_t index_count)
{
    for (uint32_t i = 0; i < vertex_count; i++)
        vertices[i].normal = (struct cook_vec3){ 0 };
    for (uint32_t i = 0; i < index_count; i += 3) {
        struct cook_vec3 face =
            face_normal(vertices[indices[i]].position, vertices[indices[i + 1]].position,
                        vertices[indices[i + 2]].position);
        for (uint32_t corner = 0; corner < 3; corner++) {
            struct cook_vec3 *normal = &vertices[indices[i + corner]].normal;
            normal->x += face.x;
            normal->y += face.y;
            normal->z += face.z;
        }
    }
    for (uint32_t i = 0; i < vertex_count; i++) {
        struct cook_vec3 *normal = &vertices[i].normal;
        double x = (double)normal->x, y = (double)normal->y, z = (double)normal->z;
        double length = sqrt(x * x + y * y + z * z);
        if (length > 0.0)
            *normal = (struct cook_vec3){ (float)(x / length), (float)(y / length),
                                          (float)(z / length) };
        else
            *normal = (struct cook_vec3){ 0.0f, 0.0f, 1.0f };
    }
}
