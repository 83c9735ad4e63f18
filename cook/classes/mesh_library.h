/*
 * The adapter over meshoptimizer: mesh_library.c alone sees it. The library asserts on wrong
 * input, so counts here must be above 0, index counts whole triangles, and indices in range.
 * Stateless and thread-safe.
 */
#ifndef COOK_CLASSES_MESH_LIBRARY_H
#define COOK_CLASSES_MESH_LIBRARY_H

#include <cook/standard.h>

/* Merge vertices of equal bytes and drop unused ones: fills remap[vertex_count], returns how
 * many stay. */
uint32_t cook_meshopt_weld(uint32_t *remap, const uint32_t *indices, uint32_t index_count,
                           const struct cook_mesh_vertex *vertices, uint32_t vertex_count);
/* Order vertices by first use, drop unused ones: fills remap[vertex_count], returns how many
 * stay. */
uint32_t cook_meshopt_fetch_order(uint32_t *remap, const uint32_t *indices,
                                  uint32_t index_count, uint32_t vertex_count);
void cook_meshopt_remap_vertices(struct cook_mesh_vertex *out,
                                 const struct cook_mesh_vertex *in, uint32_t vertex_count,
                                 const uint32_t *remap);
void cook_meshopt_cache_order(uint32_t *out, const uint32_t *indices, uint32_t index_count,
                              uint32_t vertex_count);
/*
 * Reduce to about `target` indices, moving the surface by at most `max_error` of its extent;
 * fills out[index_count], returns how many are used (0 is possible).
 */
uint32_t cook_meshopt_simplify(uint32_t *out, const uint32_t *indices, uint32_t index_count,
                               const struct cook_vec3 *positions, uint32_t vertex_count,
                               uint32_t target, float max_error, bool lock_border);

#endif
