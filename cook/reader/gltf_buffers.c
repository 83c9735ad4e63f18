/* Buffers, buffer views and accessors (3.6): every range is checked against its container here.
 */
#include <inttypes.h>
#include <string.h>

#include "cook/reader/gltf_parser.h"

struct element_type {
    const char *name;
    uint32_t width; /* components */
    uint32_t columns;
};

static const struct element_type element_types[] = {
    { "SCALAR", 1, 1 }, { "VEC2", 2, 1 }, { "VEC3", 3, 1 },  { "VEC4", 4, 1 },
    { "MAT2", 4, 2 },   { "MAT3", 9, 3 }, { "MAT4", 16, 4 },
};

size_t cook_gltf_component_bytes(enum cook_gltf_component component)
{
    switch (component) {
    case COOK_GLTF_I8:
    case COOK_GLTF_U8:
        return 1;
    case COOK_GLTF_I16:
    case COOK_GLTF_U16:
        return 2;
    case COOK_GLTF_U32:
    case COOK_GLTF_F32:
        return 4;
    case COOK_GLTF_COMPONENT_UNKNOWN:
        break;
    }
    return 0;
}

/* 3.6.2.4: each column of a matrix starts at a multiple of four bytes. */
static size_t element_bytes(const struct element_type *type, enum cook_gltf_component component)
{
    size_t column = type->width / type->columns * cook_gltf_component_bytes(component);
    return type->columns == 1 ? column : (column + 3) / 4 * 4 * type->columns;
}

static void parse_buffer(struct cook_gltf_parser *parser, struct cook_gltf_buffer *buffer,
                         const struct cook_json *item)
{
    buffer->line = item->line;
    buffer->uri = cook_gltf_string(parser, item, "uri");
    buffer->size_bytes = (size_t)cook_gltf_required(parser, item, "byteLength", 1, UINT32_MAX);
    if (buffer->uri != NULL || parser->status != COOK_OK) {
        return;
    }
    if (parser->subject_index != 0 || parser->doc->bin == NULL) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item, "has neither a uri nor a BIN chunk");
    } else if (buffer->size_bytes > parser->doc->bin_bytes) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                       "'byteLength' is %zu, but the BIN chunk has %zu bytes",
                       buffer->size_bytes, parser->doc->bin_bytes);
    }
    buffer->data = parser->doc->bin;
}

static void parse_view(struct cook_gltf_parser *parser, struct cook_gltf_view *view,
                       const struct cook_json *item)
{
    view->buffer = (uint32_t)cook_gltf_required(parser, item, "buffer", 0, UINT32_MAX - 1);
    view->offset_bytes = (size_t)cook_gltf_number(parser, item, "byteOffset", 0, UINT32_MAX, 0);
    view->size_bytes = (size_t)cook_gltf_required(parser, item, "byteLength", 1, UINT32_MAX);
    view->stride_bytes = (size_t)cook_gltf_number(parser, item, "byteStride", 4, 252, 0);
    if (parser->status != COOK_OK) {
        return;
    }
    if (view->buffer >= parser->doc->buffer_count) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                       "'buffer' is %" PRIu32 ", but there are only %" PRIu32, view->buffer,
                       parser->doc->buffer_count);
        return;
    }
    size_t buffer_bytes = parser->doc->buffers[view->buffer].size_bytes;
    if (view->offset_bytes > buffer_bytes ||
        view->size_bytes > buffer_bytes - view->offset_bytes) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                       "%zu bytes at %zu do not fit into buffer %" PRIu32 " of %zu bytes",
                       view->size_bytes, view->offset_bytes, view->buffer, buffer_bytes);
    }
}

void cook_gltf_parse_buffers(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    uint32_t count;
    const struct cook_json *item =
        cook_gltf_list(parser, &count, root, "buffers", COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    doc->buffers = cook_gltf_alloc(parser, count, sizeof(*doc->buffers));
    parser->subject = "buffer";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        parse_buffer(parser, &doc->buffers[i], item);
    }
    doc->buffer_count = count;
    parser->subject = NULL;

    item = cook_gltf_list(parser, &count, root, "bufferViews", COOK_JSON_OBJECT,
                          COOK_GLTF_MAX_ITEMS);
    doc->views = cook_gltf_alloc(parser, count, sizeof(*doc->views));
    parser->subject = "buffer view";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        parse_view(parser, &doc->views[i], item);
    }
    doc->view_count = count;
    parser->subject = NULL;
}

static enum cook_gltf_component read_component(struct cook_gltf_parser *parser,
                                               const struct cook_json *item)
{
    uint64_t value = cook_gltf_required(parser, item, "componentType", 0, UINT32_MAX);
    enum cook_gltf_component component = COOK_GLTF_COMPONENT_UNKNOWN;
    if (value >= COOK_GLTF_I8 && value <= COOK_GLTF_F32) {
        component = (enum cook_gltf_component)value;
    }
    if (cook_gltf_component_bytes(component) == 0) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item, "'componentType' %" PRIu64 " is unknown",
                       value);
    }
    return component;
}

static const struct element_type *read_type(struct cook_gltf_parser *parser,
                                            const struct cook_json *item)
{
    const char *name = cook_gltf_string(parser, item, "type");
    for (size_t i = 0; name != NULL && i < sizeof(element_types) / sizeof(element_types[0]);
         i++) {
        if (strcmp(element_types[i].name, name) == 0) {
            return &element_types[i];
        }
    }
    cook_gltf_fail(parser, COOK_E_MALFORMED, item, "'type' is missing or unknown");
    return &element_types[0];
}

/* Read view, offset and stride of `count` elements and check that the last one ends inside. */
static void read_stream(struct cook_gltf_parser *parser, struct cook_gltf_stream *stream,
                        const struct cook_json *item, uint32_t count, size_t element)
{
    stream->view = cook_gltf_index(parser, item, "bufferView", parser->doc->view_count);
    stream->offset_bytes =
        (size_t)cook_gltf_number(parser, item, "byteOffset", 0, UINT32_MAX, 0);
    stream->stride_bytes = element;
    if (stream->view == COOK_GLTF_NONE || parser->status != COOK_OK) {
        return;
    }
    const struct cook_gltf_view *view = &parser->doc->views[stream->view];
    if (view->stride_bytes != 0) {
        stream->stride_bytes = view->stride_bytes;
    }
    if (stream->stride_bytes < element) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                       "elements of %zu bytes do not fit the view's byteStride of %zu", element,
                       stream->stride_bytes);
        return;
    }
    size_t bytes;
    if (__builtin_mul_overflow(stream->stride_bytes, (size_t)count - 1, &bytes) ||
        __builtin_add_overflow(bytes, element, &bytes) ||
        __builtin_add_overflow(bytes, stream->offset_bytes, &bytes) ||
        bytes > view->size_bytes) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                       "%" PRIu32 " elements at %zu do not fit into buffer view %" PRIu32
                       " of %zu bytes",
                       count, stream->offset_bytes, stream->view, view->size_bytes);
    }
}

static void parse_sparse(struct cook_gltf_parser *parser, struct cook_gltf_accessor *accessor,
                         const struct cook_json *sparse, size_t element)
{
    const struct cook_json *indices = cook_json_get(sparse, "indices");
    const struct cook_json *values = cook_json_get(sparse, "values");
    if (cook_json_get(indices, "bufferView") == NULL ||
        cook_json_get(values, "bufferView") == NULL) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, sparse,
                       "'sparse' needs 'indices' and 'values' with a 'bufferView'");
        return;
    }
    uint32_t count = (uint32_t)cook_gltf_required(parser, sparse, "count", 1, accessor->count);
    accessor->sparse_indices.component = read_component(parser, indices);
    accessor->sparse_values.component = accessor->values.component;
    switch (accessor->sparse_indices.component) {
    case COOK_GLTF_U8:
    case COOK_GLTF_U16:
    case COOK_GLTF_U32:
        break;
    case COOK_GLTF_COMPONENT_UNKNOWN:
    case COOK_GLTF_I8:
    case COOK_GLTF_I16:
    case COOK_GLTF_F32:
        cook_gltf_fail(parser, COOK_E_MALFORMED, indices, "sparse indices are not unsigned");
        return;
    }
    read_stream(parser, &accessor->sparse_indices, indices, count,
                cook_gltf_component_bytes(accessor->sparse_indices.component));
    read_stream(parser, &accessor->sparse_values, values, count, element);
    accessor->sparse_count = count;
}

static void parse_accessor(struct cook_gltf_parser *parser, struct cook_gltf_accessor *accessor,
                           const struct cook_json *item)
{
    const struct element_type *type = read_type(parser, item);
    enum cook_gltf_component component = read_component(parser, item);
    size_t element = element_bytes(type, component);
    accessor->line = item->line;
    accessor->width = type->width;
    accessor->is_matrix = type->columns > 1;
    accessor->values.component = component;
    accessor->normalized = cook_gltf_bool(parser, item, "normalized", false);
    accessor->count = (uint32_t)cook_gltf_required(parser, item, "count", 1, UINT32_MAX - 1);
    if (parser->status != COOK_OK) {
        return;
    }
    if (accessor->normalized && (component == COOK_GLTF_F32 || component == COOK_GLTF_U32)) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, item,
                       "'normalized' goes with 8 and 16 bit integers only");
        return;
    }
    read_stream(parser, &accessor->values, item, accessor->count, element);
    const struct cook_json *sparse = cook_json_get(item, "sparse");
    if (sparse != NULL) {
        parse_sparse(parser, accessor, sparse, element);
    }
}

void cook_gltf_parse_accessors(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    struct cook_gltf *doc = parser->doc;
    uint32_t count;
    const struct cook_json *item = cook_gltf_list(parser, &count, root, "accessors",
                                                  COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    doc->accessors = cook_gltf_alloc(parser, count, sizeof(*doc->accessors));
    parser->subject = "accessor";
    for (uint32_t i = 0; item != NULL && parser->status == COOK_OK; item = item->next, i++) {
        parser->subject_index = i;
        parse_accessor(parser, &doc->accessors[i], item);
    }
    doc->accessor_count = count;
    parser->subject = NULL;
}
