#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/state.h"

static int set_up(void **context)
{
    struct cook_state *state = cook_malloc(sizeof(*state));
    cook_state_init(state);
    *context = state;
    return 0;
}

static int tear_down(void **context)
{
    cook_state_finish(*context);
    cook_free(*context);
    return 0;
}

static void text__offset_zero_and_out_of_range_are_empty(void **context)
{
    struct cook_state *state = *context;
    assert_string_equal(cook_state_text(state, 0), "");
    assert_string_equal(cook_state_text(state, 12345), "");
    assert_string_equal(cook_state_text(state, COOK_ID_NONE), "");
}

static void add_text__equal_texts_share_an_offset(void **context)
{
    struct cook_state *state = *context;
    uint32_t first = cook_state_add_text(state, "png/1");
    uint32_t other = cook_state_add_text(state, "gltf/2");
    assert_int_not_equal(first, other);
    assert_int_equal(cook_state_add_text(state, "png/1"), first);
    assert_int_equal(cook_state_add_text(state, ""), 0);
    assert_string_equal(cook_state_text(state, other), "gltf/2");
}

static void add_text__takes_a_text_of_the_pool(void **context)
{
    struct cook_state *state = *context;
    uint32_t offset = cook_state_add_text(state, "prefix/suffix");
    for (int i = 0; i < 1000; i++) {
        const char *inside = cook_state_text(state, offset) + strlen("prefix/");
        uint32_t again = cook_state_add_text(state, inside);
        assert_string_equal(cook_state_text(state, again), "suffix");
        char unique[32];
        snprintf(unique, sizeof(unique), "filler %d", i);
        cook_state_add_text(state, unique);
    }
}

static void add_blob__gives_the_bytes_back(void **context)
{
    struct cook_state *state = *context;
    uint8_t bytes[300];
    memset(bytes, 7, sizeof(bytes));
    uint32_t small = cook_state_add_blob(state, "\0\1\2", 3);
    uint32_t large = cook_state_add_blob(state, bytes, sizeof(bytes));
    size_t size;
    assert_memory_equal(cook_state_blob(state, small, &size), "\0\1\2", 3);
    assert_int_equal(size, 3);
    assert_memory_equal(cook_state_blob(state, large, &size), bytes, sizeof(bytes));
    assert_int_equal(size, sizeof(bytes));
    assert_int_equal(cook_state_add_blob(state, bytes, sizeof(bytes)), large);
    assert_int_equal(cook_state_add_blob(state, "", 0), 0);
}

static void blob__outside_the_pool_is_absent(void **context)
{
    struct cook_state *state = *context;
    size_t size = 1;
    assert_null(cook_state_blob(state, 4000000, &size));
    assert_int_equal(size, 0);
    uint32_t text = cook_state_add_text(state, "\x7f"); /* read as a length of 127 */
    assert_null(cook_state_blob(state, text, &size));
}

static void add_file__makes_its_folder_and_is_found(void **context)
{
    struct cook_state *state = *context;
    uint32_t file = cook_state_add_file(state, "Content/Props/Rock.gltf");
    uint32_t root = cook_state_add_file(state, "cook.ini");
    assert_int_equal(cook_state_add_file(state, "Content/Props/Rock.gltf"), file);
    assert_int_equal(cook_state_find_file(state, "Content/Props/Rock.gltf"), file);
    assert_int_equal(cook_state_find_file(state, "cook.ini"), root);
    assert_int_equal(cook_state_find_file(state, "Content/Props/Rock"), COOK_ID_NONE);
    assert_int_equal(cook_state_find_file(state, "Content/Other/Rock.gltf"), COOK_ID_NONE);
    assert_int_equal(cook_state_find_folder(state, "Content/Props"), state->files[file].folder);
    assert_int_equal(state->files[file].package, COOK_ID_NONE);
    struct cook_arena arena = COOK_ARENA_INIT;
    assert_string_equal(cook_state_file_path(state, file, &arena), "Content/Props/Rock.gltf");
    assert_string_equal(cook_state_file_path(state, root, &arena), "cook.ini");
    cook_arena_finish(&arena);
}

static void add_package__keeps_results_parallel(void **context)
{
    struct cook_state *state = *context;
    uint32_t id = cook_state_add_package(state, "/Game/A");
    assert_int_equal(cook_state_add_package(state, "/Game/A"), id);
    assert_int_equal(state->packages_count, 1);
    assert_int_equal(state->results_count, 1);
    assert_int_equal(state->packages[id].file, COOK_ID_NONE);
    assert_int_equal(state->packages[id].side_file, COOK_ID_NONE);
    assert_int_equal(state->packages[id].bundle, COOK_ID_NONE);
    assert_int_equal(state->dirty[COOK_TABLE_packages][id], 1);
}

static void add_dep__is_keyed_by_kind_and_arguments(void **context)
{
    struct cook_state *state = *context;
    uint32_t a = cook_state_add_dep(state, 1, "x");
    uint32_t b = cook_state_add_dep(state, 2, "x");
    uint32_t c = cook_state_add_dep(state, 1, "");
    assert_true(a != b && b != c && a != c);
    assert_int_equal(cook_state_find_dep(state, 2, "x"), b);
    assert_int_equal(cook_state_find_dep(state, 1, ""), c);
    assert_int_equal(cook_state_find_dep(state, 3, "x"), COOK_ID_NONE);
}

static void add_set__sorts_and_stores_equal_sets_once(void **context)
{
    struct cook_state *state = *context;
    uint32_t ids[] = { 5, 1, 5, 3 };
    uint32_t same[] = { 1, 3, 5 };
    uint32_t set = cook_state_add_set(state, ids, 4, NULL, 0);
    assert_int_equal(cook_state_add_set(state, same, 3, NULL, 0), set);
    assert_int_equal(state->sets[set].count, 3);
    assert_memory_equal(state->ids + state->sets[set].first, same, sizeof(same));
    uint32_t empty = cook_state_add_set(state, NULL, 0, NULL, 0);
    assert_int_equal(cook_state_add_set(state, NULL, 0, NULL, 0), empty);
    assert_int_not_equal(empty, set);
    uint32_t bundle = cook_state_add_bundle(state, same, 3);
    assert_int_equal(cook_state_add_bundle(state, ids, 3), bundle);
    assert_int_equal(state->bundles_count, 1);
}

static void add_set__other_origins__is_another_set(void **context)
{
    struct cook_state *state = *context;
    uint32_t ids[] = { 1, 3 };
    uint32_t plain = cook_state_add_set(state, ids, 2, NULL, 0);
    uint32_t told = cook_state_add_set(state, ids, 2, "by a call", 9);
    size_t size;
    assert_int_not_equal(told, plain);
    assert_int_equal(cook_state_add_set(state, ids, 2, "by a call", 9), told);
    assert_int_equal(cook_state_add_set(state, ids, 2, NULL, 0), plain);
    assert_int_not_equal(cook_state_add_set(state, ids, 2, "by another", 10), told);
    const uint8_t *origins = cook_state_blob(state, state->sets[told].origins, &size);
    assert_int_equal(size, 9);
    assert_memory_equal(origins, "by a call", 9);
}

static void sort__merges_rows_added_since(void **context)
{
    struct cook_state *state = *context;
    char name[32];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 500; i++) {
            snprintf(name, sizeof(name), "/Game/%d", (i * 7919 + round * 31) % 1500);
            assert_int_not_equal(cook_state_add_package(state, name), COOK_ID_NONE);
            assert_int_not_equal(cook_state_add_file(state, name), COOK_ID_NONE);
        }
        assert_int_equal(cook_state_sort(state, NULL), COOK_OK);
        assert_int_equal(state->order_packages, state->packages_count);
        for (uint32_t i = 1; i < state->packages_count; i++) {
            const struct cook_state_package *rows = state->packages;
            assert_true(strcmp(cook_state_text(state, rows[state->package_order[i - 1]].name),
                               cook_state_text(state, rows[state->package_order[i]].name)) < 0);
        }
    }
}

/* Look-ups mix the sorted order and the hash index of what was added behind it. */
static void find__works_before_and_after_sorting(void **context)
{
    struct cook_state *state = *context;
    char name[32];
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(name, sizeof(name), "/Game/%u", i * 17);
        assert_int_equal(cook_state_add_package(state, name), i);
        if (i % 700 == 0)
            assert_int_equal(cook_state_sort(state, NULL), COOK_OK);
        snprintf(name, sizeof(name), "/Game/%u", i / 2 * 17);
        assert_int_equal(cook_state_find_package(state, name), i / 2);
        snprintf(name, sizeof(name), "/Game/%u", i * 17 + 1);
        assert_int_equal(cook_state_find_package(state, name), COOK_ID_NONE);
    }
}

/* Every addition either succeeds or reports, and the tables stay consistent. */
static void add__survives_allocation_failures(void **context)
{
    (void)context;
    for (long after = 0; after < 60; after++) {
        struct cook_state state;
        cook_alloc_fail_after(after);
        cook_state_init(&state);
        bool failed = false;
        for (int i = 0; i < 200 && !failed; i++) {
            char name[32];
            snprintf(name, sizeof(name), "Content/%d/%d.asset", i / 10, i);
            uint32_t ids[2] = { 0, (uint32_t)i };
            failed |= cook_state_add_file(&state, name) == COOK_ID_NONE;
            failed |= cook_state_add_package(&state, name) == COOK_ID_NONE;
            failed |= cook_state_add_dep(&state, 1, name) == COOK_ID_NONE;
            failed |= cook_state_add_set(&state, ids, 2, NULL, 0) == COOK_ID_NONE;
            failed |= cook_state_add_text(&state, name) == COOK_ID_NONE;
        }
        failed |= cook_state_sort(&state, NULL) != COOK_OK;
        cook_alloc_fail_after(-1);
        assert_int_equal(state.packages_count, state.results_count);
        assert_string_equal(cook_state_text(&state, 0), "");
        cook_state_finish(&state);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(text__offset_zero_and_out_of_range_are_empty),
        TEST(add_text__equal_texts_share_an_offset),
        TEST(add_text__takes_a_text_of_the_pool),
        TEST(add_blob__gives_the_bytes_back),
        TEST(blob__outside_the_pool_is_absent),
        TEST(add_file__makes_its_folder_and_is_found),
        TEST(add_package__keeps_results_parallel),
        TEST(add_dep__is_keyed_by_kind_and_arguments),
        TEST(add_set__sorts_and_stores_equal_sets_once),
        TEST(add_set__other_origins__is_another_set),
        TEST(sort__merges_rows_added_since),
        TEST(find__works_before_and_after_sorting),
        TEST(add__survives_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
