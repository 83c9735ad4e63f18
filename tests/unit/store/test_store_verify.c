#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "store_fixture.h"

#define FIRST_SEGMENT FIXTURE_FOLDER "blobs/seg-000001.blob"

static void make_store(struct fixture *fixture)
{
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    fixture_add_package(store, "/Game/A", "bytes of a");
    fixture_add_package(store, "/Game/B", "bytes of b");
    struct cook_hash hash;
    assert_int_equal(cook_store_put_blob(store, &hash, "no package's", 12, NULL), COOK_OK);
    assert_int_equal(cook_store_write_index(store, NULL), COOK_OK);
    cook_store_close(store);
}

static struct cook_store_fault *verify(struct fixture *fixture, struct cook_store *store,
                                       size_t expected)
{
    struct cook_store_fault *faults;
    size_t count;
    if (cook_store_verify(store, &faults, &count, &fixture->arena, &fixture->error) != COOK_OK)
        fail_msg("%s", fixture->error.message);
    for (size_t i = 0; count != expected && i < count; i++)
        print_message("%s\n", faults[i].what);
    assert_int_equal(count, expected);
    return faults;
}

static void verify__a_sound_store_has_no_faults(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    for (int mode = COOK_STORE_READ; mode <= COOK_STORE_WRITE; mode++) {
        struct cook_store *store = fixture_open(fixture, (enum cook_store_mode)mode);
        verify(fixture, store, 0);
        cook_store_close(store);
    }
}

static void verify__names_the_package_of_a_damaged_blob(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    fixture_patch(fixture, FIRST_SEGMENT, 16 + 48 + 10 + 48 + 3, "X", 1);
    struct cook_store *store = fixture_open(fixture, COOK_STORE_READ);
    struct cook_store_fault *faults = verify(fixture, store, 1);
    assert_int_equal(faults[0].package,
                     cook_state_find_package(cook_store_state(store), "/Game/B"));
    assert_non_null(strstr(faults[0].what,
                           ": bytes do not match their hash (blobs/seg-000001.blob at 74)"));
    cook_store_close(store);
}

/* A destroyed header hides neither the blobs behind it nor those of no package. */
static void verify__one_fault_hides_no_other(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    fixture_patch(fixture, FIRST_SEGMENT, 16, "XXXXXXXXXXXXXXXX", 16);
    fixture_patch(fixture, FIRST_SEGMENT, 16 + 2 * 58 + 50, "X", 1);
    struct cook_store *store = fixture_open(fixture, COOK_STORE_READ);
    struct cook_store_fault *faults = verify(fixture, store, 2);
    assert_int_equal(faults[0].package, 0);
    assert_int_equal(faults[1].package, COOK_ID_NONE);
    cook_store_close(store);
}

static void verify__a_lost_segment_hits_all_its_packages(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    assert_int_equal(unlinkat(fixture->project_fd, FIRST_SEGMENT, 0), 0);
    struct cook_store *store = fixture_open(fixture, COOK_STORE_READ);
    verify(fixture, store, 4); /* the segment and its three blobs */
    cook_store_close(store);
}

static void verify__finds_a_flipped_bit_in_the_index(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    struct cook_store *store = fixture_open(fixture, COOK_STORE_READ);
    fixture_patch(fixture, FIXTURE_FOLDER "index.bin", 1000, "\xa5", 1);
    struct cook_store_fault *faults = verify(fixture, store, 1);
    assert_string_equal(faults[0].what, "index.bin: its bytes do not match their hash");
    cook_store_close(store);
}

static void verify__a_writer_forgets_damaged_blobs(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    fixture_patch(fixture, FIRST_SEGMENT, 16 + 50, "X", 1);
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    verify(fixture, store, 1);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    cook_store_close(store);
    store = fixture_open(fixture, COOK_STORE_WRITE);
    struct cook_store_fault *faults = verify(fixture, store, 1);
    assert_non_null(strstr(faults[0].what, ": it is missing"));
    struct cook_hash hash;
    assert_int_equal(cook_store_put_blob(store, &hash, "bytes of a", 10, NULL), COOK_OK);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    verify(fixture, store, 0);
    cook_store_close(store);
}

/* Whatever byte of the database is wrong, opening and verifying ends in a status or a fault. */
static void verify__survives_any_damage_of_the_database(void **context)
{
    struct fixture *fixture = *context;
    make_store(fixture);
    struct stat facts;
    char log[] = FIXTURE_FOLDER "cook.db-wal";
    if (fstatat(fixture->project_fd, log, &facts, 0) == 0 && facts.st_size == 0)
        unlinkat(fixture->project_fd, log, 0);
    assert_int_equal(fstatat(fixture->project_fd, FIXTURE_FOLDER "cook.db", &facts, 0), 0);
    uint32_t random = 1;
    for (int round = 0; round < 150; round++) {
        random = random * 1664525u + 1013904223u;
        uint8_t byte = (uint8_t)(random >> 24);
        off_t offset = (off_t)(random >> 4) % facts.st_size;
        fixture_patch(fixture, FIXTURE_FOLDER "cook.db", offset, &byte, 1);
        unlinkat(fixture->project_fd, FIXTURE_FOLDER "index.bin", 0);
        struct cook_store *store;
        struct cook_store_fault *faults;
        size_t count;
        if (cook_store_open(&store, fixture->project_fd, "Desktop", COOK_STORE_READ,
                            &fixture->error) == COOK_OK &&
            cook_store_verify(store, &faults, &count, &fixture->arena, &fixture->error) !=
                COOK_OK)
            assert_true(fixture->error.message[0] != '\0');
        cook_store_close(store);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(verify__a_sound_store_has_no_faults),
        TEST(verify__names_the_package_of_a_damaged_blob),
        TEST(verify__one_fault_hides_no_other),
        TEST(verify__a_lost_segment_hits_all_its_packages),
        TEST(verify__finds_a_flipped_bit_in_the_index),
        TEST(verify__a_writer_forgets_damaged_blobs),
        TEST(verify__survives_any_damage_of_the_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
