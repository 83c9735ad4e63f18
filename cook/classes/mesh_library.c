#include "cook/classes/mesh_library.h"

#include <meshoptimizer.h>

#include "cook/classes/mesh.h"

_Static_assert(sizeof(struct cook_mesh_vertex) == 52,
               "vertices are compared as bytes: no padding");
_Static_assert(sizeof(unsigned int) == sizeof(uint32_t), "the library's indices are ours");

uint32_t cook_mesh_library_version(void)
{
    return MESHOPTIMIZER_VERSION;
}

uint32_t cook_meshopt_weld(uint32_t *remap, const uint32_t *indices, uint32_t index_count,
                           const struct cook_mesh_vertex *vertices, uint32_t vertex_count)
{
    return (uint32_t)meshopt_generateVertexRemap(remap, indices, index_count, vertices,
                                                 vertex_count, sizeof(*vertices));
}

uint32_t cook_meshopt_fetch_order(uint32_t *remap, const uint32_t *indices,
                                  uint32_t index_count, uint32_t vertex_count)
{
    return (uint32_t)meshopt_optimizeVertexFetchRemap(remap, indices, index_count,
                                                      vertex_count);
}

void cook_meshopt_remap_vertices(struct cook_mesh_vertex *out,
                                 const struct cook_mesh_vertex *in, uint32_t vertex_count,
                                 const uint32_t *remap)
{
    meshopt_remapVertexBuffer(out, in, vertex_count, sizeof(*in), remap);
}

void cook_meshopt_cache_order(uint32_t *out, const uint32_t *indices, uint32_t index_count,
                              uint32_t vertex_count)
{
    meshopt_optimizeVertexCache(out, indices, index_count, vertex_count);
}

uint32_t cook_meshopt_simplify(uint32_t *out, const uint32_t *indices, uint32_t index_count,
                               const struct cook_vec3 *positions, uint32_t vertex_count,
                               uint32_t target, float max_error, bool lock_border)
{
    return (uint32_t)meshopt_simplify(
        out, indices, index_count, &positions->x, vertex_count, sizeof(*positions), target,
        max_error, lock_border ? (unsigned)meshopt_SimplifyLockBorder : 0u, NULL);
}
