#include "fixture.h"

static void walk__every_folder_gets_a_row(void **state)
{
    struct fixture *f = *state;
    make_folder(f, "Content/A/B");
    make_folder(f, "Content/.hidden/C");
    refresh(f);
    assert_int_equal(f->state.folders_count, 3);
    uint32_t wanted = COOK_FOLDER_PRESENT | COOK_FOLDER_CONTENT;
    assert_int_equal(folder_row(f, "Content")->flags & wanted, wanted);
    assert_int_equal(folder_row(f, "Content/A")->flags & wanted, wanted);
    assert_int_equal(folder_row(f, "Content/A/B")->flags & wanted, wanted);
}

static void walk__new_folder_is_found_in_a_settled_project(void **state)
{
    struct fixture *f = *state;
    make_folder(f, "Content/A/B");
    refresh(f);
    settle(f);
    write_file(f, "Content/A/B/C/D/New.asset", "{}");
    refresh(f);
    assert_scan(f, "/Game/A/B/C/D/New");
}

static void walk__file_in_a_known_empty_folder_is_found(void **state)
{
    struct fixture *f = *state;
    make_folder(f, "Content/A/B");
    refresh(f);
    settle(f);
    write_file(f, "Content/A/B/New.asset", "{}");
    refresh(f);
    assert_scan(f, "/Game/A/B/New");
}

static void walk__removed_folder_takes_its_packages(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/B/Deep.asset", "{}");
    write_file(f, "Content/A/Top.asset", "{}");
    write_file(f, "Content/Keep.asset", "{}");
    refresh(f);
    settle(f);
    remove_path(f, "Content/A");
    refresh(f);
    assert_false(is_present(f, "/Game/A/B/Deep"));
    assert_false(is_present(f, "/Game/A/Top"));
    assert_true(is_present(f, "/Game/Keep"));
    assert_int_equal(folder_row(f, "Content/A/B")->flags, COOK_FOLDER_CONTENT);
    settle(f);
}

static void walk__removed_folder_comes_back(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/B/Deep.asset", "{}");
    refresh(f);
    settle(f);
    rename_path(f, "Content/A", "away");
    refresh(f);
    settle(f);
    assert_false(is_present(f, "/Game/A/B/Deep"));
    rename_path(f, "away", "Content/A");
    refresh(f);
    assert_true(is_present(f, "/Game/A/B/Deep"));
    assert_int_equal(f->changes.to_scan_count, 0);
}

static void walk__renamed_folder_moves_its_packages(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/B/Deep.asset", "{}");
    refresh(f);
    settle(f);
    rename_path(f, "Content/A", "Content/Z");
    refresh(f);
    assert_false(is_present(f, "/Game/A/B/Deep"));
    assert_true(is_present(f, "/Game/Z/B/Deep"));
    assert_scan(f, "/Game/Z/B/Deep");
}

static void walk__two_folders_swap_places(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/X.asset", "one");
    write_file(f, "Content/B/X.asset", "two");
    refresh(f);
    settle(f);
    struct cook_hash of_a = source_of(f, "/Game/A/X");
    rename_path(f, "Content/A", "Content/T");
    rename_path(f, "Content/B", "Content/A");
    rename_path(f, "Content/T", "Content/B");
    refresh(f);
    assert_true(cook_hash_equal(source_of(f, "/Game/B/X"), of_a));
    assert_false(cook_hash_equal(source_of(f, "/Game/A/X"), of_a));
}

static void walk__file_becomes_a_folder_and_back(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "{}");
    refresh(f);
    settle(f);
    remove_path(f, "Content/A.asset");
    write_file(f, "Content/A.asset/In.asset", "{}");
    refresh(f);
    assert_false(is_present(f, "/Game/A"));
    assert_true(is_present(f, "/Game/A.asset/In"));
    settle(f);
    remove_path(f, "Content/A.asset");
    write_file(f, "Content/A.asset", "{}");
    refresh(f);
    assert_true(is_present(f, "/Game/A"));
    assert_false(is_present(f, "/Game/A.asset/In"));
}

static void walk__link_loop_is_refused_each_time(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/X.asset", "{}");
    make_link(f, "..", "Content/A/up");
    make_link(f, ".", "Content/A/self");
    refresh(f);
    assert_int_equal(f->changes.warning_count, 2);
    assert_string_equal(f->changes.warnings[0],
                        "Content/A/self: folder skipped: it leads back to a folder above it");
    assert_int_equal(f->state.packages_count, 1);
    settle(f);
    freeze(f);
    refresh(f);
    assert_true(f->state.mapped);
    assert_int_equal(f->changes.warning_count, 2);
}

static void walk__links_between_folders_end(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/X.asset", "{}");
    write_file(f, "Content/B/Y.asset", "{}");
    make_link(f, "../B", "Content/A/b");
    make_link(f, "../A", "Content/B/a");
    refresh(f);
    assert_true(is_present(f, "/Game/A/b/Y"));
    assert_true(is_present(f, "/Game/B/a/X"));
    assert_int_equal(f->changes.warning_count, 2);
    settle(f);
}

static void walk__link_that_turns_into_a_loop_is_refused(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/X.asset", "{}");
    write_file(f, "Content/A/L/Y.asset", "{}");
    refresh(f);
    settle(f);
    remove_path(f, "Content/A/L");
    make_link(f, ".", "Content/A/L");
    refresh(f);
    assert_int_equal(f->changes.warning_count, 1);
    assert_false(is_present(f, "/Game/A/L/Y"));
    assert_false(is_present(f, "/Game/A/L/X"));
}

static void walk__followed_link_sees_changes_behind_it(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Shared/X.asset", "{}");
    make_link(f, "../Shared", "Content/S");
    refresh(f);
    assert_true(is_present(f, "/Game/S/X"));
    settle(f);
    write_file(f, "Shared/New.asset", "{}");
    refresh(f);
    assert_true(is_present(f, "/Game/S/New"));
    settle(f);
    rename_path(f, "Shared", "Gone");
    refresh(f);
    assert_false(is_present(f, "/Game/S/X"));
    settle(f);
    rename_path(f, "Gone", "Shared");
    refresh(f);
    assert_true(is_present(f, "/Game/S/X"));
}

static void walk__link_to_nowhere_appears_with_its_target(void **state)
{
    struct fixture *f = *state;
    make_link(f, "../Target.asset", "Content/L.asset");
    refresh(f);
    assert_int_equal(f->state.packages_count, 0);
    settle(f);
    write_file(f, "Target.asset", "{}");
    refresh(f);
    assert_true(is_present(f, "/Game/L"));
    settle(f);
    remove_path(f, "Target.asset");
    refresh(f);
    assert_false(is_present(f, "/Game/L"));
    settle(f);
    write_file(f, "Target.asset", "{}");
    refresh(f);
    assert_true(is_present(f, "/Game/L"));
}

static void walk__pipe_does_not_hang(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(mkfifoat(f->folder.fd, "Content/P.asset", 0600), 0);
    write_file(f, "Content/A.asset", "{}");
    refresh(f);
    assert_false(is_present(f, "/Game/P"));
    settle(f);
    remove_path(f, "Content/A.asset");
    assert_int_equal(mkfifoat(f->folder.fd, "Content/A.asset", 0600), 0);
    refresh(f);
    assert_false(is_present(f, "/Game/A"));
}

static void walk__depth_is_bounded(void **state)
{
    struct fixture *f = *state;
    char path[1024] = "Content";
    size_t length = strlen(path);
    for (int i = 0; i < 150; i++) {
        memcpy(path + length, "/d", 3);
        length += 2;
    }
    make_folder(f, path);
    refresh(f);
    assert_int_equal(f->changes.warning_count, 1);
    assert_int_equal(f->state.folders_count, 129); /* the last one is refused */
    settle(f);
}

static void walk__control_character_in_a_name_is_refused(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A\nB.asset", "{}");
    make_folder(f, "Content/C\tD");
    refresh(f);
    assert_int_equal(f->changes.warning_count, 2);
    assert_non_null(strstr(f->changes.warnings[0], "Content/A?B.asset: file skipped"));
    assert_int_equal(f->state.packages_count, 0);
    settle(f);
    assert_int_equal(f->changes.warning_count, 2);
}

static void walk__unlistable_folder_is_warned_of(void **state)
{
    struct fixture *f = *state;
    if (geteuid() == 0)
        skip();
    write_file(f, "Content/A/X.asset", "{}");
    refresh(f);
    assert_int_equal(fchmodat(f->folder.fd, "Content/A", 0, 0), 0);
    refresh(f);
    assert_int_equal(f->changes.warning_count, 1);
    assert_true(is_present(f, "/Game/A/X"));
    assert_int_equal(fchmodat(f->folder.fd, "Content/A", 0700, 0), 0);
    refresh(f);
    assert_int_equal(f->changes.warning_count, 0);
}

static void walk__missing_content_root_fails(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "{}");
    refresh(f);
    settle(f);
    rename_path(f, "Content", "Away");
    cook_registry_changes_finish(&f->changes);
    assert_int_equal(
        cook_registry_refresh(&f->changes, &f->state, &f->project, &f->options, &f->error),
        COOK_E_NOT_FOUND);
    assert_string_equal(f->error.message,
                        "cannot list content root 'Content': No such file or directory");
}

static void reopen_project(struct fixture *f, const char *roots)
{
    char text[256];
    snprintf(text, sizeof(text), "[Project]\nName=Test\n%s", roots);
    write_file(f, "cook.ini", text);
    cook_project_finish(&f->project);
    open_project(f);
}

static void walk__other_mount_renames_the_packages(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/X.asset", "{}");
    refresh(f);
    settle(f);
    reopen_project(f, "+ContentRoot=/Main=Content\n");
    refresh(f);
    assert_false(is_present(f, "/Game/A/X"));
    assert_true(is_present(f, "/Main/A/X"));
    assert_scan(f, "/Main/A/X");
    settle(f);
    reopen_project(f, "+ContentRoot=/Game=Content\n");
    refresh(f);
    assert_true(is_present(f, "/Game/A/X"));
    assert_false(is_present(f, "/Main/A/X"));
}

static void walk__removed_content_root_takes_its_packages(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "{}");
    write_file(f, "Extra/Sub/B.asset", "{}");
    reopen_project(f, "+ContentRoot=/Game=Content\n+ContentRoot=/Extra=Extra\n");
    refresh(f);
    settle(f);
    assert_true(is_present(f, "/Extra/Sub/B"));
    reopen_project(f, "+ContentRoot=/Game=Content\n");
    refresh(f);
    assert_false(is_present(f, "/Extra/Sub/B"));
    assert_true(is_present(f, "/Game/A"));
    settle(f);
    reopen_project(f, "+ContentRoot=/Game=Content\n+ContentRoot=/Extra=Extra\n");
    refresh(f);
    assert_true(is_present(f, "/Extra/Sub/B"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(walk__every_folder_gets_a_row),
        TEST(walk__new_folder_is_found_in_a_settled_project),
        TEST(walk__file_in_a_known_empty_folder_is_found),
        TEST(walk__removed_folder_takes_its_packages),
        TEST(walk__removed_folder_comes_back),
        TEST(walk__renamed_folder_moves_its_packages),
        TEST(walk__two_folders_swap_places),
        TEST(walk__file_becomes_a_folder_and_back),
        TEST(walk__link_loop_is_refused_each_time),
        TEST(walk__links_between_folders_end),
        TEST(walk__link_that_turns_into_a_loop_is_refused),
        TEST(walk__followed_link_sees_changes_behind_it),
        TEST(walk__link_to_nowhere_appears_with_its_target),
        TEST(walk__pipe_does_not_hang),
        TEST(walk__depth_is_bounded),
        TEST(walk__control_character_in_a_name_is_refused),
        TEST(walk__unlistable_folder_is_warned_of),
        TEST(walk__missing_content_root_fails),
        TEST(walk__other_mount_renames_the_packages),
        TEST(walk__removed_content_root_takes_its_packages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
