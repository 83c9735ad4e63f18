#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "cook/trace/shared.h"

static int set_up(void **state)
{
    struct cook_trace_shared *shared;
    assert_int_equal(cook_trace_shared_create(&shared, NULL), COOK_OK);
    *state = shared;
    return 0;
}

static int tear_down(void **state)
{
    return munmap(*state, sizeof(struct cook_trace_shared));
}

static void put(struct cook_trace_shared *shared, const char *path)
{
    size_t bytes = strlen(path) + 1;
    struct cook_trace_sighting *sighting =
        cook_trace_ring_reserve(shared, sizeof(*sighting) + bytes + 1);
    assert_non_null(sighting);
    sighting->path_bytes = (uint16_t)bytes;
    sighting->program_bytes = 1;
    memcpy((char *)(sighting + 1), path, bytes);
    ((char *)(sighting + 1))[bytes] = '\0';
    cook_trace_ring_publish(shared, sighting);
}

static void slots__are_found_by_thread_also_behind_freed_ones(void **state)
{
    struct cook_trace_shared *shared = *state;
    assert_null(cook_trace_slot_find(shared, 7));
    struct cook_trace_slot *first = cook_trace_slot_make(shared, 7);
    struct cook_trace_slot *second = cook_trace_slot_make(shared, 7 + COOK_TRACE_SLOTS);
    assert_non_null(first);
    assert_ptr_not_equal(first, second);
    cook_trace_slot_free(first);
    assert_null(cook_trace_slot_find(shared, 7));
    assert_ptr_equal(cook_trace_slot_find(shared, 7 + COOK_TRACE_SLOTS), second);
    assert_ptr_equal(cook_trace_slot_make(shared, 7), first);
}

static void slots__run_out(void **state)
{
    struct cook_trace_shared *shared = *state;
    for (int tid = 1; tid <= COOK_TRACE_SLOTS; tid++)
        assert_non_null(cook_trace_slot_make(shared, tid));
    assert_null(cook_trace_slot_make(shared, COOK_TRACE_SLOTS + 1));
}

static void ring__gives_back_in_order_past_its_end(void **state)
{
    struct cook_trace_shared *shared = *state;
    char path[3000];
    memset(path, 'a', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    for (int i = 0; i < 2000; i++) { /* several times its size */
        path[0] = (char)('a' + i % 26);
        put(shared, path);
        const struct cook_trace_sighting *sighting = cook_trace_ring_peek(shared);
        assert_non_null(sighting);
        assert_string_equal(cook_trace_sighting_path(sighting), path);
        assert_string_equal(cook_trace_sighting_program(sighting), "");
        cook_trace_ring_release(shared, sighting);
        assert_null(cook_trace_ring_peek(shared));
    }
    assert_int_equal(atomic_load(&shared->dropped), 0);
}

static void ring__counts_what_does_not_fit(void **state)
{
    struct cook_trace_shared *shared = *state;
    size_t held = 0;
    struct cook_trace_sighting *sighting;
    while ((sighting = cook_trace_ring_reserve(shared, 4000)) != NULL) {
        cook_trace_ring_publish(shared, sighting);
        held++;
    }
    assert_true(held > 200);
    assert_int_equal(atomic_load(&shared->dropped), 1);
    assert_null(cook_trace_ring_reserve(shared, COOK_TRACE_RING_BYTES));
    assert_int_equal(atomic_load(&shared->dropped), 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(slots__are_found_by_thread_also_behind_freed_ones),
        TEST(slots__run_out),
        TEST(ring__gives_back_in_order_past_its_end),
        TEST(ring__counts_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
