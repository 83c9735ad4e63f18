#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/gltf_fixture.h"

#include <stdio.h>

#include "cook/reader/gltf_accessor.h"

/* Parse accessors (JSON items) over one view of `bytes`. */
static void parse_over(struct gltf_fixture *f, const uint8_t *bytes, size_t size,
                       unsigned stride, const char *accessors)
{
    char stride_member[32] = "";
    if (stride > 0) {
        snprintf(stride_member, sizeof(stride_member), ",\"byteStride\":%u", stride);
    }
    gltf_parse_ok(f, cook_arena_printf(&f->arena,
                                       "\"buffers\":[{\"uri\":\"a\",\"byteLength\":%zu}],"
                                       "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu%s}],"
                                       "\"accessors\":[%s]",
                                       size, size, stride_member, accessors));
    f->doc.buffers[0].data = bytes;
}

static float *read_floats(struct gltf_fixture *f)
{
    float *values = NULL;
    enum cook_status status = cook_gltf_read_floats(&values, &f->doc, 0, &f->arena, &f->error);
    if (status != COOK_OK) {
        fail_msg("%s", f->error.message);
    }
    return values;
}

static void floats__normalized_bytes_reach_both_ends(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[] = { 127, 0x81, 0x80, 0 };
    parse_over(f, bytes, sizeof(bytes), 0,
               "{\"bufferView\":0,\"componentType\":5120,\"normalized\":true,\"count\":1,"
               "\"type\":\"VEC4\"}");
    const float *values = read_floats(f);
    assert_true(values[0] == 1.0f && values[1] == -1.0f);
    assert_true(values[2] == -1.0f && values[3] == 0.0f);
}

static void floats__normalized_shorts_are_scaled(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[] = { 0xff, 0xff, 0, 0, 0x00, 0x80, 0, 0 };
    parse_over(f, bytes, sizeof(bytes), 0,
               "{\"bufferView\":0,\"componentType\":5123,\"normalized\":true,\"count\":4,"
               "\"type\":\"SCALAR\"}");
    const float *values = read_floats(f);
    assert_true(values[0] == 1.0f && values[1] == 0.0f);
    assert_true(values[2] == 32768.0f / 65535.0f);
}

static void floats__plain_integers_keep_their_value(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[] = { 0x38, 0xff, 0x2c, 0x01 };
    parse_over(f, bytes, sizeof(bytes), 0,
               "{\"bufferView\":0,\"componentType\":5122,\"count\":2,\"type\":\"SCALAR\"}");
    const float *values = read_floats(f);
    assert_true(values[0] == -200.0f && values[1] == 300.0f);
}

static void floats__stride_and_offset_are_followed(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[] = { 9, 1, 2, 9, 9, 3, 4, 9, 9, 5, 6 };
    parse_over(f, bytes, sizeof(bytes), 4,
               "{\"bufferView\":0,\"byteOffset\":1,\"componentType\":5121,\"count\":3,"
               "\"type\":\"VEC2\"}");
    const float *values = read_floats(f);
    for (int i = 0; i < 6; i++) {
        assert_true(values[i] == (float)(i + 1));
    }
}

static void floats__without_view_are_zero_but_for_sparse_values(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[] = { 1, 3, 7, 8 };
    parse_over(
        f, bytes, sizeof(bytes), 0,
        "{\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\",\"sparse\":{\"count\":2,"
        "\"indices\":{\"bufferView\":0,\"componentType\":5121},"
        "\"values\":{\"bufferView\":0,\"byteOffset\":2}}}");
    const float *values = read_floats(f);
    assert_true(values[0] == 0.0f && values[1] == 7.0f);
    assert_true(values[2] == 0.0f && values[3] == 8.0f);
}

static void floats__sparse_indices_must_ascend_and_fit(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[2][4] = { { 1, 1, 7, 8 }, { 1, 4, 7, 8 } };
    for (int i = 0; i < 2; i++) {
        float *values;
        parse_over(f, bytes[i], 4, 0,
                   "{\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\","
                   "\"sparse\":{\"count\":2,"
                   "\"indices\":{\"bufferView\":0,\"componentType\":5121},"
                   "\"values\":{\"bufferView\":0,\"byteOffset\":2}}}");
        assert_int_equal(cook_gltf_read_floats(&values, &f->doc, 0, &f->arena, &f->error),
                         COOK_E_MALFORMED);
        assert_null(values);
    }
    assert_string_equal(f->error.message,
                        "accessor 0: sparse index 1 is 4: it does not ascend below 4");
}

static void floats__not_a_number_is_refused(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[] = { 0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f };
    float *values;
    parse_over(f, bytes, sizeof(bytes), 0,
               "{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"}");
    assert_int_equal(cook_gltf_read_floats(&values, &f->doc, 0, &f->arena, &f->error),
                     COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "accessor 0: element 1 is not finite");
}

static void floats__of_a_buffer_without_data_are_refused(void **state)
{
    struct gltf_fixture *f = *state;
    float *values;
    parse_over(f, NULL, 4, 0,
               "{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}");
    assert_int_equal(cook_gltf_read_floats(&values, &f->doc, 0, &f->arena, &f->error),
                     COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "accessor 0: buffer 0 has no data");
}

static void indices__of_each_width_are_read(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[] = { 1, 0, 0, 0, 2, 0, 0, 0 };
    static const char *const items[] = {
        "{\"bufferView\":0,\"componentType\":5121,\"count\":5,\"type\":\"SCALAR\"}",
        "{\"bufferView\":0,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}",
        "{\"bufferView\":0,\"componentType\":5125,\"count\":2,\"type\":\"SCALAR\"}",
    };
    for (size_t i = 0; i < 3; i++) {
        uint32_t *values = NULL;
        parse_over(f, bytes, sizeof(bytes), 0, items[i]);
        assert_int_equal(cook_gltf_read_indices(&values, &f->doc, 0, 3, &f->arena, &f->error),
                         COOK_OK);
        assert_int_equal(values[0], 1);
        assert_int_equal(values[4 >> i], 2);
    }
}

static void indices__beyond_the_vertices_are_refused(void **state)
{
    struct gltf_fixture *f = *state;
    static const uint8_t bytes[] = { 0, 1, 3 };
    uint32_t *values = NULL;
    parse_over(f, bytes, sizeof(bytes), 0,
               "{\"bufferView\":0,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"}");
    assert_int_equal(cook_gltf_read_indices(&values, &f->doc, 0, 3, &f->arena, &f->error),
                     COOK_E_MALFORMED);
    assert_string_equal(f->error.message,
                        "accessor 0: index 2 is 3, but there are only 3 vertices");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gltf_set_up, gltf_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(floats__normalized_bytes_reach_both_ends),
        TEST(floats__normalized_shorts_are_scaled),
        TEST(floats__plain_integers_keep_their_value),
        TEST(floats__stride_and_offset_are_followed),
        TEST(floats__without_view_are_zero_but_for_sparse_values),
        TEST(floats__sparse_indices_must_ascend_and_fit),
        TEST(floats__not_a_number_is_refused),
        TEST(floats__of_a_buffer_without_data_are_refused),
        TEST(indices__of_each_width_are_read),
        TEST(indices__beyond_the_vertices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
