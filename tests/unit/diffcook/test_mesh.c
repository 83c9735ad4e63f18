#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/classes/mesh.h"
#include "diffcook/mesh.h"
#include "unit/diffcook/diff_fixture.h"

#define STRIDE 12

static void build_f32(struct builder *b, const char *path, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    build_number(b, path, COOK_TOKEN_F32, bits, 0);
}

/* Bounds from 0 to `side` along each axis, vertices of position and normal. */
static void fill(struct builder *b, float side, uint32_t attributes, const uint8_t *vertices,
                 uint32_t count, uint32_t stride)
{
    static const char *const fields[6] = { "BoundsMin.X", "BoundsMin.Y", "BoundsMin.Z",
                                           "BoundsMax.X", "BoundsMax.Y", "BoundsMax.Z" };
    build_export(b, "Mesh", "/Script/Cook.StaticMesh");
    for (int i = 0; i < 6; i++)
        build_f32(b, fields[i], i < 3 ? 0 : side);
    build_u32(b, "VertexCount", count);
    build_u32(b, "VertexStride", stride);
    build_u32(b, "VertexAttributes", attributes);
    build_data(b, "Vertices", vertices, (size_t)count * stride, true, 0);
}

static const char *vertices_text(struct fixture *f)
{
    compare(f);
    for (uint32_t i = 0; i < f->result.count; i++)
        if (strcmp(f->result.differences[i].property, "Mesh:Vertices#bulk") == 0)
            return f->result.differences[i].new_value;
    fail_msg("the vertices do not differ");
    return "";
}

static void compare__vertices_moved__are_counted_with_the_largest_distance(void **state)
{
    struct fixture *f = *state;
    uint8_t old[4 * STRIDE] = { 0 }, new[4 * STRIDE] = { 0 };
    memset(new + STRIDE, 0xff, 2);         /* x from 0 to 10 */
    memset(new + 2 * STRIDE + 4, 0xff, 2); /* z from 0 to 10 */
    new[2 * STRIDE + 2] = 0xff;            /* and y by 255 steps */
    new[3 * STRIDE] = 1;                   /* one step of the grid is no move */
    new[8] = 1;                            /* a normal */
    fill(&f->old, 10, 0, old, 4, STRIDE);
    fill(&f->new, 10, 0, new, 4, STRIDE);
    assert_string_equal(strstr(vertices_text(f), "; ") + 2,
                        "2 of 4 vertices moved, the farthest by 10, other normals 1");
}

static void compare__other_bounds__move_all(void **state)
{
    struct fixture *f = *state;
    uint8_t old[2 * STRIDE], new[2 * STRIDE];
    memset(old, 0xff, sizeof(old));
    memset(new, 0xff, sizeof(new));
    new[8] = 0;
    fill(&f->old, 1, 0, old, 2, STRIDE);
    fill(&f->new, 3, 0, new, 2, STRIDE);
    assert_non_null(strstr(vertices_text(f), "2 of 2 vertices moved, the farthest by 3.46"));
}

static void compare__other_count__tells_both(void **state)
{
    struct fixture *f = *state;
    uint8_t vertices[3 * STRIDE] = { 1, 2, 3 };
    fill(&f->old, 1, 0, vertices, 2, STRIDE);
    fill(&f->new, 1, 0, vertices, 3, STRIDE);
    assert_non_null(strstr(vertices_text(f), "2 -> 3 vertices"));
}

static void compare__attributes__are_told_apart(void **state)
{
    struct fixture *f = *state;
    uint8_t old[24] = { 0 }, new[24] = { 0 };
    new[12] = 1; /* texture coordinates: the first after the normal here */
    new[16] = 1; /* colours */
    uint32_t attributes = COOK_MESH_UVS | COOK_MESH_COLORS;
    fill(&f->old, 1, attributes, old, 1, 20);
    fill(&f->new, 1, attributes, new, 1, 20);
    assert_non_null(strstr(vertices_text(f),
                           "0 of 1 vertices moved, other texture coordinates 1, other colours 1"));
}

static void compare__stride_that_does_not_fit__is_no_mesh(void **state)
{
    struct fixture *f = *state;
    uint8_t old[32] = { 0 }, new[32] = { 1 };
    fill(&f->old, 1, 0, old, 2, 16);
    fill(&f->new, 1, 0, new, 2, 16);
    assert_null(strstr(vertices_text(f), "vertices"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compare__vertices_moved__are_counted_with_the_largest_distance),
        TEST(compare__other_bounds__move_all),
        TEST(compare__other_count__tells_both),
        TEST(compare__attributes__are_told_apart),
        TEST(compare__stride_that_does_not_fit__is_no_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
