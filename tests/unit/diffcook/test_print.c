#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "diffcook/print.h"
#include "unit/diffcook/diff_fixture.h"

static struct cook_symbol_frame frame(const char *function, const char *module)
{
    return (struct cook_symbol_frame){ .function = function,
                                       .file = "rock.c",
                                       .line = 12,
                                       .module = module,
                                       .build_id = "abcd",
                                       .offset = 0x40 };
}

static size_t give_frames(void *user, bool is_new, uint32_t stack,
                          struct cook_symbol_frame *frames, size_t max)
{
    (void)user;
    assert_true(max >= 3 && stack == 4);
    frames[0] = frame("cook_field_u32", "libcook.so.0");
    frames[1] = frame(is_new ? "rock_serialize_new" : "rock_serialize", "rock.so");
    frames[2] = frame("main", "cook-worker");
    return 3;
}

static const struct diff_print_options options = { .frames = give_frames };

static void make_difference(struct fixture *f)
{
    build_export(&f->old, "Rock", "/Script/Test.Mesh");
    build_u32(&f->old, "Health", 100);
    build_text(&f->old, "Label", COOK_TOKEN_STRING, "a \"b\"\n\xff", 0);
    build_export(&f->new, "Rock", "/Script/Test.Mesh");
    build_u32(&f->new, "Health", 120);
    build_text(&f->new, "Label", COOK_TOKEN_STRING, "a \"b\"\n\xff and more", 0);
    compare(f);
    for (uint32_t i = 0; i < f->result.count; i++)
        f->result.differences[i].old_stack = f->result.differences[i].new_stack = 4;
}

static char *print(struct fixture *f, const struct diff_print_options *with)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    diff_print_text(file, &f->result, with);
    fclose(file);
    char *copy = cook_arena_strdup(&f->arena, text);
    free(text);
    return copy;
}

static void print__changed_value__shows_values_bytes_and_stacks(void **state)
{
    struct fixture *f = *state;
    make_difference(f);
    const char *text = print(f, &options);
    assert_non_null(strstr(text, "changed Rock:Health: 100 -> 120 (data, at 0x"));
    assert_non_null(strstr(text, " [64] 00 00 00 "));
    assert_non_null(strstr(text, " [78] 00 00 00 "));
    assert_non_null(strstr(text, "    old at rock_serialize (rock.c:12)\n"));
    assert_non_null(strstr(text, "    new at rock_serialize_new (rock.c:12)\n"));
    assert_null(strstr(text, "cook_field_u32"));
    assert_non_null(strstr(text, "\"a \\\"b\\\"\\x0a\\xff\" -> \"a"));
    assert_non_null(strstr(text, "    follows: changed #header.Total: "));
}

static void print__no_frames__leaves_stacks_out(void **state)
{
    struct fixture *f = *state;
    make_difference(f);
    assert_null(strstr(print(f, NULL), " at rock_serialize"));
}

static void print__dropped_differences__are_counted(void **state)
{
    struct fixture *f = *state;
    f->options.max_differences = 1;
    make_difference(f);
    assert_non_null(
        strstr(print(f, NULL), "not listed: 1 more differences, 3 more consequences\n"));
}

static void json__difference__has_exactly_the_documented_keys(void **state)
{
    struct fixture *f = *state;
    static const char *const keys[] = {
        "object",  "property",  "section",   "old_offset", "new_offset", "old_hex",
        "new_hex", "old_value", "new_value", "lines",      "old_stack",  "new_stack",
        "consequence_of", "class", "same_meaning"
    };
    make_difference(f);
    cJSON *array = diff_result_to_json(&f->result, &options);
    assert_int_equal(cJSON_GetArraySize(array), f->result.count);
    cJSON *json = cJSON_GetArrayItem(array, 0);
    assert_int_equal(cJSON_GetArraySize(json), 15);
    for (int i = 0; i < 15; i++)
        assert_string_equal(cJSON_GetArrayItem(json, i)->string, keys[i]);
    assert_string_equal(cJSON_GetObjectItem(json, "old_value")->valuestring, "100");
    assert_string_equal(cJSON_GetObjectItem(json, "property")->valuestring, "Rock:Health");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "consequence_of")));
    cJSON *last = cJSON_GetArrayItem(array, (int)f->result.count - 1);
    assert_int_equal(cJSON_GetObjectItem(last, "consequence_of")->valueint, 1);
    cJSON_Delete(array);
}

static void json__frames__have_exactly_the_documented_keys(void **state)
{
    struct fixture *f = *state;
    static const char *const keys[] = { "function", "file",   "line",   "module",
                                        "build_id", "offset", "inlined" };
    make_difference(f);
    cJSON *json = diff_to_json(&f->result.differences[0], &options);
    cJSON *stack = cJSON_GetObjectItem(json, "new_stack");
    assert_int_equal(cJSON_GetArraySize(stack), 2);
    cJSON *top = cJSON_GetArrayItem(stack, 0);
    assert_int_equal(cJSON_GetArraySize(top), 7);
    for (int i = 0; i < 7; i++)
        assert_string_equal(cJSON_GetArrayItem(top, i)->string, keys[i]);
    assert_string_equal(cJSON_GetObjectItem(top, "function")->valuestring,
                        "rock_serialize_new");
    assert_int_equal(cJSON_GetObjectItem(top, "offset")->valueint, 0x40);
    cJSON_Delete(json);
}

static void json__absent_side__is_null(void **state)
{
    struct fixture *f = *state;
    build_export(&f->old, "Rock", "/Script/Test.Mesh");
    build_export(&f->new, "Rock", "/Script/Test.Mesh");
    build_u32(&f->new, "Health", 120);
    compare(f);
    cJSON *json = diff_to_json(&f->result.differences[0], NULL);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "old_offset")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "old_hex")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "old_value")));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "old_stack")), 0);
    cJSON_Delete(json);
}

static void json__any_allocation_fails__gives_null(void **state)
{
    struct fixture *f = *state;
    make_difference(f);
    cJSON *json = NULL;
    for (long after = 0; !json; after++) {
        cook_alloc_fail_after(after);
        json = diff_to_json(&f->result.differences[0], &options);
        cook_alloc_fail_after(-1);
        assert_true(after < 1000);
    }
    cJSON_Delete(json);
}

static void skip__all_frames_of_the_sdk__keeps_the_innermost(void **state)
{
    (void)state;
    struct cook_symbol_frame frames[20];
    for (int i = 0; i < 20; i++)
        frames[i] = frame("inside", "libcook.so.0.1.0");
    size_t count = 20;
    assert_int_equal(diff_skip_sdk_frames(frames, &count), 0);
    assert_int_equal(count, 4);
    count = 20;
    frames[7].module = "rock.so";
    assert_int_equal(diff_skip_sdk_frames(frames, &count), 7);
    assert_int_equal(count, 20);
    count = 0;
    assert_int_equal(diff_skip_sdk_frames(frames, &count), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(print__changed_value__shows_values_bytes_and_stacks),
        TEST(print__no_frames__leaves_stacks_out),
        TEST(print__dropped_differences__are_counted),
        TEST(json__difference__has_exactly_the_documented_keys),
        TEST(json__frames__have_exactly_the_documented_keys),
        TEST(json__absent_side__is_null),
        TEST(json__any_allocation_fails__gives_null),
        cmocka_unit_test(skip__all_frames_of_the_sdk__keeps_the_innermost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
