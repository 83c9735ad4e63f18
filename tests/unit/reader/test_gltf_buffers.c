#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/gltf_fixture.h"

/* A buffer of 100 bytes, and one view of 40 bytes in it. */
#define BUFFER "\"buffers\":[{\"uri\":\"a.bin\",\"byteLength\":100}],\n"
#define VIEW   "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":60,\"byteLength\":40}],\n"

static void buffers__without_uri_or_bin_chunk_is_refused(void **state)
{
    gltf_parse_fails(*state, "\"buffers\":[{\"byteLength\":4}]", 2,
                     "buffer 0: has neither a uri nor a BIN chunk");
}

static void buffers__negative_length_is_refused(void **state)
{
    gltf_parse_fails(*state, "\"buffers\":[{\"uri\":\"a\",\"byteLength\":-4}]", 2,
                     "buffer 0: 'byteLength' is not a whole number");
}

static void views__beyond_the_buffer_is_refused(void **state)
{
    gltf_parse_fails(*state,
                     BUFFER "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":61,"
                            "\"byteLength\":40}]",
                     3, "buffer view 0: 40 bytes at 61 do not fit into buffer 0 of 100 bytes");
}

static void views__of_an_unknown_buffer_is_refused(void **state)
{
    gltf_parse_fails(*state, BUFFER "\"bufferViews\":[{\"buffer\":1,\"byteLength\":4}]", 3,
                     "buffer view 0: 'buffer' is 1, but there are only 1");
}

static void views__stride_out_of_range_is_refused(void **state)
{
    gltf_parse_fails(*state,
                     BUFFER "\"bufferViews\":[{\"buffer\":0,\"byteLength\":4,"
                            "\"byteStride\":253}]",
                     3, "buffer view 0: 'byteStride' is 253, not between 4 and 252");
}

static void accessors__filling_the_view_exactly_is_fine(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_ok(f, BUFFER VIEW "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
                                 "\"byteOffset\":4,\"count\":3,\"type\":\"VEC3\"}]");
    assert_int_equal(f->doc.accessors[0].values.stride_bytes, 12);
}

static void accessors__one_element_too_many_is_refused(void **state)
{
    gltf_parse_fails(*state,
                     BUFFER VIEW "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
                                 "\"count\":4,\"type\":\"VEC3\"}]",
                     4,
                     "accessor 0: 4 elements at 0 do not fit into buffer view 0 of 40 bytes");
}

static void accessors__huge_count_is_refused(void **state)
{
    struct gltf_fixture *f = *state;
    assert_int_equal(gltf_parse(f, BUFFER VIEW
                                "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
                                "\"count\":4294967294,\"type\":\"MAT4\"}]"),
                     COOK_E_MALFORMED);
    assert_int_equal(gltf_parse(f, "\"accessors\":[{\"componentType\":5126,"
                                   "\"count\":18446744073709551615,\"type\":\"VEC3\"}]"),
                     COOK_E_MALFORMED);
}

static void accessors__count_of_zero_is_refused(void **state)
{
    gltf_parse_fails(*state,
                     "\"accessors\":[{\"componentType\":5126,\"count\":0,"
                     "\"type\":\"VEC3\"}]",
                     2, "accessor 0: 'count' is 0, not between 1 and 4294967294");
}

static void accessors__unknown_types_are_refused(void **state)
{
    gltf_parse_fails(*state,
                     "\"accessors\":[{\"componentType\":5124,\"count\":1,"
                     "\"type\":\"VEC3\"}]",
                     2, "accessor 0: 'componentType' 5124 is unknown");
    gltf_parse_fails(*state,
                     "\"accessors\":[{\"componentType\":5126,\"count\":1,"
                     "\"type\":\"VEC5\"}]",
                     2, "accessor 0: 'type' is missing or unknown");
}

static void accessors__normalized_floats_are_refused(void **state)
{
    gltf_parse_fails(*state,
                     "\"accessors\":[{\"componentType\":5126,\"count\":1,"
                     "\"type\":\"VEC3\",\"normalized\":true}]",
                     2, "accessor 0: 'normalized' goes with 8 and 16 bit integers only");
}

static void accessors__stride_below_the_element_is_refused(void **state)
{
    gltf_parse_fails(*state,
                     BUFFER "\"bufferViews\":[{\"buffer\":0,\"byteLength\":40,"
                            "\"byteStride\":8}],\n"
                            "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
                            "\"count\":2,\"type\":\"VEC3\"}]",
                     4,
                     "accessor 0: elements of 12 bytes do not fit the view's byteStride of 8");
}

static void accessors__matrix_columns_are_padded(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_ok(f, BUFFER VIEW
                  "\"accessors\":[{\"bufferView\":0,\"componentType\":5121,\"count\":3,"
                  "\"type\":\"MAT3\"}]");
    assert_int_equal(f->doc.accessors[0].values.stride_bytes, 12);
}

static void sparse__more_values_than_elements_is_refused(void **state)
{
    gltf_parse_fails(*state,
                     BUFFER VIEW "\"accessors\":[{\"componentType\":5126,\"count\":1,"
                                 "\"type\":\"SCALAR\",\"sparse\":{\"count\":2,"
                                 "\"indices\":{\"bufferView\":0,\"componentType\":5121},"
                                 "\"values\":{\"bufferView\":0}}}]",
                     4, "accessor 0: 'count' is 2, not between 1 and 1");
}

static void sparse__values_beyond_their_view_are_refused(void **state)
{
    gltf_parse_fails(*state,
                     BUFFER VIEW "\"accessors\":[{\"componentType\":5126,\"count\":20,"
                                 "\"type\":\"SCALAR\",\"sparse\":{\"count\":11,"
                                 "\"indices\":{\"bufferView\":0,\"componentType\":5121},"
                                 "\"values\":{\"bufferView\":0}}}]",
                     4,
                     "accessor 0: 11 elements at 0 do not fit into buffer view 0 of 40 bytes");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gltf_set_up, gltf_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(buffers__without_uri_or_bin_chunk_is_refused),
        TEST(buffers__negative_length_is_refused),
        TEST(views__beyond_the_buffer_is_refused),
        TEST(views__of_an_unknown_buffer_is_refused),
        TEST(views__stride_out_of_range_is_refused),
        TEST(accessors__filling_the_view_exactly_is_fine),
        TEST(accessors__one_element_too_many_is_refused),
        TEST(accessors__huge_count_is_refused),
        TEST(accessors__count_of_zero_is_refused),
        TEST(accessors__unknown_types_are_refused),
        TEST(accessors__normalized_floats_are_refused),
        TEST(accessors__stride_below_the_element_is_refused),
        TEST(accessors__matrix_columns_are_padded),
        TEST(sparse__more_values_than_elements_is_refused),
        TEST(sparse__values_beyond_their_view_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
