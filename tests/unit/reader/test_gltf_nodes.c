#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/gltf_fixture.h"

#include <math.h>

#include "cook/base/buf.h"
#include "cook/reader/gltf_scenes.h"

static void assert_near(float value, double expected)
{
    if (fabs((double)value - expected) > 1e-6) {
        fail_msg("%g is not %g", (double)value, expected);
    }
}

static const struct cook_gltf_node *parse_node(struct gltf_fixture *f, const char *members)
{
    gltf_parse_ok(f, cook_arena_printf(&f->arena, "\"nodes\":[{%s}]", members));
    return &f->doc.nodes[0];
}

static void nodes__without_transform_are_at_rest(void **state)
{
    const struct cook_gltf_node *node = parse_node(*state, "");
    assert_true(node->rotation.w == 1.0f && node->scale.y == 1.0f);
    assert_true(node->translation.x == 0.0f && node->mesh == COOK_GLTF_NONE);
}

/* Turned by 90 degrees about z, scaled by 2, 3, 4, moved to 5, 6, 7. */
static void nodes__matrix_is_taken_apart(void **state)
{
    const struct cook_gltf_node *node =
        parse_node(*state, "\"matrix\":[0,2,0,0,-3,0,0,0,0,0,4,0,5,6,7,1]");
    assert_near(node->translation.y, 6.0);
    assert_near(node->scale.x, 2.0);
    assert_near(node->scale.y, 3.0);
    assert_near(node->scale.z, 4.0);
    assert_near(node->rotation.z, sqrt(0.5));
    assert_near(node->rotation.w, sqrt(0.5));
}

static void nodes__half_turns_have_a_rotation_too(void **state)
{
    static const char *const matrices[] = {
        "\"matrix\":[1,0,0,0,0,-1,0,0,0,0,-1,0,0,0,0,1]",
        "\"matrix\":[-1,0,0,0,0,1,0,0,0,0,-1,0,0,0,0,1]",
        "\"matrix\":[-1,0,0,0,0,-1,0,0,0,0,1,0,0,0,0,1]",
    };
    for (size_t i = 0; i < 3; i++) {
        const struct cook_gltf_node *node = parse_node(*state, matrices[i]);
        const struct cook_vec4 r = node->rotation;
        assert_near(i == 0 ? r.x : i == 1 ? r.y : r.z, 1.0);
        assert_near(r.w, 0.0);
        assert_near(node->scale.x, 1.0);
    }
}

static void nodes__mirror_becomes_a_negative_scale(void **state)
{
    const struct cook_gltf_node *node =
        parse_node(*state, "\"matrix\":[1,0,0,0,0,1,0,0,0,0,-1,0,0,0,0,1]");
    assert_near(node->scale.x, -1.0);
    assert_near(node->scale.z, 1.0);
    assert_near(node->rotation.y * node->rotation.y, 1.0);
}

static void nodes__flat_matrix_gives_finite_numbers(void **state)
{
    const struct cook_gltf_node *node =
        parse_node(*state, "\"matrix\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]");
    assert_near(node->rotation.w, 1.0);
    assert_near(node->scale.x, 0.0);
}

static void nodes__numbers_beyond_float_are_refused(void **state)
{
    gltf_parse_fails(*state, "\"nodes\":[{\"scale\":[1,\n1e39,1]}]", 3,
                     "node 0: 'scale' is not a number that fits a float");
    gltf_parse_fails(*state, "\"nodes\":[{\"rotation\":[0,0,0,0]}]", 2,
                     "node 0: 'rotation' is no rotation: all zeros");
}

static void nodes__cycles_are_refused(void **state)
{
    gltf_parse_fails(*state, "\"nodes\":[{},\n{\"children\":[2]},{\"children\":[1]}]", 3,
                     "node 1: is its own ancestor");
    gltf_parse_fails(*state, "\"nodes\":[{\"children\":[0]}]", 2,
                     "node 0: is its own ancestor");
}

static void nodes__two_parents_are_refused(void **state)
{
    gltf_parse_fails(*state, "\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]", 2,
                     "node 2: is a child of node 0 and of node 1");
}

static void nodes__too_deep_a_tree_is_refused(void **state)
{
    struct gltf_fixture *f = *state;
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "\"nodes\":[{}");
    for (unsigned i = 0; i < COOK_GLTF_MAX_DEPTH; i++) {
        cook_buf_printf(&text, ",{\"children\":[%u]}", i);
    }
    cook_buf_printf(&text, "]");
    enum cook_status status = gltf_parse(f, cook_buf_text(&text));
    cook_buf_finish(&text);
    assert_int_equal(status, COOK_E_LIMIT);
}

static void scenes__actors_come_depth_first_after_their_parents(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint32_t nodes[] = { 3, 0, 2, 4, 1 };
    static const int32_t parents[] = { -1, 0, 1, 0, -1 };
    struct cook_gltf_actor *actors = NULL;
    gltf_parse_ok(f, "\"nodes\":[{\"children\":[2]},{},{},{\"children\":[0,4]},{}],"
                     "\"scenes\":[{\"nodes\":[3,1]}]");
    assert_int_equal(f->doc.scenes[0].actor_count, 5);
    assert_int_equal(cook_gltf_list_actors(&actors, &f->doc, &f->doc.scenes[0], &f->arena),
                     COOK_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(actors[i].node, nodes[i]);
        assert_int_equal(actors[i].parent, parents[i]);
    }
}

/* As UniGLTF writes it: the parent of the listed node is in no scene. */
static void scenes__listed_child_stands_as_a_root(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_ok(f, "\"nodes\":[{\"children\":[1]},{}],\"scenes\":[{\"nodes\":[1]}]");
    assert_int_equal(f->doc.scenes[0].actor_count, 1);
}

static void scenes__node_below_another_listed_one_comes_once(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_ok(f, "\"nodes\":[{\"children\":[1]},{}],\"scenes\":[{\"nodes\":[1,0]}]");
    assert_int_equal(f->doc.scenes[0].root_count, 1);
    assert_int_equal(f->doc.scenes[0].roots[0], 0);
    assert_int_equal(f->doc.scenes[0].actor_count, 2);
}

static void scenes__broken_lists_are_refused(void **state)
{
    gltf_parse_fails(*state, "\"nodes\":[{}],\"scenes\":[{\"nodes\":[0,0]}]", 2,
                     "scene 0: node 0 is listed twice");
    gltf_parse_fails(*state, "\"nodes\":[{}],\"scenes\":[{\"nodes\":[1]}]", 2,
                     "scene 0: 'nodes' is 1, but there are only 1");
    gltf_parse_fails(*state, "\"scenes\":[{}],\"scene\":1", 2,
                     "'scene' is 1, but there are only 1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gltf_set_up, gltf_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nodes__without_transform_are_at_rest),
        TEST(nodes__matrix_is_taken_apart),
        TEST(nodes__half_turns_have_a_rotation_too),
        TEST(nodes__mirror_becomes_a_negative_scale),
        TEST(nodes__flat_matrix_gives_finite_numbers),
        TEST(nodes__numbers_beyond_float_are_refused),
        TEST(nodes__cycles_are_refused),
        TEST(nodes__two_parents_are_refused),
        TEST(nodes__too_deep_a_tree_is_refused),
        TEST(scenes__actors_come_depth_first_after_their_parents),
        TEST(scenes__listed_child_stands_as_a_root),
        TEST(scenes__node_below_another_listed_one_comes_once),
        TEST(scenes__broken_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
