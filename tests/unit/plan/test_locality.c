#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include "cook/plan/locality.h"

static void find__empty_graph(void **state)
{
    (void)state;
    struct cook_locality locality;
    struct cook_graph graph = { 0, (const uint32_t[]){ 0 }, NULL };
    assert_int_equal(cook_locality_find(&locality, &graph, 2), COOK_OK);
    cook_locality_finish(&locality);
}

/* 40 users, every other one of the first half of 20 things, and of the second; all use one hub. */
enum { USERS = 40, THINGS = 20, HUB = USERS + THINGS, NODES = HUB + 1 };

static void find__users_of_the_same_are_neighbours(void **state)
{
    (void)state;
    uint32_t first[NODES + 1], targets[USERS * 3], used = 0, place[NODES];
    for (uint32_t i = 0; i <= NODES; i++) {
        first[i] = used;
        for (uint32_t k = 0; i < USERS && k < 2; k++)
            targets[used++] = USERS + i % 2 * (THINGS / 2) + (i / 2 + k * 3) % (THINGS / 2);
        if (i < USERS)
            targets[used++] = HUB;
    }
    struct cook_locality locality;
    struct cook_graph graph = { NODES, first, targets };
    assert_int_equal(cook_locality_find(&locality, &graph, 2), COOK_OK);
    for (uint32_t i = 0; i < NODES; i++)
        place[locality.order[i]] = NODES;
    for (uint32_t i = 0; i < NODES; i++) {
        assert_int_equal(place[locality.order[i]], NODES); /* a permutation */
        place[locality.order[i]] = i;
    }
    uint32_t changes = 0;
    for (uint32_t i = 1, last = locality.order[0] % 2; i < NODES; i++)
        if (locality.order[i] < USERS && locality.order[i] % 2 != last) {
            last = locality.order[i] % 2;
            changes++;
        }
    assert_true(changes <= 2);
    cook_locality_finish(&locality);
}

/* 0 <-> 3, 1 <-> 4, 2 alone */
static void find__a_component_stands_together(void **state)
{
    (void)state;
    const uint32_t first[] = { 0, 1, 2, 2, 3, 4 };
    const uint32_t targets[] = { 3, 4, 0, 1 };
    struct cook_locality locality;
    struct cook_graph graph = { 5, first, targets };
    assert_int_equal(cook_locality_find(&locality, &graph, 1), COOK_OK);
    const uint32_t wanted[] = { 0, 3, 1, 4, 2 };
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(locality.order[i], wanted[i]);
    assert_int_equal(locality.group[0], locality.group[1]);
    assert_int_equal(locality.group[2], locality.group[3]);
    cook_locality_finish(&locality);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find__empty_graph),
        cmocka_unit_test(find__users_of_the_same_are_neighbours),
        cmocka_unit_test(find__a_component_stands_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
