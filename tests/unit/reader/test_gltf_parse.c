#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/reader/gltf_fixture.h"

static size_t put_u32(uint8_t *out, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[at + (size_t)i] = (uint8_t)(value >> (8 * i));
    }
    return at + 4;
}

/* A .glb of a document with one buffer and `bin` bytes for it. */
static size_t make_glb(uint8_t out[512], const char *json, uint32_t bin)
{
    uint32_t length = (uint32_t)strlen(json);
    memset(out, 0, 512);
    size_t at = put_u32(out, 0, 0x46546c67u);
    at = put_u32(out, at, 2);
    at = put_u32(out, at, 12 + 8 + length + 8 + bin);
    at = put_u32(out, at, length);
    at = put_u32(out, at, 0x4e4f534au);
    memcpy(out + at, json, length);
    at = put_u32(out, at + length, bin);
    return put_u32(out, at, 0x004e4942u) + bin;
}

static const char small_json[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":8}]}  ";

static void parse__empty_document_has_no_objects(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_ok(f, "");
    assert_int_equal(f->doc.object_count, 0);
}

static void parse__broken_json_names_its_line(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_fails(f, "\"meshes\":\n[}", 3, "expected a value");
}

static void parse__missing_version_is_refused(void **state)
{
    struct gltf_fixture *f = *state;
    assert_int_equal(gltf_parse_bytes(f, "{}", 2, false), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "'asset.version' is missing");
}

static void parse__version_1_is_refused(void **state)
{
    struct gltf_fixture *f = *state;
    static const char text[] = "{\"asset\":{\"version\":\"1.0\"}}";
    assert_int_equal(gltf_parse_bytes(f, text, strlen(text), false), COOK_E_UNSUPPORTED);
    assert_string_equal(f->error.message, "glTF version '1.0' is not supported: only 2.x is");
}

static void parse__required_draco_is_refused_by_name(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_fails(f, "\"extensionsRequired\":[\n\"KHR_draco_mesh_compression\"]", 3,
                     "required extension 'KHR_draco_mesh_compression' is not supported:"
                     " export without it");
}

static void parse__required_quantization_is_fine(void **state)
{
    struct gltf_fixture *f = *state;
    gltf_parse_ok(f, "\"extensionsRequired\":[\"KHR_mesh_quantization\"],"
                     "\"extensionsUsed\":[\"KHR_mesh_quantization\",\"KHR_materials_unlit\"]");
    assert_string_equal(f->doc.ignored_extensions, "KHR_materials_unlit");
}

static void parse__glb_gives_its_bin_chunk_to_buffer_0(void **state)
{
    struct gltf_fixture *f = *state;
    uint8_t glb[512];
    size_t size = make_glb(glb, small_json, 8);
    assert_int_equal(gltf_parse_bytes(f, glb, size, true), COOK_OK);
    assert_non_null(f->doc.buffers[0].data);
    assert_int_equal(f->doc.bin_bytes, 8);
}

static void parse__glb_cut_anywhere_is_refused(void **state)
{
    struct gltf_fixture *f = *state;
    uint8_t glb[512];
    size_t size = make_glb(glb, small_json, 8);
    for (size_t cut = 0; cut < size; cut++) {
        assert_int_equal(gltf_parse_bytes(f, glb, cut, true), COOK_E_MALFORMED);
        assert_int_equal(f->line, 0);
    }
    assert_non_null(strstr(f->error.message, "glb is cut short"));
}

static void parse__glb_chunk_longer_than_the_file_is_refused(void **state)
{
    struct gltf_fixture *f = *state;
    uint8_t glb[512];
    size_t size = make_glb(glb, small_json, 8);
    put_u32(glb, 12, UINT32_MAX);
    assert_int_equal(gltf_parse_bytes(f, glb, size, true), COOK_E_MALFORMED);
    assert_non_null(strstr(f->error.message, "glb chunk 0 has 4294967295 bytes"));
}

static void parse__glb_with_a_short_bin_chunk_is_refused(void **state)
{
    struct gltf_fixture *f = *state;
    uint8_t glb[512];
    size_t size = make_glb(glb, small_json, 4);
    assert_int_equal(gltf_parse_bytes(f, glb, size, true), COOK_E_MALFORMED);
    assert_string_equal(f->error.message,
                        "buffer 0: 'byteLength' is 8, but the BIN chunk has 4 bytes");
}

static void parse__glb_version_1_and_other_files_are_refused(void **state)
{
    struct gltf_fixture *f = *state;
    uint8_t glb[512];
    size_t size = make_glb(glb, small_json, 8);
    put_u32(glb, 4, 1);
    assert_int_equal(gltf_parse_bytes(f, glb, size, true), COOK_E_UNSUPPORTED);
    glb[0] = 'x';
    assert_int_equal(gltf_parse_bytes(f, glb, size, true), COOK_E_MALFORMED);
    assert_string_equal(f->error.message, "not a glb file");
}

static void parse__fails_cleanly_at_every_allocation(void **state)
{
    struct gltf_fixture *f = *state;
    static const char members[] =
        "\"extensionsUsed\":[\"A\"],\"buffers\":[{\"byteLength\":36,\"uri\":\"a.bin\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}"
        "],"
        "\"images\":[{\"uri\":\"data:,\"}],\"textures\":[{\"source\":0}],\"materials\":[{}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"nodes\":[{\"mesh\":0,\"children\":[1]},{}],\"scenes\":[{\"nodes\":[0]}]";
    enum cook_status status = COOK_E_NO_MEMORY;
    char *text = cook_arena_printf(&f->arena, "{\"asset\":{\"version\":\"2.0\"},%s}", members);
    for (long after = 0; status != COOK_OK; after++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_gltf_input input = { (const uint8_t *)text, strlen(text), false };
        cook_alloc_fail_after(after);
        status = cook_gltf_parse(&f->doc, &f->line, &input, &arena, &f->error);
        cook_alloc_fail_after(-1);
        cook_arena_finish(&arena);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gltf_set_up, gltf_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parse__empty_document_has_no_objects),
        TEST(parse__broken_json_names_its_line),
        TEST(parse__missing_version_is_refused),
        TEST(parse__version_1_is_refused),
        TEST(parse__required_draco_is_refused_by_name),
        TEST(parse__required_quantization_is_fine),
        TEST(parse__glb_gives_its_bin_chunk_to_buffer_0),
        TEST(parse__glb_cut_anywhere_is_refused),
        TEST(parse__glb_chunk_longer_than_the_file_is_refused),
        TEST(parse__glb_with_a_short_bin_chunk_is_refused),
        TEST(parse__glb_version_1_and_other_files_are_refused),
        TEST(parse__fails_cleanly_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
