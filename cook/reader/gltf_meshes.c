/* Meshes and their primitives (3.7.2): attributes, modes, and how much geometry they make. */
#include <inttypes.h>

#include "cook/reader/gltf_parser.h"

enum {
    MODE_TRIANGLES = 4,
    MODE_STRIP = 5,
    MODE_FAN = 6,
};

/* Geometry of all meshes so far, so that a small file cannot ask for much memory. */
struct totals {
    uint64_t vertices, indices;
};

static bool is_index_component(enum cook_gltf_component component)
{
    return component == COOK_GLTF_U8 || component == COOK_GLTF_U16 ||
           component == COOK_GLTF_U32;
}

/* An attribute's accessor of `low` to `high` components, as long as the positions; or NONE. */
static uint32_t parse_attribute(struct cook_gltf_parser *parser,
                                const struct cook_json *attributes, const char *key,
                                uint32_t position, uint32_t low, uint32_t high)
{
    const struct cook_gltf *doc = parser->doc;
    uint32_t index = cook_gltf_index(parser, attributes, key, doc->accessor_count);
    if (index == COOK_GLTF_NONE || parser->status != COOK_OK) {
        return COOK_GLTF_NONE;
    }
    const struct cook_gltf_accessor *accessor = &doc->accessors[index];
    if (accessor->is_matrix || accessor->width < low || accessor->width > high) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, attributes,
                       "accessor %" PRIu32 " of attribute %s has the wrong type", index, key);
    } else if (position != COOK_GLTF_NONE &&
               accessor->count != doc->accessors[position].count) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, attributes,
                       "attribute %s has %" PRIu32 " elements, the positions have %" PRIu32,
                       key, accessor->count, doc->accessors[position].count);
    }
    return index;
}

static void parse_attributes(struct cook_gltf_parser *parser, struct cook_gltf_primitive *out,
                             const struct cook_json *item)
{
    const struct cook_json *attributes = cook_json_get(item, "attributes");
    uint32_t position = parse_attribute(parser, attributes, "POSITION", COOK_GLTF_NONE, 3, 3);
    out->position = position;
    out->normal = parse_attribute(parser, attributes, "NORMAL", position, 3, 3);
    out->tangent = parse_attribute(parser, attributes, "TANGENT", position, 4, 4);
    out->uv = parse_attribute(parser, attributes, "TEXCOORD_0", position, 2, 2);
    out->color = parse_attribute(parser, attributes, "COLOR_0", position, 3, 4);
}

/* Elements drawn: those of the index accessor, which must be one, or all vertices. */
static uint32_t count_elements(struct cook_gltf_parser *parser, struct cook_gltf_primitive *out,
                               const struct cook_json *item)
{
    const struct cook_gltf *doc = parser->doc;
    out->indices = cook_gltf_index(parser, item, "indices", doc->accessor_count);
    if (parser->status != COOK_OK) {
        return 0;
    }
    if (out->indices == COOK_GLTF_NONE) {
        return doc->accessors[out->position].count;
    }
    const struct cook_gltf_accessor *indices = &doc->accessors[out->indices];
    if (indices->width != 1 || !is_index_component(indices->values.component) ||
        indices->normalized) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                       "accessor %" PRIu32 " does not hold indices", out->indices);
    }
    return indices->count;
}

static void count_indices(struct cook_gltf_parser *parser, struct cook_gltf_primitive *out,
                          const struct cook_json *item)
{
    uint32_t elements = count_elements(parser, out, item);
    if (parser->status != COOK_OK) {
        return;
    }
    bool is_list = out->mode == MODE_TRIANGLES;
    if (elements < 3 || (is_list && elements % 3 != 0)) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                       "%" PRIu32 " indices or vertices do not make triangles", elements);
        return;
    }
    uint64_t indices = is_list ? elements : ((uint64_t)elements - 2) * 3;
    if (indices > COOK_GLTF_MAX_INDICES) {
        cook_gltf_fail(parser, COOK_E_LIMIT, item, "more than %u indices",
                       COOK_GLTF_MAX_INDICES);
        return;
    }
    out->index_count = (uint32_t)indices;
}

/* Without the extension these accessors have no view and would read as zeros. */
static void refuse_compression(struct cook_gltf_parser *parser,
                               const struct cook_gltf_primitive *primitive,
                               const struct cook_json *item)
{
    const struct cook_json *extensions = cook_json_get(item, "extensions");
    const struct cook_json *draco = cook_json_get(extensions, "KHR_draco_mesh_compression");
    if (draco != NULL && parser->status == COOK_OK && primitive->position != COOK_GLTF_NONE &&
        parser->doc->accessors[primitive->position].values.view == COOK_GLTF_NONE) {
        cook_gltf_fail(parser, COOK_E_UNSUPPORTED, draco,
                       "compressed with KHR_draco_mesh_compression, which is not supported");
    }
}

/* False for what makes no triangles. */
static bool parse_primitive(struct cook_gltf_parser *parser, struct cook_gltf_primitive *out,
                            const struct cook_json *item)
{
    out->line = item->line;
    out->mode = (uint32_t)cook_gltf_number(parser, item, "mode", 0, MODE_FAN, MODE_TRIANGLES);
    out->material = cook_gltf_index(parser, item, "material", parser->doc->material_count);
    parse_attributes(parser, out, item);
    refuse_compression(parser, out, item);
    parser->doc->has_morph_targets |= cook_json_get(item, "targets") != NULL;
    if (parser->status != COOK_OK || out->mode < MODE_TRIANGLES ||
        out->position == COOK_GLTF_NONE) {
        return false;
    }
    count_indices(parser, out, item);
    return parser->status == COOK_OK;
}

static bool shares_vertices(const struct cook_gltf_primitive *a,
                            const struct cook_gltf_primitive *b)
{
    return a->position == b->position && a->normal == b->normal && a->tangent == b->tangent &&
           a->uv == b->uv && a->color == b->color;
}

static void add_to_totals(struct cook_gltf_parser *parser, struct totals *totals,
                          uint64_t vertices, uint64_t indices, const struct cook_json *item)
{
    totals->vertices += vertices;
    totals->indices += indices;
    if (totals->vertices > COOK_GLTF_MAX_VERTICES || totals->indices > COOK_GLTF_MAX_INDICES) {
        cook_gltf_fail(parser, COOK_E_LIMIT, item,
                       "the meshes up to here have %" PRIu64 " vertices and %" PRIu64
                       " indices; at most %u and %u are allowed",
                       totals->vertices, totals->indices, COOK_GLTF_MAX_VERTICES,
                       COOK_GLTF_MAX_INDICES);
    }
}

static void parse_mesh(struct cook_gltf_parser *parser, struct cook_gltf_mesh *mesh,
                       struct totals *totals, const struct cook_json *mesh_item)
{
    uint32_t count;
    mesh->name = cook_gltf_string(parser, mesh_item, "name");
    const struct cook_json *item = cook_gltf_list(parser, &count, mesh_item, "primitives",
                                                  COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    mesh->primitives = cook_gltf_alloc(parser, count, sizeof(*mesh->primitives));
    for (; item != NULL && parser->status == COOK_OK; item = item->next) {
        struct cook_gltf_primitive *primitive = &mesh->primitives[mesh->primitive_count];
        if (!parse_primitive(parser, primitive, item)) {
            mesh->skipped_count++;
            continue;
        }
        primitive->shares_vertices =
            mesh->primitive_count > 0 && shares_vertices(primitive, primitive - 1);
        uint32_t vertices =
            primitive->shares_vertices ? 0 : parser->doc->accessors[primitive->position].count;
        add_to_totals(parser, totals, vertices, primitive->index_count, item);
        mesh->vertex_count += vertices;
        mesh->index_count += primitive->index_count;
        mesh->primitive_count++;
    }
}

void cook_gltf_parse_meshes(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    struct totals totals = { 0, 0 };
    uint32_t count;
    const struct cook_json *item =
        cook_gltf_list(parser, &count, root, "meshes", COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    doc->meshes = cook_gltf_alloc(parser, count, sizeof(*doc->meshes));
    parser->subject = "mesh";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        parse_mesh(parser, &doc->meshes[i], &totals, item);
    }
    doc->mesh_count = count;
    parser->subject = NULL;
}
