#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store_fixture.h"

static void open__reading_without_a_store_is_not_found(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store;
    assert_int_equal(cook_store_open(&store, fixture->project_fd, "Desktop", COOK_STORE_READ,
                                     &fixture->error),
                     COOK_E_NOT_FOUND);
    assert_null(store);
    assert_string_equal(fixture->error.message,
                        "target Desktop has no store; run 'cook full --target Desktop' first");
    assert_int_equal(faccessat(fixture->project_fd, "Saved", F_OK, 0), -1);
}

static void open__refuses_targets_that_lead_elsewhere(void **context)
{
    struct fixture *fixture = *context;
    static const char *const targets[] = { "", "..", ".x", "a/b", "a\nb", "-x", "/etc" };
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        struct cook_store *store;
        assert_int_equal(cook_store_open(&store, fixture->project_fd, targets[i],
                                         COOK_STORE_WRITE, &fixture->error),
                         COOK_E_INVALID);
    }
}

static void check_contents(struct cook_store *store)
{
    struct cook_state *state = cook_store_state(store);
    assert_int_equal(state->packages_count, 2);
    uint32_t id = cook_state_find_package(state, "/Game/B");
    assert_int_equal(id, 1);
    const struct cook_state_package *row = &state->packages[id];
    assert_int_equal(row->flags, COOK_PACKAGE_PRESENT | COOK_PACKAGE_HAS_RESULT);
    assert_int_equal(row->file, cook_state_find_file(state, "Content/B.asset"));
    assert_int_equal(row->side_file, COOK_ID_NONE);
    size_t size;
    assert_memory_equal(cook_state_blob(state, row->edges, &size), "\1\2\3", 3);
    assert_string_equal(cook_state_text(state, state->results[id].reader), "asset/1");
    assert_int_equal(state->results[id].sequence, 2);
    const struct cook_state_bundle *bundle = &state->bundles[row->bundle];
    assert_int_equal(bundle->count, 1);
    const struct cook_state_set *set = &state->sets[state->ids[bundle->first]];
    assert_int_equal(state->ids[set->first], cook_state_find_dep(state, 1, "/Game/B"));
}

static void add_two(struct cook_store *store)
{
    fixture_add_package(store, "/Game/A", "bytes of a");
    fixture_add_package(store, "/Game/B", "bytes of b");
}

static void commit__rows_come_back_from_the_database(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    add_two(store);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    cook_store_close(store);
    store = fixture_open(*context, COOK_STORE_READ);
    assert_false(cook_store_index_was_used(store));
    check_contents(store);
    cook_store_close(store);
}

static void write_index__rows_come_back_mapped(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    add_two(store);
    assert_int_equal(cook_store_write_index(store, NULL), COOK_OK);
    cook_store_close(store);
    store = fixture_open(*context, COOK_STORE_WRITE);
    assert_true(cook_store_index_was_used(store));
    assert_true(cook_store_state(store)->mapped);
    check_contents(store);
    assert_int_equal(cook_state_thaw(cook_store_state(store), NULL), COOK_OK);
    check_contents(store);
    cook_store_close(store);
}

static void write_index__leaves_an_index_that_matches(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    add_two(store);
    assert_int_equal(cook_store_write_index(store, NULL), COOK_OK);
    cook_store_close(store);
    struct stat before;
    struct stat after;
    assert_int_equal(fstatat(fixture->project_fd, FIXTURE_FOLDER "index.bin", &before, 0), 0);
    store = fixture_open(fixture, COOK_STORE_WRITE);
    assert_int_equal(cook_store_write_index(store, NULL), COOK_OK);
    cook_store_close(store);
    assert_int_equal(fstatat(fixture->project_fd, FIXTURE_FOLDER "index.bin", &after, 0), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

static void close__drops_what_was_not_committed(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    add_two(store);
    cook_store_close(store);
    store = fixture_open(*context, COOK_STORE_READ);
    assert_int_equal(cook_store_state(store)->packages_count, 0);
    cook_store_close(store);
}

static void open__a_second_writer_learns_who_holds_the_lock(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    struct cook_store *second;
    assert_int_equal(cook_store_open(&second, fixture->project_fd, "Desktop", COOK_STORE_WRITE,
                                     &fixture->error),
                     COOK_E_LOCKED);
    char expected[128];
    snprintf(expected, sizeof(expected),
             "the store of target Desktop is in use by process %ld (", (long)getpid());
    assert_memory_equal(fixture->error.message, expected, strlen(expected));
    assert_non_null(strstr(fixture->error.message, program_invocation_short_name));
    struct cook_store *reader = fixture_open(fixture, COOK_STORE_READ);
    cook_store_close(reader);
    cook_store_close(store);
    store = fixture_open(fixture, COOK_STORE_WRITE);
    cook_store_close(store);
}

static void commit__reading_store_refuses(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    cook_store_close(store);
    store = fixture_open(*context, COOK_STORE_READ);
    struct cook_hash hash;
    uint32_t id;
    assert_int_equal(cook_store_commit(store, NULL), COOK_E_INVALID);
    assert_int_equal(cook_store_put_blob(store, &hash, "x", 1, NULL), COOK_E_INVALID);
    assert_int_equal(cook_store_begin_cook(store, &id, "full", "", NULL), COOK_E_INVALID);
    cook_store_close(store);
}

static void open__damaged_database_says_what_to_do(void **context)
{
    struct fixture *fixture = *context;
    cook_store_close(fixture_open(fixture, COOK_STORE_WRITE));
    fixture_patch(fixture, FIXTURE_FOLDER "cook.db", 0, "this is no database at all", 26);
    assert_int_equal(unlinkat(fixture->project_fd, FIXTURE_FOLDER "cook.db-wal", 0), 0);
    for (int mode = COOK_STORE_READ; mode <= COOK_STORE_WRITE; mode++) {
        struct cook_store *store;
        assert_int_equal(cook_store_open(&store, fixture->project_fd, "Desktop",
                                         (enum cook_store_mode)mode, &fixture->error),
                         COOK_E_DAMAGED);
        assert_non_null(strstr(fixture->error.message,
                               "cook.db is damaged (file is not a database); move "
                               "Saved/Cook/Desktop away and run 'cook full --target Desktop'"));
    }
}

static void open__a_newer_format_is_unsupported(void **context)
{
    struct fixture *fixture = *context;
    cook_store_close(fixture_open(fixture, COOK_STORE_WRITE));
    char command[256];
    snprintf(command, sizeof(command),
             "sqlite3 %s/" FIXTURE_FOLDER "cook.db 'PRAGMA user_version=999'", fixture->path);
    if (system("sqlite3 -version >/dev/null 2>&1") != 0)
        skip();
    assert_int_equal(system(command), 0);
    struct cook_store *store;
    assert_int_equal(cook_store_open(&store, fixture->project_fd, "Desktop", COOK_STORE_WRITE,
                                     &fixture->error),
                     COOK_E_UNSUPPORTED);
    assert_non_null(strstr(fixture->error.message, "format 999, newer than"));
}

/* Opening, with an index and without, fails cleanly wherever memory runs out. */
static void open__survives_allocation_failures(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    add_two(store);
    assert_int_equal(cook_store_write_index(store, NULL), COOK_OK);
    cook_store_close(store);
    for (int with_index = 1; with_index >= 0; with_index--) {
        bool opened = false;
        for (long after = 0; !opened; after++) {
            assert_true(after < 1000);
            cook_alloc_fail_after(after);
            enum cook_status status = cook_store_open(&store, fixture->project_fd, "Desktop",
                                                      COOK_STORE_WRITE, &fixture->error);
            cook_alloc_fail_after(-1);
            opened = status == COOK_OK;
            if (opened)
                check_contents(store);
            else
                assert_int_equal(status, COOK_E_NO_MEMORY);
            cook_store_close(store);
        }
        unlinkat(fixture->project_fd, FIXTURE_FOLDER "index.bin", 0);
    }
}

static void commit__survives_allocation_failures(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    add_two(store);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 1000);
        cook_alloc_fail_after(after);
        status = cook_store_write_index(store, &fixture->error);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
    cook_store_close(store);
    store = fixture_open(fixture, COOK_STORE_READ);
    check_contents(store);
    cook_store_close(store);
}

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return written;
}

/* Mount a disk of 1 MiB in a name space of our own; false where the system does not allow it.
 */
static bool mount_small_disk(const char *path)
{
    if (geteuid() != 0) {
        char users[32];
        char groups[32];
        snprintf(users, sizeof(users), "0 %u 1", (unsigned)geteuid());
        snprintf(groups, sizeof(groups), "0 %u 1", (unsigned)getegid());
        if (unshare(CLONE_NEWUSER) != 0 || !write_text("/proc/self/uid_map", users) ||
            !write_text("/proc/self/setgroups", "deny") ||
            !write_text("/proc/self/gid_map", groups))
            return false;
    }
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", path, "tmpfs", 0, "size=1m") == 0;
}

static int fill_small_disk(struct fixture *fixture)
{
    if (!mount_small_disk(fixture->path))
        return 77;
    int fd = open(fixture->path, O_RDONLY | O_DIRECTORY);
    struct cook_store *store;
    if (cook_store_open(&store, fd, "Desktop", COOK_STORE_WRITE, &fixture->error) != COOK_OK)
        return 2;
    char *bytes = malloc(300000);
    enum cook_status status = COOK_OK;
    for (int round = 0; round < 20 && status == COOK_OK; round++) {
        for (int i = 0; i < 300000; i++)
            bytes[i] = (char)random();
        struct cook_hash hash;
        status = cook_store_put_blob(store, &hash, bytes, 300000, &fixture->error);
        if (status == COOK_OK)
            status = cook_store_commit(store, &fixture->error);
    }
    free(bytes);
    cook_store_close(store);
    return status != COOK_E_NO_SPACE ||
           !strstr(fixture->error.message, "No space left on device");
}

static bool write_ballast(int fd)
{
    char bytes[4096] = { 1 };
    int file = openat(fd, "ballast", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    bool written = file >= 0;
    for (int i = 0; i < 100 && written; i++)
        written = write(file, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes);
    if (file >= 0)
        close(file);
    return written;
}

/* Once there is room again, the commit that failed succeeds, and nothing of it is missing. */
static int commit_when_there_is_room(struct fixture *fixture)
{
    if (!mount_small_disk(fixture->path))
        return 77;
    int fd = open(fixture->path, O_RDONLY | O_DIRECTORY);
    struct cook_store *store;
    if (!write_ballast(fd) ||
        cook_store_open(&store, fd, "Desktop", COOK_STORE_WRITE, NULL) != COOK_OK)
        return 2;
    enum cook_status status = COOK_OK;
    uint32_t count = 0;
    for (; count < 20000 && status == COOK_OK; count++) {
        char name[200];
        snprintf(name, sizeof(name), "/Game/%0150u", count);
        if (cook_state_add_package(cook_store_state(store), name) == COOK_ID_NONE)
            return 3;
        if (count % 100 == 99)
            status = cook_store_commit(store, &fixture->error);
    }
    if (status != COOK_E_NO_SPACE || unlinkat(fd, "ballast", 0) != 0 ||
        cook_store_commit(store, &fixture->error) != COOK_OK)
        return 4;
    cook_store_close(store);
    if (cook_store_open(&store, fd, "Desktop", COOK_STORE_READ, NULL) != COOK_OK)
        return 5;
    bool complete = cook_store_state(store)->packages_count == count;
    cook_store_close(store);
    return complete ? 0 : 6;
}

/* Run in a process of its own, whose name space ends with it. */
static void run_on_small_disk(struct fixture *fixture, int (*body)(struct fixture *fixture))
{
    pid_t child = fork();
    if (child == 0)
        _exit(body(fixture));
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 77)
        skip();
    assert_int_equal(result, 0);
}

static void put_blob__full_disk_is_no_space(void **context)
{
    run_on_small_disk(*context, fill_small_disk);
}

static void commit__full_disk_can_be_tried_again(void **context)
{
    run_on_small_disk(*context, commit_when_there_is_room);
}

/* Texts that no row refers to any more do not pile up in the index. */
static void write_index__drops_dead_texts(void **context)
{
    struct fixture *fixture = *context;
    struct stat facts;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    add_two(store);
    assert_int_equal(cook_store_write_index(store, NULL), COOK_OK);
    struct cook_state *state = cook_store_state(store);
    char text[4096];
    for (uint32_t i = 0; i < 1000; i++) {
        memset(text, 'a' + (int)(i % 26), sizeof(text));
        snprintf(text, 16, "%u", i);
        uint32_t messages = cook_state_add_blob(state, text, sizeof(text));
        cook_state_touch(state, COOK_TABLE_packages, 1);
        state->results[1].messages = messages;
    }
    assert_int_equal(cook_store_write_index(store, NULL), COOK_OK);
    cook_store_close(store);
    assert_int_equal(fstatat(fixture->project_fd, FIXTURE_FOLDER "index.bin", &facts, 0), 0);
    assert_true(facts.st_size < 20000);
    store = fixture_open(fixture, COOK_STORE_READ);
    assert_true(cook_store_index_was_used(store));
    check_contents(store);
    size_t size;
    state = cook_store_state(store);
    assert_memory_equal(cook_state_blob(state, state->results[1].messages, &size), text,
                        sizeof(text));
    cook_store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(open__reading_without_a_store_is_not_found),
        TEST(open__refuses_targets_that_lead_elsewhere),
        TEST(commit__rows_come_back_from_the_database),
        TEST(write_index__rows_come_back_mapped),
        TEST(write_index__leaves_an_index_that_matches),
        TEST(close__drops_what_was_not_committed),
        TEST(open__a_second_writer_learns_who_holds_the_lock),
        TEST(commit__reading_store_refuses),
        TEST(open__damaged_database_says_what_to_do),
        TEST(open__a_newer_format_is_unsupported),
        TEST(open__survives_allocation_failures),
        TEST(commit__survives_allocation_failures),
        TEST(put_blob__full_disk_is_no_space),
        TEST(commit__full_disk_can_be_tried_again),
        TEST(write_index__drops_dead_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
