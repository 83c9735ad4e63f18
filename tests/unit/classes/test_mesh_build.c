#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/classes/mesh.h"

#define SIDE 33u /* vertices a side of the test's terrain */

struct fixture {
    struct cook_mesh_vertex vertices[SIDE * SIDE];
    uint32_t indices[(SIDE - 1) * (SIDE - 1) * 6];
    struct cook_mesh_section sections[2];
    struct cook_mesh_source source;
    struct cook_mesh_build *build, *second;
    struct cook_error error;
};

/* Gentle hills over a grid of triangles, in two sections. */
static void make_terrain(struct fixture *f)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        float x = (float)(i % SIDE), z = (float)(i / SIDE);
        f->vertices[i].position = (struct cook_vec3){ x, sinf(x * 0.2f) * cosf(z * 0.2f), z };
        f->vertices[i].uv = (struct cook_vec2){ x / 32.0f, z / 32.0f };
    }
    for (uint32_t i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
        uint32_t corner = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        const uint32_t quad[6] = { corner,     corner + SIDE, corner + 1,
                                   corner + 1, corner + SIDE, corner + SIDE + 1 };
        memcpy(f->indices + count, quad, sizeof(quad));
        count += 6;
    }
    f->sections[0] = (struct cook_mesh_section){ { "/Game/A" }, 0, count / 2 };
    f->sections[1] = (struct cook_mesh_section){ { "/Game/B" }, count / 2, count / 2 };
    f->source = (struct cook_mesh_source){
        .vertices = f->vertices,
        .vertex_count = SIDE * SIDE,
        .indices = f->indices,
        .index_count = count,
        .sections = f->sections,
        .section_count = 2,
        .has_uvs = true,
        .lod_ratio = 0.5f,
    };
    cook_mesh_bounds(&f->source.bounds_min, &f->source.bounds_max, f->vertices, SIDE * SIDE);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return 1;
    make_terrain(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_mesh_build_destroy(f->build);
    cook_mesh_build_destroy(f->second);
    free(f);
    return 0;
}

static void create(struct fixture *f)
{
    assert_int_equal(cook_mesh_build_create(&f->build, &f->source, &f->error), COOK_OK);
}

static enum cook_status check(struct fixture *f)
{
    return cook_mesh_check(&f->source, &f->error);
}

static void create__terrain__keeps_sections_in_both_lods(void **state)
{
    struct fixture *f = *state;

    create(f);
    assert_int_equal(f->build->lod_count, 2);
    assert_int_equal(f->build->section_count, 2);
    assert_int_equal(f->build->vertex_count, SIDE * SIDE);
    assert_int_equal(f->build->vertex_stride_bytes, 16);
    assert_int_equal(f->build->index_stride_bytes, 2);
    assert_int_equal(f->build->lods[0].index_count, f->source.index_count);
    for (uint32_t lod = 0; lod < 2; lod++) {
        const struct cook_mesh_lod *at = &f->build->lods[lod];
        assert_int_equal(at->ranges[0].first_index, 0);
        assert_int_equal(at->ranges[1].first_index, at->ranges[0].index_count);
        assert_int_equal(at->ranges[0].index_count + at->ranges[1].index_count,
                         at->index_count);
        assert_int_equal(at->index_count % 3, 0);
    }
    assert_in_range(f->build->lods[1].index_count, 3, f->source.index_count * 6 / 10);
}

static void create__no_ratio__makes_one_lod(void **state)
{
    static const float ratios[] = { 0.0f, 1.0f, 2.0f, -1.0f, NAN };
    struct fixture *f = *state;

    for (size_t i = 0; i < 5; i++) {
        f->source.lod_ratio = ratios[i];
        create(f);
        assert_int_equal(f->build->lod_count, 1);
        cook_mesh_build_destroy(f->build);
        f->build = NULL;
    }
}

static void create__split_vertices__are_welded(void **state)
{
    struct fixture *f = *state;
    struct cook_mesh_vertex *split = calloc(f->source.index_count, sizeof(*split));
    uint32_t *indices = calloc(f->source.index_count, sizeof(*indices));

    assert_true(split != NULL && indices != NULL);
    for (uint32_t i = 0; i < f->source.index_count; i++) {
        split[i] = f->vertices[f->indices[i]];
        split[i].normal = (struct cook_vec3){ 0.0f, 1.0f, 0.0f };
        split[i].color[0] = (uint8_t)i; /* not used, so it must not count */
        indices[i] = i;
    }
    f->source.vertices = split;
    f->source.indices = indices;
    f->source.vertex_count = f->source.index_count;
    f->source.has_normals = true;
    create(f);
    assert_int_equal(f->build->vertex_count, SIDE * SIDE);
    free(split);
    free(indices);
}

static void create__many_vertices__uses_wide_indices(void **state)
{
    struct fixture *f = *state;
    const uint32_t count = 66000;
    struct cook_mesh_vertex *vertices = calloc(count, sizeof(*vertices));
    uint32_t *indices = calloc(count, sizeof(*indices));

    assert_true(vertices != NULL && indices != NULL);
    for (uint32_t i = 0; i < count; i++) {
        vertices[i].position = (struct cook_vec3){ (float)i, (float)(i % 7), (float)(i % 3) };
        indices[i] = i;
    }
    f->source = (struct cook_mesh_source){
        .vertices = vertices, .vertex_count = count, .indices = indices, .index_count = count
    };
    create(f);
    assert_int_equal(f->build->index_stride_bytes, 4);
    assert_int_equal(f->build->section_count, 1);
    free(vertices);
    free(indices);
}

static void create__twice__gives_the_same_bytes(void **state)
{
    struct fixture *f = *state;

    create(f);
    assert_int_equal(cook_mesh_build_create(&f->second, &f->source, NULL), COOK_OK);
    assert_memory_equal(f->build->vertex_bytes, f->second->vertex_bytes,
                        f->build->vertex_count * f->build->vertex_stride_bytes);
    for (uint32_t lod = 0; lod < 2; lod++)
        assert_memory_equal(f->build->lods[lod].index_bytes, f->second->lods[lod].index_bytes,
                            f->build->lods[lod].index_count * 2);
}

static void create__nothing__is_an_empty_mesh(void **state)
{
    struct fixture *f = *state;

    f->source = (struct cook_mesh_source){ .lod_ratio = 0.5f };
    create(f);
    assert_int_equal(f->build->lod_count, 0);
    assert_int_equal(f->build->vertex_count, 0);
}

static void check__bad_input__is_named(void **state)
{
    struct fixture *f = *state;

    f->indices[7] = SIDE * SIDE;
    assert_int_equal(check(f), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "index 7 names vertex 1089, the mesh has 1089");
    f->indices[7] = 0;
    f->vertices[3].position.y = NAN;
    assert_int_equal(check(f), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "vertex 3 is not at a finite place within 1e15");
    f->vertices[3].position.y = 2e15f;
    assert_int_equal(check(f), COOK_E_MALFORMED);
    f->vertices[3].position.y = 0.0f;
    f->source.index_count--;
    assert_int_equal(check(f), COOK_E_MALFORMED);
}

static void check__bad_sections__are_named(void **state)
{
    struct fixture *f = *state;

    f->sections[1].first_index = UINT32_MAX - 2; /* a multiple of 3 is 2^32 - 1 */
    f->sections[1].first_index -= f->sections[1].first_index % 3;
    assert_int_equal(check(f), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "section 1 passes the last index");
    f->sections[1].first_index = 1;
    assert_int_equal(check(f), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "section 1 does not hold whole triangles");
    f->sections[1].first_index = 0;
    f->sections[1].index_count = f->source.index_count;
    assert_int_equal(check(f), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "sections overlap");
}

static void generate_normals__flat_triangle__points_up(void **state)
{
    struct cook_mesh_vertex vertices[4] = { 0 };
    static const uint32_t indices[3] = { 0, 1, 2 };

    (void)state;
    vertices[1].position.x = 4.0f;
    vertices[2].position.y = 4.0f;
    cook_mesh_generate_normals(vertices, 4, indices, 3);
    for (int i = 0; i < 4; i++) /* the unused one too */
        assert_true(vertices[i].normal.z == 1.0f && vertices[i].normal.x == 0.0f);
}

static void create__random_triangles__never_crashes(void **state)
{
    struct fixture *f = *state;
    uint32_t seed = 7;

    f->source.section_count = 0;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t used = round % 2 == 0 ? SIDE * SIDE : 5; /* and degenerate ones */
        for (uint32_t i = 0; i < f->source.index_count; i++) {
            seed = seed * 1664525u + 1013904223u;
            f->indices[i] = (seed >> 8) % used;
        }
        f->vertices[round].position.x = (float)seed * (round % 3 == 0 ? 1e5f : 1e-30f);
        f->source.lod_ratio = (float)(round % 10) / 10.0f;
        create(f);
        cook_mesh_build_destroy(f->build);
        f->build = NULL;
    }
}

static void create__any_allocation_fails__reports_no_memory(void **state)
{
    struct fixture *f = *state;
    enum cook_status status = COOK_E_NO_MEMORY;

    for (long after = 0; status != COOK_OK; after++) {
        cook_alloc_fail_after(after);
        status = cook_mesh_build_create(&f->build, &f->source, NULL);
        cook_alloc_fail_after(-1);
        assert_true(after < 1000);
        assert_true(status == COOK_OK || (status == COOK_E_NO_MEMORY && f->build == NULL));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(create__terrain__keeps_sections_in_both_lods),
        TEST(create__no_ratio__makes_one_lod),
        TEST(create__split_vertices__are_welded),
        TEST(create__many_vertices__uses_wide_indices),
        TEST(create__twice__gives_the_same_bytes),
        TEST(create__nothing__is_an_empty_mesh),
        TEST(check__bad_input__is_named),
        TEST(check__bad_sections__are_named),
        TEST(generate_normals__flat_triangle__points_up),
        TEST(create__random_triangles__never_crashes),
        TEST(create__any_allocation_fails__reports_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
