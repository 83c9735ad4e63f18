#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/support/folder.h"

#include <errno.h>
#include <sys/stat.h>

struct fixture {
    struct test_folder folder;
    struct cook_arena arena;
    struct cook_error error;
    struct cook_buf buf;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    return f ? test_folder_open(&f->folder) : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_arena_finish(&f->arena);
    cook_buf_finish(&f->buf);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static size_t count_entries(struct fixture *f, const char *path)
{
    struct cook_folder_entry *entries;
    size_t count = 0;
    assert_int_equal(cook_fs_list(&entries, &count, &f->arena, f->folder.fd, path, NULL),
                     COOK_OK);
    return count;
}

static void stat__file_and_folder__tells_the_facts(void **state)
{
    struct fixture *f = *state;
    struct cook_file_stat facts;
    assert_int_equal(test_folder_write(&f->folder, "d/a", "hello"), 0);
    assert_int_equal(cook_fs_stat(&facts, f->folder.fd, "d/a", &f->error), COOK_OK);
    assert_int_equal(facts.kind, COOK_FILE_REGULAR);
    assert_int_equal(facts.size_bytes, 5);
    assert_true(facts.mtime_ns > INT64_C(1500000000) * 1000000000);
    assert_true(facts.ctime_ns >= facts.mtime_ns);
    assert_true(facts.inode && facts.device);
    assert_int_equal(cook_fs_stat(&facts, f->folder.fd, "d", &f->error), COOK_OK);
    assert_int_equal(facts.kind, COOK_FILE_FOLDER);
}

static void stat__absent__is_a_result(void **state)
{
    struct fixture *f = *state;
    struct cook_file_stat facts;
    assert_int_equal(test_folder_write(&f->folder, "a", ""), 0);
    assert_int_equal(symlinkat("nowhere", f->folder.fd, "link"), 0);
    static const char *const paths[] = { "b", "a/b", "link" };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(cook_fs_stat(&facts, f->folder.fd, paths[i], &f->error), COOK_OK);
        assert_int_equal(facts.kind, COOK_FILE_ABSENT);
        assert_int_equal(facts.inode, 0);
    }
}

static void stat__loop_of_links__is_an_error(void **state)
{
    struct fixture *f = *state;
    struct cook_file_stat facts;
    assert_int_equal(symlinkat("link", f->folder.fd, "link"), 0);
    assert_int_equal(cook_fs_stat(&facts, f->folder.fd, "link", &f->error), COOK_E_IO);
    assert_int_equal(f->error.sys_errno, ELOOP);
}

static void read__file__is_appended_with_its_facts(void **state)
{
    struct fixture *f = *state;
    struct cook_file_stat facts, again;
    assert_int_equal(test_folder_write(&f->folder, "a", "hello"), 0);
    cook_buf_put(&f->buf, "> ", 2);
    assert_int_equal(cook_fs_read(&f->buf, &facts, f->folder.fd, "a", 5, &f->error), COOK_OK);
    assert_string_equal(cook_buf_text(&f->buf), "> hello");
    assert_int_equal(cook_fs_stat(&again, f->folder.fd, "a", NULL), COOK_OK);
    assert_memory_equal(&facts, &again, sizeof(facts));
    assert_int_equal(cook_fs_read(&f->buf, NULL, f->folder.fd, "a", 5, &f->error), COOK_OK);
    assert_string_equal(cook_buf_text(&f->buf), "> hellohello");
}

static void read__large_file__is_whole(void **state)
{
    struct fixture *f = *state;
    size_t size = 3000001;
    char *bytes = cook_malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7 >> 3);
    assert_int_equal(cook_fs_write(f->folder.fd, "a", bytes, size, true, &f->error), COOK_OK);
    assert_int_equal(cook_fs_read(&f->buf, NULL, f->folder.fd, "a", size, &f->error), COOK_OK);
    assert_int_equal(f->buf.size, size);
    assert_memory_equal(f->buf.data, bytes, size);
    cook_free(bytes);
}

static void read__file_that_claims_to_be_empty__is_read_to_its_end(void **state)
{
    struct fixture *f = *state;
    const char *path = "/proc/self/status";
    assert_int_equal(cook_fs_read(&f->buf, NULL, AT_FDCWD, path, 1 << 20, &f->error), COOK_OK);
    assert_true(f->buf.size > 100);
    cook_buf_clear(&f->buf);
    assert_int_equal(cook_fs_read(&f->buf, NULL, AT_FDCWD, path, 10, &f->error), COOK_E_LIMIT);
    assert_int_equal(f->buf.size, 0);
}

static void read__over_the_limit__fails(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(test_folder_write(&f->folder, "a", "hello"), 0);
    assert_int_equal(cook_fs_read(&f->buf, NULL, f->folder.fd, "a", 4, &f->error),
                     COOK_E_LIMIT);
    assert_string_equal(f->error.message, "'a' is larger than 4 bytes");
    assert_int_equal(f->buf.size, 0);
}

static void read__no_regular_file__fails(void **state)
{
    struct fixture *f = *state;
    int fd = f->folder.fd;
    assert_int_equal(mkfifoat(fd, "pipe", 0600), 0);
    assert_int_equal(cook_fs_read(&f->buf, NULL, fd, "pipe", 9, &f->error), COOK_E_INVALID);
    assert_int_equal(cook_fs_read(&f->buf, NULL, fd, ".", 9, &f->error), COOK_E_INVALID);
    assert_int_equal(cook_fs_read(&f->buf, NULL, fd, "none", 9, &f->error), COOK_E_NOT_FOUND);
    assert_string_equal(f->error.message, "cannot open 'none': No such file or directory");
}

static void read__memory_is_short__fails(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(test_folder_write(&f->folder, "a", "hello"), 0);
    cook_alloc_fail_after(0);
    assert_int_equal(cook_fs_read(&f->buf, NULL, f->folder.fd, "a", 9, &f->error),
                     COOK_E_NO_MEMORY);
    assert_int_equal(f->buf.size, 0);
}

static void write__existing_file__is_replaced_and_nothing_stays_behind(void **state)
{
    struct fixture *f = *state;
    int fd = f->folder.fd;
    assert_int_equal(cook_fs_make_folders(fd, "d", NULL), COOK_OK);
    assert_int_equal(cook_fs_write(fd, "d/a", "one", 3, false, &f->error), COOK_OK);
    assert_int_equal(cook_fs_write(fd, "d/a", "second", 6, true, &f->error), COOK_OK);
    assert_int_equal(cook_fs_read(&f->buf, NULL, fd, "d/a", 99, &f->error), COOK_OK);
    assert_string_equal(cook_buf_text(&f->buf), "second");
    assert_int_equal(count_entries(f, "d"), 1);
}

static void write__absolute_path__works(void **state)
{
    struct fixture *f = *state;
    char path[128];
    snprintf(path, sizeof(path), "%s/a", f->folder.path);
    assert_int_equal(cook_fs_write(AT_FDCWD, path, "", 0, false, &f->error), COOK_OK);
    assert_int_equal(count_entries(f, "."), 1);
}

static void write__target_is_a_folder__fails_and_cleans_up(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(test_folder_write(&f->folder, "d/a", ""), 0);
    assert_int_not_equal(cook_fs_write(f->folder.fd, "d", "x", 1, true, &f->error), COOK_OK);
    assert_non_null(strstr(f->error.message, "cannot write 'd': cannot rename"));
    assert_int_equal(count_entries(f, "."), 1);
}

/* A device, a pipe or a link stays what it is: as root "--json /dev/null" would replace it. */
static void write_output__what_is_no_regular_file_is_written_into(void **state)
{
    struct fixture *f = *state;
    char path[128];
    char link_path[128];
    struct stat facts;
    snprintf(path, sizeof(path), "%s/pipe", f->folder.path);
    snprintf(link_path, sizeof(link_path), "%s/link", f->folder.path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_int_equal(cook_fs_write_output(path, "text", 4, &f->error), COOK_OK);
    char bytes[8];
    assert_int_equal(read(fd, bytes, sizeof(bytes)), 4);
    close(fd);
    assert_int_equal(lstat(path, &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));

    assert_int_equal(symlinkat("target", f->folder.fd, "link"), 0);
    assert_int_equal(cook_fs_write_output(link_path, "text", 4, &f->error), COOK_OK);
    assert_int_equal(lstat(link_path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(cook_fs_read(&f->buf, NULL, f->folder.fd, "target", 100, &f->error),
                     COOK_OK);
    assert_string_equal(cook_buf_text(&f->buf), "text");
}

static void write__no_name_or_no_folder__fails(void **state)
{
    struct fixture *f = *state;
    int fd = f->folder.fd;
    assert_int_equal(cook_fs_write(fd, "", "x", 1, false, &f->error), COOK_E_INVALID);
    assert_int_equal(cook_fs_write(fd, "d/", "x", 1, false, &f->error), COOK_E_INVALID);
    assert_int_equal(cook_fs_write(fd, "d/a", "x", 1, false, &f->error), COOK_E_NOT_FOUND);
}

static void write__left_over_temporary__is_stepped_over(void **state)
{
    struct fixture *f = *state;
    char name[64];
    snprintf(name, sizeof(name), ".cook-tmp-%ld-%ld-0", (long)getpid(), (long)gettid());
    int fd = openat(f->folder.fd, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(cook_fs_write(f->folder.fd, "a", "x", 1, false, &f->error), COOK_OK);
    assert_int_equal(count_entries(f, "."), 2);
}

static void write__disk_full__is_no_space(void **state)
{
    struct fixture *f = *state;
    int fd = open("/dev/full", O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(cook_fs_write_all(fd, "x", 1, &f->error), COOK_E_NO_SPACE);
    assert_int_equal(cook_fs_write_all(fd, NULL, 0, &f->error), COOK_OK);
    close(fd);
}

static void make_folders__missing_and_present__are_there_after(void **state)
{
    struct fixture *f = *state;
    int fd = f->folder.fd;
    char absolute[128];
    snprintf(absolute, sizeof(absolute), "%s/x/y/", f->folder.path);
    assert_int_equal(cook_fs_make_folders(fd, "a/b/c", &f->error), COOK_OK);
    assert_int_equal(cook_fs_make_folders(fd, "a/b/c", &f->error), COOK_OK);
    assert_int_equal(cook_fs_make_folders(fd, "a/b//d/", &f->error), COOK_OK);
    assert_int_equal(cook_fs_make_folders(fd, "", &f->error), COOK_OK);
    assert_int_equal(cook_fs_make_folders(AT_FDCWD, absolute, &f->error), COOK_OK);
    assert_int_equal(count_entries(f, "a/b"), 2);
    assert_int_equal(count_entries(f, "x/y"), 0);
}

static void make_folders__file_in_the_way__fails(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(test_folder_write(&f->folder, "a", ""), 0);
    assert_int_equal(cook_fs_make_folders(f->folder.fd, "a", &f->error), COOK_E_EXISTS);
    assert_int_equal(cook_fs_make_folders(f->folder.fd, "a/b", &f->error), COOK_E_NOT_FOUND);
    cook_alloc_fail_after(0);
    assert_int_equal(cook_fs_make_folders(f->folder.fd, "b/c", &f->error), COOK_E_NO_MEMORY);
}

static void now__file_just_written__is_racy(void **state)
{
    struct fixture *f = *state;
    struct cook_file_stat facts;
    int64_t now;
    struct cook_fs_clock clock;
    assert_int_equal(test_folder_write(&f->folder, "a", ""), 0);
    assert_int_equal(cook_fs_stat(&facts, f->folder.fd, "a", NULL), COOK_OK);
    assert_int_equal(cook_fs_now(&now, f->folder.fd, &f->error), COOK_OK);
    assert_int_equal(cook_fs_read_clock(&clock, f->folder.fd, &f->error), COOK_OK);
    assert_true(now >= facts.mtime_ns && clock.now_ns >= now);
    assert_int_equal(clock.device, facts.device);
    for (int64_t late = 0; late <= COOK_RACY_WINDOW_NS; late += COOK_RACY_WINDOW_NS) {
        clock.now_ns = facts.mtime_ns + late;
        assert_true(cook_fs_is_racy(&facts, &clock));
    }
    assert_int_equal(count_entries(f, "."), 1);
}

static void is_racy__either_time_is_new__is_true(void **state)
{
    (void)state;
    int64_t now = INT64_C(1700000000000000000);
    int64_t old = now - COOK_RACY_WINDOW_NS - 1;
    struct cook_file_stat facts = { .mtime_ns = old, .ctime_ns = old };
    struct cook_fs_clock clock = { .now_ns = now };
    assert_false(cook_fs_is_racy(&facts, &clock));
    facts.ctime_ns = now;
    assert_true(cook_fs_is_racy(&facts, &clock));
    facts.ctime_ns = old;
    facts.mtime_ns = now + 1000;
    assert_true(cook_fs_is_racy(&facts, &clock));
}

static void is_racy__file_of_another_device__needs_more_distance(void **state)
{
    (void)state;
    struct cook_fs_clock clock = { .now_ns = INT64_C(1700000000000000000), .device = 1 };
    int64_t old = clock.now_ns - COOK_RACY_WINDOW_NS - 1;
    struct cook_file_stat facts = { .mtime_ns = old, .ctime_ns = old, .device = 1 };
    assert_false(cook_fs_is_racy(&facts, &clock));
    facts.device = 2;
    assert_true(cook_fs_is_racy(&facts, &clock));
    facts.mtime_ns = facts.ctime_ns = clock.now_ns - COOK_RACY_WINDOW_ELSEWHERE_NS - 1;
    assert_false(cook_fs_is_racy(&facts, &clock));
}

static void list__all_kinds__are_sorted_and_named(void **state)
{
    struct fixture *f = *state;
    int fd = f->folder.fd;
    struct cook_folder_entry *entries;
    size_t count;
    assert_int_equal(test_folder_write(&f->folder, "b", ""), 0);
    assert_int_equal(test_folder_write(&f->folder, "d/x", ""), 0);
    assert_int_equal(test_folder_write(&f->folder, ".a", ""), 0);
    assert_int_equal(symlinkat("d", fd, "c"), 0);
    assert_int_equal(symlinkat("none", fd, "e"), 0);
    assert_int_equal(mkfifoat(fd, "\xC3\xA4", 0600), 0);
    assert_int_equal(cook_fs_list(&entries, &count, &f->arena, fd, "", &f->error), COOK_OK);
    static const struct cook_folder_entry wanted[] = {
        { ".a", COOK_FILE_REGULAR }, { "b", COOK_FILE_REGULAR },
        { "c", COOK_FILE_FOLDER },   { "d", COOK_FILE_FOLDER },
        { "e", COOK_FILE_ABSENT },   { "\xC3\xA4", COOK_FILE_OTHER },
    };
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(entries[i].name, wanted[i].name);
        assert_int_equal(entries[i].kind, wanted[i].kind);
    }
}

static void list__no_folder__fails(void **state)
{
    struct fixture *f = *state;
    struct cook_folder_entry *entries;
    size_t count = 5;
    assert_int_equal(cook_fs_list(&entries, &count, &f->arena, f->folder.fd, "x", &f->error),
                     COOK_E_NOT_FOUND);
    assert_int_equal(count, 0);
    assert_null(entries);
}

static void list__memory_is_short__fails(void **state)
{
    struct fixture *f = *state;
    struct cook_folder_entry *entries;
    size_t count;
    assert_int_equal(test_folder_write(&f->folder, "a", ""), 0);
    for (long after = 0;; after++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        cook_alloc_fail_after(after);
        enum cook_status status =
            cook_fs_list(&entries, &count, &arena, f->folder.fd, ".", &f->error);
        cook_alloc_fail_after(-1);
        cook_arena_finish(&arena);
        if (status == COOK_OK)
            break;
        assert_int_equal(status, COOK_E_NO_MEMORY);
        assert_null(entries);
    }
}

static void remove_tree__links__are_not_followed(void **state)
{
    struct fixture *f = *state;
    int fd = f->folder.fd;
    assert_int_equal(test_folder_write(&f->folder, "kept/a", ""), 0);
    assert_int_equal(test_folder_write(&f->folder, "gone/x/y", ""), 0);
    assert_int_equal(symlinkat("../kept", fd, "gone/link"), 0);
    assert_int_equal(symlinkat("kept", fd, "link"), 0);
    assert_int_equal(cook_fs_remove_tree(fd, "gone", &f->error), COOK_OK);
    assert_int_equal(cook_fs_remove_tree(fd, "link/", &f->error), COOK_E_INVALID);
    assert_int_equal(cook_fs_remove_tree(fd, "link", &f->error), COOK_OK);
    assert_int_equal(count_entries(f, "."), 1);
    assert_int_equal(count_entries(f, "kept"), 1);
}

static void remove_tree__absent_or_file__is_fine(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(test_folder_write(&f->folder, "a", ""), 0);
    assert_int_equal(cook_fs_remove_tree(f->folder.fd, "a", &f->error), COOK_OK);
    assert_int_equal(cook_fs_remove_tree(f->folder.fd, "a", &f->error), COOK_OK);
    assert_int_equal(cook_fs_remove_tree(f->folder.fd, "a/b", &f->error), COOK_OK);
    assert_int_equal(cook_fs_remove_tree(f->folder.fd, "", &f->error), COOK_E_INVALID);
    assert_int_equal(count_entries(f, "."), 0);
}

static void remove_tree__many_files__are_all_removed(void **state)
{
    struct fixture *f = *state;
    char name[32];
    assert_int_equal(mkdirat(f->folder.fd, "d", 0777), 0);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof(name), "d/%d", i);
        assert_int_equal(mkdirat(f->folder.fd, name, 0777), 0);
    }
    assert_int_equal(cook_fs_remove_tree(f->folder.fd, "d", &f->error), COOK_OK);
    assert_int_equal(count_entries(f, "."), 0);
}

static void remove_tree__nested_too_deeply__fails(void **state)
{
    struct fixture *f = *state;
    char path[2 * 210 + 1] = "";
    for (size_t i = 0; i < 210; i++)
        memcpy(path + 2 * i, "d/", 3);
    assert_int_equal(cook_fs_make_folders(f->folder.fd, path, &f->error), COOK_OK);
    assert_int_equal(cook_fs_remove_tree(f->folder.fd, "d", &f->error), COOK_E_LIMIT);
    path[2 * 100 - 1] = '\0';
    assert_int_equal(cook_fs_remove_tree(f->folder.fd, path, &f->error), COOK_OK);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(stat__file_and_folder__tells_the_facts),
        CASE(stat__absent__is_a_result),
        CASE(stat__loop_of_links__is_an_error),
        CASE(read__file__is_appended_with_its_facts),
        CASE(read__large_file__is_whole),
        CASE(read__file_that_claims_to_be_empty__is_read_to_its_end),
        CASE(read__over_the_limit__fails),
        CASE(read__no_regular_file__fails),
        CASE(read__memory_is_short__fails),
        CASE(write__existing_file__is_replaced_and_nothing_stays_behind),
        CASE(write__absolute_path__works),
        CASE(write__target_is_a_folder__fails_and_cleans_up),
        CASE(write_output__what_is_no_regular_file_is_written_into),
        CASE(write__no_name_or_no_folder__fails),
        CASE(write__left_over_temporary__is_stepped_over),
        CASE(write__disk_full__is_no_space),
        CASE(make_folders__missing_and_present__are_there_after),
        CASE(make_folders__file_in_the_way__fails),
        CASE(now__file_just_written__is_racy),
        CASE(is_racy__either_time_is_new__is_true),
        CASE(is_racy__file_of_another_device__needs_more_distance),
        CASE(list__all_kinds__are_sorted_and_named),
        CASE(list__no_folder__fails),
        CASE(list__memory_is_short__fails),
        CASE(remove_tree__links__are_not_followed),
        CASE(remove_tree__absent_or_file__is_fine),
        CASE(remove_tree__many_files__are_all_removed),
        CASE(remove_tree__nested_too_deeply__fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
