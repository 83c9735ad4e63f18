/* Scenes (3.5.1), and the walk that turns one into a list of actors. */
#include "cook/reader/gltf_scenes.h"

#include <inttypes.h>

#include "cook/reader/gltf_parser.h"

/* `seen` remembers for each node the last scene (plus one) that had it as a root. */
static void check_roots(struct cook_gltf_parser *parser, struct cook_gltf_scene *scene,
                        uint32_t *seen, const struct cook_json *item)
{
    const struct cook_gltf *doc = parser->doc;
    uint64_t actors = 0;
    for (uint32_t i = 0; i < scene->root_count && parser->status == COOK_OK; i++) {
        uint32_t root = scene->roots[i];
        if (doc->nodes[root].parent != COOK_GLTF_NONE) {
            cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                           "node %" PRIu32 " is no root: it is a child of node %" PRIu32, root,
                           doc->nodes[root].parent);
        } else if (seen[root] == parser->subject_index + 1) {
            cook_gltf_fail(parser, COOK_E_MALFORMED, item, "node %" PRIu32 " is listed twice",
                           root);
        }
        seen[root] = (uint32_t)parser->subject_index + 1;
        actors += doc->nodes[root].tree_count;
    }
    scene->actor_count =
        (uint32_t)actors; /* distinct roots of disjoint trees: at most all nodes */
}

static void parse_scene(struct cook_gltf_parser *parser, struct cook_gltf_scene *scene,
                        uint32_t *seen, const struct cook_json *item)
{
    scene->line = item->line;
    scene->name = cook_gltf_string(parser, item, "name");
    scene->roots =
        cook_gltf_indices(parser, &scene->root_count, item, "nodes", parser->doc->node_count);
    if (parser->status == COOK_OK) {
        check_roots(parser, scene, seen, item);
    }
}

void cook_gltf_parse_scenes(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    uint64_t actors = 0;
    const struct cook_json *item = cook_gltf_list(parser, &doc->scene_count, root, "scenes",
                                                  COOK_JSON_OBJECT, COOK_GLTF_MAX_SCENES);
    doc->scenes = cook_gltf_alloc(parser, doc->scene_count, sizeof(*doc->scenes));
    uint32_t *seen = cook_gltf_alloc(parser, doc->node_count, sizeof(*seen));
    parser->subject = "scene";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        parse_scene(parser, &doc->scenes[i], seen, item);
        actors += doc->scenes[i].actor_count;
        if (actors > COOK_GLTF_MAX_ITEMS) {
            cook_gltf_fail(parser, COOK_E_LIMIT, item,
                           "the scenes up to here have more than %u"
                           " nodes",
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
