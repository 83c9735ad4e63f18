#include "cook/classes/mesh.h"

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/classes/mesh_library.h"

#define LOD_MAX_ERROR                                                                          \
    0.1f /* of the section's extent: a lost silhouette is worse than a triangle */

void cook_mesh_lod_finish(struct cook_mesh_lod *lod)
{
    cook_free(lod->ranges);
    cook_free(lod->indices);
    cook_free(lod->index_bytes);
    *lod = (struct cook_mesh_lod){ 0 };
}

/*
 * One section's triangles over vertices of its own, because the library takes time and memory
 * for every vertex that it is given: many small sections of a large mesh would cost their
 * product.
 */
struct scratch {
    uint32_t *local_of;  /* by vertex; UINT32_MAX outside the current section */
    uint32_t *global_of; /* by local vertex */
    uint32_t *indices;   /* local, then the result */
    uint32_t *result;
    struct cook_vec3 *positions; /* by local vertex */
    uint32_t local_count;
};

static void scratch_finish(struct scratch *scratch)
{
    cook_free(scratch->local_of);
    cook_free(scratch->global_of);
    cook_free(scratch->indices);
    cook_free(scratch->result);
    cook_free(scratch->positions);
}

static bool scratch_init(struct scratch *scratch, uint32_t vertex_count, uint32_t index_count)
{
    *scratch = (struct scratch){
        .local_of = cook_calloc(vertex_count, sizeof(uint32_t)),
        .global_of = cook_calloc(vertex_count, sizeof(uint32_t)),
        .indices = cook_calloc(index_count, sizeof(uint32_t)),
        .result = cook_calloc(index_count, sizeof(uint32_t)),
        .positions = cook_calloc(vertex_count, sizeof(struct cook_vec3)),
    };
    if (scratch->local_of == NULL || scratch->global_of == NULL || scratch->indices == NULL ||
        scratch->result == NULL || scratch->positions == NULL)
        return false;
    memset(scratch->local_of, 0xFF, (size_t)vertex_count * sizeof(uint32_t));
    return true;
}

static void enter_section(struct scratch *scratch, const uint32_t *indices,
                          uint32_t index_count, const struct cook_mesh_vertex *vertices)
{
    scratch->local_count = 0;
    for (uint32_t i = 0; i < index_count; i++) {
        uint32_t *local = &scratch->local_of[indices[i]];
        if (*local == UINT32_MAX) {
            *local = scratch->local_count++;
            scratch->global_of[*local] = indices[i];
            scratch->positions[*local] = vertices[indices[i]].position;
        }
        scratch->indices[i] = *local;
    }
}

static void leave_section(struct scratch *scratch)
{
    for (uint32_t i = 0; i < scratch->local_count; i++)
        scratch->local_of[scratch->global_of[i]] = UINT32_MAX;
}

/* Reduce the section in `scratch`; the new index count. Never to nothing. */
static uint32_t simplify(struct scratch *scratch, uint32_t index_count, float ratio,
                         bool lock_border)
{
    uint32_t target = (uint32_t)((double)(index_count / 3) * (double)ratio) * 3;

    if (target < 3)
        target = 3;
    uint32_t count = cook_meshopt_simplify(scratch->result, scratch->indices, index_count,
                                           scratch->positions, scratch->local_count, target,
                                           LOD_MAX_ERROR, lock_border);
    if (count == 0 || count >= index_count)
        return index_count;
    memcpy(scratch->indices, scratch->result, (size_t)count * sizeof(uint32_t));
    return count;
}

enum cook_status cook_mesh_make_lod(struct cook_mesh_lod *out, const struct cook_mesh_lod *in,
                                    uint32_t section_count,
                                    const struct cook_mesh_vertex *vertices,
                                    uint32_t vertex_count, float ratio,
                                    struct cook_error *error)
{
    struct scratch scratch = { 0 };
    uint32_t used = 0;

    *out = (struct cook_mesh_lod){
        .ranges = cook_calloc(section_count, sizeof(struct cook_mesh_range)),
        .indices = cook_calloc(in->index_count, sizeof(uint32_t)),
    };
    if (out->ranges == NULL || out->indices == NULL ||
        !scratch_init(&scratch, vertex_count, in->index_count)) {
        scratch_finish(&scratch);
        cook_mesh_lod_finish(out);
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for a mesh");
    }
    for (uint32_t i = 0; i < section_count; i++) {
        uint32_t count = in->ranges[i].index_count;
        out->ranges[i] = (struct cook_mesh_range){ used, count };
        if (count == 0)
            continue;
        enter_section(&scratch, in->indices + in->ranges[i].first_index, count, vertices);
        if (ratio < 1.0f)
            count = simplify(&scratch, count, ratio, section_count > 1);
        cook_meshopt_cache_order(scratch.result, scratch.indices, count, scratch.local_count);
        for (uint32_t k = 0; k < count; k++)
            out->indices[used + k] = scratch.global_of[scratch.result[k]];
        out->ranges[i].index_count = count;
        used += count;
        leave_section(&scratch);
    }
    out->index_count = used;
    scratch_finish(&scratch);
    return COOK_OK;
}
