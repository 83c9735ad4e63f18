/* Nodes (3.5): local transforms, and that they form trees. */
#include <inttypes.h>
#include <math.h>

#include "cook/reader/gltf_parser.h"

static double column_length(const float *column)
{
    double x = (double)column[0], y = (double)column[1], z = (double)column[2];
    return sqrt(x * x + y * y + z * z);
}

static double determinant(const float m[16])
{
    double a = (double)m[0], b = (double)m[4], c = (double)m[8];
    double d = (double)m[1], e = (double)m[5], f = (double)m[9];
    double g = (double)m[2], h = (double)m[6], i = (double)m[10];
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}

/* The quaternion of a rotation matrix r[column][row], by its largest component (Shepperd). */
static struct cook_vec4 quaternion_of(double r[3][3])
{
    double trace = r[0][0] + r[1][1] + r[2][2];
    int i = 0;
    if (trace > 0.0) {
        double s = sqrt(trace + 1.0) * 2.0;
        return (struct cook_vec4){ (float)((r[1][2] - r[2][1]) / s),
                                   (float)((r[2][0] - r[0][2]) / s),
                                   (float)((r[0][1] - r[1][0]) / s), (float)(s / 4.0) };
    }
    i = r[1][1] > r[0][0] ? 1 : 0;
    i = r[2][2] > r[i][i] ? 2 : i;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double s = sqrt(fmax(1.0 + r[i][i] - r[j][j] - r[k][k], 1e-30)) * 2.0;
    double q[3];
    q[i] = s / 4.0;
    q[j] = (r[j][i] + r[i][j]) / s;
    q[k] = (r[k][i] + r[i][k]) / s;
    return (struct cook_vec4){ (float)q[0], (float)q[1], (float)q[2],
                               (float)((r[j][k] - r[k][j]) / s) };
}

/*
 * Translation, rotation and scale of a column-major matrix. A mirror becomes a negative scale
 * in x; shear, which the three cannot express, is lost; a flat matrix keeps the axis it has
 * lost.
 */
static void decompose(struct cook_gltf_node *node, const float m[16])
{
    double scale[3];
    double rotation[3][3];
    bool is_flat = false;
    for (int column = 0; column < 3; column++) {
        scale[column] = column_length(m + column * 4);
        is_flat = is_flat || scale[column] < 1e-30;
    }
    if (determinant(m) < 0.0) {
        scale[0] = -scale[0];
    }
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++) {
            rotation[column][row] = is_flat ? (column == row ? 1.0 : 0.0)
                                            : (double)m[column * 4 + row] / scale[column];
        }
    }
    node->translation = (struct cook_vec3){ m[12], m[13], m[14] };
    node->rotation = quaternion_of(rotation);
    node->scale = (struct cook_vec3){ (float)scale[0], (float)scale[1], (float)scale[2] };
}

static void parse_transform(struct cook_gltf_parser *parser, struct cook_gltf_node *node,
                            const struct cook_json *item)
{
    float matrix[16], t[3] = { 0, 0, 0 }, r[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 };
    if (cook_gltf_floats(parser, matrix, 16, item, "matrix")) {
        decompose(node, matrix);
        return;
    }
    cook_gltf_floats(parser, t, 3, item, "translation");
    cook_gltf_floats(parser, r, 4, item, "rotation");
    cook_gltf_floats(parser, s, 3, item, "scale");
    if (r[0] == 0.0f && r[1] == 0.0f && r[2] == 0.0f && r[3] == 0.0f) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item, "'rotation' is no rotation: all zeros");
    }
    node->translation = (struct cook_vec3){ t[0], t[1], t[2] };
    node->rotation = (struct cook_vec4){ r[0], r[1], r[2], r[3] };
    node->scale = (struct cook_vec3){ s[0], s[1], s[2] };
}

static void parse_node(struct cook_gltf_parser *parser, struct cook_gltf_node *node,
                       const struct cook_json *item)
{
    node->line = item->line;
    node->parent = COOK_GLTF_NONE;
    node->name = cook_gltf_string(parser, item, "name");
    node->mesh = cook_gltf_index(parser, item, "mesh", parser->doc->mesh_count);
    node->children = cook_gltf_indices(parser, &node->child_count, item, "children",
                                       parser->doc->node_count);
    parse_transform(parser, node, item);
}

static void link_parents(struct cook_gltf_parser *parser)
{
    struct cook_gltf *doc = parser->doc;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        for (uint32_t c = 0; c < doc->nodes[i].child_count; c++) {
            struct cook_gltf_node *child = &doc->nodes[doc->nodes[i].children[c]];
            if (child->parent != COOK_GLTF_NONE) {
                parser->subject_index = doc->nodes[i].children[c];
                cook_gltf_fail(
                    parser, COOK_E_MALFORMED, &(struct cook_json){ .line = child->line },
                    "is a child of node %" PRIu32 " and of node %" PRIu32, child->parent, i);
                return;
            }
            child->parent = i;
        }
    }
}

static void raise_height(struct cook_gltf_parser *parser, uint32_t parent, uint32_t child)
{
    struct cook_gltf_node *nodes = parser->doc->nodes;
    if (nodes[child].tree_height + 1 > nodes[parent].tree_height) {
        nodes[parent].tree_height = nodes[child].tree_height + 1;
    }
    if (nodes[parent].tree_height >= COOK_GLTF_MAX_DEPTH) {
        parser->subject_index = parent;
        cook_gltf_fail(parser, COOK_E_LIMIT, &(struct cook_json){ .line = nodes[parent].line },
                       "has more than %u levels of nodes below it", COOK_GLTF_MAX_DEPTH - 1);
    }
}

/*
 * Sizes of all trees, leaves first. With one parent each, a node that is never reached from a
 * leaf upwards with all its children done lies on a cycle.
 */
static void count_trees(struct cook_gltf_parser *parser)
{
    struct cook_gltf *doc = parser->doc;
    uint32_t done = 0;
    uint32_t *waiting = cook_gltf_alloc(parser, doc->node_count, sizeof(*waiting));
    if (waiting == NULL) {
        return;
    }
    for (uint32_t i = 0; i < doc->node_count; i++) {
        waiting[i] = doc->nodes[i].child_count;
        doc->nodes[i].tree_count = 1;
    }
    for (uint32_t i = 0; i < doc->node_count; i++) {
        uint32_t at = doc->nodes[i].child_count == 0 ? i : COOK_GLTF_NONE;
        while (at != COOK_GLTF_NONE) {
            uint32_t parent = doc->nodes[at].parent;
            done++;
            if (parent == COOK_GLTF_NONE) {
                break;
            }
            doc->nodes[parent].tree_count += doc->nodes[at].tree_count;
            raise_height(parser, parent, at);
            at = --waiting[parent] == 0 ? parent : COOK_GLTF_NONE;
        }
    }
    for (uint32_t i = 0; i < doc->node_count && done < doc->node_count; i++) {
        if (waiting[i] > 0) {
            parser->subject_index = i;
            cook_gltf_fail(parser, COOK_E_MALFORMED,
                           &(struct cook_json){ .line = doc->nodes[i].line },
                           "is its own ancestor");
        }
    }
}

void cook_gltf_parse_nodes(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    const struct cook_json *item = cook_gltf_list(parser, &doc->node_count, root, "nodes",
                                                  COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    doc->nodes = cook_gltf_alloc(parser, doc->node_count, sizeof(*doc->nodes));
    parser->subject = "node";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        parse_node(parser, &doc->nodes[i], item);
    }
    if (parser->status == COOK_OK) {
        link_parents(parser);
    }
    if (parser->status == COOK_OK) {
        count_trees(parser);
    }
    parser->subject = NULL;
}
