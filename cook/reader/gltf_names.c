/* Which objects a document makes, in which order, and their names: unique over all kinds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cook/reader.h>

#include "cook/base/intern.h"
#include "cook/reader/gltf_parser.h"

#define NAME_BYTES 256

/* Names taken, and for each the next suffix to try, so that many equal names stay cheap. */
struct names {
    struct cook_gltf_parser *parser;
    struct cook_intern taken;
    uint32_t *suffixes;
    size_t capacity;
};

/* Take `name`; false when it is taken already, or on a fault. */
static bool take(struct names *names, const char *name)
{
    size_t before = names->taken.count;
    uint32_t id = cook_intern_add(&names->taken, name);
    if (id == COOK_INTERN_NONE || !cook_grow(&names->suffixes, &names->capacity,
                                             names->taken.count, sizeof(*names->suffixes))) {
        cook_gltf_fail(names->parser, COOK_E_NO_MEMORY, NULL, "out of memory");
        return false;
    }
    if (id < before) {
        return false;
    }
    names->suffixes[id] = 1;
    return true;
}

/* Cut a name so that a suffix of `suffix_length` bytes fits, not inside a UTF-8 sequence. */
static size_t cut_length(const char *name, size_t suffix_length)
{
    size_t length = strlen(name);
    if (length + suffix_length >= NAME_BYTES) {
        length = NAME_BYTES - 1 - suffix_length;
        while (length > 0 && ((unsigned char)name[length] & 0xc0u) == 0x80u) {
            length--;
        }
    }
    return length;
}

static void make_unique(struct names *names, char out[NAME_BYTES], const char *name)
{
    snprintf(out, NAME_BYTES, "%s", name);
    while (!take(names, out) && names->parser->status == COOK_OK) {
        char suffix[16];
        uint32_t id = cook_intern_find(&names->taken, name);
        int length = snprintf(suffix, sizeof(suffix), "_%" PRIu32, names->suffixes[id]++);
        snprintf(out, NAME_BYTES, "%.*s%s", (int)cut_length(name, (size_t)length), name,
                 suffix);
    }
}

static const char *class_of(enum cook_gltf_kind kind)
{
    switch (kind) {
    case COOK_GLTF_KIND_SCENE:
        return "/Script/Cook.World";
    case COOK_GLTF_KIND_MESH:
        return "/Script/Cook.StaticMesh";
    case COOK_GLTF_KIND_MATERIAL:
        return "/Script/Cook.Material";
    case COOK_GLTF_KIND_IMAGE:
        return "/Script/Cook.Texture2D";
    case COOK_GLTF_KIND_UNKNOWN:
        break;
    }
    return NULL;
}

/* Add an object of the document under a unique name made of `text`; returns the name. */
static const char *add_object(struct names *names, enum cook_gltf_kind kind, uint32_t index,
                              const char *text)
{
    static const char *const prefixes[] = { "Object", "World", "Mesh", "Material", "Image" };
    struct cook_gltf *doc = names->parser->doc;
    char fallback[32];
    char name[NAME_BYTES];
    char unique[NAME_BYTES];
    if (names->parser->status != COOK_OK) {
        return NULL;
    }
    snprintf(fallback, sizeof(fallback), "%s_%" PRIu32, prefixes[kind], index);
    make_unique(names, unique, cook_make_object_name(name, text, fallback));
    const char *kept = cook_arena_strdup(names->parser->arena, unique);
    if (kept == NULL) {
        cook_gltf_fail(names->parser, COOK_E_NO_MEMORY, NULL, "out of memory");
    }
    doc->objects[doc->object_count++] =
        (struct cook_gltf_object){ kind, index, kept, class_of(kind) };
    return kept;
}

static void add_scene(struct names *names, uint32_t index)
{
    struct cook_gltf_scene *scene = &names->parser->doc->scenes[index];
    if (scene->root_count > 0) {
        scene->object_name = add_object(names, COOK_GLTF_KIND_SCENE, index, scene->name);
    }
}

static void add_all(struct names *names)
{
    struct cook_gltf *doc = names->parser->doc;
    if (doc->default_scene != COOK_GLTF_NONE) {
        add_scene(names, doc->default_scene);
    }
    for (uint32_t i = 0; i < doc->scene_count; i++) {
        if (i != doc->default_scene) {
            add_scene(names, i);
        }
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        doc->meshes[i].object_name =
            add_object(names, COOK_GLTF_KIND_MESH, i, doc->meshes[i].name);
    }
    for (uint32_t i = 0; i < doc->material_count; i++) {
        doc->materials[i].object_name =
            add_object(names, COOK_GLTF_KIND_MATERIAL, i, doc->materials[i].name);
    }
    for (uint32_t i = 0; i < doc->image_count; i++) {
        if (doc->images[i].is_embedded) {
            doc->images[i].object_name =
                add_object(names, COOK_GLTF_KIND_IMAGE, i, doc->images[i].name);
        }
    }
}

void cook_gltf_name_objects(struct cook_gltf_parser *parser)
{
    struct cook_gltf *doc = parser->doc;
    struct names names = { .parser = parser, .taken = COOK_INTERN_INIT };
    size_t most =
        (size_t)doc->scene_count + doc->mesh_count + doc->material_count + doc->image_count;
    doc->objects = cook_gltf_alloc(parser, most, sizeof(*doc->objects));
    if (doc->objects != NULL) {
        add_all(&names);
    }
    cook_free(names.suffixes);
    cook_intern_finish(&names.taken);
}
