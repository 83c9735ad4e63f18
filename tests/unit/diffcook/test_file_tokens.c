#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "diffcook/file_tokens.h"
#include "unit/diffcook/diff_fixture.h"

static void build_mesh(struct builder *b, uint32_t health)
{
    build_export(b, "Rock", "/Script/Test.Mesh");
    build_text(b, "Material", COOK_TOKEN_REF, "/Game/Stone.Stone", 0);
    build_u32(b, "Health", health);
    build(b);
}

/* Tokens cover the file without gaps, as the difference engine asks. */
static void tokens__cover_the_file(void **state)
{
    struct fixture *f = *state;
    struct cook_token_map map;
    build_mesh(&f->old, 100);
    cook_token_map_init(&map);
    assert_int_equal(diff_file_tokens(&map, f->old.bytes.data, f->old.bytes.size, NULL),
                     COOK_OK);
    size_t size = 0;
    for (size_t i = 0; i < map.count; i++)
        size += map.tokens[i].size;
    assert_int_equal(size, f->old.bytes.size);
    cook_token_map_finish(&map);
}

static void tokens__other_value__is_a_difference_of_the_object(void **state)
{
    struct fixture *f = *state;
    struct cook_token_map maps[2];
    struct builder *sides[2] = { &f->old, &f->new };
    struct diff_version versions[2];
    for (uint32_t i = 0; i < 2; i++) {
        build_mesh(sides[i], 100 + i);
        cook_token_map_init(&maps[i]);
        assert_int_equal(
            diff_file_tokens(&maps[i], sides[i]->bytes.data, sides[i]->bytes.size, NULL),
            COOK_OK);
        versions[i] = version_of(sides[i]);
        versions[i].tokens = &maps[i];
    }
    assert_int_equal(
        diff_compare(&f->result, &versions[0], &versions[1], &f->options, &f->arena, NULL),
        COOK_OK);
    assert_false(f->result.by_offset);
    assert_int_equal(f->result.count, 1);
    assert_string_equal(f->result.differences[0].property, "Rock:#data");
    assert_string_equal(f->result.differences[0].object, "Rock");
    cook_token_map_finish(&maps[0]);
    cook_token_map_finish(&maps[1]);
}

static void tokens__cut_or_changed_bytes__never_read_beyond(void **state)
{
    struct fixture *f = *state;
    build_mesh(&f->old, 100);
    for (size_t size = 0; size < f->old.bytes.size; size++) {
        struct cook_token_map map;
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, f->old.bytes.data, size);
        cook_token_map_init(&map);
        assert_int_equal(diff_file_tokens(&map, copy, size, NULL), COOK_E_MALFORMED);
        assert_int_equal(map.count, 0);
        cook_token_map_finish(&map);
        free(copy);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tokens__cover_the_file),
        TEST(tokens__other_value__is_a_difference_of_the_object),
        TEST(tokens__cut_or_changed_bytes__never_read_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
