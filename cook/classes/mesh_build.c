#include "cook/classes/mesh.h"

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/classes/mesh_library.h"

/* A 16-bit index of 65535 restarts a strip on some machines: keep it free. */
#define MAX_16_BIT_VERTICES UINT32_C(65535)

void cook_mesh_build_destroy(struct cook_mesh_build *build)
{
    if (build == NULL)
        return;
    for (size_t i = 0; i < COOK_MESH_MAX_LODS; i++)
        cook_mesh_lod_finish(&build->lods[i]);
    cook_free(build->vertex_bytes);
    cook_free(build);
}

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for a mesh");
}

/* Working state: vertices that may be changed, and the triangles of all sections in a row. */
struct work {
    struct cook_mesh_vertex *vertices;
    uint32_t vertex_count;
    uint32_t *remap;
    struct cook_mesh_lod input;
};

static void work_finish(struct work *work)
{
    cook_free(work->vertices);
    cook_free(work->remap);
    cook_mesh_lod_finish(&work->input);
}

static void gather_sections(struct cook_mesh_lod *out, const struct cook_mesh_source *source)
{
    if (source->section_count == 0) {
        memcpy(out->indices, source->indices, (size_t)source->index_count * sizeof(uint32_t));
        out->ranges[0] = (struct cook_mesh_range){ 0, source->index_count };
        out->index_count = source->index_count;
        return;
    }
    for (uint32_t i = 0; i < source->section_count; i++) {
        const struct cook_mesh_section *section = &source->sections[i];
        out->ranges[i] = (struct cook_mesh_range){ out->index_count, section->index_count };
        memcpy(out->indices + out->index_count, source->indices + section->first_index,
               (size_t)section->index_count * sizeof(uint32_t));
        out->index_count += section->index_count;
    }
}

/* What is not used must not keep equal vertices apart. */
static void clear_unused(struct cook_mesh_vertex *vertices,
                         const struct cook_mesh_source *source)
{
    for (uint32_t i = 0; i < source->vertex_count; i++) {
        if (!source->has_tangents)
            vertices[i].tangent = (struct cook_vec4){ 0 };
        if (!source->has_uvs)
            vertices[i].uv = (struct cook_vec2){ 0 };
        if (!source->has_colors)
            memset(vertices[i].color, 0, sizeof(vertices[i].color));
    }
}

static enum cook_status work_init(struct work *work, const struct cook_mesh_source *source,
                                  uint32_t section_count, struct cook_error *error)
{
    work->vertex_count = source->vertex_count;
    work->vertices = cook_calloc(source->vertex_count, sizeof(*work->vertices));
    work->remap = cook_calloc(source->vertex_count, sizeof(*work->remap));
    work->input.indices = cook_calloc(source->index_count, sizeof(uint32_t));
    work->input.ranges = cook_calloc(section_count, sizeof(struct cook_mesh_range));
    if (work->vertices == NULL || work->remap == NULL || work->input.indices == NULL ||
        work->input.ranges == NULL)
        return no_memory(error);
    memcpy(work->vertices, source->vertices,
           (size_t)source->vertex_count * sizeof(*work->vertices));
    gather_sections(&work->input, source);
    clear_unused(work->vertices, source);
    if (!source->has_normals)
        cook_mesh_generate_normals(work->vertices, work->vertex_count, work->input.indices,
                                   work->input.index_count);
    return COOK_OK;
}

/* Apply work->remap, which drops or merges vertices down to `count`. */
static enum cook_status apply_remap(struct work *work, uint32_t *indices, uint32_t index_count,
                                    uint32_t count, struct cook_error *error)
{
    struct cook_mesh_vertex *vertices = cook_calloc(count, sizeof(*vertices));

    if (vertices == NULL)
        return no_memory(error);
    cook_meshopt_remap_vertices(vertices, work->vertices, work->vertex_count, work->remap);
    for (uint32_t i = 0; i < index_count; i++)
        indices[i] = work->remap[indices[i]];
    cook_free(work->vertices);
    work->vertices = vertices;
    work->vertex_count = count;
    return COOK_OK;
}

static enum cook_status make_lods(struct cook_mesh_build *build, struct work *work,
                                  float lod_ratio, struct cook_error *error)
{
    struct cook_mesh_lod *base = &build->lods[0];
    uint32_t count =
        cook_meshopt_weld(work->remap, work->input.indices, work->input.index_count,
                          work->vertices, work->vertex_count);

    enum cook_status status =
        apply_remap(work, work->input.indices, work->input.index_count, count, error);
    if (status != COOK_OK)
        return status;
    status = cook_mesh_make_lod(base, &work->input, build->section_count, work->vertices,
                                work->vertex_count, 1.0f, error);
    if (status != COOK_OK)
        return status;
    build->lod_count = 1;
    /* LOD 1 uses the same vertices, so their order is settled first. */
    count = cook_meshopt_fetch_order(work->remap, base->indices, base->index_count,
                                     work->vertex_count);
    status = apply_remap(work, base->indices, base->index_count, count, error);
    if (status != COOK_OK || !(lod_ratio > 0.0f && lod_ratio < 1.0f))
        return status;
    status = cook_mesh_make_lod(&build->lods[1], base, build->section_count, work->vertices,
                                work->vertex_count, lod_ratio, error);
    if (status == COOK_OK && build->lods[1].index_count < base->index_count)
        build->lod_count = 2;
    return status;
}

static enum cook_status write_indices(struct cook_mesh_lod *lod, uint32_t stride,
                                      struct cook_error *error)
{
    uint8_t *at = cook_calloc(lod->index_count, stride);

    lod->index_bytes = at;
    if (at == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < lod->index_count; i++) {
        for (uint32_t byte = 0; byte < stride; byte++)
            *at++ = (uint8_t)(lod->indices[i] >> (8 * byte));
    }
    return COOK_OK;
}

static enum cook_status write_bytes(struct cook_mesh_build *build, const struct work *work,
                                    const struct cook_mesh_source *source,
                                    struct cook_error *error)
{
    build->vertex_count = work->vertex_count;
    build->vertex_bytes = cook_calloc(work->vertex_count, build->vertex_stride_bytes);
    if (build->vertex_bytes == NULL)
        return no_memory(error);
    cook_mesh_quantize(build->vertex_bytes, work->vertices, work->vertex_count,
                       build->attributes, source->bounds_min, source->bounds_max);
    build->index_stride_bytes = work->vertex_count <= MAX_16_BIT_VERTICES ? 2 : 4;
    for (uint32_t i = 0; i < build->lod_count; i++) {
        enum cook_status status =
            write_indices(&build->lods[i], build->index_stride_bytes, error);
        if (status != COOK_OK)
            return status;
    }
    return COOK_OK;
}

static enum cook_status transform(struct cook_mesh_build *build,
                                  const struct cook_mesh_source *source,
                                  struct cook_error *error)
{
    struct work work = { 0 };

    enum cook_status status = work_init(&work, source, build->section_count, error);
    if (status == COOK_OK && work.input.index_count != 0)
        status = make_lods(build, &work, source->lod_ratio, error);
    if (status == COOK_OK && build->lod_count != 0)
        status = write_bytes(build, &work, source, error);
    work_finish(&work);
    return status;
}

enum cook_status cook_mesh_build_create(struct cook_mesh_build **out,
                                        const struct cook_mesh_source *source,
                                        struct cook_error *error)
{
    *out = NULL;
    enum cook_status status = cook_mesh_check(source, error);
    if (status != COOK_OK)
        return status;
    struct cook_mesh_build *build = cook_calloc(1, sizeof(*build));
    if (build == NULL)
        return no_memory(error);
    build->attributes = (source->has_tangents ? (uint32_t)COOK_MESH_TANGENTS : 0u) |
                        (source->has_uvs ? (uint32_t)COOK_MESH_UVS : 0u) |
                        (source->has_colors ? (uint32_t)COOK_MESH_COLORS : 0u);
    build->vertex_stride_bytes = cook_mesh_vertex_stride(build->attributes);
    build->index_stride_bytes = 2;
    build->section_count = source->section_count != 0 ? source->section_count : 1;
    if (source->vertex_count != 0 && source->index_count != 0)
        status = transform(build, source, error);
    if (status != COOK_OK) {
        cook_mesh_build_destroy(build);
        return status;
    }
    *out = build;
    return COOK_OK;
}
