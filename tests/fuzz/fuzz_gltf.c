/*
 * Fuzz the glTF parser and all that reads the document: names, scenes, accessors, geometry.
 * Buffers that are files get a pattern, so that the bytes behind accessors vary.
 */
#include <stdlib.h>
#include <string.h>

#include "cook/reader/gltf.h"
#include "cook/reader/gltf_accessor.h"
#include "cook/reader/gltf_geometry.h"
#include "cook/reader/gltf_scenes.h"
#include "cook/reader/gltf_uri.h"

#define MAX_BUFFER_BYTES ((size_t)1 << 20)
#define MAX_VERTICES     ((uint32_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fill_buffer(struct cook_gltf_buffer *buffer, struct cook_arena *arena)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (buffer->uri == NULL) {
        return;
    }
    if (cook_gltf_is_data_uri(buffer->uri)) {
        if (cook_gltf_decode_data_uri(&bytes, &size, buffer->uri, arena, NULL) == COOK_OK &&
            size >= buffer->size_bytes) {
            buffer->data = bytes;
        }
        return;
    }
    if (buffer->size_bytes > MAX_BUFFER_BYTES) {
        return;
    }
    bytes = cook_arena_alloc(arena, buffer->size_bytes);
    if (bytes == NULL) {
        abort();
    }
    for (size_t i = 0; i < buffer->size_bytes; i++) {
        bytes[i] = (uint8_t)(i % 7);
    }
    buffer->data = bytes;
}

static void build_mesh(const struct cook_gltf *doc, const struct cook_gltf_mesh *mesh)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    if (mesh->vertex_count > MAX_VERTICES || mesh->index_count > MAX_VERTICES * 3) {
        return;
    }
    struct cook_gltf_geometry geometry = {
        .vertices =
            cook_arena_alloc(&arena, mesh->vertex_count * sizeof(*geometry.vertices) + 1),
        .indices = cook_arena_alloc(&arena, mesh->index_count * sizeof(*geometry.indices) + 1),
        .sections =
            cook_arena_alloc(&arena, mesh->primitive_count * sizeof(*geometry.sections) + 1),
    };
    if (cook_gltf_fill_geometry(&geometry, doc, mesh, NULL) == COOK_OK) {
        for (uint32_t i = 0; i < mesh->index_count; i++) {
            if (geometry.indices[i] >= mesh->vertex_count) {
                abort();
            }
        }
    }
    cook_arena_finish(&arena);
}

static void walk_scene(const struct cook_gltf *doc, const struct cook_gltf_scene *scene,
                       struct cook_arena *arena)
{
    struct cook_gltf_actor *actors = NULL;
    if (cook_gltf_list_actors(&actors, doc, scene, arena) != COOK_OK) {
        abort();
    }
    for (uint32_t i = 0; i < scene->actor_count; i++) {
        if (actors[i].node >= doc->node_count || actors[i].parent >= (int32_t)i) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_gltf doc;
    struct cook_error error = COOK_ERROR_INIT;
    uint32_t line = 0;
    bool is_binary = size >= 4 && memcmp(data, "glTF", 4) == 0;
    struct cook_gltf_input input = { data, size, is_binary };
    enum cook_status status = cook_gltf_parse(&doc, &line, &input, &arena, &error);
    if (status != COOK_OK && error.message[0] == '\0') {
        abort(); /* every fault says what it is */
    }
    if (status == COOK_OK) {
        for (uint32_t i = 0; i < doc.buffer_count; i++) {
            fill_buffer(&doc.buffers[i], &arena);
        }
        for (uint32_t i = 0; i < doc.mesh_count; i++) {
            build_mesh(&doc, &doc.meshes[i]);
        }
        for (uint32_t i = 0; i < doc.scene_count; i++) {
            walk_scene(&doc, &doc.scenes[i], &arena);
        }
        for (uint32_t i = 0; i < doc.image_count; i++) {
            if (!doc.images[i].is_embedded) {
                (void)cook_gltf_uri_package(&arena, "/Game/A/x.gltf", doc.images[i].uri);
            }
        }
    }
    cook_arena_finish(&arena);
    return 0;
}
