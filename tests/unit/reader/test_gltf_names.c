#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/gltf_fixture.h"

#include <stdio.h>

/* All names, ' '-separated, in the order of emission. */
static const char *names_of(struct gltf_fixture *f, const char *members)
{
    static const char separator[] = " ";
    char *out = cook_arena_printf(&f->arena, "%s", "");
    gltf_parse_ok(f, members);
    for (uint32_t i = 0; i < f->doc.object_count; i++) {
        out = cook_arena_printf(&f->arena, "%s%s%s", out, i > 0 ? separator : "",
                                f->doc.objects[i].name);
    }
    return out;
}

static void names__come_by_kind_default_scene_first(void **state)
{
    const char *names =
        names_of(*state, "\"images\":[{\"name\":\"I\",\"uri\":\"data:,\"}],"
                         "\"materials\":[{\"name\":\"M\"}],\"meshes\":[{\"name\":\"Rock\"}],"
                         "\"nodes\":[{}],\"scenes\":[{\"name\":\"A\",\"nodes\":[0]},"
                         "{\"name\":\"B\",\"nodes\":[0]}],\"scene\":1");
    assert_string_equal(names, "B A Rock M I");
}

static void names__missing_ones_are_made_of_kind_and_index(void **state)
{
    const char *names = names_of(*state, "\"images\":[{\"uri\":\"data:,\"}],\"materials\":[{}],"
                                         "\"meshes\":[{},{\"name\":\"\"}],\"nodes\":[{}],"
                                         "\"scenes\":[{\"nodes\":[0]}]");
    assert_string_equal(names, "World_0 Mesh_0 Mesh_1 Material_0 Image_0");
}

static void names__are_unique_over_all_kinds(void **state)
{
    const char *names = names_of(*state, "\"materials\":[{\"name\":\"R\"},{\"name\":\"R_1\"}],"
                                         "\"meshes\":[{\"name\":\"R\"},{\"name\":\"R\"}]");
    assert_string_equal(names, "R R_1 R_2 R_1_1");
}

static void names__lose_what_paths_are_made_of(void **state)
{
    const char *names =
        names_of(*state, "\"meshes\":[{\"name\":\"a.001\"},{\"name\":\"b/c:d\"}]");
    assert_string_equal(names, "a_001 b_c_d");
}

static void names__long_ones_leave_room_for_a_suffix(void **state)
{
    struct gltf_fixture *f = *state;
    char name[301];
    memset(name, 'x', 300);
    name[300] = '\0';
    gltf_parse_ok(f, cook_arena_printf(&f->arena,
                                       "\"meshes\":[{\"name\":\"%s\"},{\"name\":\"%s\"}]", name,
                                       name));
    assert_int_equal(strlen(f->doc.objects[1].name), 255);
    assert_string_equal(f->doc.objects[1].name + 250, "xxx_1");
}

static void names__scenes_without_nodes_and_linked_images_are_no_objects(void **state)
{
    const char *names = names_of(*state, "\"images\":[{\"uri\":\"a.png\"}],\"scenes\":[{}]");
    assert_string_equal(names, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gltf_set_up, gltf_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names__come_by_kind_default_scene_first),
        TEST(names__missing_ones_are_made_of_kind_and_index),
        TEST(names__are_unique_over_all_kinds),
        TEST(names__lose_what_paths_are_made_of),
        TEST(names__long_ones_leave_room_for_a_suffix),
        TEST(names__scenes_without_nodes_and_linked_images_are_no_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
