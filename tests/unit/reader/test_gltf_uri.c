#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "cook/reader/gltf_uri.h"

static int set_up(void **state)
{
    *state = cook_calloc(1, sizeof(struct cook_arena));
    return *state != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    cook_arena_finish(*state);
    cook_free(*state);
    return 0;
}

static void data__base64_is_decoded_with_and_without_padding(void **state)
{
    static const char *const uris[] = {
        "data:application/octet-stream;base64,Y29vaw==",
        "DATA:;base64,Y29vaw",
    };
    for (size_t i = 0; i < 2; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        assert_true(cook_gltf_is_data_uri(uris[i]));
        assert_int_equal(cook_gltf_decode_data_uri(&bytes, &size, uris[i], *state, NULL),
                         COOK_OK);
        assert_int_equal(size, 4);
        assert_memory_equal(bytes, "cook", 4);
    }
}

static void data__empty_text_is_no_bytes(void **state)
{
    uint8_t *bytes = NULL;
    size_t size = 1;
    assert_int_equal(cook_gltf_decode_data_uri(&bytes, &size, "data:;base64,", *state, NULL),
                     COOK_OK);
    assert_non_null(bytes);
    assert_int_equal(size, 0);
}

static void data__malformed_text_is_refused(void **state)
{
    static const char *const uris[] = { "data:;base64,Y29v*w==", "data:;base64,Y",
                                        "data:;base64,Y29va===", "data:;base64" };
    for (size_t i = 0; i < 4; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        assert_int_equal(cook_gltf_decode_data_uri(&bytes, &size, uris[i], *state, NULL),
                         COOK_E_MALFORMED);
        assert_null(bytes);
    }
}

static void data__other_encodings_are_unsupported(void **state)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(
        cook_gltf_decode_data_uri(&bytes, &size, "data:text/plain,x", *state, NULL),
        COOK_E_UNSUPPORTED);
}

static void package__mirrors_the_folders(void **state)
{
    static const char from[] = "/Game/Props/Rocks/x.gltf";
    assert_string_equal(cook_gltf_uri_package(*state, from, "a.png"),
                        "/Game/Props/Rocks/a.png");
    assert_string_equal(cook_gltf_uri_package(*state, from, "../tex/b%20c.png"),
                        "/Game/Props/tex/b c.png");
    assert_string_equal(cook_gltf_uri_package(*state, "/Game/x.gltf", "a.png"), "/Game/a.png");
}

static void package__never_leaves_the_content_root(void **state)
{
    static const char from[] = "/Game/Props/x.gltf";
    assert_null(cook_gltf_uri_package(*state, from, "../../a.png"));
    assert_null(cook_gltf_uri_package(*state, from, "%2e%2e/%2e%2e/a.png"));
    assert_null(cook_gltf_uri_package(*state, from, "/etc/a.png"));
    assert_null(cook_gltf_uri_package(*state, from, "https://example.org/a.png"));
    assert_null(cook_gltf_uri_package(*state, from, "C:\\a.png"));
    assert_null(cook_gltf_uri_package(*state, from, "a%zz.png"));
}

static void file__is_relative_to_the_source(void **state)
{
    assert_string_equal(cook_gltf_uri_file(*state, "a%20b.bin"), "./a b.bin");
    assert_null(cook_gltf_uri_file(*state, "/a.bin"));
    assert_null(cook_gltf_uri_file(*state, "file:///a.bin"));
    assert_null(cook_gltf_uri_file(*state, ""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(data__base64_is_decoded_with_and_without_padding),
        TEST(data__empty_text_is_no_bytes),
        TEST(data__malformed_text_is_refused),
        TEST(data__other_encodings_are_unsupported),
        TEST(package__mirrors_the_folders),
        TEST(package__never_leaves_the_content_root),
        TEST(file__is_relative_to_the_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
