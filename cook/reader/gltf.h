/*
 * A glTF 2.0 document as the reader needs it (Khronos glTF 2.0 specification, section numbers
 * in the sources). Parsing checks everything that can be known without the buffers' bytes:
 * indices, counts, bounds, types, the node tree. So a scan, which sees only the main file,
 * already refuses a document that a load could not use.
 *
 * Life cycle: cook_gltf_parse() fills a zeroed document whose memory is the arena's; then the
 * buffers' `data` is set (the BIN chunk of a .glb is set by the parser); then the functions of
 * gltf_accessor.h and gltf_geometry.h read it. Not thread-safe while it is filled.
 */
#ifndef COOK_READER_GLTF_H
#define COOK_READER_GLTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cook/types.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

#define COOK_GLTF_NONE UINT32_MAX /* an index that is not set */

/* Refused above these, before memory is set aside for them. */
#define COOK_GLTF_MAX_ITEMS    (1u << 20) /* of one kind; actors over all scenes */
#define COOK_GLTF_MAX_SCENES   (1u << 12)
#define COOK_GLTF_MAX_DEPTH    512u       /* levels of nodes */
#define COOK_GLTF_MAX_VERTICES (1u << 24) /* over all meshes */
#define COOK_GLTF_MAX_INDICES  (1u << 26) /* over all meshes, as triangle lists */

/* Values of the file format (3.6.2.2). */
enum cook_gltf_component {
    COOK_GLTF_COMPONENT_UNKNOWN = 0,
    COOK_GLTF_I8 = 5120,
    COOK_GLTF_U8 = 5121,
    COOK_GLTF_I16 = 5122,
    COOK_GLTF_U16 = 5123,
    COOK_GLTF_U32 = 5125,
    COOK_GLTF_F32 = 5126,
};
size_t cook_gltf_component_bytes(enum cook_gltf_component component); /* 0: unknown */

struct cook_gltf_buffer {
    const char *uri;     /* relative or data:, as written; NULL for the BIN chunk */
    size_t size_bytes;   /* declared; `data` holds at least as many */
    const uint8_t *data; /* borrowed; NULL until set */
    uint32_t line;
};

struct cook_gltf_view {
    uint32_t buffer;
    size_t offset_bytes, size_bytes; /* inside the buffer's declared size */
    size_t stride_bytes;             /* 0: packed */
};

/* Where elements lie; checked to be inside the view. */
struct cook_gltf_stream {
    uint32_t view; /* NONE: all zeros */
    size_t offset_bytes, stride_bytes;
    enum cook_gltf_component component;
};

struct cook_gltf_accessor {
    struct cook_gltf_stream values;
    uint32_t count; /* elements, at least 1 */
    uint32_t width; /* components an element: 1 to 4, 9 or 16 */
    bool is_matrix;
    bool normalized;       /* integers stand for 0..1 or -1..1 */
    uint32_t sparse_count; /* elements replaced; 0: not sparse */
    struct cook_gltf_stream sparse_indices, sparse_values;
    uint32_t line;
};

struct cook_gltf_image {
    const char *name; /* NULL when it has none */
    const char *uri;  /* NULL when in a view */
    uint32_t view;
    bool is_embedded;          /* a view or a data: URI: an object of this package */
    bool is_used;              /* by a material */
    bool as_colour, as_normal; /* how materials use it */
    const char *object_name;   /* of an embedded one */
    uint32_t line;
};

enum cook_gltf_slot {
    COOK_GLTF_BASE_COLOR = 0,
    COOK_GLTF_METALLIC_ROUGHNESS,
    COOK_GLTF_NORMAL,
    COOK_GLTF_OCCLUSION,
    COOK_GLTF_EMISSIVE,
    COOK_GLTF_SLOT_COUNT,
};

struct cook_gltf_material {
    const char *name;
    uint32_t images[COOK_GLTF_SLOT_COUNT]; /* NONE where the slot is empty */
    struct cook_vec4 base_color;
    struct cook_vec3 emissive;
    float metallic, roughness, alpha_cutoff;
    int32_t blend; /* enum MaterialBlend: 0 opaque, 1 mask, 2 blend */
    bool two_sided;
    const char *object_name;
};

struct cook_gltf_primitive {
    uint32_t mode; /* 4 triangles, 5 strip, 6 fan; other modes are counted as skipped */
    uint32_t position, normal, tangent, uv, color; /* accessors, or NONE */
    uint32_t indices;                              /* accessor, or NONE */
    uint32_t material;
    uint32_t index_count; /* as a triangle list */
    bool shares_vertices; /* same attributes as the primitive before it */
    uint32_t line;
};

struct cook_gltf_mesh {
    const char *name;
    struct cook_gltf_primitive *primitives; /* triangles only */
    uint32_t primitive_count;
    uint32_t skipped_count; /* points, lines, and primitives without positions */
    uint32_t vertex_count, index_count;
    const char *object_name;
};

struct cook_gltf_node {
    const char *name;
    uint32_t mesh, parent; /* NONE for none */
    uint32_t *children;
    uint32_t child_count;
    uint32_t tree_count;  /* nodes in the tree below it, itself included */
    uint32_t tree_height; /* levels below it, 0 for a leaf */
    struct cook_vec3 translation, scale;
    struct cook_vec4 rotation;
    uint32_t line;
};

struct cook_gltf_scene {
    const char *name;
    uint32_t *roots; /* none below another */
    uint32_t root_count;
    uint32_t actor_count;
    const char *object_name; /* NULL: it has no nodes, so it is no object */
    uint32_t line;
};

enum cook_gltf_kind {
    COOK_GLTF_KIND_UNKNOWN = 0,
    COOK_GLTF_KIND_SCENE,
    COOK_GLTF_KIND_MESH,
    COOK_GLTF_KIND_MATERIAL,
    COOK_GLTF_KIND_IMAGE,
};

/* An object that the package gets. */
struct cook_gltf_object {
    enum cook_gltf_kind kind;
    uint32_t index; /* into the array of its kind */
    const char *name;
    const char *class_name; /* "/Script/Cook.World" */
};

struct cook_gltf {
    struct cook_gltf_buffer *buffers;
    struct cook_gltf_view *views;
    struct cook_gltf_accessor *accessors;
    struct cook_gltf_image *images;
    uint32_t *textures; /* their images, or NONE */
    struct cook_gltf_material *materials;
    struct cook_gltf_mesh *meshes;
    struct cook_gltf_node *nodes;
    struct cook_gltf_scene *scenes;
    uint32_t buffer_count, view_count, accessor_count, image_count, texture_count;
    uint32_t material_count, mesh_count, node_count, scene_count;
    uint32_t default_scene; /* NONE when there is no scene */

    /* In the order in which scan and load emit them: the default scene, the other scenes,
     * meshes, materials, embedded images. Names are unique over all kinds. */
    struct cook_gltf_object *objects;
    uint32_t object_count;

    const char *ignored_extensions; /* ", "-separated, NULL for none */
    uint32_t animation_count, skin_count;
    bool has_morph_targets;

    const uint8_t *bin; /* BIN chunk of a .glb, or NULL */
    size_t bin_bytes;
};

/* How the bytes are to be read; `data` and `size` as in struct cook_source. */
struct cook_gltf_input {
    const uint8_t *data;
    size_t size;
    bool is_binary; /* .glb */
};

/*
 * Parse and check a document into `*doc`. `*line` gets the line of a fault, 0 where there is
 * none (all of .glb). COOK_E_MALFORMED, COOK_E_UNSUPPORTED (a required extension),
 * COOK_E_LIMIT, COOK_E_NO_MEMORY. The document borrows the BIN chunk from the input, nothing
 * else.
 */
enum cook_status cook_gltf_parse(struct cook_gltf *doc, uint32_t *line,
                                 const struct cook_gltf_input *input, struct cook_arena *arena,
                                 struct cook_error *error) COOK_CHECK_RESULT;

#endif
