#include "cook/reader/gltf_load.h"

#include <inttypes.h>
#include <string.h>

#include <cook/standard.h>

#include "cook/reader/gltf_accessor.h"
#include "cook/reader/gltf_scenes.h"
#include "cook/reader/gltf_uri.h"
#include "cook/reader/image_check.h"

enum cook_status cook_gltf_load_fault(const struct cook_gltf_load *load, uint32_t line,
                                      enum cook_status status, const struct cook_error *error)
{
    if (status == COOK_OK || status == COOK_E_NO_MEMORY) {
        return status;
    }
    return cook_load_fail(load->loader, line, "%s", error->message);
}

struct cook_ref cook_gltf_inner_ref(const struct cook_gltf_load *load, const char *name)
{
    const char *path = NULL;
    if (name != NULL) {
        path = cook_arena_printf(load->arena, "%s.%s", load->source->package, name);
    }
    return path != NULL ? cook_make_ref(load->context, path) : (struct cook_ref){ NULL };
}

/* ---- textures ---- */

static enum cook_status image_bytes(const struct cook_gltf_load *load,
                                    const struct cook_gltf_image *image, const uint8_t **data,
                                    size_t *size, struct cook_error *error)
{
    uint8_t *decoded = NULL;
    if (image->uri == NULL) {
        *data = cook_gltf_view_bytes(load->doc, image->view, size);
        return *data != NULL
                   ? COOK_OK
                   : cook_error_set(error, COOK_E_MALFORMED, "its buffer has no data");
    }
    enum cook_status status =
        cook_gltf_decode_data_uri(&decoded, size, image->uri, load->arena, error);
    *data = decoded;
    return status;
}

/* What materials use the image for; a colour use wins, and the side file over all. */
static void set_usage(struct cook_texture2d *texture, const struct cook_gltf_image *image)
{
    if (image->as_normal && !image->as_colour) {
        texture->usage = COOK_TEXTURE_USAGE_NORMAL;
    }
    if (image->is_used && !image->as_colour) {
        texture->srgb = false;
    }
}

static enum cook_status load_texture(const struct cook_gltf_load *load,
                                     const struct cook_gltf_object *object)
{
    const struct cook_gltf_image *image = &load->doc->images[object->index];
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_image_info info;
    const uint8_t *data = NULL;
    size_t size = 0;
    enum cook_status status = image_bytes(load, image, &data, &size, &error);
    if (status == COOK_OK) {
        status = cook_image_check(&info, data, size, COOK_IMAGE_UNKNOWN, &error);
    }
    if (status != COOK_OK) {
        cook_error_prefix(&error, "image %" PRIu32, object->index);
        return cook_gltf_load_fault(load, image->line, status, &error);
    }
    struct cook_texture2d *texture =
        cook_load_object(load->loader, object->class_name, object->name, NULL);
    if (texture == NULL) {
        return COOK_E_FAILED;
    }
    texture->source.data = cook_alloc(load->context, size);
    if (texture->source.data == NULL) {
        return COOK_E_NO_MEMORY;
    }
    memcpy(texture->source.data, data, size);
    texture->source.size = size;
    set_usage(texture, image);
    return COOK_OK;
}

/* ---- materials ---- */

/* An embedded image is an object of this package, another one a package of its own. */
static struct cook_ref texture_ref(const struct cook_gltf_load *load, uint32_t index)
{
    const struct cook_gltf_image *image = &load->doc->images[index];
    if (image->is_embedded) {
        return cook_gltf_inner_ref(load, image->object_name);
    }
    const char *package = cook_gltf_uri_package(load->arena, load->source->package, image->uri);
    if (package != NULL) {
        return cook_make_ref(load->context, package);
    }
    cook_log(load->context, COOK_SEVERITY_WARNING,
             "%s:%" PRIu32 ": image %" PRIu32 ": '%.256s' names no file of this content root",
             load->source->path, image->line, index, image->uri);
    return (struct cook_ref){ NULL };
}

static enum cook_status set_textures(const struct cook_gltf_load *load,
                                     struct cook_material *out,
                                     const struct cook_gltf_material *material)
{
    static const char *const slots[COOK_GLTF_SLOT_COUNT] = {
        [COOK_GLTF_BASE_COLOR] = "BaseColor",
        [COOK_GLTF_METALLIC_ROUGHNESS] = "MetallicRoughness",
        [COOK_GLTF_NORMAL] = "Normal",
        [COOK_GLTF_OCCLUSION] = "Occlusion",
        [COOK_GLTF_EMISSIVE] = "Emissive",
    };
    struct cook_material_texture *items =
        cook_alloc_array(load->context, COOK_GLTF_SLOT_COUNT, sizeof(*items));
    uint32_t count = 0;
    if (items == NULL) {
        return COOK_E_NO_MEMORY;
    }
    for (int slot = 0; slot < COOK_GLTF_SLOT_COUNT; slot++) {
        uint32_t image = material->images[slot];
        if (image == COOK_GLTF_NONE) {
            continue;
        }
        items[count].slot = cook_make_name(load->context, slots[slot]);
        items[count].texture = texture_ref(load, image);
        bool is_short =
            load->doc->images[image].is_embedded && items[count].texture.path == NULL;
        if (is_short || items[count].slot.text == NULL) {
            return COOK_E_NO_MEMORY;
        }
        count++;
    }
    out->textures = (struct cook_array){ items, count, COOK_GLTF_SLOT_COUNT };
    return COOK_OK;
}

static enum cook_status load_material(const struct cook_gltf_load *load,
                                      const struct cook_gltf_object *object)
{
    const struct cook_gltf_material *material = &load->doc->materials[object->index];
    struct cook_material *out =
        cook_load_object(load->loader, object->class_name, object->name, NULL);
    if (out == NULL) {
        return COOK_E_FAILED;
    }
    out->base_color = material->base_color;
    out->emissive = material->emissive;
    out->metallic = material->metallic;
    out->roughness = material->roughness;
    out->alpha_cutoff = material->alpha_cutoff;
    out->blend = material->blend;
    out->two_sided = material->two_sided;
    return set_textures(load, out, material);
}

/* ---- worlds ---- */

static enum cook_status set_actor(const struct cook_gltf_load *load,
                                  struct cook_world_actor *out, struct cook_gltf_actor actor)
{
    const struct cook_gltf_node *node = &load->doc->nodes[actor.node];
    const char *name = node->name;
    const char *mesh =
        node->mesh != COOK_GLTF_NONE ? load->doc->meshes[node->mesh].object_name : NULL;
    if (name == NULL || *name == '\0') {
        name = cook_arena_printf(load->arena, "Node_%" PRIu32, actor.node);
    }
    out->name = cook_make_name(load->context, name);
    out->mesh = cook_gltf_inner_ref(load, mesh);
    out->parent = actor.parent;
    out->location = node->translation;
    out->rotation = node->rotation;
    out->scale = node->scale;
    bool complete = out->name.text != NULL && (mesh == NULL || out->mesh.path != NULL);
    return complete ? COOK_OK : COOK_E_NO_MEMORY;
}

static enum cook_status load_world(const struct cook_gltf_load *load,
                                   const struct cook_gltf_object *object)
{
    const struct cook_gltf_scene *scene = &load->doc->scenes[object->index];
    struct cook_gltf_actor *actors = NULL;
    struct cook_world *world =
        cook_load_object(load->loader, object->class_name, object->name, NULL);
    if (world == NULL) {
        return COOK_E_FAILED;
    }
    enum cook_status status = cook_gltf_list_actors(&actors, load->doc, scene, load->arena);
    struct cook_world_actor *items =
        cook_alloc_array(load->context, scene->actor_count, sizeof(*items));
    if (status != COOK_OK || items == NULL) {
        return COOK_E_NO_MEMORY;
    }
    for (uint32_t i = 0; status == COOK_OK && i < scene->actor_count; i++) {
        status = set_actor(load, &items[i], actors[i]);
    }
    world->actors = (struct cook_array){ items, scene->actor_count, scene->actor_count };
    return status;
}

/* ---- all of them ---- */

static enum cook_status load_object(const struct cook_gltf_load *load,
                                    const struct cook_gltf_object *object)
{
    switch (object->kind) {
    case COOK_GLTF_KIND_SCENE:
        return load_world(load, object);
    case COOK_GLTF_KIND_MESH:
        return cook_gltf_load_mesh(load, object);
    case COOK_GLTF_KIND_MATERIAL:
        return load_material(load, object);
    case COOK_GLTF_KIND_IMAGE:
        return load_texture(load, object);
    case COOK_GLTF_KIND_UNKNOWN:
        break;
    }
    return COOK_E_INVALID;
}

enum cook_status cook_gltf_load_objects(const struct cook_gltf_load *load)
{
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < load->doc->object_count; i++) {
        status = load_object(load, &load->doc->objects[i]);
    }
    return status;
}
