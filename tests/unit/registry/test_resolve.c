#include "fixture.h"

static const struct cook_fact_object rock_objects[] = {
    { "Rock", "/Script/Cook.World" },
    { "Rock/Mesh", "/Script/Cook.StaticMesh" },
    { "Mesh", "/Script/Cook.StaticMesh" },
};

/* A package that is there, with facts of `count` of the objects above. */
static uint32_t add_package(struct fixture *f, const char *name, size_t count)
{
    struct cook_buf blob = COOK_BUF_INIT;
    struct cook_facts facts = { .objects = rock_objects, .object_count = count };
    cook_facts_encode(&facts, &blob);
    uint32_t id = cook_state_add_package(&f->state, name);
    assert_int_not_equal(id, COOK_ID_NONE);
    f->state.packages[id].flags = COOK_PACKAGE_PRESENT;
    assert_int_equal(cook_registry_set_facts(&f->state, id, "gltf/1",
                                             (struct cook_hash){ 0, 0 }, blob.data, blob.size,
                                             &f->error),
                     COOK_OK);
    cook_buf_finish(&blob);
    return id;
}

static void assert_resolves(struct fixture *f, const char *path, uint32_t package,
                            const char *inner)
{
    struct cook_resolved resolved = cook_registry_resolve(&f->state, path, &f->arena);
    assert_int_equal(resolved.package, package);
    if (inner)
        assert_string_equal(resolved.inner, inner);
    else
        assert_null(resolved.inner);
    assert_true((resolved.class_name != NULL) == (inner != NULL));
}

static void resolve__bare_name_is_the_first_object(void **state)
{
    struct fixture *f = *state;
    uint32_t rock = add_package(f, "/Game/P/Rock.gltf", 3);
    assert_resolves(f, "/Game/P/Rock.gltf", rock, "Rock");
    struct cook_resolved resolved =
        cook_registry_resolve(&f->state, "/Game/P/Rock.gltf", &f->arena);
    assert_string_equal(resolved.class_name, "/Script/Cook.World");
}

static void resolve__inner_paths_are_found(void **state)
{
    struct fixture *f = *state;
    uint32_t rock = add_package(f, "/Game/P/Rock.gltf", 3);
    assert_resolves(f, "/Game/P/Rock.gltf.Mesh", rock, "Mesh");
    assert_resolves(f, "/Game/P/Rock.gltf.Rock/Mesh", rock, "Rock/Mesh");
}

static void resolve__missing_object_keeps_its_package(void **state)
{
    struct fixture *f = *state;
    uint32_t rock = add_package(f, "/Game/P/Rock.gltf", 3);
    uint32_t empty = add_package(f, "/Game/Empty", 0);
    assert_resolves(f, "/Game/P/Rock.gltf.None", rock, NULL);
    assert_resolves(f, "/Game/P/Rock.gltf.", rock, NULL);
    assert_resolves(f, "/Game/P/Rock.gltf.mesh", rock, NULL);
    assert_resolves(f, "/Game/Empty", empty, NULL);
}

static void resolve__longest_package_wins(void **state)
{
    struct fixture *f = *state;
    uint32_t shorter = add_package(f, "/Game/P/Rock", 3);
    uint32_t longer = add_package(f, "/Game/P/Rock.Mesh", 1);
    assert_resolves(f, "/Game/P/Rock.Mesh", longer, "Rock");
    assert_resolves(f, "/Game/P/Rock.Mesh.Rock", longer, "Rock");
    f->state.packages[longer].flags = 0; /* gone: only what is there counts */
    assert_resolves(f, "/Game/P/Rock.Mesh", shorter, "Mesh");
}

static void resolve__dots_in_folders_are_no_end(void **state)
{
    struct fixture *f = *state;
    uint32_t rock = add_package(f, "/Game/v1.2/Rock", 3);
    assert_resolves(f, "/Game/v1.2/Rock.Mesh", rock, "Mesh");
    assert_resolves(f, "/Game/v1.2/Other.Mesh", COOK_ID_NONE, NULL);
}

static void resolve__unknown_paths_are_none(void **state)
{
    struct fixture *f = *state;
    add_package(f, "/Game/P/Rock", 3);
    const char *const paths[] = { "",         ".",           "...",
                                  "/Game/P",  "/Game/P/Roc", "/Game/P/RockMesh",
                                  "Rock.Mesh" };
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        assert_resolves(f, paths[i], COOK_ID_NONE, NULL);
}

static void resolve__works_on_a_mapped_state(void **state)
{
    struct fixture *f = *state;
    uint32_t rock = add_package(f, "/Game/P/Rock.gltf", 3);
    assert_int_equal(cook_state_sort(&f->state, &f->error), COOK_OK);
    freeze(f);
    assert_resolves(f, "/Game/P/Rock.gltf.Mesh", rock, "Mesh");
    assert_true(f->state.mapped);
}

static void resolve__damaged_facts_have_no_objects(void **state)
{
    struct fixture *f = *state;
    uint32_t rock = add_package(f, "/Game/P/Rock", 3);
    uint8_t damaged[] = { 1, 0, 3, 200, 'R' };
    f->state.results[rock].facts = cook_state_add_blob(&f->state, damaged, sizeof(damaged));
    assert_resolves(f, "/Game/P/Rock", rock, NULL);
    f->state.results[rock].facts = UINT32_MAX - 20;
    assert_resolves(f, "/Game/P/Rock", rock, NULL);
}

static struct cook_hash outcome(struct fixture *f, const char *path)
{
    struct cook_hash hash = cook_registry_ref_outcome(&f->state, path, &f->arena);
    assert_false(cook_hash_is_zero(hash));
    return hash;
}

static void outcome__tells_what_a_reference_means(void **state)
{
    struct fixture *f = *state;
    struct cook_hash nothing = outcome(f, "/Game/P/Rock.Mesh");
    assert_true(cook_hash_equal(nothing, outcome(f, "/Game/Q")));
    uint32_t rock = add_package(f, "/Game/P/Rock", 1);
    struct cook_hash no_object = outcome(f, "/Game/P/Rock.Mesh");
    assert_false(cook_hash_equal(nothing, no_object));
    rock = add_package(f, "/Game/P/Rock", 3);
    struct cook_hash found = outcome(f, "/Game/P/Rock.Mesh");
    assert_false(cook_hash_equal(no_object, found));
    assert_false(cook_hash_equal(found, outcome(f, "/Game/P/Rock.Rock/Mesh")));
    assert_true(cook_hash_equal(outcome(f, "/Game/P/Rock"), outcome(f, "/Game/P/Rock.Rock")));
    f->state.packages[rock].flags = 0;
    assert_true(cook_hash_equal(nothing, outcome(f, "/Game/P/Rock.Mesh")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(resolve__bare_name_is_the_first_object),
        TEST(resolve__inner_paths_are_found),
        TEST(resolve__missing_object_keeps_its_package),
        TEST(resolve__longest_package_wins),
        TEST(resolve__dots_in_folders_are_no_end),
        TEST(resolve__unknown_paths_are_none),
        TEST(resolve__works_on_a_mapped_state),
        TEST(resolve__damaged_facts_have_no_objects),
        TEST(outcome__tells_what_a_reference_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
