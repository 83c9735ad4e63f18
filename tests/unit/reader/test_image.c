#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/load_fixture.h"

/* A TGA of one grey pixel: the smallest image that can be written by hand. */
static const uint8_t tga[] = { 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0, 128 };

static void image__becomes_one_texture_named_like_the_file(void **state)
{
    struct load_fixture *f = *state;
    load_source(f, "A/rock.small.tga", tga, sizeof(tga));
    load_ok(f, &cook_reader_tga);
    const struct cook_texture2d *texture = load_object(f, "rock_small");
    assert_int_equal(texture->source.size, sizeof(tga));
    assert_memory_equal(texture->source.data, tga, sizeof(tga));
    assert_ptr_not_equal(texture->source.data, f->source.data);
}

static void image__scan_tells_the_dimensions(void **state)
{
    struct load_fixture *f = *state;
    load_source(f, "A/rock.tga", tga, sizeof(tga));
    load_ok(f, &cook_reader_tga);
    assert_int_equal(f->facts.tag_count, 2);
    assert_string_equal(f->facts.tags[0].key, "Height");
    assert_string_equal(f->facts.tags[1].value, "1");
}

static void image__side_file_sets_properties(void **state)
{
    struct load_fixture *f = *state;
    load_source(f, "A/rock.tga", tga, sizeof(tga));
    load_side_file(f, "{\"MaxSize\": 64}");
    load_ok(f, &cook_reader_tga);
    assert_int_equal(((struct cook_texture2d *)load_object(f, "rock"))->max_size_px, 64);
}

static void image__broken_file_names_itself(void **state)
{
    struct load_fixture *f = *state;
    load_source(f, "A/rock.tga", tga, sizeof(tga) - 1);
    assert_int_equal(cook_facts_scan(&f->facts, &cook_reader_tga, &f->source, &f->arena, NULL),
                     COOK_OK);
    assert_string_equal(f->facts.fault, "Content/A/rock.tga: TGA is cut short: 18 bytes do not"
                                        " hold 1 x 1 pixels");
    load_fails(f, &cook_reader_tga, f->facts.fault);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, load_set_up, load_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(image__becomes_one_texture_named_like_the_file),
        TEST(image__scan_tells_the_dimensions),
        TEST(image__side_file_sets_properties),
        TEST(image__broken_file_names_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
