#include "cook/classes/mesh.h"

#include <math.h>
#include <string.h>

uint16_t cook_quantize_unorm16(float value)
{
    if (!(value > 0.0f))
        return 0;
    if (value >= 1.0f)
        return 65535;
    return (uint16_t)floorf(value * 65535.0f + 0.5f);
}

int16_t cook_quantize_snorm16(float value)
{
    if (!(fabsf(value) <= 1.0f))
        value = value > 0.0f ? 1.0f : value < 0.0f ? -1.0f : 0.0f;
    return (int16_t)floorf(value * 32767.0f + 0.5f);
}

/* Round to nearest, ties to even; overflow gives infinity, underflow zero, NaN one quiet NaN.
 */
uint16_t cook_quantize_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t sign = (bits >> 16) & 0x8000u;
    uint32_t magnitude = bits & 0x7FFFFFFFu;

    if (magnitude > 0x7F800000u)
        return 0x7E00u;
    if (magnitude >= 0x477FF000u) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7C00u);
    if (magnitude < 0x38800000u) { /* below 2^-14: subnormal half, in steps of 2^-24 */
        float steps = fabsf(value) * 16777216.0f;
        return (uint16_t)(sign | (uint32_t)nearbyintf(steps));
    }
    uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u) - 0x38000000u;
    return (uint16_t)(sign | (rounded >> 13));
}

/* Octahedral map (Cigolle et al., "A Survey of Efficient Representations for Unit Vectors",
 * 2014). */
void cook_quantize_octahedral(int16_t out[2], struct cook_vec3 direction)
{
    float sum = fabsf(direction.x) + fabsf(direction.y) + fabsf(direction.z);

    if (!(sum > 0.0f && sum <= 1e30f)) { /* no direction, NaN or infinity: up */
        direction = (struct cook_vec3){ 0.0f, 0.0f, 1.0f };
        sum = 1.0f;
    }
    float x = direction.x / sum;
    float y = direction.y / sum;
    if (direction.z < 0.0f) {
        float folded_x = (1.0f - fabsf(y)) * (x >= 0.0f ? 1.0f : -1.0f);
        y = (1.0f - fabsf(x)) * (y >= 0.0f ? 1.0f : -1.0f);
        x = folded_x;
    }
    out[0] = cook_quantize_snorm16(x);
    out[1] = cook_quantize_snorm16(y);
}

static uint8_t *put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value & 0xFFu);
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put_octahedral(uint8_t *at, struct cook_vec3 direction)
{
    int16_t pair[2];

    cook_quantize_octahedral(pair, direction);
    at = put_u16(at, (uint16_t)pair[0]);
    return put_u16(at, (uint16_t)pair[1]);
}

static float within(float value, float min, float max)
{
    return max > min ? (value - min) / (max - min) : 0.0f;
}

void cook_mesh_quantize(uint8_t *out, const struct cook_mesh_vertex *vertices,
                        uint32_t vertex_count, uint32_t attributes, struct cook_vec3 bounds_min,
                        struct cook_vec3 bounds_max)
{
    bool tangents = (attributes & COOK_MESH_TANGENTS) != 0;

    for (uint32_t i = 0; i < vertex_count; i++) {
        const struct cook_mesh_vertex *vertex = &vertices[i];
        struct cook_vec3 at = vertex->position;
        out = put_u16(out, cook_quantize_unorm16(within(at.x, bounds_min.x, bounds_max.x)));
        out = put_u16(out, cook_quantize_unorm16(within(at.y, bounds_min.y, bounds_max.y)));
        out = put_u16(out, cook_quantize_unorm16(within(at.z, bounds_min.z, bounds_max.z)));
        out = put_u16(out, tangents && vertex->tangent.w > 0.0f ? 65535 : 0);
        out = put_octahedral(out, vertex->normal);
        if (tangents)
            out = put_octahedral(out, (struct cook_vec3){ vertex->tangent.x, vertex->tangent.y,
                                                          vertex->tangent.z });
        if (attributes & COOK_MESH_UVS) {
            out = put_u16(out, cook_quantize_half(vertex->uv.x));
            out = put_u16(out, cook_quantize_half(vertex->uv.y));
        }
        if (attributes & COOK_MESH_COLORS) {
            memcpy(out, vertex->color, 4);
            out += 4;
        }
    }
}
