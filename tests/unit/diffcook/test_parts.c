#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "store_pair.h"

static void parts__equal_bytes_other_reference__is_modified(void **context)
{
    struct pair *pair = *context;
    for (int side = 0; side < 2; side++) {
        uint32_t a = add_package(pair, side, "/Game/A", "same");
        uint32_t b = add_package(pair, side, "/Game/B", "same");
        uint32_t c = add_package(pair, side, "/Game/C", "same");
        refer(pair, side, a, side ? c : b);
    }
    compare_pair(pair);
    const struct diff_entry *entry = pair->comparison.entries;
    assert_int_equal(pair->comparison.count, 1);
    assert_int_equal(entry->parts, DIFF_PART_REFERENCES);
    struct diff_package package;
    assert_int_equal(diff_package_open(&package, &pair->comparison, entry, NULL, NULL),
                     COOK_OK);
    assert_int_equal(package.detail_count, 2);
    assert_int_equal(package.details[0].change, DIFF_DELETED);
    assert_string_equal(package.details[0].package, "/Game/B");
    assert_int_equal(package.details[1].change, DIFF_ADDED);
    assert_string_equal(package.details[1].text, "/Game/C");
    assert_int_equal(package.result.count, 0);
    diff_package_finish(&package);
}

static void parts__rows_numbered_otherwise__are_equal(void **context)
{
    struct pair *pair = *context;
    uint32_t a = add_package(pair, 0, "/Game/A", "same");
    refer(pair, 0, a, add_package(pair, 0, "/Game/B", "same"));
    uint32_t b = add_package(pair, 1, "/Game/B", "same");
    refer(pair, 1, add_package(pair, 1, "/Game/A", "same"), b);
    compare_pair(pair);
    assert_int_equal(pair->comparison.count, 0);
    assert_int_equal(pair->comparison.identical, 2);
}

static void referrers__chain_of_new_packages__each_has_its_own(void **context)
{
    struct pair *pair = *context;
    add_package(pair, 0, "/Game/Map", "one");
    uint32_t map = add_package(pair, 1, "/Game/Map", "another");
    uint32_t first = add_package(pair, 1, "/Game/First", "new");
    refer(pair, 1, map, first);
    refer(pair, 1, first, add_package(pair, 1, "/Game/Second", "new"));
    compare_pair(pair);
    const struct diff_entry *entries = pair->comparison.entries;
    assert_int_equal(pair->comparison.added, 2);
    assert_int_equal(entries[0].referrer_count, 1);
    assert_string_equal(entries[0].referrers[0], "/Game/Map");
    assert_string_equal(entries[2].name, "/Game/Second");
    assert_string_equal(entries[2].referrers[0], "/Game/First");
}

static void package__blob_is_missing__is_a_problem_of_its_own(void **context)
{
    struct pair *pair = *context;
    add_package(pair, 0, "/Game/A", "one");
    uint32_t a = add_package(pair, 1, "/Game/A", "another");
    cook_store_state(pair->stores[1])->results[a].bytes = cook_hash_bytes("nowhere", 7);
    compare_pair(pair);
    struct diff_package package;
    assert_int_equal(
        diff_package_open(&package, &pair->comparison, pair->comparison.entries, NULL, NULL),
        COOK_OK);
    assert_non_null(package.problem);
    assert_non_null(strstr(package.problem, "has no blob"));
    diff_package_finish(&package);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts__equal_bytes_other_reference__is_modified),
        TEST(parts__rows_numbered_otherwise__are_equal),
        TEST(referrers__chain_of_new_packages__each_has_its_own),
        TEST(package__blob_is_missing__is_a_problem_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
