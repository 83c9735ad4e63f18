/*
 * The node trees of a scene as a flat list of actors. Thread-safe over a finished document.
 */
#ifndef COOK_READER_GLTF_SCENES_H
#define COOK_READER_GLTF_SCENES_H

#include "cook/reader/gltf.h"

struct cook_gltf_actor {
    uint32_t node;
    int32_t parent; /* index of an earlier actor, -1 for a root */
};

/*
 * The `scene->actor_count` nodes of a scene in the arena, depth first: parents before children,
 * siblings in file order. COOK_E_NO_MEMORY.
 */
enum cook_status cook_gltf_list_actors(struct cook_gltf_actor **out,
                                       const struct cook_gltf *doc,
                                       const struct cook_gltf_scene *scene,
                                       struct cook_arena *arena) COOK_CHECK_RESULT;

#endif
