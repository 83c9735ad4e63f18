#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cook/classes/mesh.h"

static void unorm16__ends_and_nonsense(void **state)
{
    (void)state;
    assert_int_equal(cook_quantize_unorm16(0.0f), 0);
    assert_int_equal(cook_quantize_unorm16(1.0f), 65535);
    assert_int_equal(cook_quantize_unorm16(0.5f), 32768);
    assert_int_equal(cook_quantize_unorm16(-3.0f), 0);
    assert_int_equal(cook_quantize_unorm16(9.0f), 65535);
    assert_int_equal(cook_quantize_unorm16(NAN), 0);
}

static void snorm16__ends_and_nonsense(void **state)
{
    (void)state;
    assert_int_equal(cook_quantize_snorm16(1.0f), 32767);
    assert_int_equal(cook_quantize_snorm16(-1.0f), -32767);
    assert_int_equal(cook_quantize_snorm16(0.0f), 0);
    assert_int_equal(cook_quantize_snorm16(-INFINITY), -32767);
    assert_int_equal(cook_quantize_snorm16(NAN), 0);
}

static void half__ends_ties_and_nonsense(void **state)
{
    (void)state;
    assert_int_equal(cook_quantize_half(1.0f), 0x3C00);
    assert_int_equal(cook_quantize_half(-2.0f), 0xC000);
    assert_int_equal(cook_quantize_half(65504.0f), 0x7BFF);
    assert_int_equal(cook_quantize_half(65519.0f), 0x7BFF);
    assert_int_equal(cook_quantize_half(65520.0f), 0x7C00);
    assert_int_equal(cook_quantize_half(INFINITY), 0x7C00);
    assert_int_equal(cook_quantize_half(-NAN), 0x7E00);
    assert_int_equal(cook_quantize_half(5.9604645e-8f), 1); /* the least subnormal */
    assert_int_equal(cook_quantize_half(2.9802322e-8f), 0); /* its half: a tie, to even */
    assert_int_equal(cook_quantize_half(6.097555e-5f), 0x03FF);
    assert_int_equal(cook_quantize_half(6.1035156e-5f), 0x0400);
    assert_int_equal(cook_quantize_half(1.00048828125f), 0x3C00); /* a tie, to even */
    assert_int_equal(cook_quantize_half(1.00146484375f), 0x3C02); /* a tie, to even */
}

static struct cook_vec3 decode(const int16_t pair[2])
{
    float x = (float)pair[0] / 32767.0f, y = (float)pair[1] / 32767.0f;
    float z = 1.0f - fabsf(x) - fabsf(y);
    if (z < 0.0f) {
        float folded = (1.0f - fabsf(y)) * (x >= 0.0f ? 1.0f : -1.0f);
        y = (1.0f - fabsf(x)) * (y >= 0.0f ? 1.0f : -1.0f);
        x = folded;
    }
    float length = sqrtf(x * x + y * y + z * z);
    return (struct cook_vec3){ x / length, y / length, z / length };
}

static void octahedral__directions__come_back(void **state)
{
    int16_t pair[2];

    (void)state;
    for (int i = 0; i < 500; i++) {
        float a = (float)i * 0.37f, b = (float)i * 0.91f;
        struct cook_vec3 in = { cosf(a) * cosf(b), sinf(a) * cosf(b), sinf(b) };
        cook_quantize_octahedral(pair, in);
        struct cook_vec3 out = decode(pair);
        float cosine = in.x * out.x + in.y * out.y + in.z * out.z;
        assert_true(cosine > 0.9999999f - 1e-6f);
    }
}

static void octahedral__no_direction__is_up(void **state)
{
    int16_t pair[2];

    (void)state;
    cook_quantize_octahedral(pair, (struct cook_vec3){ 0.0f, 0.0f, 0.0f });
    assert_true(pair[0] == 0 && pair[1] == 0);
    cook_quantize_octahedral(pair, (struct cook_vec3){ NAN, 1.0f, 0.0f });
    assert_true(pair[0] == 0 && pair[1] == 0);
    cook_quantize_octahedral(pair, (struct cook_vec3){ INFINITY, 1.0f, 0.0f });
    assert_true(pair[0] == 0 && pair[1] == 0);
}

static void quantize__layout__is_as_documented(void **state)
{
    static const uint8_t wanted[24] = { 0xFF, 0xFF, 0, 0, 0, 0,    0xFF, 0xFF, 0, 0, 0, 0,
                                        0xFF, 0x7F, 0, 0, 0, 0x3C, 0,    0xC0, 1, 2, 3, 4 };
    struct cook_mesh_vertex vertex = {
        .position = { 2.0f, -1.0f, 5.0f },
        .normal = { 0.0f, 0.0f, 1.0f },
        .tangent = { 1.0f, 0.0f, 0.0f, 1.0f },
        .uv = { 1.0f, -2.0f },
        .color = { 1, 2, 3, 4 },
    };
    uint32_t all = COOK_MESH_TANGENTS | COOK_MESH_UVS | COOK_MESH_COLORS;
    uint8_t out[24];

    (void)state;
    assert_int_equal(cook_mesh_vertex_stride(all), sizeof(out));
    assert_int_equal(cook_mesh_vertex_stride(0), 12);
    cook_mesh_quantize(out, &vertex, 1, all, (struct cook_vec3){ 0.0f, -1.0f, 5.0f },
                       (struct cook_vec3){ 2.0f, 1.0f, 5.0f });
    assert_memory_equal(out, wanted, sizeof(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unorm16__ends_and_nonsense),
        cmocka_unit_test(snorm16__ends_and_nonsense),
        cmocka_unit_test(half__ends_ties_and_nonsense),
        cmocka_unit_test(octahedral__directions__come_back),
        cmocka_unit_test(octahedral__no_direction__is_up),
        cmocka_unit_test(quantize__layout__is_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
