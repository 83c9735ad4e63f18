#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/classes/world_bounds.h"

/* A unit cube's box. */
static const struct cook_actor_box cube = { true, { 0.0f, 0.0f, 0.0f }, { 1.0f, 1.0f, 1.0f } };

static struct cook_world_actor actor(const char *name, int32_t parent, float x, float y,
                                     float z)
{
    return (struct cook_world_actor){
        .name = { name },
        .parent = parent,
        .location = { x, y, z },
        .rotation = { 0.0f, 0.0f, 0.0f, 1.0f },
        .scale = { 1.0f, 1.0f, 1.0f },
    };
}

static void expect_vec3(struct cook_vec3 is, float x, float y, float z)
{
    assert_true(fabsf(is.x - x) < 1e-5f);
    assert_true(fabsf(is.y - y) < 1e-5f);
    assert_true(fabsf(is.z - z) < 1e-5f);
}

static void compute__two_actors__surrounds_both(void **state)
{
    struct cook_world_actor actors[] = { actor("A", -1, 5, 0, 0), actor("B", -1, -3, 2, 0) };
    struct cook_actor_box boxes[] = { cube, cube };
    struct cook_vec3 min, max;

    (void)state;
    assert_int_equal(cook_world_compute_bounds(&min, &max, actors, boxes, 2, NULL), COOK_OK);
    expect_vec3(min, -3, 0, 0);
    expect_vec3(max, 6, 3, 1);
}

static void compute__parent_after_child__moves_the_child(void **state)
{
    struct cook_world_actor actors[] = { actor("Child", 1, 1, 0, 0),
                                         actor("Parent", -1, 10, 0, 0) };
    struct cook_actor_box boxes[] = { cube, { .known = false } };
    struct cook_vec3 min, max;

    (void)state;
    actors[1].scale = (struct cook_vec3){ 2.0f, 2.0f, -2.0f };
    actors[1].rotation = (struct cook_vec4){ 0.0f, 0.0f, 7.0f, 7.0f }; /* 90 degrees about z */
    assert_int_equal(cook_world_compute_bounds(&min, &max, actors, boxes, 2, NULL), COOK_OK);
    expect_vec3(min, 8, 2, -2);
    expect_vec3(max, 10, 4, 0);
}

static void compute__nothing_known__is_zero(void **state)
{
    struct cook_world_actor actors[] = { actor("A", -1, 5, 5, 5) };
    struct cook_actor_box boxes[] = { { .known = false } };
    struct cook_vec3 min, max;

    (void)state;
    assert_int_equal(cook_world_compute_bounds(&min, &max, actors, boxes, 1, NULL), COOK_OK);
    expect_vec3(min, 0, 0, 0);
    expect_vec3(max, 0, 0, 0);
    assert_int_equal(cook_world_compute_bounds(&min, &max, NULL, NULL, 0, NULL), COOK_OK);
}

static void compute__no_rotation__counts_as_identity(void **state)
{
    struct cook_world_actor actors[] = { actor("A", -1, 0, 0, 0) };
    struct cook_vec3 min, max;

    (void)state;
    actors[0].rotation = (struct cook_vec4){ 0.0f, 0.0f, 0.0f, 0.0f };
    assert_int_equal(cook_world_compute_bounds(&min, &max, actors, &cube, 1, NULL), COOK_OK);
    expect_vec3(max, 1, 1, 1);
}

static void expect_malformed(const struct cook_world_actor *actors, uint32_t count,
                             const char *message)
{
    struct cook_actor_box boxes[4] = { cube, cube, cube, cube };
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_vec3 min, max;

    assert_int_equal(cook_world_compute_bounds(&min, &max, actors, boxes, count, &error),
                     COOK_E_MALFORMED);
    assert_string_equal(error.message, message);
}

static void compute__cycle__is_named(void **state)
{
    struct cook_world_actor actors[] = { actor("A", 2, 0, 0, 0), actor("B", 0, 0, 0, 0),
                                         actor("C", 1, 0, 0, 0) };
    struct cook_world_actor alone[] = { actor("Self", 0, 0, 0, 0) };

    (void)state;
    expect_malformed(actors, 3, "actor 'A' is its own ancestor");
    expect_malformed(alone, 1, "actor 'Self' is its own ancestor");
}

static void compute__wrong_parent__is_named(void **state)
{
    struct cook_world_actor actors[] = { actor("A", 1, 0, 0, 0) };

    (void)state;
    expect_malformed(actors, 1, "actor 'A' has a parent 1 of 1");
    actors[0].parent = -2;
    expect_malformed(actors, 1, "actor 'A' has a parent -2 of 1");
}

static void compute__infinite_place__is_named(void **state)
{
    struct cook_world_actor actors[] = { actor("A", -1, INFINITY, 0, 0) };

    (void)state;
    expect_malformed(actors, 1, "the transform of actor 'A' is not finite");
}

static void compute__long_chain__takes_linear_time(void **state)
{
    const uint32_t count = 300000;
    struct cook_world_actor *actors = cook_calloc(count, sizeof(*actors));
    struct cook_actor_box *boxes = cook_calloc(count, sizeof(*boxes));
    struct cook_vec3 min, max;

    (void)state;
    assert_true(actors != NULL && boxes != NULL);
    for (uint32_t i = 0; i < count; i++)
        actors[i] = actor(NULL, i + 1 < count ? (int32_t)i + 1 : -1, 1, 0, 0);
    boxes[0] = cube;
    assert_int_equal(cook_world_compute_bounds(&min, &max, actors, boxes, count, NULL),
                     COOK_OK);
    expect_vec3(min, 300000, 0, 0);
    cook_free(actors);
    cook_free(boxes);
}

static void compute__any_allocation_fails__reports_no_memory(void **state)
{
    struct cook_world_actor actors[] = { actor("A", -1, 0, 0, 0) };
    struct cook_vec3 min, max;

    (void)state;
    for (long after = 0; after < 3; after++) {
        cook_alloc_fail_after(after);
        enum cook_status status = cook_world_compute_bounds(&min, &max, actors, &cube, 1, NULL);
        cook_alloc_fail_after(-1);
        assert_int_equal(status, COOK_E_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compute__two_actors__surrounds_both),
        cmocka_unit_test(compute__parent_after_child__moves_the_child),
        cmocka_unit_test(compute__nothing_known__is_zero),
        cmocka_unit_test(compute__no_rotation__counts_as_identity),
        cmocka_unit_test(compute__cycle__is_named),
        cmocka_unit_test(compute__wrong_parent__is_named),
        cmocka_unit_test(compute__infinite_place__is_named),
        cmocka_unit_test(compute__long_chain__takes_linear_time),
        cmocka_unit_test(compute__any_allocation_fails__reports_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
