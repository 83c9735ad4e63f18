/*
 * The standard classes (module /Script/Cook). Project classes may derive from them or dereference
 * them; fields under "source" are what the readers fill, fields under "derived" are what the
 * transforms make for the target between begin_cache and clear_cached.
 */
#ifndef COOK_STANDARD_H
#define COOK_STANDARD_H

#include <cook/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* /Script/Cook.Object: the root of all classes; nothing but identity. */

/*
 * /Script/Cook.PrimaryAssetLabel: cook rules that live in content, without a C struct. Properties:
 * "Rule" (NeverCook, DevelopmentCook: not in a shipping cook, AlwaysCook), "Priority" (the higher one
 * decides, but NeverCook wins; default 0), "Chunk" (of what it names; default none), "Assets" (soft
 * references, no edges), "Folders" (texts like "/Game/UI", or globs). A label counts wherever it lies
 * in the content, whether it is cooked or not.
 *
 * /Script/Cook.ObjectRedirector: left in the old place of what moved, under the old name. Property
 * "Target": a reference to the new place. Never cooked itself.
 */

/*
 * /Script/Cook.Texture2D. Source: an encoded image. Cooked: mip chain in BC1 (opaque), BC3 (with
 * alpha), BC5 (normal maps) or RGBA8. Side-file or .asset options are its properties.
 */
enum cook_texture_format {
    COOK_TEXTURE_UNKNOWN = 0,
    COOK_TEXTURE_RGBA8 = 1,
    COOK_TEXTURE_BC1 = 2,
    COOK_TEXTURE_BC3 = 3,
    COOK_TEXTURE_BC5 = 4,
};
enum cook_texture_usage {
    COOK_TEXTURE_USAGE_AUTO = 0, /* by content, and by name: *_n, *_normal, *Normal are normal maps */
    COOK_TEXTURE_USAGE_COLOR = 1,
    COOK_TEXTURE_USAGE_NORMAL = 2,
    COOK_TEXTURE_USAGE_DATA = 3, /* linear, uncompressed */
};
struct cook_texture2d {
    struct cook_object object;
    /* source */
    struct cook_bytes source; /* PNG, JPEG or TGA as found in the file */
    int32_t usage;            /* enum cook_texture_usage, property "Usage" */
    bool srgb;                /* property "SRGB", default true */
    bool mips;                /* property "Mips", default true */
    uint32_t max_size_px;     /* property "MaxSize"; 0: config [Texture] MaxSize */
    /* derived */
    uint32_t width_px, height_px; /* of mip 0 */
    int32_t format;               /* enum cook_texture_format */
    uint32_t mip_count;
    struct cook_bytes mip_data[16];
};

/* Struct "Vec2", "Vec3", "Vec4": float members X Y Z W, for use as `type_name`. */

struct cook_mesh_section {
    struct cook_ref material;
    uint32_t first_index, index_count; /* into `indices`, whole triangles */
};
struct cook_mesh_vertex {
    struct cook_vec3 position, normal;
    struct cook_vec4 tangent;
    struct cook_vec2 uv;
    uint8_t color[4];
};
/* /Script/Cook.StaticMesh. Cooked: cache-optimised, quantised vertices, and one simplified LOD. */
struct cook_static_mesh {
    struct cook_object object;
    /* source */
    struct cook_mesh_vertex *vertices;
    uint32_t vertex_count;
    uint32_t *indices; /* triangle list */
    uint32_t index_count;
    struct cook_array sections; /* struct cook_mesh_section, struct "MeshSection" */
    bool has_normals, has_tangents, has_uvs, has_colors;
    float lod_ratio; /* property "LodRatio": triangles kept in LOD 1, default 0.5 */
    /* known after load */
    struct cook_vec3 bounds_min, bounds_max;
    /* derived */
    void *derived; /* private to the class */
};

/* Struct "MaterialTexture": one named texture slot. */
struct cook_material_texture {
    struct cook_name slot; /* "BaseColor", "Normal", "MetallicRoughness", "Occlusion", "Emissive" */
    struct cook_ref texture;
};
/* /Script/Cook.Material */
struct cook_material {
    struct cook_object object;
    struct cook_ref shader;         /* property "Shader": a Shader, or null for the default */
    struct cook_array textures;     /* property "Textures": struct cook_material_texture */
    struct cook_vec4 base_color;    /* property "BaseColor", default 1 1 1 1 */
    struct cook_vec3 emissive;      /* property "Emissive" */
    float metallic, roughness;      /* properties "Metallic" 1, "Roughness" 1 */
    float alpha_cutoff;             /* property "AlphaCutoff" 0.5 */
    int32_t blend;                  /* property "Blend": enum MaterialBlend {Opaque, Mask, Blend} */
    bool two_sided;                 /* property "TwoSided" */
};

enum cook_shader_stage {
    COOK_SHADER_STAGE_NONE = 0, /* an include library: cooked without code */
    COOK_SHADER_STAGE_VERTEX = 1,
    COOK_SHADER_STAGE_FRAGMENT = 2,
    COOK_SHADER_STAGE_COMPUTE = 3,
};
/*
 * /Script/Cook.Shader. GLSL to SPIR-V by shaderc, with #include relative to the including file
 * (then to the project), each recorded. Config [Shader] +Define=NAME=VALUE enters the key.
 */
struct cook_shader {
    struct cook_object object;
    struct cook_string text;   /* source */
    int32_t stage;             /* property "Stage": enum ShaderStage */
    struct cook_array defines; /* property "Defines": array of string "NAME=VALUE" */
    struct cook_bytes spirv;   /* derived */
};

/* Struct "WorldActor": a placed thing. */
struct cook_world_actor {
    struct cook_name name;
    struct cook_ref mesh;     /* a StaticMesh, or null */
    struct cook_ref object;   /* anything else to be placed: a project object, or null */
    int32_t parent;           /* index of the parent actor, -1 for none */
    struct cook_vec3 location;
    struct cook_vec4 rotation; /* quaternion x y z w, default 0 0 0 1 */
    struct cook_vec3 scale;    /* default 1 1 1 */
};
/* /Script/Cook.World: a level, or the node tree of a glTF scene. */
struct cook_world {
    struct cook_object object;
    struct cook_array actors;     /* property "Actors": struct cook_world_actor */
    struct cook_array sub_levels; /* property "SubLevels": soft references to other worlds */
    struct cook_vec3 bounds_min, bounds_max; /* derived: from the dereferenced meshes */
};

/* Struct "DataColumn". */
enum cook_column_type {
    COOK_COLUMN_STRING = 0,
    COOK_COLUMN_NUMBER = 1,
    COOK_COLUMN_BOOL = 2,
    COOK_COLUMN_SOFT_REF = 3,
};
struct cook_data_column {
    struct cook_name name;
    int32_t type; /* enum ColumnType {String, Number, Bool, SoftRef} */
};
/* Struct "DataRow": one cell text a column. */
struct cook_data_row {
    struct cook_array cells; /* of struct cook_string */
};
/* /Script/Cook.DataTable: typed columns, rows by name; cooked sorted by row name. */
struct cook_data_table {
    struct cook_object object;
    struct cook_array columns; /* property "Columns": struct cook_data_column */
    struct cook_map rows;      /* property "Rows": struct cook_data_row */
};

#ifdef __cplusplus
}
#endif

#endif
