#include "fixture.h"

/* Every package scanned, as after a cook of the first target. */
static void scan_all(struct fixture *f)
{
    refresh(f);
    scan_pending(f);
    settle(f);
}

/* The state of another target: what the first one knows is taken over, then refreshed. */
static void adopt(struct fixture *f, struct cook_state *first)
{
    *first = f->state;
    cook_state_init(&f->state);
    assert_int_equal(cook_registry_adopt(&f->state, first, &f->error), COOK_OK);
    refresh(f);
}

static void adopt__nothing_is_left_to_scan(void **context)
{
    struct fixture *f = *context;
    struct cook_state first;
    write_file(f, "Content/A.asset", "a");
    write_file(f, "Content/Sub/B.asset", "b");
    scan_all(f);
    assert_int_equal(f->changes.to_scan_count, 0);
    adopt(f, &first);
    assert_int_equal(f->changes.to_scan_count, 0);
    assert_false(f->changes.content_changed);
    uint32_t package = cook_state_find_package(&f->state, "/Game/Sub/B");
    assert_int_not_equal(package, COOK_ID_NONE);
    assert_true(f->state.packages[package].flags & COOK_PACKAGE_PRESENT);
    assert_string_equal(cook_state_text(&f->state, f->state.results[package].reader), "asset/1");
    cook_state_finish(&first);
}

static void adopt__what_changed_since_is_seen(void **context)
{
    struct fixture *f = *context;
    struct cook_state first;
    write_file(f, "Content/A.asset", "a");
    write_file(f, "Content/B.asset", "b");
    scan_all(f);
    overwrite_file(f, "Content/A.asset", "other");
    write_file(f, "Content/C.asset", "c");
    remove_path(f, "Content/B.asset");
    adopt(f, &first);
    assert_int_equal(f->changes.to_scan_count, 2);
    uint32_t gone = cook_state_find_package(&f->state, "/Game/B");
    assert_false(f->state.packages[gone].flags & COOK_PACKAGE_PRESENT);
    cook_state_finish(&first);
}

static void adopt__results_are_not_taken_over(void **context)
{
    struct fixture *f = *context;
    struct cook_state first;
    write_file(f, "Content/A.asset", "a");
    scan_all(f);
    uint32_t package = cook_state_find_package(&f->state, "/Game/A");
    cook_state_touch(&f->state, COOK_TABLE_packages, package);
    f->state.packages[package].flags |= COOK_PACKAGE_HAS_RESULT | COOK_PACKAGE_FAILED;
    f->state.results[package].cook = 7;
    adopt(f, &first);
    package = cook_state_find_package(&f->state, "/Game/A");
    assert_int_equal(f->state.packages[package].flags &
                         (COOK_PACKAGE_HAS_RESULT | COOK_PACKAGE_FAILED), 0);
    assert_int_equal(f->state.packages[package].bundle, COOK_ID_NONE);
    assert_int_equal(f->state.results[package].cook, 0);
    cook_state_finish(&first);
}

static void adopt__a_side_file_comes_along(void **context)
{
    struct fixture *f = *context;
    struct cook_state first;
    write_file(f, "Content/A.png", "a");
    write_file(f, "Content/A.png.cook", "{}");
    scan_all(f);
    adopt(f, &first);
    assert_int_equal(f->changes.to_scan_count, 0);
    uint32_t package = cook_state_find_package(&f->state, "/Game/A.png");
    assert_int_not_equal(f->state.packages[package].side_file, COOK_ID_NONE);
    settle(f);
    overwrite_file(f, "Content/A.png.cook", "{ }");
    refresh(f);
    assert_int_equal(f->changes.to_scan_count, 1);
    cook_state_finish(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(adopt__nothing_is_left_to_scan, set_up, tear_down),
        cmocka_unit_test_setup_teardown(adopt__what_changed_since_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(adopt__results_are_not_taken_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(adopt__a_side_file_comes_along, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
