#include "fixture.h"

static void packages__side_file_changes_the_source(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Wood.png", "wood");
    refresh(f);
    settle(f);
    struct cook_hash without = source_of(f, "/Game/Wood.png");
    assert_int_equal(package_row(f, "/Game/Wood.png")->side_file, COOK_ID_NONE);
    write_file(f, "Content/Wood.png.cook", "");
    refresh(f);
    assert_scan(f, "/Game/Wood.png");
    struct cook_hash with_empty = source_of(f, "/Game/Wood.png");
    assert_false(cook_hash_equal(without, with_empty));
    settle(f);
    overwrite_file(f, "Content/Wood.png.cook", "{}");
    refresh(f);
    assert_scan(f, "/Game/Wood.png");
    assert_false(cook_hash_equal(with_empty, source_of(f, "/Game/Wood.png")));
    settle(f);
    remove_path(f, "Content/Wood.png.cook");
    refresh(f);
    assert_true(f->changes.content_changed);
    assert_scan(f, "/Game/Wood.png");
    assert_true(cook_hash_equal(without, source_of(f, "/Game/Wood.png")));
}

static void packages__side_file_may_come_first(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Wood.png.cook", "{}");
    refresh(f);
    settle(f);
    assert_int_equal(f->state.files_count, 0);
    write_file(f, "Content/Wood.png", "wood");
    refresh(f);
    assert_int_equal(package_row(f, "/Game/Wood.png")->side_file,
                     file_id(f, "Content/Wood.png.cook"));
}

static void packages__side_file_belongs_to_the_whole_name(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Wood.png", "wood");
    write_file(f, "Content/Wood.png.asset", "{}");
    write_file(f, "Content/Wood.png.asset.cook", "{}");
    write_file(f, "Content/Wood.cook", "{}");
    refresh(f);
    assert_int_equal(package_row(f, "/Game/Wood.png")->side_file, COOK_ID_NONE);
    assert_int_equal(cook_state_find_file(&f->state, "Content/Wood.cook"), COOK_ID_NONE);
}

static void packages__two_files_for_one_name_are_a_fault(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Rock.png.asset", "{}");
    write_file(f, "Content/Rock.png-more.png", "more");
    write_file(f, "Content/Rock.png", "rock");
    refresh(f);
    const struct cook_state_package *row = package_row(f, "/Game/Rock.png");
    uint32_t wanted = COOK_PACKAGE_PRESENT | COOK_PACKAGE_DUPLICATE | COOK_PACKAGE_SCAN_FAILED;
    assert_int_equal(row->flags, wanted);
    assert_int_equal(row->file, file_id(f, "Content/Rock.png"));
    assert_string_equal(fault_of(f, "/Game/Rock.png"),
                        "Content/Rock.png: also claimed by Content/Rock.png.asset");
    assert_scan(f, "/Game/Rock.png-more.png");
    settle(f);
    freeze(f);
    refresh(f);
    assert_true(f->state.mapped);
}

static void packages__third_claim_is_named_too(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Rock.asset", "a");
    write_file(f, "Content/Rock.Asset", "b");
    refresh(f);
    settle(f);
    write_file(f, "Content/Rock.ASSET", "c");
    refresh(f);
    assert_string_equal(fault_of(f, "/Game/Rock"),
                        "Content/Rock.ASSET: also claimed by Content/Rock.Asset, "
                        "Content/Rock.asset");
    assert_int_equal(package_row(f, "/Game/Rock")->file, file_id(f, "Content/Rock.ASSET"));
    assert_int_equal(file_row(f, "Content/Rock.Asset")->package, COOK_ID_NONE);
}

static void packages__duplicate_ends_with_either_file(void **state)
{
    struct fixture *f = *state;
    const char *const gone[] = { "Content/Rock.png", "Content/Rock.png.asset" };
    const char *const left[] = { "Content/Rock.png.asset", "Content/Rock.png" };
    for (int i = 0; i < 2; i++) {
        write_file(f, gone[i], "one");
        write_file(f, left[i], "two");
        refresh(f);
        settle(f);
        remove_path(f, gone[i]);
        refresh(f);
        const struct cook_state_package *row = package_row(f, "/Game/Rock.png");
        assert_int_equal(row->flags, COOK_PACKAGE_PRESENT | COOK_PACKAGE_SCAN_PENDING |
                                         COOK_PACKAGE_SCAN_FAILED);
        assert_int_equal(row->file, file_id(f, left[i]));
        assert_int_equal(file_row(f, left[i])->package, package_id(f, "/Game/Rock.png"));
        assert_scan(f, "/Game/Rock.png");
        scan_pending(f);
        assert_int_equal(package_row(f, "/Game/Rock.png")->flags, COOK_PACKAGE_PRESENT);
    }
}

static void packages__content_of_a_duplicate_does_not_ask_for_a_scan(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Rock.png", "one");
    write_file(f, "Content/Rock.png.asset", "two");
    refresh(f);
    settle(f);
    overwrite_file(f, "Content/Rock.png", "three");
    refresh(f);
    assert_int_equal(f->changes.to_scan_count, 0);
    assert_non_null(fault_of(f, "/Game/Rock.png"));
}

static void packages__new_reader_finds_files_in_settled_folders(void **state)
{
    struct fixture *f = *state;
    static const char *const extensions[] = { ".wav", NULL };
    struct cook_reader_info readers[3] = { test_readers[0],
                                           test_readers[1],
                                           { "sound", 1, extensions, 0 } };
    write_file(f, "Content/Boom.wav", "boom");
    write_file(f, "Content/A.asset", "{}");
    refresh(f);
    settle(f);
    f->options.readers = readers;
    f->options.reader_count = 3;
    refresh(f);
    assert_scan(f, "/Game/Boom.wav");
    settle(f);
    f->options.reader_count = 2;
    refresh(f);
    assert_false(is_present(f, "/Game/Boom.wav"));
    settle(f);
    f->options.reader_count = 3;
    refresh(f);
    assert_true(is_present(f, "/Game/Boom.wav"));
}

static void packages__reader_version_scans_its_packages(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/Wood.png", "wood");
    write_file(f, "Content/A.asset", "{}");
    refresh(f);
    settle(f);
    struct cook_reader_info readers[2] = { test_readers[0], test_readers[1] };
    readers[1].version++;
    f->options.readers = readers;
    refresh(f);
    assert_scan(f, "/Game/Wood.png");
    settle(f);
    assert_string_equal(
        cook_state_text(&f->state, f->state.results[package_id(f, "/Game/Wood.png")].reader),
        "image/4");
}

static void packages__first_reader_of_an_extension_wins(void **state)
{
    struct fixture *f = *state;
    struct cook_reader_info readers[2] = { { "mine", 7, image_extensions, 0 }, test_readers[1] };
    f->options.readers = readers;
    assert_string_equal(cook_registry_reader_text(&f->options, "a/b.PNG", &f->arena), "mine/7");
    assert_null(cook_registry_reader_text(&f->options, "a/b.wav", &f->arena));
    assert_null(cook_registry_reader_text(&f->options, "a/.png", &f->arena));
}

static void packages__failed_scan_sets_its_flag(void **state)
{
    struct fixture *f = *state;
    struct cook_buf blob = COOK_BUF_INIT;
    write_file(f, "Content/A.asset", "{");
    refresh(f);
    cook_facts_encode(&(struct cook_facts){ .fault = "Content/A.asset:1: no" }, &blob);
    uint32_t id = package_id(f, "/Game/A");
    assert_int_equal(cook_registry_set_facts(&f->state, id, "asset/1", source_of(f, "/Game/A"),
                                             blob.data, blob.size, &f->error),
                     COOK_OK);
    cook_buf_finish(&blob);
    assert_int_equal(f->state.packages[id].flags,
                     COOK_PACKAGE_PRESENT | COOK_PACKAGE_SCAN_FAILED);
    settle(f); /* a fault is a fact: not scanned again */
}

static void packages__facts_of_other_content_stay_pending(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content/A.asset", "{");
    refresh(f);
    struct cook_buf blob = COOK_BUF_INIT;
    cook_facts_encode(&(struct cook_facts){ 0 }, &blob);
    uint32_t id = package_id(f, "/Game/A");
    assert_int_equal(cook_registry_set_facts(&f->state, id, "asset/1",
                                             (struct cook_hash){ 1, 2 }, blob.data, blob.size,
                                             &f->error),
                     COOK_OK);
    cook_buf_finish(&blob);
    refresh(f);
    assert_scan(f, "/Game/A");
}

static void assert_unreadable(struct fixture *f, const char *fault)
{
    uint32_t wanted = COOK_PACKAGE_PRESENT | COOK_PACKAGE_SCAN_FAILED;
    refresh(f);
    assert_int_equal(package_row(f, "/Game/A.png")->flags, wanted);
    assert_string_equal(fault_of(f, "/Game/A.png"), fault);
    assert_int_equal(f->changes.to_scan_count, 0);
}

static void packages__unreadable_file_is_a_fault_of_its_package(void **state)
{
    struct fixture *f = *state;
    if (geteuid() == 0)
        skip();
    write_file(f, "Content/A.png", "a");
    refresh(f);
    settle(f);
    struct cook_hash readable = source_of(f, "/Game/A.png");
    assert_int_equal(fchmodat(f->folder.fd, "Content/A.png", 0, 0), 0);
    assert_unreadable(f, "Content/A.png: cannot read: Permission denied");
    assert_true(file_row(f, "Content/A.png")->flags & COOK_FILE_UNREADABLE);
    assert_false(cook_hash_equal(readable, source_of(f, "/Game/A.png")));
    assert_int_equal(fchmodat(f->folder.fd, "Content/A.png", 0600, 0), 0);
    refresh(f);
    assert_scan(f, "/Game/A.png");
    assert_true(cook_hash_equal(readable, source_of(f, "/Game/A.png")));
}

/* A link to memory that is not mapped: a regular file which even root cannot read. */
static void packages__read_error_is_a_fault_and_is_tried_again(void **state)
{
    struct fixture *f = *state;
    struct stat facts;
    if (stat("/proc/self/mem", &facts) != 0 || !S_ISREG(facts.st_mode))
        skip();
    make_link(f, "/proc/self/mem", "Content/A.png");
    assert_unreadable(f, "Content/A.png: cannot read: Input/output error");
    assert_false(cook_hash_is_zero(source_of(f, "/Game/A.png")));
    remove_path(f, "Content/A.png");
    write_file(f, "Content/A.png", "a");
    refresh(f);
    assert_scan(f, "/Game/A.png");
}

static void packages__unreadable_side_file_is_named(void **state)
{
    struct fixture *f = *state;
    struct stat facts;
    if (stat("/proc/self/mem", &facts) != 0 || !S_ISREG(facts.st_mode))
        skip();
    write_file(f, "Content/A.png", "a");
    make_link(f, "/proc/self/mem", "Content/A.png.cook");
    assert_unreadable(f, "Content/A.png.cook: cannot read: Input/output error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(packages__side_file_changes_the_source),
        TEST(packages__side_file_may_come_first),
        TEST(packages__side_file_belongs_to_the_whole_name),
        TEST(packages__two_files_for_one_name_are_a_fault),
        TEST(packages__third_claim_is_named_too),
        TEST(packages__duplicate_ends_with_either_file),
        TEST(packages__content_of_a_duplicate_does_not_ask_for_a_scan),
        TEST(packages__new_reader_finds_files_in_settled_folders),
        TEST(packages__reader_version_scans_its_packages),
        TEST(packages__first_reader_of_an_extension_wins),
        TEST(packages__failed_scan_sets_its_flag),
        TEST(packages__facts_of_other_content_stay_pending),
        TEST(packages__unreadable_file_is_a_fault_of_its_package),
        TEST(packages__read_error_is_a_fault_and_is_tried_again),
        TEST(packages__unreadable_side_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
