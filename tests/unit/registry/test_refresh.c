#include "fixture.h"

static void refresh__first_time_finds_packages(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Rock.asset", "{}");
    write_file(f, "Content/Props/Wood.png", "wood");
    refresh(f);
    assert_true(f->changes.content_changed);
    assert_int_equal(f->changes.to_scan_count, 2);
    assert_true(is_present(f, "/Game/Rock"));
    assert_true(is_present(f, "/Game/Props/Wood.png"));
    assert_true(
        cook_hash_equal(file_row(f, "Content/Rock.asset")->content, cook_hash_bytes("{}", 2)));
    assert_int_equal(file_row(f, "Content/Rock.asset")->package, package_id(f, "/Game/Rock"));
}

static void refresh__nothing_changed_keeps_the_mapped_state(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Rock.asset", "{}");
    write_file(f, "Content/Props/Wood.png", "wood");
    make_folder(f, "Content/Empty");
    refresh(f);
    settle(f);
    freeze(f);
    refresh(f);
    assert_true(f->state.mapped);
    assert_false(f->changes.stat_changed);
    assert_false(f->changes.content_changed);
    assert_int_equal(f->changes.to_scan_count, 0);
    assert_int_equal(f->changes.warning_count, 0);
}

static void refresh__mapped_state_thaws_for_a_change(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Rock.asset", "{}");
    refresh(f);
    settle(f);
    freeze(f);
    write_file(f, "Content/Rock.asset", "{ }");
    refresh(f);
    assert_false(f->state.mapped);
    assert_scan(f, "/Game/Rock");
}

static void refresh__ignores_hidden_and_foreign_files(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/.hidden.asset", "{}");
    write_file(f, "Content/.git/Rock.asset", "{}");
    write_file(f, "Content/readme.txt", "text");
    write_file(f, "Content/lonely.cook", "{}");
    refresh(f);
    assert_int_equal(f->state.packages_count, 0);
    assert_int_equal(f->state.files_count, 0);
    assert_int_equal(f->state.folders_count, 1);
}

static void refresh__extension_compares_without_case(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Wood.PNG", "wood");
    write_file(f, "Content/Rock.Asset", "{}");
    refresh(f);
    assert_true(is_present(f, "/Game/Wood.PNG"));
    assert_true(is_present(f, "/Game/Rock"));
}

static void refresh__changed_content_scans_that_package(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "a");
    write_file(f, "Content/B.asset", "b");
    refresh(f);
    settle(f);
    struct cook_hash before = source_of(f, "/Game/B");
    overwrite_file(f, "Content/B.asset", "other");
    refresh(f);
    assert_true(f->changes.content_changed);
    assert_scan(f, "/Game/B");
    assert_false(cook_hash_equal(before, source_of(f, "/Game/B")));
}

static void refresh__touch_updates_times_only(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "a");
    refresh(f);
    settle(f);
    int64_t before = file_row(f, "Content/A.asset")->mtime_ns;
    assert_int_equal(utimensat(f->folder.fd, "Content/A.asset", NULL, 0), 0);
    refresh(f);
    assert_true(f->changes.stat_changed);
    assert_false(f->changes.content_changed);
    assert_int_equal(f->changes.to_scan_count, 0);
    assert_true(file_row(f, "Content/A.asset")->mtime_ns > before);
}

static void refresh__same_size_and_mtime_is_seen_by_ctime(void **state)
{
    struct fixture *f = *state;
    struct stat old;
    write_file(f, "Content/A.asset", "aaaa");
    refresh(f);
    settle(f);
    assert_int_equal(fstatat(f->folder.fd, "Content/A.asset", &old, 0), 0);
    overwrite_file(f, "Content/A.asset", "bbbb");
    struct timespec times[2] = { old.st_atim, old.st_mtim };
    assert_int_equal(utimensat(f->folder.fd, "Content/A.asset", times, 0), 0);
    refresh(f);
    assert_int_equal(file_row(f, "Content/A.asset")->mtime_ns,
                     old.st_mtim.tv_sec * INT64_C(1000000000) + old.st_mtim.tv_nsec);
    assert_scan(f, "/Game/A");
}

static void refresh__racy_file_is_hashed_again(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "aaaa");
    refresh(f);
    uint32_t id = file_id(f, "Content/A.asset");
    assert_true(f->state.files[id].flags & COOK_FILE_RACY);
    scan_pending(f);
    /* As if the bytes had changed within one tick of the clock: all that stat tells is equal.
     */
    f->state.files[id].content.low ^= 1;
    refresh(f);
    assert_true(f->changes.content_changed);
    assert_true(cook_hash_equal(f->state.files[id].content, cook_hash_bytes("aaaa", 4)));
}

static void refresh__racy_flags_clear_after_the_window(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "aaaa");
    refresh(f);
    assert_true(folder_row(f, "Content")->flags & COOK_FOLDER_RACY);
    wait_out_racy_window();
    refresh(f);
    assert_true(f->changes.stat_changed);
    assert_false(f->changes.content_changed);
    assert_false(file_row(f, "Content/A.asset")->flags & COOK_FILE_RACY);
    assert_false(folder_row(f, "Content")->flags & COOK_FOLDER_RACY);
    /* Not racy any more: stat alone is trusted from here on. */
    uint32_t id = file_id(f, "Content/A.asset");
    f->state.files[id].content.low ^= 1;
    refresh(f);
    assert_false(f->changes.content_changed);
}

static void refresh__rehash_distrusts_stat(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "aaaa");
    refresh(f);
    settle(f);
    f->state.files[file_id(f, "Content/A.asset")].content.low ^= 1;
    f->options.trust_stat = false;
    refresh(f);
    assert_true(f->changes.content_changed);
    assert_false(f->changes.to_scan_count);
}

static void refresh__deleted_file_takes_its_package(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "a");
    write_file(f, "Content/B.asset", "b");
    refresh(f);
    settle(f);
    remove_path(f, "Content/A.asset");
    refresh(f);
    const struct cook_state_file *row = file_row(f, "Content/A.asset");
    assert_true(f->changes.content_changed);
    assert_int_equal(row->flags, 0);
    assert_true(cook_hash_is_zero(row->content));
    assert_false(is_present(f, "/Game/A"));
    assert_true(is_present(f, "/Game/B"));
    assert_true(cook_hash_is_zero(source_of(f, "/Game/A")));
    settle(f);
    write_file(f, "Content/A.asset", "a");
    refresh(f);
    assert_true(is_present(f, "/Game/A"));
    assert_int_equal(f->changes.to_scan_count, 0); /* its facts were kept */
}

static void refresh__renamed_file_is_another_package(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "a");
    refresh(f);
    settle(f);
    rename_path(f, "Content/A.asset", "Content/Z.asset");
    refresh(f);
    assert_false(is_present(f, "/Game/A"));
    assert_true(is_present(f, "/Game/Z"));
    assert_scan(f, "/Game/Z");
}

static void refresh__pending_scan_is_asked_for_until_done(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "a");
    refresh(f);
    wait_out_racy_window();
    refresh(f);
    assert_scan(f, "/Game/A");
    refresh(f);
    assert_scan(f, "/Game/A");
    scan_pending(f);
    refresh(f);
    assert_int_equal(f->changes.to_scan_count, 0);
}

static void refresh__large_file_hashes_as_its_bytes(void **state)
{
    struct fixture *f = *state;
    size_t size = 700 * 1024 + 13;
    char *text = cook_malloc(size + 1);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + i % 23);
    text[size] = '\0';
    write_file(f, "Content/A.png", text);
    refresh(f);
    assert_true(
        cook_hash_equal(file_row(f, "Content/A.png")->content, cook_hash_bytes(text, size)));
    cook_free(text);
}

static void refresh__many_files_give_the_same_rows_on_any_threads(void **state)
{
    struct fixture *f = *state;
    char path[64];
    for (int i = 0; i < 300; i++) {
        snprintf(path, sizeof(path), "Content/F%d/N%d.asset", i % 7, i);
        write_file(f, path, path);
    }
    f->options.threads = 4;
    refresh(f);
    struct cook_state other;
    struct cook_registry_changes changes;
    cook_state_init(&other);
    f->options.threads = 1;
    assert_int_equal(
        cook_registry_refresh(&changes, &other, &f->project, &f->options, &f->error), COOK_OK);
    assert_int_equal(other.files_count, f->state.files_count);
    for (uint32_t i = 0; i < other.files_count; i++) {
        assert_string_equal(cook_state_text(&other, other.files[i].name),
                            cook_state_text(&f->state, f->state.files[i].name));
        assert_true(cook_hash_equal(other.files[i].content, f->state.files[i].content));
        assert_int_equal(other.files[i].package, f->state.files[i].package);
    }
    cook_registry_changes_finish(&changes);
    cook_state_finish(&other);
}

/* Whichever allocation fails, the refresh says so, and a later one with memory does all. */
static void refresh__fails_cleanly_when_memory_is_short(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "a");
    write_file(f, "Content/Rock.png.asset", "{}");
    write_file(f, "Content/Rock.png", "rock");
    write_file(f, "Content/Rock.png.cook", "{}");
    write_file(f, "Content/Sub/B.asset", "b");
    make_link(f, ".", "Content/Sub/loop");
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long n = 0; status != COOK_OK; n++) {
        struct cook_state fresh;
        cook_state_init(&fresh);
        cook_registry_changes_finish(&f->changes);
        cook_alloc_fail_after(n);
        status =
            cook_registry_refresh(&f->changes, &fresh, &f->project, &f->options, &f->error);
        cook_alloc_fail_after(-1);
        if (status != COOK_OK)
            assert_int_equal(status, COOK_E_NO_MEMORY);
        else
            assert_int_equal(f->changes.to_scan_count, 2);
        cook_state_finish(&fresh);
        assert_true(n < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(refresh__first_time_finds_packages),
        TEST(refresh__nothing_changed_keeps_the_mapped_state),
        TEST(refresh__mapped_state_thaws_for_a_change),
        TEST(refresh__ignores_hidden_and_foreign_files),
        TEST(refresh__extension_compares_without_case),
        TEST(refresh__changed_content_scans_that_package),
        TEST(refresh__touch_updates_times_only),
        TEST(refresh__same_size_and_mtime_is_seen_by_ctime),
        TEST(refresh__racy_file_is_hashed_again),
        TEST(refresh__racy_flags_clear_after_the_window),
        TEST(refresh__rehash_distrusts_stat),
        TEST(refresh__deleted_file_takes_its_package),
        TEST(refresh__renamed_file_is_another_package),
        TEST(refresh__pending_scan_is_asked_for_until_done),
        TEST(refresh__large_file_hashes_as_its_bytes),
        TEST(refresh__many_files_give_the_same_rows_on_any_threads),
        TEST(refresh__fails_cleanly_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
