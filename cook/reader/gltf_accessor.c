#include "cook/reader/gltf_accessor.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static uint16_t read_u16(const uint8_t *at)
{
    return (uint16_t)((unsigned)at[0] | ((unsigned)at[1] << 8));
}

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)read_u16(at) | ((uint32_t)read_u16(at + 2) << 16);
}

static float read_f32(const uint8_t *at)
{
    uint32_t bits = read_u32(at);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* 3.6.2.2: c / max, and for signed ones not below -1. */
static float normalize(float value, float max)
{
    float scaled = value / max;
    return scaled < -1.0f ? -1.0f : scaled;
}

static float read_value(const uint8_t *at, enum cook_gltf_component component, bool normalized)
{
    switch (component) {
    case COOK_GLTF_I8:
        return normalized ? normalize((float)(int8_t)at[0], 127.0f) : (float)(int8_t)at[0];
    case COOK_GLTF_U8:
        return (float)at[0] / (normalized ? 255.0f : 1.0f);
    case COOK_GLTF_I16:
        return normalized ? normalize((float)(int16_t)read_u16(at), 32767.0f)
                          : (float)(int16_t)read_u16(at);
    case COOK_GLTF_U16:
        return (float)read_u16(at) / (normalized ? 65535.0f : 1.0f);
    case COOK_GLTF_U32:
        return (float)read_u32(at);
    case COOK_GLTF_F32:
        return read_f32(at);
    case COOK_GLTF_COMPONENT_UNKNOWN:
        break;
    }
    return 0.0f;
}

static uint32_t read_index(const uint8_t *at, enum cook_gltf_component component)
{
    switch (component) {
    case COOK_GLTF_U8:
        return at[0];
    case COOK_GLTF_U16:
        return read_u16(at);
    case COOK_GLTF_U32:
        return read_u32(at);
    case COOK_GLTF_I8:
    case COOK_GLTF_I16:
    case COOK_GLTF_F32:
    case COOK_GLTF_COMPONENT_UNKNOWN:
        break;
    }
    return UINT32_MAX;
}

const uint8_t *cook_gltf_view_bytes(const struct cook_gltf *doc, uint32_t view, size_t *size)
{
    const struct cook_gltf_view *found = &doc->views[view];
    const uint8_t *data = doc->buffers[found->buffer].data;
    *size = data != NULL ? found->size_bytes : 0;
    return data != NULL ? data + found->offset_bytes : NULL;
}

/* The first element of a stream that has a view. */
static enum cook_status stream_bytes(const uint8_t **out, const struct cook_gltf *doc,
                                     const struct cook_gltf_stream *stream,
                                     struct cook_error *error)
{
    size_t size;
    const uint8_t *bytes = cook_gltf_view_bytes(doc, stream->view, &size);
    if (bytes == NULL) {
        return cook_error_set(error, COOK_E_MALFORMED, "buffer %" PRIu32 " has no data",
                              doc->views[stream->view].buffer);
    }
    *out = bytes + stream->offset_bytes;
    return COOK_OK;
}

static void read_element(float *out, const struct cook_gltf_accessor *accessor,
                         const uint8_t *at)
{
    size_t step = cook_gltf_component_bytes(accessor->values.component);
    for (uint32_t c = 0; c < accessor->width; c++) {
        out[c] = read_value(at + c * step, accessor->values.component, accessor->normalized);
    }
}

/* The element that the `i`th sparse value replaces; they ascend (3.6.2.3). */
static enum cook_status sparse_target(uint32_t *target,
                                      const struct cook_gltf_accessor *accessor,
                                      const uint8_t *indices, uint32_t i,
                                      struct cook_error *error)
{
    const struct cook_gltf_stream *stream = &accessor->sparse_indices;
    uint32_t index = read_index(indices + (size_t)i * stream->stride_bytes, stream->component);
    if (index >= accessor->count || (i > 0 && index <= *target)) {
        return cook_error_set(error, COOK_E_MALFORMED,
                              "sparse index %" PRIu32 " is %" PRIu32
                              ": it does not ascend below %" PRIu32,
                              i, index, accessor->count);
    }
    *target = index;
    return COOK_OK;
}

static enum cook_status apply_sparse_floats(float *values, const struct cook_gltf *doc,
                                            const struct cook_gltf_accessor *accessor,
                                            struct cook_error *error)
{
    const uint8_t *indices = NULL;
    const uint8_t *replacements = NULL;
    uint32_t target = 0;
    enum cook_status status = stream_bytes(&indices, doc, &accessor->sparse_indices, error);
    if (status == COOK_OK) {
        status = stream_bytes(&replacements, doc, &accessor->sparse_values, error);
    }
    for (uint32_t i = 0; status == COOK_OK && i < accessor->sparse_count; i++) {
        status = sparse_target(&target, accessor, indices, i, error);
        if (status == COOK_OK) {
            read_element(values + (size_t)target * accessor->width, accessor,
                         replacements + (size_t)i * accessor->sparse_values.stride_bytes);
        }
    }
    return status;
}

static enum cook_status check_finite(const float *values,
                                     const struct cook_gltf_accessor *accessor,
                                     struct cook_error *error)
{
    size_t total = (size_t)accessor->count * accessor->width;
    for (size_t i = 0; i < total; i++) {
        if (!isfinite(values[i])) {
            return cook_error_set(error, COOK_E_MALFORMED, "element %zu is not finite",
                                  i / accessor->width);
        }
    }
    return COOK_OK;
}

static enum cook_status fill_floats(float *values, const struct cook_gltf *doc,
                                    const struct cook_gltf_accessor *accessor,
                                    struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    if (accessor->values.view != COOK_GLTF_NONE) {
        const uint8_t *bytes = NULL;
        status = stream_bytes(&bytes, doc, &accessor->values, error);
        for (uint32_t i = 0; status == COOK_OK && i < accessor->count; i++) {
            read_element(values + (size_t)i * accessor->width, accessor,
                         bytes + (size_t)i * accessor->values.stride_bytes);
        }
    }
    if (status == COOK_OK && accessor->sparse_count > 0) {
        status = apply_sparse_floats(values, doc, accessor, error);
    }
    return status == COOK_OK ? check_finite(values, accessor, error) : status;
}

enum cook_status cook_gltf_read_floats(float **out, const struct cook_gltf *doc,
                                       uint32_t accessor, struct cook_arena *arena,
                                       struct cook_error *error)
{
    const struct cook_gltf_accessor *found = &doc->accessors[accessor];
    size_t bytes = 0;
    *out = NULL;
    bool overflow =
        __builtin_mul_overflow((size_t)found->count, found->width * sizeof(float), &bytes);
    float *values = overflow ? NULL : cook_arena_alloc(arena, bytes);
    if (values == NULL) {
        return cook_error_no_memory(error);
    }
    enum cook_status status = fill_floats(values, doc, found, error);
    if (status != COOK_OK) {
        cook_error_prefix(error, "accessor %" PRIu32, accessor);
        return status;
    }
    *out = values;
    return COOK_OK;
}

static enum cook_status apply_sparse_indices(uint32_t *values, const struct cook_gltf *doc,
                                             const struct cook_gltf_accessor *accessor,
                                             struct cook_error *error)
{
    const struct cook_gltf_stream *stream = &accessor->sparse_values;
    const uint8_t *indices = NULL;
    const uint8_t *replacements = NULL;
    uint32_t target = 0;
    enum cook_status status = stream_bytes(&indices, doc, &accessor->sparse_indices, error);
    if (status == COOK_OK) {
        status = stream_bytes(&replacements, doc, stream, error);
    }
    for (uint32_t i = 0; status == COOK_OK && i < accessor->sparse_count; i++) {
        status = sparse_target(&target, accessor, indices, i, error);
        if (status == COOK_OK) {
            values[target] =
                read_index(replacements + (size_t)i * stream->stride_bytes, stream->component);
        }
    }
    return status;
}

static enum cook_status check_indices(const uint32_t *values, uint32_t count, uint32_t limit,
                                      struct cook_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] >= limit) {
            return cook_error_set(error, COOK_E_MALFORMED,
                                  "index %" PRIu32 " is %" PRIu32
                                  ", but there are only %" PRIu32 " vertices",
                                  i, values[i], limit);
        }
    }
    return COOK_OK;
}

static enum cook_status fill_indices(uint32_t *values, const struct cook_gltf *doc,
                                     const struct cook_gltf_accessor *accessor, uint32_t limit,
                                     struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    const struct cook_gltf_stream *stream = &accessor->values;
    if (stream->view != COOK_GLTF_NONE) {
        const uint8_t *bytes = NULL;
        status = stream_bytes(&bytes, doc, stream, error);
        for (uint32_t i = 0; status == COOK_OK && i < accessor->count; i++) {
            values[i] = read_index(bytes + (size_t)i * stream->stride_bytes, stream->component);
        }
    }
    if (status == COOK_OK && accessor->sparse_count > 0) {
        status = apply_sparse_indices(values, doc, accessor, error);
    }
    return status == COOK_OK ? check_indices(values, accessor->count, limit, error) : status;
}

enum cook_status cook_gltf_read_indices(uint32_t **out, const struct cook_gltf *doc,
                                        uint32_t accessor, uint32_t limit,
                                        struct cook_arena *arena, struct cook_error *error)
{
    const struct cook_gltf_accessor *found = &doc->accessors[accessor];
    *out = NULL;
    uint32_t *values = cook_arena_alloc(arena, (size_t)found->count * sizeof(*values));
    if (values == NULL) {
        return cook_error_no_memory(error);
    }
    enum cook_status status = fill_indices(values, doc, found, limit, error);
    if (status != COOK_OK) {
        cook_error_prefix(error, "accessor %" PRIu32, accessor);
        return status;
    }
    *out = values;
    return COOK_OK;
}
