#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/gltf_fixture.h"

#include "cook/reader/gltf_geometry.h"

/*
 * Accessor 0: five positions (i, 0, 0) as bytes; 1: six indices 0 1 2 2 1 3; 2: five colours;
 * 3: three positions; 4: five uvs.
 */
static const uint8_t bytes[] = {
    0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, /* every 4 bytes */
    0, 1, 2, 2, 1, 3, 0, 0,
};
#define DOCUMENT                                                                               \
    "\"buffers\":[{\"uri\":\"a\",\"byteLength\":28}],\"materials\":[{},{}],"                   \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":20,\"byteStride\":4},"                      \
    "{\"buffer\":0,\"byteOffset\":20,\"byteLength\":6}],\"accessors\":["                       \
    "{\"bufferView\":0,\"componentType\":5121,\"count\":5,\"type\":\"VEC3\"},"                 \
    "{\"bufferView\":1,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"},"               \
    "{\"bufferView\":0,\"componentType\":5121,\"normalized\":true,\"count\":5,"                \
    "\"type\":\"VEC4\"},"                                                                      \
    "{\"bufferView\":0,\"componentType\":5121,\"count\":3,\"type\":\"VEC3\"},"                 \
    "{\"bufferView\":0,\"componentType\":5121,\"count\":5,\"type\":\"VEC2\"}],"                \
    "\"meshes\":[{\"primitives\":[\n"
#define END "]}]"

static struct cook_gltf_geometry build(struct gltf_fixture *f, const char *members)
{
    gltf_parse_ok(f, members);
    f->doc.buffers[0].data = bytes;
    const struct cook_gltf_mesh *mesh = &f->doc.meshes[0];
    struct cook_gltf_geometry out = {
        .vertices = cook_arena_alloc(&f->arena, mesh->vertex_count * sizeof(*out.vertices) + 1),
        .indices = cook_arena_alloc(&f->arena, mesh->index_count * sizeof(*out.indices) + 1),
        .sections =
            cook_arena_alloc(&f->arena, mesh->primitive_count * sizeof(*out.sections) + 1),
    };
    if (cook_gltf_fill_geometry(&out, &f->doc, mesh, &f->error) != COOK_OK) {
        fail_msg("%s", f->error.message);
    }
    return out;
}

static void assert_indices(const uint32_t *indices, const char *expected)
{
    for (size_t i = 0; expected[i] != '\0'; i++) {
        assert_int_equal(indices[i], expected[i] - '0');
    }
}

static void geometry__indexed_triangles_are_copied(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_gltf_geometry out =
        build(f, DOCUMENT "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"material\":1}" END);
    assert_indices(out.indices, "012213");
    assert_int_equal(out.sections[0].material, 1);
    assert_int_equal(out.sections[0].index_count, 6);
    assert_true(out.vertices[4].position.x == 4.0f && out.bounds_max.x == 4.0f);
    assert_false(out.has_normals || out.has_uvs || out.has_colors);
}

static void geometry__strip_turns_every_other_triangle(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_gltf_geometry out =
        build(f, DOCUMENT "{\"attributes\":{\"POSITION\":0},\"mode\":5}" END);
    assert_int_equal(f->doc.meshes[0].index_count, 9);
    assert_indices(out.indices, "012132234");
}

static void geometry__fan_keeps_its_first_vertex(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_gltf_geometry out =
        build(f, DOCUMENT "{\"attributes\":{\"POSITION\":0},\"mode\":6}" END);
    assert_indices(out.indices, "120230340");
}

static void geometry__missing_indices_are_made(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_gltf_geometry out = build(f, DOCUMENT "{\"attributes\":{\"POSITION\":3}}" END);
    assert_indices(out.indices, "012");
    assert_int_equal(out.sections[0].material, COOK_GLTF_NONE);
}

static void geometry__second_primitive_counts_from_its_own_vertices(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_gltf_geometry out =
        build(f, DOCUMENT "{\"attributes\":{\"POSITION\":3}},"
                          "{\"attributes\":{\"POSITION\":0},\"indices\":1}" END);
    assert_int_equal(f->doc.meshes[0].vertex_count, 8);
    assert_indices(out.indices, "012345546");
    assert_int_equal(out.sections[1].first_index, 3);
}

static void geometry__same_attributes_share_vertices(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_gltf_geometry out =
        build(f, DOCUMENT "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"material\":0},"
                          "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"material\":1}" END);
    assert_int_equal(f->doc.meshes[0].vertex_count, 5);
    assert_indices(out.indices, "012213012213");
}

static void geometry__colors_default_to_white(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_gltf_geometry out =
        build(f, DOCUMENT "{\"attributes\":{\"POSITION\":0,\"COLOR_0\":2},\"mode\":5},"
                          "{\"attributes\":{\"POSITION\":3}}" END);
    assert_true(out.has_colors);
    assert_int_equal(out.vertices[4].color[0], 4);
    assert_int_equal(out.vertices[4].color[1], 0);
    assert_int_equal(out.vertices[5].color[3], 255);
}

static void geometry__fails_cleanly_at_every_allocation(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_gltf_geometry out =
        build(f, DOCUMENT "{\"attributes\":{\"POSITION\":0,\"COLOR_0\":2,\"TEXCOORD_0\":4},"
                          "\"indices\":1}" END);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        cook_alloc_fail_after(after);
        status = cook_gltf_fill_geometry(&out, &f->doc, &f->doc.meshes[0], &f->error);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
}

static void meshes__points_and_primitives_without_positions_are_skipped(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_ok(f, DOCUMENT "{\"attributes\":{\"POSITION\":0},\"mode\":0},"
                              "{\"attributes\":{\"TEXCOORD_0\":4}}" END);
    assert_int_equal(f->doc.meshes[0].primitive_count, 0);
    assert_int_equal(f->doc.meshes[0].skipped_count, 2);
}

static void meshes__broken_primitives_are_refused(void **state)
{
    gltf_parse_fails(*state, DOCUMENT "{\"attributes\":{\"POSITION\":5}}" END, 3,
                     "mesh 0: 'POSITION' is 5, but there are only 5");
    gltf_parse_fails(*state, DOCUMENT "{\"attributes\":{\"POSITION\":1}}" END, 3,
                     "mesh 0: accessor 1 of attribute POSITION has the wrong type");
    gltf_parse_fails(*state, DOCUMENT "{\"attributes\":{\"POSITION\":0,\"NORMAL\":3}}" END, 3,
                     "mesh 0: attribute NORMAL has 3 elements, the positions have 5");
    gltf_parse_fails(*state, DOCUMENT "{\"attributes\":{\"POSITION\":0}}" END, 3,
                     "mesh 0: 5 indices or vertices do not make triangles");
    gltf_parse_fails(*state, DOCUMENT "{\"attributes\":{\"POSITION\":0},\"indices\":4}" END, 3,
                     "mesh 0: accessor 4 does not hold indices");
    gltf_parse_fails(*state, DOCUMENT "{\"attributes\":{\"POSITION\":0},\"mode\":7}" END, 3,
                     "mesh 0: 'mode' is 7, not between 0 and 6");
}

static void meshes__draco_without_fallback_is_refused(void **state)
{
    gltf_parse_fails(*state,
                     "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
                     "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
                     "\"extensions\":{\"KHR_draco_mesh_compression\":{}}}]}]",
                     2,
                     "mesh 0: compressed with KHR_draco_mesh_compression, which is not"
                     " supported");
}

static void meshes__more_vertices_than_allowed_are_refused(void **state)
{
    struct gltf_fixture *f = *state;
    enum cook_status status = gltf_parse(
        f, "\"accessors\":[{\"componentType\":5126,\"count\":9000000,\"type\":\"VEC3\"}],"
           "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},"
           "{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]");
    assert_int_equal(status, COOK_E_LIMIT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gltf_set_up, gltf_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(geometry__indexed_triangles_are_copied),
        TEST(geometry__strip_turns_every_other_triangle),
        TEST(geometry__fan_keeps_its_first_vertex),
        TEST(geometry__missing_indices_are_made),
        TEST(geometry__second_primitive_counts_from_its_own_vertices),
        TEST(geometry__same_attributes_share_vertices),
        TEST(geometry__colors_default_to_white),
        TEST(geometry__fails_cleanly_at_every_allocation),
        TEST(meshes__points_and_primitives_without_positions_are_skipped),
        TEST(meshes__broken_primitives_are_refused),
        TEST(meshes__draco_without_fallback_is_refused),
        TEST(meshes__more_vertices_than_allowed_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
