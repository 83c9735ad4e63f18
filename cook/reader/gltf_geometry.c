#include "cook/reader/gltf_geometry.h"

#include <inttypes.h>
#include <string.h>

#include "cook/reader/gltf_accessor.h"

enum {
    MODE_TRIANGLES = 4,
    MODE_STRIP = 5,
    MODE_FAN = 6,
};

/* What filling one primitive needs; the arena holds its decoded accessors and is emptied after.
 */
struct filler {
    const struct cook_gltf *doc;
    const struct cook_gltf_primitive *primitive;
    struct cook_mesh_vertex *vertices; /* of this primitive */
    uint32_t vertex_count;
    struct cook_arena *arena;
    struct cook_error *error;
};

/* Decode an optional attribute; `*values` stays NULL when the primitive has none. */
static enum cook_status read_attribute(float **values, uint32_t accessor, struct filler *filler)
{
    *values = NULL;
    if (accessor == COOK_GLTF_NONE) {
        return COOK_OK;
    }
    return cook_gltf_read_floats(values, filler->doc, accessor, filler->arena, filler->error);
}

static enum cook_status fill_positions(struct filler *filler)
{
    float *values;
    enum cook_status status = read_attribute(&values, filler->primitive->position, filler);
    for (uint32_t i = 0; status == COOK_OK && i < filler->vertex_count; i++) {
        const float *at = values + (size_t)i * 3;
        filler->vertices[i].position = (struct cook_vec3){ at[0], at[1], at[2] };
    }
    return status;
}

static enum cook_status fill_normals(struct filler *filler)
{
    float *values;
    enum cook_status status = read_attribute(&values, filler->primitive->normal, filler);
    for (uint32_t i = 0; status == COOK_OK && values != NULL && i < filler->vertex_count; i++) {
        const float *at = values + (size_t)i * 3;
        filler->vertices[i].normal = (struct cook_vec3){ at[0], at[1], at[2] };
    }
    return status;
}

static enum cook_status fill_tangents(struct filler *filler)
{
    float *values;
    enum cook_status status = read_attribute(&values, filler->primitive->tangent, filler);
    for (uint32_t i = 0; status == COOK_OK && values != NULL && i < filler->vertex_count; i++) {
        const float *at = values + (size_t)i * 4;
        filler->vertices[i].tangent = (struct cook_vec4){ at[0], at[1], at[2], at[3] };
    }
    return status;
}

static enum cook_status fill_uvs(struct filler *filler)
{
    float *values;
    enum cook_status status = read_attribute(&values, filler->primitive->uv, filler);
    for (uint32_t i = 0; status == COOK_OK && values != NULL && i < filler->vertex_count; i++) {
        const float *at = values + (size_t)i * 2;
        filler->vertices[i].uv = (struct cook_vec2){ at[0], at[1] };
    }
    return status;
}

static uint8_t color_byte(float value)
{
    if (value <= 0.0f) {
        return 0;
    }
    return value >= 1.0f ? 255 : (uint8_t)(value * 255.0f + 0.5f);
}

static enum cook_status fill_colors(struct filler *filler)
{
    float *values;
    uint32_t accessor = filler->primitive->color;
    enum cook_status status = read_attribute(&values, accessor, filler);
    for (uint32_t i = 0; status == COOK_OK && i < filler->vertex_count; i++) {
        uint8_t *color = filler->vertices[i].color;
        memset(color, 255, sizeof(filler->vertices[i].color));
        uint32_t width = values != NULL ? filler->doc->accessors[accessor].width : 0;
        for (uint32_t c = 0; c < width; c++) {
            color[c] = color_byte(values[(size_t)i * width + c]);
        }
    }
    return status;
}

static enum cook_status fill_vertices(struct filler *filler)
{
    static enum cook_status (*const steps[])(struct filler *) = {
        fill_positions, fill_normals, fill_tangents, fill_uvs, fill_colors,
    };
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < sizeof(steps) / sizeof(steps[0]); i++) {
        status = steps[i](filler);
        cook_arena_finish(filler->arena);
    }
    return status;
}

/* The order of 3.7.2.1: every other triangle of a strip is turned over. */
static void expand_strip(uint32_t *out, const uint32_t *elements, uint32_t count)
{
    for (uint32_t i = 0; i + 2 < count; i++) {
        out[0] = elements[i];
        out[1] = elements[i + 1 + i % 2];
        out[2] = elements[i + 2 - i % 2];
        out += 3;
    }
}

static void expand_fan(uint32_t *out, const uint32_t *elements, uint32_t count)
{
    for (uint32_t i = 0; i + 2 < count; i++) {
        out[0] = elements[i + 1];
        out[1] = elements[i + 2];
        out[2] = elements[0];
        out += 3;
    }
}

/* The elements drawn, made up as 0, 1, 2… when the primitive has no indices. */
static enum cook_status read_elements(uint32_t **elements, uint32_t *count,
                                      struct filler *filler)
{
    uint32_t accessor = filler->primitive->indices;
    if (accessor != COOK_GLTF_NONE) {
        *count = filler->doc->accessors[accessor].count;
        return cook_gltf_read_indices(elements, filler->doc, accessor, filler->vertex_count,
                                      filler->arena, filler->error);
    }
    *count = filler->vertex_count;
    *elements = cook_arena_alloc(filler->arena, (size_t)*count * sizeof(**elements));
    if (*elements == NULL) {
        return cook_error_set(filler->error, COOK_E_NO_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < *count; i++) {
        (*elements)[i] = i;
    }
    return COOK_OK;
}

static enum cook_status fill_indices(uint32_t *out, uint32_t first_vertex,
                                     struct filler *filler)
{
    uint32_t *elements = NULL;
    uint32_t count = 0;
    enum cook_status status = read_elements(&elements, &count, filler);
    if (status != COOK_OK) {
        return status;
    }
    if (filler->primitive->mode == MODE_STRIP) {
        expand_strip(out, elements, count);
    } else if (filler->primitive->mode == MODE_FAN) {
        expand_fan(out, elements, count);
    } else {
        memcpy(out, elements, (size_t)count * sizeof(*out));
    }
    for (uint32_t i = 0; i < filler->primitive->index_count; i++) {
        out[i] += first_vertex;
    }
    return COOK_OK;
}

static void note_attributes(struct cook_gltf_geometry *geometry,
                            const struct cook_gltf_primitive *primitive)
{
    geometry->has_normals = geometry->has_normals && primitive->normal != COOK_GLTF_NONE;
    geometry->has_tangents = geometry->has_tangents && primitive->tangent != COOK_GLTF_NONE;
    geometry->has_uvs = geometry->has_uvs || primitive->uv != COOK_GLTF_NONE;
    geometry->has_colors = geometry->has_colors || primitive->color != COOK_GLTF_NONE;
}

static float lower(float a, float b)
{
    return a < b ? a : b;
}

static float higher(float a, float b)
{
    return a > b ? a : b;
}

static void find_bounds(struct cook_gltf_geometry *geometry, uint32_t vertex_count)
{
    struct cook_vec3 low = { 0, 0, 0 };
    struct cook_vec3 high = { 0, 0, 0 };
    for (uint32_t i = 0; i < vertex_count; i++) {
        struct cook_vec3 p = geometry->vertices[i].position;
        low = i == 0 ? p
                     : (struct cook_vec3){ lower(low.x, p.x), lower(low.y, p.y),
                                           lower(low.z, p.z) };
        high = i == 0 ? p
                      : (struct cook_vec3){ higher(high.x, p.x), higher(high.y, p.y),
                                            higher(high.z, p.z) };
    }
    geometry->bounds_min = low;
    geometry->bounds_max = high;
}

enum cook_status cook_gltf_fill_geometry(struct cook_gltf_geometry *geometry,
                                         const struct cook_gltf *doc,
                                         const struct cook_gltf_mesh *mesh,
                                         struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    enum cook_status status = COOK_OK;
    uint32_t first_vertex = 0, next_vertex = 0, next_index = 0;
    geometry->has_normals = geometry->has_tangents = mesh->primitive_count > 0;
    geometry->has_uvs = geometry->has_colors = false;
    for (uint32_t i = 0; status == COOK_OK && i < mesh->primitive_count; i++) {
        const struct cook_gltf_primitive *primitive = &mesh->primitives[i];
        struct filler filler = {
            .doc = doc, .primitive = primitive, .arena = &arena, .error = error
        };
        filler.vertex_count = doc->accessors[primitive->position].count;
        first_vertex = primitive->shares_vertices ? first_vertex : next_vertex;
        filler.vertices = geometry->vertices + first_vertex;
        if (!primitive->shares_vertices) {
            next_vertex += filler.vertex_count;
            status = fill_vertices(&filler);
        }
        if (status == COOK_OK) {
            status = fill_indices(geometry->indices + next_index, first_vertex, &filler);
        }
        cook_arena_finish(&arena);
        geometry->sections[i] = (struct cook_gltf_section){ primitive->material, next_index,
                                                            primitive->index_count };
        next_index += primitive->index_count;
        note_attributes(geometry, primitive);
    }
    if (status == COOK_OK) {
        find_bounds(geometry, mesh->vertex_count);
    }
    return status;
}
