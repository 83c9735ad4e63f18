#include "fixture.h"

static uint32_t track(struct fixture *f, const char *path)
{
    uint32_t file;
    assert_int_equal(cook_registry_track_file(&f->state, &file, f->project.fd, path, &f->error),
                     COOK_OK);
    assert_int_not_equal(file, COOK_ID_NONE);
    return file;
}

static bool has_content(struct fixture *f, uint32_t file, const char *text)
{
    return (f->state.files[file].flags & COOK_FILE_PRESENT) &&
           cook_hash_equal(f->state.files[file].content, cook_hash_bytes(text, strlen(text)));
}

static void assert_absent(struct fixture *f, uint32_t file)
{
    assert_false(f->state.files[file].flags & COOK_FILE_PRESENT);
    assert_true(f->state.files[file].flags & COOK_FILE_TRACKED);
    assert_true(cook_hash_is_zero(f->state.files[file].content));
}

/* Track an absent file, let all settle, make it, and see that one refresh finds it. */
static void assert_appears(struct fixture *f, const char *path)
{
    uint32_t file = track(f, path);
    assert_absent(f, file);
    refresh(f);
    settle(f);
    assert_absent(f, file);
    write_file(f, path, "new");
    refresh(f);
    assert_true(f->changes.content_changed);
    assert_true(has_content(f, file, "new"));
    settle(f);
    remove_path(f, path);
    refresh(f);
    assert_absent(f, file);
    settle(f);
    write_file(f, path, "again");
    refresh(f);
    assert_true(has_content(f, file, "again"));
}

static void track__present_file_has_its_content(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Shared/lut.txt", "lut");
    refresh(f);
    uint32_t file = track(f, "Shared/lut.txt");
    assert_true(has_content(f, file, "lut"));
    assert_int_equal(f->state.files[file].package, COOK_ID_NONE);
    assert_int_equal(track(f, "Shared/./lut.txt"), file);
    settle(f);
    write_file(f, "Shared/lut.txt", "other");
    refresh(f);
    assert_true(has_content(f, file, "other"));
}

static void track__settled_files_keep_the_mapped_state(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Shared/lut.txt", "lut");
    refresh(f);
    track(f, "Shared/lut.txt");
    track(f, "Shared/absent.txt");
    track(f, "Nowhere/at/all.txt");
    track(f, "Content/absent.txt");
    track(f, "top.txt");
    refresh(f);
    settle(f);
    freeze(f);
    refresh(f);
    assert_true(f->state.mapped);
}

static void track__absent_file_appears_in_content(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/X.asset", "{}");
    refresh(f);
    assert_appears(f, "Content/A/table.csv");
}

static void track__absent_file_appears_outside_of_content(void **state)
{
    struct fixture *f = *state;
    make_folder(f, "Shared");
    refresh(f);
    assert_appears(f, "Shared/lut.txt");
}

static void track__absent_file_appears_in_an_absent_folder(void **state)
{
    struct fixture *f = *state;
    refresh(f);
    assert_appears(f, "Far/Away/lut.txt");
}

static void track__absent_file_appears_in_an_absent_content_folder(void **state)
{
    struct fixture *f = *state;
    refresh(f);
    assert_appears(f, "Content/New/Folder/table.csv");
}

static void track__absent_file_appears_in_a_hidden_content_folder(void **state)
{
    struct fixture *f = *state;
    make_folder(f, "Content/.tool");
    refresh(f);
    assert_appears(f, "Content/.tool/settings.json");
    assert_false(folder_row(f, "Content/.tool")->flags & COOK_FOLDER_CONTENT);
}

static void track__absent_file_appears_in_the_project_folder(void **state)
{
    struct fixture *f = *state;
    refresh(f);
    assert_appears(f, "top.txt");
}

static void track__folder_known_from_a_dependency_is_listed_at_once(void **state)
{
    struct fixture *f = *state;
    refresh(f);
    uint32_t file = track(f, "Content/New/table.csv");
    refresh(f);
    settle(f);
    write_file(f, "Content/New/table.csv", "1,2");
    write_file(f, "Content/New/Rock.asset", "{}");
    refresh(f);
    assert_true(has_content(f, file, "1,2"));
    assert_scan(f, "/Game/New/Rock");
}

static void track__absent_package_appears_as_both(void **state)
{
    struct fixture *f = *state;
    refresh(f);
    uint32_t file = track(f, "Content/Rock.asset");
    refresh(f);
    settle(f);
    write_file(f, "Content/Rock.asset", "{}");
    refresh(f);
    assert_true(has_content(f, file, "{}"));
    assert_int_equal(package_row(f, "/Game/Rock")->file, file);
}

static void track__vanished_package_file_is_tracked_again(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Rock.asset", "{}");
    refresh(f);
    settle(f);
    remove_path(f, "Content/Rock.asset");
    refresh(f);
    uint32_t file = track(f, "Content/Rock.asset");
    assert_absent(f, file);
    write_file(f, "Content/Rock.asset", "{}");
    refresh(f);
    assert_true(has_content(f, file, "{}"));
}

static void track__link_to_nowhere_is_probed(void **state)
{
    struct fixture *f = *state;
    make_folder(f, "Shared");
    make_link(f, "../elsewhere", "Shared/lut.txt");
    refresh(f);
    uint32_t file = track(f, "Shared/lut.txt");
    assert_absent(f, file);
    settle(f);
    write_file(f, "elsewhere", "lut");
    refresh(f);
    assert_true(has_content(f, file, "lut"));
}

static void track__removed_folder_takes_its_files(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Shared/A/lut.txt", "lut");
    refresh(f);
    uint32_t file = track(f, "Shared/A/lut.txt");
    uint32_t absent = track(f, "Shared/A/none.txt");
    refresh(f);
    settle(f);
    rename_path(f, "Shared", "Other");
    refresh(f);
    assert_absent(f, file);
    settle(f);
    write_file(f, "Other/A/none.txt", "some");
    rename_path(f, "Other", "Shared");
    refresh(f);
    assert_true(has_content(f, file, "lut"));
    assert_true(has_content(f, absent, "some"));
}

static void track__file_behind_a_refused_link_is_seen(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A/X.asset", "{}");
    make_link(f, ".", "Content/A/loop");
    for (int i = 0; i < 2; i++) { /* the link's row is made by the file, then by the walk */
        uint32_t file = track(f, "Content/A/loop/X.asset");
        refresh(f);
        assert_true(has_content(f, file, i ? "{ }" : "{}"));
        assert_false(is_present(f, "/Game/A/loop/X"));
        assert_int_equal(f->changes.warning_count, 1);
        settle(f);
        write_file(f, "Content/A/X.asset", i ? "{  }" : "{ }");
        refresh(f);
        assert_true(has_content(f, file, i ? "{  }" : "{ }"));
        settle(f);
    }
}

static void track__folder_in_place_of_a_file_is_absence(void **state)
{
    struct fixture *f = *state;
    make_folder(f, "Shared/lut.txt");
    refresh(f);
    uint32_t file = track(f, "Shared/lut.txt");
    assert_absent(f, file);
    refresh(f);
    settle(f);
    remove_path(f, "Shared/lut.txt");
    write_file(f, "Shared/lut.txt", "lut");
    refresh(f);
    assert_true(has_content(f, file, "lut"));
}

static void track__paths_that_leave_the_project_are_refused(void **state)
{
    struct fixture *f = *state;
    const char *const paths[] = { "", "..", "../x", "/etc/passwd", "a/../../x", "a\\b" };
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        uint32_t file;
        assert_int_equal(
            cook_registry_track_file(&f->state, &file, f->project.fd, paths[i], &f->error),
            COOK_E_INVALID);
        assert_int_equal(file, COOK_ID_NONE);
    }
}

static void track__fails_cleanly_when_memory_is_short(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Shared/lut.txt", "lut");
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long n = 0; status != COOK_OK; n++) {
        uint32_t file;
        struct cook_state fresh;
        cook_state_init(&fresh);
        cook_alloc_fail_after(n);
        status =
            cook_registry_track_file(&fresh, &file, f->project.fd, "Shared/lut.txt", &f->error);
        cook_alloc_fail_after(-1);
        assert_int_equal(status == COOK_OK, file != COOK_ID_NONE);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        cook_state_finish(&fresh);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(track__present_file_has_its_content),
        TEST(track__settled_files_keep_the_mapped_state),
        TEST(track__absent_file_appears_in_content),
        TEST(track__absent_file_appears_outside_of_content),
        TEST(track__absent_file_appears_in_an_absent_folder),
        TEST(track__absent_file_appears_in_an_absent_content_folder),
        TEST(track__absent_file_appears_in_a_hidden_content_folder),
        TEST(track__absent_file_appears_in_the_project_folder),
        TEST(track__folder_known_from_a_dependency_is_listed_at_once),
        TEST(track__absent_package_appears_as_both),
        TEST(track__vanished_package_file_is_tracked_again),
        TEST(track__link_to_nowhere_is_probed),
        TEST(track__removed_folder_takes_its_files),
        TEST(track__file_behind_a_refused_link_is_seen),
        TEST(track__folder_in_place_of_a_file_is_absence),
        TEST(track__paths_that_leave_the_project_are_refused),
        TEST(track__fails_cleanly_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
