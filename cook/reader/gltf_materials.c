/* Images, textures and materials (3.8, 3.9). */
#include <string.h>
#include <strings.h>

#include "cook/reader/gltf_parser.h"

static void parse_image(struct cook_gltf_parser *parser, struct cook_gltf_image *image,
                        const struct cook_json *item)
{
    image->line = item->line;
    image->name = cook_gltf_string(parser, item, "name");
    image->uri = cook_gltf_string(parser, item, "uri");
    image->view = cook_gltf_index(parser, item, "bufferView", parser->doc->view_count);
    if ((image->uri != NULL) == (image->view != COOK_GLTF_NONE)) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item, "needs either 'uri' or 'bufferView'");
        return;
    }
    image->is_embedded = image->uri == NULL || strncasecmp(image->uri, "data:", 5) == 0;
}

static void parse_images(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    uint32_t count;
    const struct cook_json *item =
        cook_gltf_list(parser, &count, root, "images", COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    doc->images = cook_gltf_alloc(parser, count, sizeof(*doc->images));
    parser->subject = "image";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        parse_image(parser, &doc->images[i], item);
    }
    doc->image_count = count;
    parser->subject = NULL;
}

static void parse_textures(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    uint32_t count;
    const struct cook_json *item =
        cook_gltf_list(parser, &count, root, "textures", COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    doc->textures = cook_gltf_alloc(parser, count, sizeof(*doc->textures));
    parser->subject = "texture";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        doc->textures[i] = cook_gltf_index(parser, item, "source", doc->image_count);
    }
    doc->texture_count = count;
    parser->subject = NULL;
}

/* The image behind a texture slot of a material, marked with its use. */
static void parse_slot(struct cook_gltf_parser *parser, struct cook_gltf_material *material,
                       enum cook_gltf_slot slot, const struct cook_json *owner, const char *key)
{
    struct cook_gltf *doc = parser->doc;
    material->images[slot] = COOK_GLTF_NONE;
    const struct cook_json *info = cook_json_get(owner, key);
    if (info == NULL || parser->status != COOK_OK) {
        return;
    }
    uint32_t texture = cook_gltf_index(parser, info, "index", doc->texture_count);
    if (texture == COOK_GLTF_NONE) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, info, "'%s' has no 'index'", key);
        return;
    }
    material->images[slot] = doc->textures[texture];
    if (doc->textures[texture] == COOK_GLTF_NONE) {
        return; /* a texture that only an extension gives: none for us */
    }
    struct cook_gltf_image *image = &doc->images[doc->textures[texture]];
    image->is_used = true;
    image->as_colour |= slot == COOK_GLTF_BASE_COLOR || slot == COOK_GLTF_EMISSIVE;
    image->as_normal |= slot == COOK_GLTF_NORMAL;
}

static int32_t parse_blend(struct cook_gltf_parser *parser, const struct cook_json *item)
{
    const char *mode = cook_gltf_string(parser, item, "alphaMode");
    if (mode == NULL || strcmp(mode, "OPAQUE") == 0) {
        return 0;
    }
    if (strcmp(mode, "MASK") == 0) {
        return 1;
    }
    if (strcmp(mode, "BLEND") != 0) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item, "'alphaMode' '%.32s' is unknown", mode);
    }
    return 2;
}

static void parse_material(struct cook_gltf_parser *parser, struct cook_gltf_material *material,
                           const struct cook_json *item)
{
    const struct cook_json *pbr = cook_json_get(item, "pbrMetallicRoughness");
    float color[4] = { 1.0f, 1.0f, 1.0f, 1.0f };
    float emissive[3] = { 0.0f, 0.0f, 0.0f };
    material->name = cook_gltf_string(parser, item, "name");
    material->metallic = 1.0f;
    material->roughness = 1.0f;
    material->alpha_cutoff = 0.5f;
    cook_gltf_floats(parser, color, 4, pbr, "baseColorFactor");
    cook_gltf_floats(parser, emissive, 3, item, "emissiveFactor");
    cook_gltf_float(parser, &material->metallic, pbr, "metallicFactor");
    cook_gltf_float(parser, &material->roughness, pbr, "roughnessFactor");
    cook_gltf_float(parser, &material->alpha_cutoff, item, "alphaCutoff");
    material->base_color = (struct cook_vec4){ color[0], color[1], color[2], color[3] };
    material->emissive = (struct cook_vec3){ emissive[0], emissive[1], emissive[2] };
    material->blend = parse_blend(parser, item);
    material->two_sided = cook_gltf_bool(parser, item, "doubleSided", false);
    parse_slot(parser, material, COOK_GLTF_BASE_COLOR, pbr, "baseColorTexture");
    parse_slot(parser, material, COOK_GLTF_METALLIC_ROUGHNESS, pbr, "metallicRoughnessTexture");
    parse_slot(parser, material, COOK_GLTF_NORMAL, item, "normalTexture");
    parse_slot(parser, material, COOK_GLTF_OCCLUSION, item, "occlusionTexture");
    parse_slot(parser, material, COOK_GLTF_EMISSIVE, item, "emissiveTexture");
}

void cook_gltf_parse_materials(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    uint32_t count;
    parse_images(parser, root);
    parse_textures(parser, root);
    const struct cook_json *item = cook_gltf_list(parser, &count, root, "materials",
                                                  COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    doc->materials = cook_gltf_alloc(parser, count, sizeof(*doc->materials));
    parser->subject = "material";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        parse_material(parser, &doc->materials[i], item);
    }
    doc->material_count = count;
    parser->subject = NULL;
}
