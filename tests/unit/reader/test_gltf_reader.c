#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/load_fixture.h"

/* One grey pixel as PNG. */
#define PIXEL                                                                                  \
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAg" \
    "ABSK+kcQAAAABJRU5ErkJggg=="

/* Triangle (0,0,0) (1,0,0) (2,0,0) in bytes; a linked colour map and an embedded normal map. */
static const char document[] =
    "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"KHR_lights_punctual\"],\n"
    "\"buffers\":[{\"uri\":\"data%20a.bin\",\"byteLength\":12},{\"uri\":\"unused.bin\","
    "\"byteLength\":4}],\n"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":12,\"byteStride\":4}],\n"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5121,\"count\":3,\"type\":\"VEC3\"}],\n"
    "\"images\":[{\"uri\":\"../tex/rock.png\"},{\"name\":\"Bumps\",\"uri\":\"" PIXEL "\"},"
    "{\"uri\":\"spare.png\"}],\n"
    "\"textures\":[{\"source\":0},{\"source\":1}],\n"
    "\"materials\":[{\"name\":\"Stone\",\"doubleSided\":true,\"alphaMode\":\"MASK\","
    "\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"roughnessFactor\":0.25},"
    "\"normalTexture\":{\"index\":1}}],\n"
    "\"meshes\":[{\"name\":\"Rock\",\"primitives\":[{\"attributes\":{\"POSITION\":0},"
    "\"material\":0},{\"attributes\":{\"POSITION\":0},\"mode\":0}]}],\n"
    "\"nodes\":[{\"name\":\"Base\",\"children\":[1],\"translation\":[1,2,3]},{\"mesh\":0}],\n"
    "\"scenes\":[{\"name\":\"Main\",\"nodes\":[0]}]}";

static void load_document(struct load_fixture *f)
{
    static const char bin[] = { 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0 };
    assert_int_equal(cook_fs_make_folders(f->folder.fd, "Content/Props", NULL), COOK_OK);
    assert_int_equal(
        cook_fs_write(f->folder.fd, "Content/Props/data a.bin", bin, sizeof(bin), false, NULL),
        COOK_OK);
    load_source(f, "Props/rock.gltf", document, strlen(document));
}

static void gltf__scan_names_objects_and_linked_images(void **state)
{
    struct load_fixture *f = *state;
    load_document(f);
    load_ok(f, &cook_reader_gltf);
    static const char *const names[] = { "Main", "Rock", "Stone", "Bumps" };
    assert_int_equal(f->facts.object_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(f->facts.objects[i].path, names[i]);
    }
    assert_int_equal(f->facts.reference_count, 1);
    assert_int_equal(f->facts.references[0].edge, COOK_EDGE_HARD);
    assert_string_equal(f->facts.references[0].path, "/Game/tex/rock.png");
}

static void gltf__mesh_has_triangles_and_material(void **state)
{
    struct load_fixture *f = *state;
    load_document(f);
    load_ok(f, &cook_reader_gltf);
    const struct cook_static_mesh *mesh = load_object(f, "Rock");
    assert_int_equal(mesh->vertex_count, 3);
    assert_int_equal(mesh->index_count, 3);
    assert_true(mesh->vertices[2].position.x == 2.0f && mesh->bounds_max.x == 2.0f);
    const struct cook_mesh_section *sections = mesh->sections.items;
    assert_int_equal(mesh->sections.count, 1);
    assert_string_equal(sections[0].material.path, "/Game/Props/rock.gltf.Stone");
}

static void gltf__material_refers_to_its_textures(void **state)
{
    struct load_fixture *f = *state;
    load_document(f);
    load_ok(f, &cook_reader_gltf);
    const struct cook_material *material = load_object(f, "Stone");
    assert_true(material->two_sided && material->blend == 1 && material->roughness == 0.25f);
    const struct cook_material_texture *textures = material->textures.items;
    assert_int_equal(material->textures.count, 2);
    assert_string_equal(textures[0].slot.text, "BaseColor");
    assert_string_equal(textures[0].texture.path, "/Game/tex/rock.png");
    assert_string_equal(textures[1].slot.text, "Normal");
    assert_string_equal(textures[1].texture.path, "/Game/Props/rock.gltf.Bumps");
}

static void gltf__embedded_image_knows_its_use(void **state)
{
    struct load_fixture *f = *state;
    load_document(f);
    load_ok(f, &cook_reader_gltf);
    const struct cook_texture2d *texture = load_object(f, "Bumps");
    assert_int_equal(texture->usage, COOK_TEXTURE_USAGE_NORMAL);
    assert_int_equal(texture->source.size, 67);
}

static void gltf__scene_becomes_actors(void **state)
{
    struct load_fixture *f = *state;
    load_document(f);
    load_ok(f, &cook_reader_gltf);
    const struct cook_world *world = load_object(f, "Main");
    const struct cook_world_actor *actors = world->actors.items;
    assert_int_equal(world->actors.count, 2);
    assert_string_equal(actors[0].name.text, "Base");
    assert_true(actors[0].location.z == 3.0f && actors[0].mesh.path == NULL);
    assert_string_equal(actors[1].name.text, "Node_1");
    assert_string_equal(actors[1].mesh.path, "/Game/Props/rock.gltf.Rock");
    assert_int_equal(actors[1].parent, 0);
}

static void gltf__buffer_that_nothing_uses_is_not_read(void **state)
{
    struct load_fixture *f = *state;
    load_document(f); /* "unused.bin" is not there */
    load_ok(f, &cook_reader_gltf);
    assert_int_equal(f->package.load.messages.errors, 0);
}

static void gltf__missing_buffer_is_named(void **state)
{
    struct load_fixture *f = *state;
    load_source(f, "Elsewhere/rock.gltf", document, strlen(document));
    assert_int_equal(load_run(f, &cook_reader_gltf), COOK_E_MALFORMED);
    const struct cook_messages *messages = &f->package.load.messages;
    assert_string_equal(messages->items[messages->count - 1].text,
                        "Content/Elsewhere/rock.gltf:2: buffer 0: cannot read 'data a.bin':"
                        " not found");
}

static void gltf__short_buffer_is_refused(void **state)
{
    struct load_fixture *f = *state;
    load_document(f);
    assert_int_equal(test_folder_write(&f->folder, "Content/Props/data a.bin", "short"), 0);
    assert_int_equal(load_run(f, &cook_reader_gltf), COOK_E_MALFORMED);
    const struct cook_messages *messages = &f->package.load.messages;
    assert_string_equal(
        messages->items[messages->count - 1].text,
        "Content/Props/rock.gltf:2: buffer 0: has 5 bytes, 'byteLength' says 12");
}

static void gltf__fault_has_path_and_line(void **state)
{
    struct load_fixture *f = *state;
    static const char text[] = "{\"asset\":{\"version\":\"2.0\"},\n\"meshes\":7}";
    load_source(f, "a.gltf", text, strlen(text));
    assert_int_equal(cook_facts_scan(&f->facts, &cook_reader_gltf, &f->source, &f->arena, NULL),
                     COOK_OK);
    assert_string_equal(f->facts.fault, "Content/a.gltf:2: 'meshes' is not an array");
    load_fails(f, &cook_reader_gltf, f->facts.fault);
}

static void gltf__truncated_glb_has_path_and_reason(void **state)
{
    struct load_fixture *f = *state;
    load_source(f, "a.glb", "glTF\2\0\0\0\x40\0\0\0", 12);
    load_fails(f, &cook_reader_gltf,
               "Content/a.glb: glb is cut short: its header says 64 bytes, the file has 12");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, load_set_up, load_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gltf__scan_names_objects_and_linked_images),
        TEST(gltf__mesh_has_triangles_and_material),
        TEST(gltf__material_refers_to_its_textures),
        TEST(gltf__embedded_image_knows_its_use),
        TEST(gltf__scene_becomes_actors),
        TEST(gltf__buffer_that_nothing_uses_is_not_read),
        TEST(gltf__missing_buffer_is_named),
        TEST(gltf__short_buffer_is_refused),
        TEST(gltf__fault_has_path_and_line),
        TEST(gltf__truncated_glb_has_path_and_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
