/*
 * StaticMesh's transform on plain data: indexed triangles in; cache-optimised, quantised
 * vertices and up to two levels of detail out. Input is untrusted until cook_mesh_check()
 * passed it; the library below asserts, so nothing unchecked may reach it. Same input, same
 * bytes, on any thread.
 */
#ifndef COOK_CLASSES_MESH_H
#define COOK_CLASSES_MESH_H

#include <cook/standard.h>

#include "cook/base/error.h"

#define COOK_MESH_MAX_VERTICES   UINT32_C(16777216)
#define COOK_MESH_MAX_INDICES    UINT32_C(67108864)
#define COOK_MESH_MAX_SECTIONS   UINT32_C(65536)
#define COOK_MESH_MAX_COORDINATE 1e15f /* beyond it squares and extents leave float's range */

/* A view of the source; nothing in it is owned. */
struct cook_mesh_source {
    const struct cook_mesh_vertex *vertices;
    uint32_t vertex_count;
    const uint32_t *indices;
    uint32_t index_count;
    const struct cook_mesh_section *sections; /* none: one section over all indices */
    uint32_t section_count;
    bool has_normals, has_tangents, has_uvs, has_colors;
    float lod_ratio; /* triangles kept in LOD 1; none unless between 0 and 1 */
    struct cook_vec3 bounds_min, bounds_max;
};

/*
 * Vertex layout, little-endian, attributes in this order, each a multiple of 4 bytes:
 * - position: 4 x unorm16; xyz within the bounds, w is 65535 where the tangent's sign is
 * positive
 * - normal: 2 x snorm16, octahedral
 * - tangent (COOK_MESH_TANGENTS): 2 x snorm16, octahedral
 * - uv (COOK_MESH_UVS): 2 x half float
 * - colour (COOK_MESH_COLORS): 4 x unorm8
 */
enum cook_mesh_attribute {
    COOK_MESH_TANGENTS = 1u << 0,
    COOK_MESH_UVS = 1u << 1,
    COOK_MESH_COLORS = 1u << 2,
};

struct cook_mesh_range {
    uint32_t first_index, index_count;
};

struct cook_mesh_lod {
    struct cook_mesh_range *ranges; /* owned; one a section, in their order; may be empty */
    uint32_t *indices;              /* owned; into the shared vertices */
    uint32_t index_count;
    uint8_t *index_bytes; /* owned; `indices` as written, index_stride_bytes each */
};

#define COOK_MESH_MAX_LODS 2

struct cook_mesh_build {
    uint8_t *vertex_bytes; /* owned */
    uint32_t vertex_count;
    uint32_t vertex_stride_bytes;
    uint32_t attributes;         /* enum cook_mesh_attribute */
    uint32_t index_stride_bytes; /* 2 or 4 */
    uint32_t section_count;
    uint32_t lod_count;
    struct cook_mesh_lod lods[COOK_MESH_MAX_LODS];
};

/*
 * Check counts, index and section ranges, and that positions are finite and in range.
 * COOK_E_MALFORMED or COOK_E_LIMIT with what is wrong. An empty mesh is fine.
 */
enum cook_status cook_mesh_check(const struct cook_mesh_source *source,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* The box around all vertices; zeros for none. */
void cook_mesh_bounds(struct cook_vec3 *min, struct cook_vec3 *max,
                      const struct cook_mesh_vertex *vertices, uint32_t vertex_count);

/* Check and transform. `*out` is owned by the caller. */
enum cook_status cook_mesh_build_create(struct cook_mesh_build **out,
                                        const struct cook_mesh_source *source,
                                        struct cook_error *error) COOK_CHECK_RESULT;
void cook_mesh_build_destroy(struct cook_mesh_build *build);

/* "180" for 0.18: of the header compiled against. */
uint32_t cook_mesh_library_version(void);

/* ---- the steps ---- */

/* Smooth normals, weighted by area, from the triangles around each vertex. */
void cook_mesh_generate_normals(struct cook_mesh_vertex *vertices, uint32_t vertex_count,
                                const uint32_t *indices, uint32_t index_count);
/*
 * Reorder each section for the vertex cache, or, with a ratio below 1, reduce it to that part
 * of its triangles first. `in` is not changed. Borders between sections stay closed.
 */
enum cook_status cook_mesh_make_lod(struct cook_mesh_lod *out, const struct cook_mesh_lod *in,
                                    uint32_t section_count,
                                    const struct cook_mesh_vertex *vertices,
                                    uint32_t vertex_count, float ratio,
                                    struct cook_error *error) COOK_CHECK_RESULT;
void cook_mesh_lod_finish(struct cook_mesh_lod *lod);

static inline uint32_t cook_mesh_vertex_stride(uint32_t attributes) /* bytes */
{
    return 12u + (attributes & COOK_MESH_TANGENTS ? 4u : 0u) +
           (attributes & COOK_MESH_UVS ? 4u : 0u) + (attributes & COOK_MESH_COLORS ? 4u : 0u);
}
/* Write `vertex_count` vertices of the layout above to `out`. */
void cook_mesh_quantize(uint8_t *out, const struct cook_mesh_vertex *vertices,
                        uint32_t vertex_count, uint32_t attributes, struct cook_vec3 bounds_min,
                        struct cook_vec3 bounds_max);
/* Single values; total functions: NaN and infinities give a defined result. */
uint16_t cook_quantize_unorm16(float value);
int16_t cook_quantize_snorm16(float value);
uint16_t cook_quantize_half(float value);
void cook_quantize_octahedral(int16_t out[2], struct cook_vec3 direction);

#endif
