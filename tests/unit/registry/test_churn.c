/*
 * The property that a refresh exists for: after any changes, a state that was refreshed over
 * and over knows the same packages, from the same files and bytes, as a state made from
 * nothing.
 */
#include "fixture.h"

#define STEPS            150
#define CHANGES_PER_STEP 4

static const char *const folders[] = { "Content",       "Content/A",    "Content/A/B",
                                       "Content/A/B/C", "Content/D",    "Content/D.asset",
                                       "Shared",        "Content/.hide" };
static const char *const names[] = { "Rock.asset",    "Rock.png", "Rock.png.asset",
                                     "Rock.png.cook", "Wood.jpg", "Wood.jpg.cook",
                                     "Rock.ASSET",    "D.asset",  "B",
                                     "notes.txt" };
static const char *const texts[] = { "", "one", "two", "{}" };

#define PICK(list, random) (list[(random) % (sizeof(list) / sizeof(*(list)))])

/* A small fixed generator: the same changes in every run. */
static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void pick_path(char path[128], uint32_t *seed)
{
    const char *folder = PICK(folders, next_random(seed));
    snprintf(path, 128, "%s/%s", folder, PICK(names, next_random(seed)));
}

/* One change; any may fail, for what it works on need not be there. */
static void change(struct fixture *f, uint32_t *seed)
{
    char path[128], other[128];
    int fd = f->folder.fd;
    pick_path(path, seed);
    pick_path(other, seed);
    uint32_t kind = next_random(seed) % 16;
    if (kind < 8)
        (void)test_folder_write(&f->folder, path, PICK(texts, next_random(seed)));
    else if (kind < 10)
        remove_path(f, path);
    else if (kind < 12)
        (void)renameat(fd, path, fd, other);
    else if (kind == 12)
        remove_path(f, folders[1 + next_random(seed) % 5]);
    else if (kind == 13)
        (void)renameat(fd, folders[1 + next_random(seed) % 5], fd,
                       folders[1 + next_random(seed) % 6]);
    else if (kind == 14)
        (void)symlinkat(next_random(seed) % 2 ? "../Shared" : "..", fd, path);
    else
        (void)symlinkat("../Shared/Rock.png", fd, path);
}

static void assert_same_package(struct fixture *f, struct cook_state *fresh, uint32_t fresh_id)
{
    const struct cook_state_package *wanted = &fresh->packages[fresh_id];
    const char *name = cook_state_text(fresh, wanted->name);
    const struct cook_state_package *row = package_row(f, name);
    uint32_t telling = COOK_PACKAGE_PRESENT | COOK_PACKAGE_DUPLICATE;
    assert_int_equal(row->flags & telling, wanted->flags & telling);
    assert_string_equal(cook_state_file_path(&f->state, row->file, &f->arena),
                        cook_state_file_path(fresh, wanted->file, &f->arena));
    assert_true(
        cook_hash_equal(source_of(f, name), cook_registry_source_hash(fresh, fresh_id)));
    assert_int_equal(f->state.files[row->file].package, package_id(f, name));
}

static uint32_t count_present(const struct cook_state *state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->packages_count; i++)
        count += (state->packages[i].flags & COOK_PACKAGE_PRESENT) != 0;
    return count;
}

static void assert_same_as_fresh(struct fixture *f)
{
    struct cook_state fresh;
    struct cook_registry_changes changes;
    cook_state_init(&fresh);
    assert_int_equal(
        cook_registry_refresh(&changes, &fresh, &f->project, &f->options, &f->error), COOK_OK);
    for (uint32_t i = 0; i < fresh.packages_count; i++) {
        if (fresh.packages[i].flags & COOK_PACKAGE_PRESENT)
            assert_same_package(f, &fresh, i);
    }
    assert_int_equal(count_present(&f->state), count_present(&fresh));
    assert_int_equal(f->changes.warning_count, changes.warning_count);
    cook_registry_changes_finish(&changes);
    cook_state_finish(&fresh);
}

/* Tracked files say what is on disk, wherever they lie. */
static void assert_tracked(struct fixture *f)
{
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        char path[128];
        struct cook_buf bytes = COOK_BUF_INIT;
        snprintf(path, sizeof(path), "%s/%s", folders[i], "notes.txt");
        enum cook_status status = cook_fs_read(&bytes, NULL, f->folder.fd, path, 1024, NULL);
        const struct cook_state_file *row = file_row(f, path);
        assert_int_equal((row->flags & COOK_FILE_PRESENT) != 0, status == COOK_OK);
        if (status == COOK_OK)
            assert_true(cook_hash_equal(row->content, cook_hash_bytes(bytes.data, bytes.size)));
        cook_buf_finish(&bytes);
    }
}

static void run_churn(struct fixture *f, uint32_t seed, bool wait)
{
    make_folder(f, "Shared");
    refresh(f);
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        char path[128];
        uint32_t file;
        snprintf(path, sizeof(path), "%s/%s", folders[i], "notes.txt");
        assert_int_equal(
            cook_registry_track_file(&f->state, &file, f->project.fd, path, &f->error),
            COOK_OK);
    }
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < CHANGES_PER_STEP; i++)
            change(f, &seed);
        refresh(f);
        scan_pending(f);
        assert_same_as_fresh(f);
        assert_tracked(f);
        if (wait && step % 4 == 0) {
            settle(f); /* so that the next step starts from facts that are trusted */
            freeze(f);
        }
        cook_arena_finish(&f->arena);
    }
}

static void churn__racy_refreshes_equal_a_fresh_one(void **state)
{
    for (uint32_t seed = 1; seed < 4; seed++) {
        run_churn(*state, seed, false);
    }
}

static void churn__settled_refreshes_equal_a_fresh_one(void **state)
{
    run_churn(*state, 77, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(churn__racy_refreshes_equal_a_fresh_one),
        TEST(churn__settled_refreshes_equal_a_fresh_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
