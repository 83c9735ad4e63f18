#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "cook/store/index.h"
#include "store_fixture.h"

static const struct cook_index_stamp stamp = { 7, 42 };

/* A folder handle of the fixture's and a written index of a small state in it. */
static int write_small(struct fixture *fixture)
{
    struct cook_state state;
    cook_state_init(&state);
    char name[64];
    for (uint32_t i = 0; i < 50; i++) {
        snprintf(name, sizeof(name), "Content/%u/%u.asset", i % 7, (i * 31) % 50);
        uint32_t file = cook_state_add_file(&state, name);
        uint32_t package = cook_state_add_package(&state, name);
        uint32_t ids[2] = { cook_state_add_dep(&state, i % 3, name), 0 };
        uint32_t set = cook_state_add_set(&state, ids, 2, NULL, 0);
        state.files[file].package = package;
        state.packages[package].file = file;
        state.packages[package].bundle = cook_state_add_bundle(&state, &set, 1);
        state.packages[package].edges = cook_state_add_blob(&state, name, i);
    }
    assert_int_equal(state.failed, COOK_OK);
    assert_int_equal(cook_state_sort(&state, NULL), COOK_OK);
    assert_int_equal(cook_index_write(&state, fixture->project_fd, &stamp, 123, NULL), COOK_OK);
    cook_state_finish(&state);
    return fixture->project_fd;
}

static enum cook_status map(struct fixture *fixture, struct cook_state *state)
{
    uint32_t pool_base;
    memset(state, 0, sizeof(*state));
    return cook_index_map(state, &pool_base, fixture->project_fd, &stamp, true,
                          &fixture->error);
}

/* Use every text, blob and reference, as a null cook would. */
static size_t walk(struct cook_state *state)
{
    size_t total = 0;
    size_t size;
    for (uint32_t i = 0; i < state->files_count; i++) {
        total += strlen(cook_state_text(state, state->files[i].name));
        total += state->folders[state->files[i].folder].inode;
    }
    for (uint32_t i = 0; i < state->packages_count; i++) {
        const struct cook_state_package *row = &state->packages[state->package_order[i]];
        total += cook_state_find_package(state, cook_state_text(state, row->name));
        (void)cook_state_blob(state, row->edges, &size);
        total += size;
        if (row->bundle == COOK_ID_NONE)
            continue;
        const struct cook_state_bundle *bundle = &state->bundles[row->bundle];
        for (uint32_t j = 0; j < bundle->count; j++) {
            const struct cook_state_set *set = &state->sets[state->ids[bundle->first + j]];
            for (uint32_t k = 0; k < set->count; k++)
                total += state->deps[state->ids[set->first + k]].kind;
        }
    }
    return total;
}

static void map__gives_the_state_back(void **context)
{
    struct fixture *fixture = *context;
    struct cook_state state;
    write_small(fixture);
    assert_int_equal(map(fixture, &state), COOK_OK);
    assert_true(state.mapped);
    assert_int_equal(state.packages_count, 50);
    for (uint32_t i = 0; i < state.packages_count; i++) {
        const char *name = cook_state_text(&state, state.packages[i].name);
        assert_int_equal(cook_state_find_package(&state, name), i);
        assert_int_equal(cook_state_find_file(&state, name), state.packages[i].file);
        assert_int_equal(cook_state_find_dep(&state, i % 3, name), i);
    }
    assert_int_equal(cook_state_find_package(&state, "/Game/None"), COOK_ID_NONE);
    walk(&state);
    cook_state_finish(&state);
}

static void map__absence_and_another_generation(void **context)
{
    struct fixture *fixture = *context;
    struct cook_state state;
    uint32_t pool_base;
    assert_int_equal(map(fixture, &state), COOK_E_NOT_FOUND);
    write_small(fixture);
    static const struct cook_index_stamp others[] = { { 8, 42 }, { 7, 43 } };
    for (int i = 0; i < 2; i++)
        assert_int_equal(cook_index_map(&state, &pool_base, fixture->project_fd, &others[i],
                                        true, &fixture->error),
                         COOK_E_DAMAGED);
    assert_string_equal(fixture->error.message, "index.bin: it is of another generation");
}

static off_t index_size(struct fixture *fixture)
{
    struct stat facts;
    assert_int_equal(fstatat(fixture->project_fd, COOK_INDEX_FILE, &facts, 0), 0);
    return facts.st_size;
}

static void map__any_flipped_bit_is_found(void **context)
{
    struct fixture *fixture = *context;
    write_small(fixture);
    off_t size = index_size(fixture);
    for (off_t offset = 0; offset < size; offset += 37) {
        struct cook_state state;
        uint8_t byte;
        int fd = openat(fixture->project_fd, COOK_INDEX_FILE, O_RDWR);
        assert_int_equal(pread(fd, &byte, 1, offset), 1);
        byte ^= (uint8_t)(1 << offset % 8);
        assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
        assert_int_not_equal(map(fixture, &state), COOK_OK);
        byte ^= (uint8_t)(1 << offset % 8);
        assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
        close(fd);
        /* Whole again, it proves itself in spite of the other time. */
        assert_int_equal(map(fixture, &state), COOK_OK);
        cook_state_finish(&state);
    }
}

static void map__any_cut_is_found(void **context)
{
    struct fixture *fixture = *context;
    write_small(fixture);
    int fd = openat(fixture->project_fd, COOK_INDEX_FILE, O_RDWR);
    for (off_t size = index_size(fixture) - 1; size >= 0; size -= 61) {
        struct cook_state state;
        assert_int_equal(ftruncate(fd, size), 0);
        assert_int_not_equal(map(fixture, &state), COOK_OK);
    }
    close(fd);
}

/*
 * Bytes changed by someone who seals the header: what attaches can be walked, whatever it says.
 */
static void attach__hostile_bytes_cannot_crash(void **context)
{
    struct fixture *fixture = *context;
    write_small(fixture);
    size_t size = (size_t)index_size(fixture);
    char *bytes = aligned_alloc(64, (size + 63) & ~(size_t)63);
    char *sound = malloc(size);
    int fd = openat(fixture->project_fd, COOK_INDEX_FILE, O_RDONLY);
    assert_int_equal(read(fd, sound, size), size);
    close(fd);
    uint32_t random = 99;
    size_t attached = 0;
    for (int round = 0; round < 20000; round++) {
        struct cook_state state;
        memcpy(bytes, sound, size);
        for (int i = 0; i < 3; i++) {
            random = random * 1664525u + 1013904223u;
            size_t limit = i == 0 ? 384 : size;
            bytes[(random >> 3) % limit] ^= (char)(1 << (random >> 29));
        }
        cook_index_seal(bytes, size);
        if (cook_index_attach(&state, bytes, size, NULL, NULL) != COOK_OK)
            continue;
        attached++;
        walk(&state);
        cook_state_finish(&state);
    }
    assert_true(attached > 0);
    free(bytes);
    free(sound);
}

/* An index is trusted by its time; a time that differs makes it prove itself, once. */
static void map__restamps_a_file_that_proved_sound(void **context)
{
    struct fixture *fixture = *context;
    struct cook_state state;
    struct stat before;
    struct stat after;
    write_small(fixture);
    struct timespec times[2] = { { 0, UTIME_OMIT }, { 1000, 0 } };
    assert_int_equal(utimensat(fixture->project_fd, COOK_INDEX_FILE, times, 0), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(map(fixture, &state), COOK_OK);
        cook_state_finish(&state);
        assert_int_equal(fstatat(fixture->project_fd, COOK_INDEX_FILE, i ? &after : &before, 0),
                         0);
    }
    assert_true(before.st_mtim.tv_sec > 1000);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
    assert_int_equal(cook_index_verify(fixture->project_fd, NULL), COOK_OK);
}

/* Without memory to thaw, a touched row can be written all the same, and is never committed. */
static void touch__without_memory_is_remembered(void **context)
{
    struct fixture *fixture = *context;
    struct cook_state state;
    write_small(fixture);
    assert_int_equal(map(fixture, &state), COOK_OK);
    cook_alloc_fail_after(0);
    cook_state_touch(&state, COOK_TABLE_packages, 3);
    state.packages[3].flags = 1;
    cook_alloc_fail_after(-1);
    assert_int_equal(state.failed, COOK_E_NO_MEMORY);
    cook_state_finish(&state);
}

static void thaw__survives_allocation_failures(void **context)
{
    struct fixture *fixture = *context;
    struct cook_state state;
    write_small(fixture);
    enum cook_status status = COOK_E_NO_MEMORY;
    assert_int_equal(map(fixture, &state), COOK_OK);
    for (long after = 0; status != COOK_OK; after++) {
        cook_alloc_fail_after(after);
        status = cook_state_thaw(&state, NULL);
        cook_alloc_fail_after(-1);
        assert_int_equal(state.packages_count, 50);
        walk(&state);
    }
    assert_false(state.mapped);
    cook_state_finish(&state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(map__gives_the_state_back),           TEST(map__absence_and_another_generation),
        TEST(map__any_flipped_bit_is_found),       TEST(map__any_cut_is_found),
        TEST(attach__hostile_bytes_cannot_crash),  TEST(map__restamps_a_file_that_proved_sound),
        TEST(touch__without_memory_is_remembered), TEST(thaw__survives_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
