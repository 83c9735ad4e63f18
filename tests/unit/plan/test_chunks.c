/* Chunk assignment: one rule a test. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/plan/chunks.h"

/* A graph of packages 0 to 7, given as pairs. */
#define PACKAGES 8
struct fixture {
    struct cook_chunk_input input;
    uint32_t first[PACKAGES + 1];
    uint32_t edges[64];
    struct cook_chunk_assignment result;
    char text[64];
};

static void connect(struct fixture *f, const uint32_t (*pairs)[2], size_t count)
{
    uint32_t at = 0;
    f->input.package_count = PACKAGES;
    for (uint32_t p = 0; p < PACKAGES; p++) {
        f->first[p] = at;
        for (size_t i = 0; i < count; i++)
            if (pairs[i][0] == p)
                f->edges[at++] = pairs[i][1];
    }
    f->first[PACKAGES] = at;
    f->input.edge_first = f->first;
    f->input.edges = f->edges;
}

static void set_roots(struct fixture *f, const struct cook_chunk_root *roots, size_t count)
{
    f->input.roots = roots;
    f->input.root_count = count;
}

static enum cook_status assign(struct fixture *f)
{
    cook_chunk_assignment_finish(&f->result);
    return cook_chunks_assign(&f->result, &f->input, NULL);
}

/* "1 3": the chunks of a package. */
static const char *chunks_of(struct fixture *f, uint32_t package)
{
    size_t at = 0;
    f->text[0] = '\0';
    for (uint32_t i = f->result.first[package]; i < f->result.first[package + 1]; i++)
        at += (size_t)snprintf(f->text + at, sizeof(f->text) - at, "%s%u", at ? " " : "",
                               f->result.chunks[i]);
    return f->text;
}

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    return f ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_chunk_assignment_finish(&f->result);
    cook_free(f);
    return 0;
}

static void assign__no_rules_puts_all_into_chunk_0(void **state)
{
    struct fixture *f = *state;
    connect(f, NULL, 0);
    assert_int_equal(assign(f), COOK_OK);
    for (uint32_t p = 0; p < PACKAGES; p++)
        assert_string_equal(chunks_of(f, p), "0");
}

static void assign__follows_edges_through_cycles(void **state)
{
    struct fixture *f = *state;
    connect(f, (const uint32_t[][2]){ { 0, 1 }, { 1, 2 }, { 2, 0 }, { 3, 4 } }, 4);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 5, 0 } }, 1);
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 0), "5");
    assert_string_equal(chunks_of(f, 2), "5");
    assert_string_equal(chunks_of(f, 4), "0");
}

static void assign__higher_priority_wins(void **state)
{
    struct fixture *f = *state;
    connect(f, (const uint32_t[][2]){ { 0, 2 }, { 1, 2 }, { 2, 3 } }, 3);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 1, 1 }, { 1, 2, 2 } }, 2);
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 0), "1");
    assert_string_equal(chunks_of(f, 2), "2");
    assert_string_equal(chunks_of(f, 3), "2");
}

static void assign__what_a_higher_rank_takes_away_still_leads_on(void **state)
{
    struct fixture *f = *state;
    /* 0 -> 2 -> 3 and 0 -> 3; 1 -> 2: rank 9 owns 2 and 3, rank 0 only what else 0 leads to. */
    connect(f, (const uint32_t[][2]){ { 0, 2 }, { 2, 3 }, { 0, 3 }, { 0, 4 }, { 1, 2 } }, 5);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 1, 0 }, { 1, 2, 9 } }, 2);
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 3), "2");
    assert_string_equal(chunks_of(f, 4), "1");
}

static void assign__equal_ranks_assign_to_both(void **state)
{
    struct fixture *f = *state;
    connect(f, (const uint32_t[][2]){ { 0, 2 }, { 1, 2 } }, 2);
    set_roots(f, (const struct cook_chunk_root[]){ { 1, 3, 4 }, { 0, 1, 4 } }, 2);
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 2), "1 3");
    assert_string_equal(chunks_of(f, 1), "3");
}

static void assign__all_negative_priorities_rank_equal(void **state)
{
    struct fixture *f = *state;
    connect(f, (const uint32_t[][2]){ { 0, 3 }, { 1, 3 }, { 0, 4 }, { 2, 4 } }, 4);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 1, -1 }, { 1, 2, -7 }, { 2, 3, 0 } },
              3);
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 3), "1 2");
    assert_string_equal(chunks_of(f, 4), "3");
}

static void assign__an_owner_without_a_chunk_keeps_lower_ranks_out(void **state)
{
    struct fixture *f = *state;
    connect(f, (const uint32_t[][2]){ { 0, 2 }, { 1, 2 } }, 2);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, -1, 5 }, { 1, 2, 1 } }, 2);
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 2), "0");
    assert_string_equal(chunks_of(f, 1), "2");
}

static void assign__startup_packages_go_to_chunk_0_alone(void **state)
{
    struct fixture *f = *state;
    connect(f, (const uint32_t[][2]){ { 0, 1 } }, 1);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 4, 9 } }, 1);
    f->input.startup = (const uint32_t[]){ 1 };
    f->input.startup_count = 1;
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 1), "0");
    assert_string_equal(chunks_of(f, 0), "4");
}

static void assign__a_parent_that_holds_it_is_enough(void **state)
{
    struct fixture *f = *state;
    connect(f, (const uint32_t[][2]){ { 0, 3 }, { 1, 3 }, { 2, 3 } }, 3);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 1, 0 }, { 1, 2, 0 }, { 2, 3, 0 } }, 3);
    f->input.parents = (const struct cook_chunk_parent[]){ { 3, 2 }, { 2, 5 } };
    f->input.parent_count = 2;
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 3), "1 2");
}

static void assign__a_grandparent_that_holds_it_is_enough(void **state)
{
    struct fixture *f = *state;
    connect(f, (const uint32_t[][2]){ { 0, 2 }, { 1, 2 } }, 2);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 9, 0 }, { 1, 1, 0 } }, 2);
    f->input.parents = (const struct cook_chunk_parent[]){ { 9, 4 }, { 4, 1 } };
    f->input.parent_count = 2;
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 2), "1");
    assert_string_equal(chunks_of(f, 0), "9");
}

static void assign__one_copy_goes_to_the_nearest_shared_parent(void **state)
{
    struct fixture *f = *state;
    const uint8_t single[PACKAGES] = { [3] = 1, [4] = 1 };
    connect(f, (const uint32_t[][2]){ { 0, 3 }, { 1, 3 }, { 0, 4 }, { 2, 4 } }, 4);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 11, 0 }, { 1, 12, 0 }, { 2, 20, 0 } },
              3);
    f->input.single = single;
    f->input.parents = (const struct cook_chunk_parent[]){ { 11, 10 }, { 12, 10 } };
    f->input.parent_count = 2;
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 3), "10");
    assert_string_equal(chunks_of(f, 4), "0");
    assert_string_equal(chunks_of(f, 0), "11");
}

static void assign__one_copy_in_a_chunk_and_its_parent_goes_to_the_parent(void **state)
{
    struct fixture *f = *state;
    const uint8_t single[PACKAGES] = { [2] = 1 };
    connect(f, (const uint32_t[][2]){ { 0, 2 }, { 1, 2 } }, 2);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 1, 0 }, { 1, 2, 0 } }, 2);
    f->input.single = single;
    f->input.parents = (const struct cook_chunk_parent[]){ { 2, 1 } };
    f->input.parent_count = 1;
    assert_int_equal(assign(f), COOK_OK);
    assert_string_equal(chunks_of(f, 2), "1");
}

static void assign__order_of_roots_does_not_matter(void **state)
{
    struct fixture *f = *state;
    char before[PACKAGES][64];
    connect(f, (const uint32_t[][2]){ { 0, 3 }, { 1, 3 }, { 2, 3 }, { 3, 4 }, { 2, 5 } }, 5);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 1, 2 }, { 1, 2, 2 }, { 2, 3, 1 } }, 3);
    assert_int_equal(assign(f), COOK_OK);
    for (uint32_t p = 0; p < PACKAGES; p++)
        (void)snprintf(before[p], sizeof(before[p]), "%s", chunks_of(f, p));
    set_roots(f, (const struct cook_chunk_root[]){ { 2, 3, 1 }, { 1, 2, 2 }, { 0, 1, 2 } }, 3);
    assert_int_equal(assign(f), COOK_OK);
    for (uint32_t p = 0; p < PACKAGES; p++)
        assert_string_equal(chunks_of(f, p), before[p]);
}

static void assign__a_tree_that_is_none_is_refused(void **state)
{
    struct fixture *f = *state;
    const struct cook_chunk_parent cycle[] = { { 1, 2 }, { 2, 3 }, { 3, 1 } };
    const struct cook_chunk_parent two[] = { { 1, 2 }, { 1, 3 } };
    const struct cook_chunk_parent root[] = { { 0, 1 } };
    const struct cook_chunk_parent self[] = { { 4, 4 } };
    const struct cook_chunk_parent *trees[] = { cycle, two, root, self };
    const size_t counts[] = { 3, 2, 1, 1 };
    connect(f, NULL, 0);
    for (size_t i = 0; i < 4; i++) {
        f->input.parents = trees[i];
        f->input.parent_count = counts[i];
        assert_int_equal(assign(f), COOK_E_CONFIG);
        assert_null(f->result.first);
    }
}

static void assign__short_memory_is_an_error_each_time(void **state)
{
    struct fixture *f = *state;
    enum cook_status status = COOK_E_NO_MEMORY;
    connect(f, (const uint32_t[][2]){ { 0, 1 }, { 1, 2 } }, 2);
    set_roots(f, (const struct cook_chunk_root[]){ { 0, 1, 0 } }, 1);
    for (long n = 0; status == COOK_E_NO_MEMORY && n < 100; n++) {
        cook_alloc_fail_after(n);
        status = assign(f);
        cook_alloc_fail_after(-1);
    }
    assert_int_equal(status, COOK_OK);
    assert_string_equal(chunks_of(f, 2), "1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(assign__no_rules_puts_all_into_chunk_0),
        TEST(assign__follows_edges_through_cycles),
        TEST(assign__higher_priority_wins),
        TEST(assign__what_a_higher_rank_takes_away_still_leads_on),
        TEST(assign__equal_ranks_assign_to_both),
        TEST(assign__all_negative_priorities_rank_equal),
        TEST(assign__an_owner_without_a_chunk_keeps_lower_ranks_out),
        TEST(assign__startup_packages_go_to_chunk_0_alone),
        TEST(assign__a_parent_that_holds_it_is_enough),
        TEST(assign__a_grandparent_that_holds_it_is_enough),
        TEST(assign__one_copy_goes_to_the_nearest_shared_parent),
        TEST(assign__one_copy_in_a_chunk_and_its_parent_goes_to_the_parent),
        TEST(assign__order_of_roots_does_not_matter),
        TEST(assign__a_tree_that_is_none_is_refused),
        TEST(assign__short_memory_is_an_error_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
