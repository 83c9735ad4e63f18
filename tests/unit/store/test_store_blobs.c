#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "store_fixture.h"

#define FIRST_SEGMENT FIXTURE_FOLDER "blobs/seg-000001.blob"

static struct cook_hash put(struct cook_store *store, const void *bytes, size_t size)
{
    struct cook_hash hash;
    assert_int_equal(cook_store_put_blob(store, &hash, bytes, size, NULL), COOK_OK);
    return hash;
}

static void assert_blob(struct cook_store *store, struct cook_hash hash, const void *bytes,
                        size_t size)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_buf out = COOK_BUF_INIT;
    cook_buf_put(&out, "before", 6);
    if (cook_store_get_blob(store, &out, hash, &error) != COOK_OK)
        fail_msg("%s", error.message);
    assert_int_equal(out.size, size + 6);
    assert_memory_equal(out.data, "before", 6);
    assert_memory_equal(out.data + 6, bytes, size);
    cook_buf_finish(&out);
}

static off_t segment_size(struct fixture *fixture)
{
    struct stat facts;
    assert_int_equal(fstatat(fixture->project_fd, FIRST_SEGMENT, &facts, 0), 0);
    return facts.st_size;
}

/* Bytes that compress to `percent` of their size, about. */
static char *make_bytes(size_t size, unsigned percent)
{
    char *bytes = calloc(1, size + 1);
    uint32_t value = 12345;
    for (size_t i = 0; i < size; i++) {
        value = value * 1664525u + 1013904223u;
        bytes[i] = i % 100 < percent ? (char)(value >> 24) : 'x';
    }
    return bytes;
}

static void get_blob__reads_before_and_after_the_commit(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    struct cook_hash hash = put(store, "some bytes", 10);
    struct cook_hash empty = put(store, "", 0);
    assert_blob(store, hash, "some bytes", 10);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    assert_blob(store, hash, "some bytes", 10);
    cook_store_close(store);
    store = fixture_open(*context, COOK_STORE_READ);
    assert_true(cook_store_has_blob(store, hash));
    assert_blob(store, hash, "some bytes", 10);
    assert_blob(store, empty, "", 0);
    cook_store_close(store);
}

static void get_blob__of_every_size_and_kind(void **context)
{
    static const size_t sizes[] = { 1, 255, 256, 4096, 70000, 600000, 1100000, 3000000 };
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        for (unsigned percent = 0; percent <= 100; percent += 50) {
            char *bytes = make_bytes(sizes[i], percent);
            struct cook_hash hash = put(store, bytes, sizes[i]);
            if (i % 2)
                assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
            assert_blob(store, hash, bytes, sizes[i]);
            free(bytes);
        }
    }
    cook_store_close(store);
}

static void put_blob__same_bytes_twice_stores_once(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    put(store, "same", 4);
    put(store, "same", 4);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    off_t size = segment_size(fixture);
    put(store, "same", 4);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    assert_int_equal(segment_size(fixture), size);
    cook_store_close(store);
}

static void put_blob__compresses_what_is_worth_it(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    char *soft = make_bytes(1000000, 0);
    char *hard = make_bytes(1000000, 100);
    put(store, soft, 1000000);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    assert_true(segment_size(fixture) < 10000);
    put(store, hard, 1000000);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    assert_in_range(segment_size(fixture), 1000000, 1010000);
    cook_store_close(store);
    free(soft);
    free(hard);
}

static void get_blob__unknown_hash_is_not_found(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    struct cook_buf out = COOK_BUF_INIT;
    struct cook_hash hash = { 1, 2 };
    assert_int_equal(cook_store_get_blob(store, &out, hash, NULL), COOK_E_NOT_FOUND);
    assert_false(cook_store_has_blob(store, hash));
    cook_buf_finish(&out);
    cook_store_close(store);
}

/* What a killed writer left behind the committed bytes is overwritten, not kept. */
static void put_blob__cuts_a_torn_tail_off(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    struct cook_hash first = put(store, "first", 5);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    off_t committed = segment_size(fixture);
    cook_store_close(store);
    fixture_patch(fixture, FIRST_SEGMENT, committed, "BLB1 torn", 9);

    store = fixture_open(fixture, COOK_STORE_WRITE);
    struct cook_hash second = put(store, "second", 6);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    assert_int_equal(segment_size(fixture), committed + 48 + 6);
    cook_store_close(store);
    store = fixture_open(fixture, COOK_STORE_READ);
    assert_blob(store, first, "first", 5);
    assert_blob(store, second, "second", 6);
    cook_store_close(store);
}

/* A segment shorter than committed has lost blobs; new ones must not land where they were. */
static void put_blob__leaves_a_shortened_segment_alone(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    struct cook_hash first = put(store, "first", 5);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    cook_store_close(store);
    int fd = openat(fixture->project_fd, FIRST_SEGMENT, O_WRONLY);
    assert_int_equal(ftruncate(fd, segment_size(fixture) - 2), 0);
    close(fd);

    store = fixture_open(fixture, COOK_STORE_WRITE);
    struct cook_hash second = put(store, "second", 6);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    assert_int_equal(
        faccessat(fixture->project_fd, FIXTURE_FOLDER "blobs/seg-000002.blob", F_OK, 0), 0);
    assert_blob(store, second, "second", 6);
    struct cook_buf out = COOK_BUF_INIT;
    assert_int_equal(cook_store_get_blob(store, &out, first, &fixture->error), COOK_E_DAMAGED);
    cook_buf_finish(&out);
    cook_store_close(store);
}

static struct cook_hash commit_and_flip(struct fixture *fixture, off_t offset)
{
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    struct cook_hash hash = put(store, "the bytes", 9);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    cook_store_close(store);
    fixture_patch(fixture, FIRST_SEGMENT, offset, "\xff", 1);
    return hash;
}

static void get_blob__a_flipped_bit_is_found_and_healed(void **context)
{
    static const off_t offsets[] = { 16, 20, 24, 33, 41, 57, 64, 72 };
    struct fixture *fixture = *context;
    for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
        struct cook_hash hash = commit_and_flip(fixture, offsets[i]);
        struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
        struct cook_buf out = COOK_BUF_INIT;
        assert_int_equal(cook_store_get_blob(store, &out, hash, &fixture->error),
                         COOK_E_DAMAGED);
        assert_int_equal(out.size, 0);
        assert_non_null(strstr(fixture->error.message, "(blobs/seg-000001.blob at 16)"));
        cook_buf_finish(&out);
        /* The same bytes are stored anew. */
        assert_false(cook_store_has_blob(store, hash));
        put(store, "the bytes", 9);
        assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
        assert_blob(store, hash, "the bytes", 9);
        cook_store_close(store);
        fixture_tear_down(context);
        fixture_set_up(context);
        fixture = *context;
    }
}

static void put_blob__goes_on_in_the_next_segment_when_full(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    const size_t size = (size_t)60 << 20;
    char *bytes = calloc(1, size);
    struct cook_hash hashes[5];
    uint64_t *words = (uint64_t *)(void *)bytes;
    for (size_t i = 0; i < size / 8; i++)
        words[i] = i * UINT64_C(0x9E3779B97F4A7C15) ^ (i << 40);
    for (int i = 0; i < 5; i++) {
        bytes[0] = (char)i;
        hashes[i] = put(store, bytes, size);
    }
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    assert_in_range(segment_size(fixture), (size_t)4 * size, (size_t)256 << 20);
    assert_int_equal(
        faccessat(fixture->project_fd, FIXTURE_FOLDER "blobs/seg-000002.blob", F_OK, 0), 0);
    for (int i = 0; i < 5; i++) {
        bytes[0] = (char)i;
        assert_blob(store, hashes[i], bytes, size);
    }
    free(bytes);
    cook_store_close(store);
}

/* A failed put leaves the store as it was: trying again gives every blob back. */
static void put_blob__survives_allocation_failures(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    char text[600];
    memset(text, 'y', sizeof(text));
    int blobs = 0;
    for (long after = 0; blobs < 600; after = after < 12 ? after + 1 : 0) {
        struct cook_hash hash;
        int size = snprintf(text, 32, "%d", blobs) + 500;
        cook_alloc_fail_after(after);
        enum cook_status status = cook_store_put_blob(store, &hash, text, (size_t)size, NULL);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        blobs += status == COOK_OK;
        if (status == COOK_OK)
            assert_blob(store, hash, text, (size_t)size);
    }
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    cook_store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(get_blob__reads_before_and_after_the_commit),
        TEST(get_blob__of_every_size_and_kind),
        TEST(put_blob__same_bytes_twice_stores_once),
        TEST(put_blob__compresses_what_is_worth_it),
        TEST(get_blob__unknown_hash_is_not_found),
        TEST(put_blob__cuts_a_torn_tail_off),
        TEST(put_blob__leaves_a_shortened_segment_alone),
        TEST(get_blob__a_flipped_bit_is_found_and_healed),
        TEST(put_blob__goes_on_in_the_next_segment_when_full),
        TEST(put_blob__survives_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
