/* Details of results and outputs of cooks: encodings of untrusted bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/details.h"
#include "cook/store/outputs.h"

static void details__nothing_is_no_bytes(void **state)
{
    struct cook_details details = { 0 };
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf out = COOK_BUF_INIT;
    (void)state;
    cook_details_encode(&details, &out);
    assert_int_equal(out.size, 0);
    assert_int_equal(cook_details_decode(&details, NULL, 0, &arena), COOK_OK);
    assert_int_equal(details.file_count, 0);
    cook_arena_finish(&arena);
}

static void details__come_back_as_they_were(void **state)
{
    struct cook_details_file files[] = { { "a.bnk", { 1, 2 }, 3 },
                                         { "b/c.wem", { 4, 5 }, 600 } };
    struct cook_details details = { files, 2, { 7, 8 } };
    struct cook_details read;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf out = COOK_BUF_INIT;
    (void)state;
    cook_details_encode(&details, &out);
    assert_int_equal(cook_details_decode(&read, out.data, out.size, &arena), COOK_OK);
    assert_int_equal(read.file_count, 2);
    assert_string_equal(read.files[1].name, "b/c.wem");
    assert_int_equal(read.files[1].size_bytes, 600);
    assert_true(cook_hash_equal(read.parts, details.parts));
    for (size_t size = 1; size < out.size; size++)
        assert_int_equal(cook_details_decode(&read, out.data, size, &arena), COOK_E_MALFORMED);
    cook_buf_finish(&out);
    cook_arena_finish(&arena);
}

static void parts__are_found_by_name(void **state)
{
    struct cook_buf parts = COOK_BUF_INIT;
    size_t size;
    (void)state;
    cook_buf_put_varint(&parts, 2);
    cook_buf_put_string(&parts, "First");
    cook_buf_put_string(&parts, "one");
    cook_buf_put_string(&parts, "Second");
    cook_buf_put_string(&parts, "second");
    assert_memory_equal(cook_parts_find(parts.data, parts.size, "Second", &size), "second", 6);
    assert_int_equal(size, 6);
    assert_null(cook_parts_find(parts.data, parts.size, "Sec", &size));
    assert_int_equal(size, 0);
    for (size_t cut = 0; cut < parts.size; cut++)
        assert_null(cook_parts_find(parts.data, cut, "Second", &size));
    cook_buf_finish(&parts);
}

static void outputs__come_back_as_they_were(void **state)
{
    struct cook_output_file files[] = { { "A.bin", { 1, 1 }, 10 }, { "B.bin", { 2, 2 }, 20 } };
    struct cook_output_artifact artifacts[] = {
        { "One", { 3, 3 }, COOK_OUTPUT_WORKERS, { 4, 4 }, files, 2 },
        { "Two", { 5, 5 }, COOK_OUTPUT_PLAN, { 0, 0 }, NULL, 0 },
    };
    struct cook_outputs outputs = { { 9, 9 }, { { 6, 6 }, { 7, 7 } }, artifacts, 2 };
    struct cook_outputs read;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf out = COOK_BUF_INIT;
    (void)state;
    cook_outputs_encode(&outputs, &out);
    assert_int_equal(cook_outputs_decode(&read, out.data, out.size, &arena), COOK_OK);
    assert_int_equal(read.artifact_count, 2);
    assert_string_equal(read.artifacts[0].files[1].name, "B.bin");
    assert_int_equal(read.artifacts[1].group, COOK_OUTPUT_PLAN);
    assert_true(cook_hash_equal(read.index[1], outputs.index[1]));
    for (size_t size = 0; size < out.size; size++)
        assert_int_equal(cook_outputs_decode(&read, out.data, size, &arena), COOK_E_MALFORMED);
    cook_buf_finish(&out);
    cook_arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(details__nothing_is_no_bytes),
        cmocka_unit_test(details__come_back_as_they_were),
        cmocka_unit_test(parts__are_found_by_name),
        cmocka_unit_test(outputs__come_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
