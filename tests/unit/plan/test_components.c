#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include "cook/plan/components.h"

static struct cook_components find(uint32_t count, const uint32_t *first, const uint32_t *targets)
{
    struct cook_graph graph = { count, first, targets };
    struct cook_components components;
    assert_int_equal(cook_components_find(&components, &graph), COOK_OK);
    return components;
}

static void find__no_nodes_gives_no_components(void **state)
{
    (void)state;
    struct cook_components c = find(0, (const uint32_t[]){ 0 }, NULL);
    assert_int_equal(c.count, 0);
    assert_int_equal(c.layer_count, 0);
    cook_components_finish(&c);
}

/* 0 -> 1 -> 2 -> 0, 2 -> 3, 4 alone, 3 -> 3 */
static void find__ring_is_one_component(void **state)
{
    (void)state;
    const uint32_t first[] = { 0, 1, 2, 4, 5, 5 };
    const uint32_t targets[] = { 1, 2, 0, 3, 3 };
    struct cook_components c = find(5, first, targets);
    assert_int_equal(c.count, 3);
    assert_int_equal(c.largest, 3);
    assert_int_equal(c.of[0], c.of[1]);
    assert_int_equal(c.of[0], c.of[2]);
    assert_true(c.of[3] < c.of[0]);
    assert_int_equal(c.layer[c.of[3]], 0);
    assert_int_equal(c.layer[c.of[0]], 1);
    assert_int_equal(c.layer[c.of[4]], 0);
    assert_int_equal(c.layer_count, 2);
    assert_int_equal(c.widest, 2);
    cook_components_finish(&c);
}

/* 0 -> {1, 2}, 1 -> 3, 2 -> 3, 0 -> 3: the longest way counts */
static void find__diamond_has_three_layers(void **state)
{
    (void)state;
    const uint32_t first[] = { 0, 3, 4, 5, 5 };
    const uint32_t targets[] = { 3, 1, 2, 3, 3 };
    struct cook_components c = find(4, first, targets);
    assert_int_equal(c.count, 4);
    assert_int_equal(c.layer[c.of[0]], 2);
    assert_int_equal(c.layer[c.of[1]], 1);
    assert_int_equal(c.layer[c.of[2]], 1);
    assert_int_equal(c.layer[c.of[3]], 0);
    assert_int_equal(c.layer_count, 3);
    assert_int_equal(c.widest, 2);
    cook_components_finish(&c);
}

/* Recursion would end the process here. */
static void find__long_chain_needs_no_stack(void **state)
{
    (void)state;
    const uint32_t count = 1000000;
    uint32_t *first = calloc(count + 1, sizeof(*first));
    uint32_t *targets = calloc(count, sizeof(*targets));
    assert_non_null(first);
    assert_non_null(targets);
    for (uint32_t i = 0; i < count; i++) {
        first[i + 1] = i + 1;
        targets[i] = i + 1 == count ? i : i + 1;
    }
    struct cook_components c = find(count, first, targets);
    assert_int_equal(c.count, count);
    assert_int_equal(c.layer_count, count);
    assert_int_equal(c.widest, 1);
    cook_components_finish(&c);
    free(first);
    free(targets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find__no_nodes_gives_no_components),
        cmocka_unit_test(find__ring_is_one_component),
        cmocka_unit_test(find__diamond_has_three_layers),
        cmocka_unit_test(find__long_chain_needs_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
