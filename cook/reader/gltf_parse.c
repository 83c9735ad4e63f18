/* The document as a whole: the .glb container, the version, extensions, and the parts in order.
 */
#include <inttypes.h>
#include <string.h>

#include "cook/base/buf.h"
#include "cook/reader/gltf_parser.h"

#define GLB_MAGIC          0x46546c67u /* "glTF" */
#define GLB_CHUNK_JSON     0x4e4f534au
#define GLB_CHUNK_BIN      0x004e4942u
#define GLB_HEADER_BYTES   12
#define CHUNK_HEADER_BYTES 8

/* Extensions whose data this reader understands or that need nothing done. */
static const char *const known_extensions[] = { "KHR_mesh_quantization", NULL };

struct text {
    const char *data;
    size_t size;
};

static uint32_t little_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | ((uint32_t)bytes[1] << 8) | ((uint32_t)bytes[2] << 16) |
           ((uint32_t)bytes[3] << 24);
}

static void check_glb_header(struct cook_gltf_parser *parser,
                             const struct cook_gltf_input *input)
{
    if (input->size < GLB_HEADER_BYTES) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, NULL,
                       "glb is cut short: %zu bytes do not hold its header", input->size);
        return;
    }
    if (little_endian(input->data) != GLB_MAGIC) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, NULL, "not a glb file");
        return;
    }
    uint32_t version = little_endian(input->data + 4);
    uint32_t length = little_endian(input->data + 8);
    if (version != 2) {
        cook_gltf_fail(parser, COOK_E_UNSUPPORTED, NULL,
                       "glb version %" PRIu32 " is not supported: only 2 is", version);
    } else if (length > input->size) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, NULL,
                       "glb is cut short: its header says %" PRIu32 " bytes, the file has %zu",
                       length, input->size);
    } else if (length < GLB_HEADER_BYTES) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, NULL, "glb length %" PRIu32 " is too small",
                       length);
    }
}

/* 4.4.3: JSON first, then perhaps BIN, then chunks that a client must skip. */
static void take_chunk(struct cook_gltf_parser *parser, struct text *json, uint32_t number,
                       uint32_t type, const uint8_t *data, size_t size)
{
    if (number == 0 && type != GLB_CHUNK_JSON) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, NULL, "glb does not start with a JSON chunk");
    } else if (number == 0) {
        *json = (struct text){ (const char *)data, size };
    } else if (number == 1 && type == GLB_CHUNK_BIN) {
        parser->doc->bin = data;
        parser->doc->bin_bytes = size;
    }
}

static void split_glb(struct cook_gltf_parser *parser, struct text *json,
                      const struct cook_gltf_input *input)
{
    check_glb_header(parser, input);
    if (parser->status != COOK_OK) {
        return;
    }
    size_t end = little_endian(input->data + 8);
    size_t offset = GLB_HEADER_BYTES;
    uint32_t number = 0;
    for (; end - offset >= CHUNK_HEADER_BYTES && parser->status == COOK_OK; number++) {
        size_t size = little_endian(input->data + offset);
        uint32_t type = little_endian(input->data + offset + 4);
        offset += CHUNK_HEADER_BYTES;
        if (size > end - offset) {
            cook_gltf_fail(parser, COOK_E_MALFORMED, NULL,
                           "glb chunk %" PRIu32 " has %zu bytes, only %zu are left", number,
                           size, end - offset);
            return;
        }
        take_chunk(parser, json, number, type, input->data + offset, size);
        offset += size;
    }
    if (number == 0) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, NULL, "glb has no JSON chunk");
    }
}

/* Some exporters pad the JSON chunk with NULs where the format wants spaces. */
static void trim_padding(struct text *json)
{
    while (json->size > 0 && json->data[json->size - 1] == '\0') {
        json->size--;
    }
}

/* The message of the JSON parser carries its line in front, which ours reports by itself. */
static const char *without_line(const char *message)
{
    size_t digits = strspn(message, "0123456789");
    return digits > 0 && strncmp(message + digits, ": ", 2) == 0 ? message + digits + 2
                                                                 : message;
}

static const struct cook_json *parse_json(struct cook_gltf_parser *parser,
                                          const struct text *json)
{
    struct cook_error error = COOK_ERROR_INIT;
    const struct cook_json *root = NULL;
    uint32_t line = 0;
    enum cook_status status =
        cook_json_parse(&root, &line, json->data, json->size, parser->arena, &error);
    if (status != COOK_OK) {
        cook_gltf_fail(parser, status, NULL, "%s", without_line(error.message));
        parser->line = line;
    } else if (root->type != COOK_JSON_OBJECT) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, root, "not a glTF document");
    }
    return root;
}

static void check_version(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    const struct cook_json *asset = cook_json_get(root, "asset");
    const char *version = cook_gltf_string(parser, asset, "version");
    if (version == NULL) {
        cook_gltf_fail(parser, COOK_E_MALFORMED, root, "'asset.version' is missing");
    } else if (strncmp(version, "2.", 2) != 0) {
        cook_gltf_fail(parser, COOK_E_UNSUPPORTED, asset,
                       "glTF version '%.16s' is not supported: only 2.x is", version);
    }
}

static bool is_known_extension(const char *name)
{
    for (size_t i = 0; known_extensions[i] != NULL; i++) {
        if (strcmp(known_extensions[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_required_extensions(struct cook_gltf_parser *parser,
                                      const struct cook_json *root)
{
    uint32_t count;
    const struct cook_json *item = cook_gltf_list(parser, &count, root, "extensionsRequired",
                                                  COOK_JSON_STRING, COOK_GLTF_MAX_ITEMS);
    for (; item != NULL; item = item->next) {
        if (!is_known_extension(item->text)) {
            cook_gltf_fail(parser, COOK_E_UNSUPPORTED, item,
                           "required extension '%.64s' is not supported: export without it",
                           item->text);
        }
    }
}

static void list_ignored_extensions(struct cook_gltf_parser *parser,
                                    const struct cook_json *root)
{
    uint32_t count;
    struct cook_buf names = COOK_BUF_INIT;
    const struct cook_json *item = cook_gltf_list(parser, &count, root, "extensionsUsed",
                                                  COOK_JSON_STRING, COOK_GLTF_MAX_ITEMS);
    for (; item != NULL && names.size < 1024; item = item->next) {
        if (!is_known_extension(item->text)) {
            cook_buf_printf(&names, "%s%.64s", names.size > 0 ? ", " : "", item->text);
        }
    }
    if (names.size > 0) {
        parser->doc->ignored_extensions =
            cook_arena_strdup(parser->arena, cook_buf_text(&names));
        if (parser->doc->ignored_extensions == NULL) {
            cook_gltf_fail(parser, COOK_E_NO_MEMORY, NULL, "out of memory");
        }
    }
    cook_buf_finish(&names);
}

static void parse_root(struct cook_gltf_parser *parser, const struct cook_json *root)
{
    uint32_t count;
    check_version(parser, root);
    check_required_extensions(parser, root);
    list_ignored_extensions(parser, root);
    cook_gltf_list(parser, &count, root, "animations", COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    parser->doc->animation_count = count;
    cook_gltf_list(parser, &count, root, "skins", COOK_JSON_OBJECT, COOK_GLTF_MAX_ITEMS);
    parser->doc->skin_count = count;
    cook_gltf_parse_buffers(parser, root);
    cook_gltf_parse_accessors(parser, root);
    cook_gltf_parse_materials(parser, root);
    cook_gltf_parse_meshes(parser, root);
    cook_gltf_parse_nodes(parser, root);
    cook_gltf_parse_scenes(parser, root);
    cook_gltf_name_objects(parser);
}

enum cook_status cook_gltf_parse(struct cook_gltf *doc, uint32_t *line,
                                 const struct cook_gltf_input *input, struct cook_arena *arena,
                                 struct cook_error *error)
{
    struct cook_gltf_parser parser = { .doc = doc, .arena = arena, .error = error };
    struct text json = { (const char *)input->data, input->size };
    *doc = (struct cook_gltf){ .default_scene = COOK_GLTF_NONE };
    if (input->is_binary) {
        split_glb(&parser, &json, input);
        trim_padding(&json);
    }
    const struct cook_json *root = parser.status == COOK_OK ? parse_json(&parser, &json) : NULL;
    if (parser.status == COOK_OK) {
        parse_root(&parser, root);
    }
    *line = input->is_binary ? 0 : parser.line;
    return parser.status;
}
