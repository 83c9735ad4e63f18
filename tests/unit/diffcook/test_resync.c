#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cook/base/alloc.h"
#include "diffcook/resync.h"

struct fixture {
    uint64_t random;
    uint8_t *old, *new, *rebuilt;
    size_t old_size, new_size;
    struct diff_ranges ranges;
};

#define MOST ((size_t)1 << 20)

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    f->random = 88172645463325252u;
    f->old = malloc(MOST);
    f->new = malloc(MOST);
    f->rebuilt = malloc(MOST);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    diff_ranges_finish(&f->ranges);
    free(f->old);
    free(f->new);
    free(f->rebuilt);
    free(f);
    return 0;
}

static uint64_t any(struct fixture *f)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return f->random >> 11;
}

/* Few different values, as vertices and samples have, or any. */
static void fill(struct fixture *f, size_t size, unsigned values)
{
    f->old_size = f->new_size = size;
    for (size_t i = 0; i < size; i++)
        f->old[i] = (uint8_t)(any(f) % values);
    memcpy(f->new, f->old, size);
}

static void insert(struct fixture *f, size_t at, size_t size)
{
    memmove(f->new + at + size, f->new + at, f->new_size - at);
    for (size_t i = 0; i < size; i++)
        f->new[at + i] = (uint8_t)any(f);
    f->new_size += size;
}

static void take(struct fixture *f, size_t at, size_t size)
{
    memmove(f->new + at, f->new + at + size, f->new_size - at - size);
    f->new_size -= size;
}

/* The ranges make the new bytes of the old ones. */
static void check(struct fixture *f)
{
    diff_ranges_finish(&f->ranges);
    assert_int_equal(diff_resync(&f->ranges, f->old, f->old_size, f->new, f->new_size), COOK_OK);
    size_t at = 0, from = 0;
    for (size_t i = 0; i < f->ranges.count; i++) {
        const struct diff_range *range = &f->ranges.items[i];
        assert_true(range->old_at >= from && range->old_size + range->new_size > 0);
        memcpy(f->rebuilt + at, f->old + from, range->old_at - from);
        at += range->old_at - from;
        assert_int_equal(range->new_at, at);
        memcpy(f->rebuilt + at, f->new + range->new_at, range->new_size);
        at += range->new_size;
        from = range->old_at + range->old_size;
    }
    memcpy(f->rebuilt + at, f->old + from, f->old_size - from);
    at += f->old_size - from;
    assert_int_equal(at, f->new_size);
    assert_memory_equal(f->rebuilt, f->new, f->new_size);
}

static void resync__one_run_inserted__is_one_range(void **state)
{
    struct fixture *f = *state;
    fill(f, 300000, 256);
    insert(f, 123456, 777);
    check(f);
    assert_int_equal(f->ranges.count, 1);
    assert_int_equal(f->ranges.items[0].old_size, 0);
    assert_int_equal(f->ranges.items[0].new_size, 777);
}

static void resync__insertion_removal_and_change__are_three_ranges(void **state)
{
    struct fixture *f = *state;
    fill(f, 400000, 256);
    take(f, 300000, 100);
    f->new[200000] ^= 1;
    insert(f, 100000, 100);
    check(f);
    assert_int_equal(f->ranges.count, 3);
    assert_int_equal(f->ranges.items[0].new_size, 100);
    assert_int_equal(f->ranges.items[1].new_size, 1);
    assert_int_equal(f->ranges.items[1].old_size, 1);
    assert_int_equal(f->ranges.items[2].old_size, 100);
}

static void resync__equal_bytes__have_no_ranges(void **state)
{
    struct fixture *f = *state;
    fill(f, 100000, 4);
    check(f);
    assert_int_equal(f->ranges.count, 0);
}

static void resync__all_the_same_byte__only_the_length_differs(void **state)
{
    struct fixture *f = *state;
    fill(f, 200000, 1);
    f->new_size -= 5000;
    check(f);
    uint64_t removed = 0;
    for (size_t i = 0; i < f->ranges.count; i++)
        removed += f->ranges.items[i].old_size - f->ranges.items[i].new_size;
    assert_int_equal(removed, 5000);
}

static void resync__unlike_or_empty__is_one_range(void **state)
{
    struct fixture *f = *state;
    fill(f, 100000, 256);
    for (size_t i = 0; i < 90000; i++)
        f->new[i] = (uint8_t)any(f);
    f->new_size = 90000;
    check(f);
    assert_true(f->ranges.count >= 1);
    f->new_size = 0;
    check(f);
    assert_int_equal(f->ranges.count, 1);
    assert_int_equal(f->ranges.items[0].old_size, 100000);
}

static void resync__random_edits__rebuild_the_new_bytes(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 200; round++) {
        fill(f, 1000 + any(f) % 60000, round % 3 ? 256 : 3);
        for (uint64_t edits = any(f) % 12; edits; edits--) {
            size_t at = any(f) % f->new_size, size = 1 + any(f) % 300;
            if (any(f) % 3 == 0)
                insert(f, at, size);
            else if (any(f) % 2 && at + size < f->new_size)
                take(f, at, size);
            else
                f->new[at] ^= 0x55;
        }
        check(f);
    }
}

static void resync__any_allocation_fails__is_told(void **state)
{
    struct fixture *f = *state;
    fill(f, 50000, 256);
    insert(f, 20000, 50);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (int i = 0; status != COOK_OK && i < 1000; i++) {
        diff_ranges_finish(&f->ranges);
        cook_alloc_fail_after(i);
        status = diff_resync(&f->ranges, f->old, f->old_size, f->new, f->new_size);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
    assert_int_equal(status, COOK_OK);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(resync__one_run_inserted__is_one_range),
        CASE(resync__insertion_removal_and_change__are_three_ranges),
        CASE(resync__equal_bytes__have_no_ranges),
        CASE(resync__all_the_same_byte__only_the_length_differs),
        CASE(resync__unlike_or_empty__is_one_range),
        CASE(resync__random_edits__rebuild_the_new_bytes),
        CASE(resync__any_allocation_fails__is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
