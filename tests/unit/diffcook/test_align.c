#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cook/base/alloc.h"
#include "diffcook/align.h"

#define MOST_TOKENS 60000

struct tokens {
    uint32_t paths[MOST_TOKENS];
    uint64_t hashes[MOST_TOKENS];
    size_t count;
};

struct fixture {
    struct tokens old;
    struct tokens new;
    struct diff_alignment alignment;
    uint64_t random;
    size_t equal, changed, removed, inserted, moved;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->random = 88172645463325252ull;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    diff_alignment_finish(&f->alignment);
    free(f);
    return 0;
}

static uint32_t any(struct fixture *f, uint32_t below)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return (uint32_t)(f->random >> 11) % below;
}

static void insert(struct tokens *t, size_t at, uint32_t path, uint64_t hash)
{
    memmove(t->paths + at + 1, t->paths + at, (t->count - at) * sizeof(*t->paths));
    memmove(t->hashes + at + 1, t->hashes + at, (t->count - at) * sizeof(*t->hashes));
    t->paths[at] = path;
    t->hashes[at] = hash;
    t->count++;
}

static void drop(struct tokens *t, size_t at, size_t count)
{
    size_t rest = t->count - at - count;
    memmove(t->paths + at, t->paths + at + count, rest * sizeof(*t->paths));
    memmove(t->hashes + at, t->hashes + at + count, rest * sizeof(*t->hashes));
    t->count -= count;
}

/* Ten fields an element, most of them of few values, as in an array of structs. */
static void fill_structs(struct fixture *f, struct tokens *t, size_t count)
{
    for (t->count = 0; t->count < count; t->count++) {
        uint32_t field = (uint32_t)(t->count % 10);
        t->paths[t->count] = field;
        t->hashes[t->count] = any(f, field < 6 ? 4 : 1u << 30);
    }
}

static void fill_unique(struct fixture *f, struct tokens *t, size_t count)
{
    for (t->count = 0; t->count < count; t->count++) {
        t->paths[t->count] = (uint32_t)t->count;
        t->hashes[t->count] = any(f, 1u << 30);
    }
}

/* Checks what an alignment promises and counts what it found. */
static void check(struct fixture *f)
{
    const struct diff_alignment *a = &f->alignment;
    int64_t last = -1;
    f->equal = f->changed = f->removed = f->moved = 0;
    for (size_t i = 0; i < f->old.count; i++) {
        uint32_t j = a->new_of_old[i];
        if (j == DIFF_UNALIGNED) {
            f->removed++;
            continue;
        }
        assert_true(j < f->new.count);
        assert_int_equal(a->old_of_new[j], i);
        assert_int_equal(f->old.paths[i], f->new.paths[j]);
        f->moved += a->moved[i];
        *(f->old.hashes[i] == f->new.hashes[j] ? &f->equal : &f->changed) += 1;
        if (!a->moved[i]) {
            assert_true(j > last);
            last = j;
        }
    }
    f->inserted = f->new.count - f->equal - f->changed;
    size_t unaligned = 0;
    for (size_t j = 0; j < f->new.count; j++)
        unaligned += a->old_of_new[j] == DIFF_UNALIGNED;
    assert_int_equal(unaligned, f->inserted);
}

static enum cook_status try_align(struct fixture *f)
{
    diff_alignment_finish(&f->alignment);
    const struct diff_sequence old = { f->old.paths, f->old.hashes, f->old.count };
    const struct diff_sequence new = { f->new.paths, f->new.hashes, f->new.count };
    return diff_align(&f->alignment, &old, &new, NULL);
}

static double align(struct fixture *f)
{
    clock_t start = clock();
    assert_int_equal(try_align(f), COOK_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check(f);
    return seconds;
}

static void align__one_field_inserted__is_one_insertion(void **state)
{
    struct fixture *f = *state;
    fill_unique(f, &f->old, 10000);
    f->new = f->old;
    insert(&f->new, 5000, 123456, 1);
    align(f);
    assert_int_equal(f->inserted, 1);
    assert_int_equal(f->removed + f->changed + f->moved, 0);
    assert_int_equal(f->alignment.old_of_new[5000], DIFF_UNALIGNED);
}

static void align__one_value_changed__is_one_change(void **state)
{
    struct fixture *f = *state;
    fill_structs(f, &f->old, 10000);
    f->new = f->old;
    f->new.hashes[7777] ^= 1;
    align(f);
    assert_int_equal(f->changed, 1);
    assert_int_equal(f->alignment.new_of_old[7777], 7777);
    assert_int_equal(f->inserted + f->removed + f->moved, 0);
}

static void align__element_inserted_among_edits__costs_its_tokens(void **state)
{
    struct fixture *f = *state;
    fill_structs(f, &f->old, 20000);
    f->new = f->old;
    for (int i = 0; i < 100; i++)
        f->new.hashes[any(f, 20000)] ^= 1;
    for (uint32_t field = 0; field < 10; field++)
        insert(&f->new, 10000 + field, field, any(f, 1u << 30));
    align(f);
    assert_int_equal(f->inserted, 10);
    assert_int_equal(f->removed, 0);
    assert_in_range(f->changed, 90, 100);
}

static void align__blocks_moved__are_moves(void **state)
{
    struct fixture *f = *state;
    fill_unique(f, &f->old, 20000);
    f->new = f->old;
    for (size_t i = 0; i < 500; i++)
        insert(&f->new, 15000 + i, f->old.paths[3000 + i], f->old.hashes[3000 + i]);
    drop(&f->new, 3000, 500);
    f->new.hashes[14700] ^= 1; /* inside the block */
    align(f);
    assert_int_equal(f->moved, 500);
    assert_int_equal(f->changed, 1);
    assert_int_equal(f->inserted + f->removed, 0);
}

static void align__same_paths_other_values__are_changes(void **state)
{
    struct fixture *f = *state;
    fill_unique(f, &f->old, 20000);
    f->new = f->old;
    for (size_t i = 0; i < f->new.count; i++)
        f->new.hashes[i] ^= 0x5555;
    align(f);
    assert_int_equal(f->changed, 20000);
}

static void align__empty_sides__are_all_inserted_or_removed(void **state)
{
    struct fixture *f = *state;
    align(f);
    fill_unique(f, &f->new, 5);
    align(f);
    assert_int_equal(f->inserted, 5);
    f->old = f->new;
    f->new.count = 0;
    align(f);
    assert_int_equal(f->removed, 5);
}

/* Two streams of few values have no anchors and no lockstep: the worst there is. */
static void align__unlike_inputs__stay_bounded_in_time(void **state)
{
    struct fixture *f = *state;
    for (int kind = 0; kind < 4; kind++) {
        f->old.count = f->new.count = 0;
        for (size_t i = 0; i < MOST_TOKENS - 1; i++) {
            uint32_t few = kind == 0 ? 16 : kind == 1 ? 2 : 1u << 20;
            insert(&f->old, i, any(f, kind == 3 ? 1000 : 4), any(f, few));
            insert(&f->new, i, any(f, kind == 3 ? 1000 : 4), any(f, few));
        }
        assert_true(align(f) < 2.0);
    }
}

static void align__reversed_blocks__stay_bounded_in_time(void **state)
{
    struct fixture *f = *state;
    fill_unique(f, &f->old, 60000 - 1);
    f->new = f->old;
    for (size_t i = 0; i < f->old.count; i++) {
        size_t from = f->old.count - 1 - i;
        f->new.paths[i] = f->old.paths[from];
        f->new.hashes[i] = f->old.hashes[from];
    }
    assert_true(align(f) < 2.0);
}

/* Replays the alignment as an edit script on the old tokens: it must give the new ones. */
static void assert_script_gives_new(const struct fixture *f)
{
    const struct diff_alignment *a = &f->alignment;
    struct tokens *made = calloc(1, sizeof(*made));
    assert_non_null(made);
    for (size_t j = 0; j < f->new.count; j++) {
        uint32_t i = a->old_of_new[j];
        bool kept = i != DIFF_UNALIGNED && f->old.hashes[i] == f->new.hashes[j];
        made->paths[j] = i == DIFF_UNALIGNED ? f->new.paths[j] : f->old.paths[i];
        made->hashes[j] = kept ? f->old.hashes[i] : f->new.hashes[j];
    }
    assert_memory_equal(made->paths, f->new.paths, f->new.count * sizeof(*made->paths));
    assert_memory_equal(made->hashes, f->new.hashes, f->new.count * sizeof(*made->hashes));
    free(made);
}

static void edit_at_random(struct fixture *f, int edits, bool unique)
{
    for (int i = 0; i < edits; i++) {
        size_t at = any(f, (uint32_t)f->new.count);
        switch (any(f, 4)) {
        case 0:
            insert(&f->new, at, unique ? any(f, 1u << 30) : any(f, 10), any(f, 1u << 20));
            break;
        case 1:
            drop(&f->new, at, 1);
            break;
        case 2:
            f->new.hashes[at] = any(f, 1u << 20);
            break;
        default: { /* move a block */
            size_t count = 1 + any(f, 40);
            if (at + count > f->new.count || f->new.count + count >= MOST_TOKENS)
                break;
            size_t to = any(f, (uint32_t)(f->new.count - count));
            struct tokens *copy = malloc(sizeof(*copy));
            assert_non_null(copy);
            *copy = f->new;
            drop(&f->new, at, count);
            for (size_t k = 0; k < count; k++)
                insert(&f->new, to + k, copy->paths[at + k], copy->hashes[at + k]);
            free(copy);
            break;
        }
        }
    }
}

static void align__random_edits__script_turns_old_into_new(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 120; round++) {
        bool unique = round % 2;
        size_t count = 10 + any(f, 3000);
        if (unique)
            fill_unique(f, &f->old, count);
        else
            fill_structs(f, &f->old, count);
        f->new = f->old;
        int edits = (int)any(f, 30);
        edit_at_random(f, edits, unique);
        align(f);
        assert_script_gives_new(f);
        /* A move of up to 40 tokens costs at most its tokens, removed and inserted. */
        assert_true(f->inserted + f->removed + f->changed <= (size_t)edits * 82);
    }
}

static void align__any_allocation_fails__reports_no_memory(void **state)
{
    struct fixture *f = *state;
    fill_unique(f, &f->old, 3000);
    f->new = f->old;
    for (size_t i = 0; i < 1000; i++)
        insert(&f->new, 2500 + i, f->old.paths[i], f->old.hashes[i]);
    drop(&f->new, 0, 1000);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        cook_alloc_fail_after(after);
        status = try_align(f);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        assert_true(after < 200);
    }
    check(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(align__one_field_inserted__is_one_insertion),
        TEST(align__one_value_changed__is_one_change),
        TEST(align__element_inserted_among_edits__costs_its_tokens),
        TEST(align__blocks_moved__are_moves),
        TEST(align__same_paths_other_values__are_changes),
        TEST(align__empty_sides__are_all_inserted_or_removed),
        TEST(align__unlike_inputs__stay_bounded_in_time),
        TEST(align__reversed_blocks__stay_bounded_in_time),
        TEST(align__random_edits__script_turns_old_into_new),
        TEST(align__any_allocation_fails__reports_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
