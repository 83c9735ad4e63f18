/* Scenes (3.5.1), and the walk that turns one into a list of actors. */
#include "cook/reader/gltf_scenes.h"

#include <inttypes.h>

#include "cook/reader/gltf_parser.h"

/* `seen` remembers for each node the last scene (plus one) that lists it. */
static void mark_listed(struct cook_gltf_parser *parser, const struct cook_gltf_scene *scene,
                        uint32_t *seen, const struct cook_json *item)
{
    uint32_t mark = (uint32_t)parser->subject_index + 1;
    for (uint32_t i = 0; i < scene->root_count; i++) {
        uint32_t root = scene->roots[i];
        if (seen[root] == mark) {
            cook_gltf_fail(parser, COOK_E_MALFORMED, item, "node %" PRIu32 " is listed twice",
                           root);
        }
        seen[root] = mark;
    }
}

/* Trees are at most COOK_GLTF_MAX_DEPTH deep, so the climb is short. */
static bool is_below_listed(const struct cook_gltf *doc, uint32_t node, const uint32_t *seen,
                            uint32_t mark)
{
    uint32_t at = doc->nodes[node].parent;
    while (at != COOK_GLTF_NONE && seen[at] != mark) {
        at = doc->nodes[at].parent;
    }
    return at != COOK_GLTF_NONE;
}

/*
 * The format wants scenes to list roots, but exporters list children of nodes outside the scene
 * (UniGLTF does) or every node. The former stand as roots here; what hangs below another listed
 * node comes with it.
 */
static void keep_roots(struct cook_gltf_parser *parser, struct cook_gltf_scene *scene,
                       const uint32_t *seen)
{
    const struct cook_gltf *doc = parser->doc;
    uint32_t mark = (uint32_t)parser->subject_index + 1;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->root_count; i++) {
        uint32_t root = scene->roots[i];
        if (!is_below_listed(doc, root, seen, mark)) {
            scene->roots[kept++] = root;
            scene->actor_count += doc->nodes[root].tree_count; /* disjoint: at most all nodes */
        }
    }
    scene->root_count = kept;
}

static void parse_scene(struct cook_gltf_parser *parser, struct cook_gltf_scene *scene,
                        uint32_t *seen, const struct cook_json *item)
{
    scene->line = item->line;
    scene->name = cook_gltf_string(parser, item, "name");
    scene->roots =
        cook_gltf_indices(parser, &scene->root_count, item, "nodes", parser->doc->node_count);
    if (parser->status == COOK_OK) {
        mark_listed(parser, scene, seen, item);
    }
    if (parser->status == COOK_OK) {
        keep_roots(parser, scene, seen);
    }
}

void cook_gltf_parse_scenes(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    uint64_t listed = 0, actors = 0;
    const struct cook_json *item = cook_gltf_list(parser, &doc->scene_count, root, "scenes",
                                                  COOK_JSON_OBJECT, COOK_GLTF_MAX_SCENES);
    doc->scenes = cook_gltf_alloc(parser, doc->scene_count, sizeof(*doc->scenes));
    uint32_t *seen = cook_gltf_alloc(parser, doc->node_count, sizeof(*seen));
    parser->subject = "scene";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        const struct cook_json *nodes = cook_json_get(item, "nodes");
        listed += nodes != NULL ? nodes->count : 0;
        if (listed <= COOK_GLTF_MAX_ITEMS) {
            parse_scene(parser, &doc->scenes[i], seen, item);
            actors += doc->scenes[i].actor_count;
        }
        if (listed > COOK_GLTF_MAX_ITEMS || actors > COOK_GLTF_MAX_ITEMS) {
            cook_gltf_fail(parser, COOK_E_LIMIT, item,
                           "the scenes up to here have more than %u nodes",
                           COOK_GLTF_MAX_ITEMS);
        }
    }
    parser->subject = NULL;
    doc->default_scene = cook_gltf_index(parser, root, "scene", doc->scene_count);
    if (doc->default_scene == COOK_GLTF_NONE && doc->scene_count > 0) {
        doc->default_scene = 0;
    }
}

/* Push nodes so that the first is on top; what lies below stays. */
static void push_reversed(struct cook_gltf_actor *stack, uint32_t *depth, const uint32_t *nodes,
                          uint32_t count, int32_t parent)
{
    for (uint32_t i = count; i > 0; i--) {
        stack[(*depth)++] = (struct cook_gltf_actor){ nodes[i - 1], parent };
    }
}

enum cook_status cook_gltf_list_actors(struct cook_gltf_actor **out,
                                       const struct cook_gltf *doc,
                                       const struct cook_gltf_scene *scene,
                                       struct cook_arena *arena)
{
    size_t count = scene->actor_count;
    struct cook_gltf_actor *actors = cook_arena_alloc(arena, count * sizeof(*actors) + 1);
    struct cook_gltf_actor *stack = cook_arena_alloc(arena, count * sizeof(*stack) + 1);
    *out = NULL;
    if (actors == NULL || stack == NULL) {
        return COOK_E_NO_MEMORY;
    }
    uint32_t depth = 0;
    int32_t next = 0;
    push_reversed(stack, &depth, scene->roots, scene->root_count, -1);
    while (depth > 0) {
        struct cook_gltf_actor actor = stack[--depth];
        const struct cook_gltf_node *node = &doc->nodes[actor.node];
        actors[next] = actor;
        push_reversed(stack, &depth, node->children, node->child_count, next);
        next++;
    }
    *out = actors;
    return COOK_OK;
}
