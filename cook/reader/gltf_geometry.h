/*
 * The triangles of a glTF mesh: vertices in the SDK's layout, strips and fans as lists.
 * Thread-safe over a finished document.
 */
#ifndef COOK_READER_GLTF_GEOMETRY_H
#define COOK_READER_GLTF_GEOMETRY_H

#include <cook/standard.h>

#include "cook/reader/gltf.h"

struct cook_gltf_section {
    uint32_t material; /* of the document, or NONE */
    uint32_t first_index, index_count;
};

/* The arrays are the caller's, zeroed, of the mesh's vertex, index and primitive counts. */
struct cook_gltf_geometry {
    struct cook_mesh_vertex *vertices;
    uint32_t *indices;
    struct cook_gltf_section *sections; /* one a primitive */
    bool has_normals, has_tangents;     /* every primitive has them */
    bool has_uvs, has_colors;           /* some primitive has them; others get 0 and white */
    struct cook_vec3 bounds_min, bounds_max;
};

/* Fill `geometry` from `mesh`. COOK_E_MALFORMED as in gltf_accessor.h, COOK_E_NO_MEMORY. */
enum cook_status cook_gltf_fill_geometry(struct cook_gltf_geometry *geometry,
                                         const struct cook_gltf *doc,
                                         const struct cook_gltf_mesh *mesh,
                                         struct cook_error *error) COOK_CHECK_RESULT;

#endif
