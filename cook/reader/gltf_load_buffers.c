#include <inttypes.h>

#include "cook/reader/gltf_load.h"
#include "cook/reader/gltf_uri.h"

static void need_stream(bool *needed, const struct cook_gltf *doc,
                        const struct cook_gltf_stream *stream)
{
    if (stream->view != COOK_GLTF_NONE) {
        needed[doc->views[stream->view].buffer] = true;
    }
}

static void need_accessor(bool *needed, const struct cook_gltf *doc, uint32_t index)
{
    if (index == COOK_GLTF_NONE) {
        return;
    }
    const struct cook_gltf_accessor *accessor = &doc->accessors[index];
    need_stream(needed, doc, &accessor->values);
    if (accessor->sparse_count > 0) {
        need_stream(needed, doc, &accessor->sparse_indices);
        need_stream(needed, doc, &accessor->sparse_values);
    }
}

static void need_mesh(bool *needed, const struct cook_gltf *doc,
                      const struct cook_gltf_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const struct cook_gltf_primitive *primitive = &mesh->primitives[i];
        need_accessor(needed, doc, primitive->position);
        need_accessor(needed, doc, primitive->normal);
        need_accessor(needed, doc, primitive->tangent);
        need_accessor(needed, doc, primitive->uv);
        need_accessor(needed, doc, primitive->color);
        need_accessor(needed, doc, primitive->indices);
    }
}

static void find_needed(bool *needed, const struct cook_gltf *doc)
{
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        need_mesh(needed, doc, &doc->meshes[i]);
    }
    for (uint32_t i = 0; i < doc->image_count; i++) {
        if (doc->images[i].view != COOK_GLTF_NONE) {
            needed[doc->views[doc->images[i].view].buffer] = true;
        }
    }
}

static enum cook_status read_file(const struct cook_gltf_load *load, struct cook_bytes *bytes,
                                  const struct cook_gltf_buffer *buffer, uint32_t index)
{
    const char *path = cook_gltf_uri_file(load->arena, buffer->uri);
    if (path == NULL) {
        return cook_load_fail(load->loader, buffer->line,
                              "buffer %" PRIu32 ": '%.256s' is not a relative URI", index,
                              buffer->uri);
    }
    enum cook_status status = cook_read_file(load->context, path, bytes);
    if (status != COOK_OK) {
        return cook_load_fail(load->loader, buffer->line,
                              "buffer %" PRIu32 ": cannot read '%.256s': %s", index, path + 2,
                              cook_status_text(status));
    }
    return COOK_OK;
}

static enum cook_status decode_uri(const struct cook_gltf_load *load, struct cook_bytes *bytes,
                                   const struct cook_gltf_buffer *buffer, uint32_t index)
{
    struct cook_error error = COOK_ERROR_INIT;
    enum cook_status status =
        cook_gltf_decode_data_uri(&bytes->data, &bytes->size, buffer->uri, load->arena, &error);
    cook_error_prefix(&error, "buffer %" PRIu32, index);
    return cook_gltf_load_fault(load, buffer->line, status, &error);
}

static enum cook_status load_buffer(const struct cook_gltf_load *load, uint32_t index)
{
    struct cook_gltf_buffer *buffer = &load->doc->buffers[index];
    struct cook_bytes bytes = { NULL, 0 };
    if (buffer->uri == NULL) {
        return COOK_OK; /* the BIN chunk, set already */
    }
    enum cook_status status = cook_gltf_is_data_uri(buffer->uri)
                                  ? decode_uri(load, &bytes, buffer, index)
                                  : read_file(load, &bytes, buffer, index);
    if (status != COOK_OK) {
        return status;
    }
    if (bytes.size < buffer->size_bytes) {
        return cook_load_fail(load->loader, buffer->line,
                              "buffer %" PRIu32 ": has %zu bytes, 'byteLength' says %zu", index,
                              bytes.size, buffer->size_bytes);
    }
    buffer->data = bytes.data;
    return COOK_OK;
}

enum cook_status cook_gltf_load_buffers(const struct cook_gltf_load *load)
{
    struct cook_gltf *doc = load->doc;
    bool *needed = cook_arena_alloc(load->arena, (size_t)doc->buffer_count + 1);
    enum cook_status status = needed != NULL ? COOK_OK : COOK_E_NO_MEMORY;
    if (status == COOK_OK) {
        find_needed(needed, doc);
    }
    for (uint32_t i = 0; status == COOK_OK && i < doc->buffer_count; i++) {
        status = needed[i] ? load_buffer(load, i) : COOK_OK;
    }
    return status;
}
