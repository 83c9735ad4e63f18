#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/base/alloc.h"
#include "cook/plan/run.h"
#include "cook/registry/facts.h"

struct fixture {
    struct cook_state state;
    struct cook_run run;
    struct cook_arena arena;
    uint32_t *targets;
    size_t count;
    uint32_t a, b, c;
};

static uint32_t add_package(struct fixture *f, const char *name)
{
    struct cook_fact_object object = { "Main", "/Script/T.Thing" };
    struct cook_facts facts = { .objects = &object, .object_count = 1 };
    struct cook_buf blob = COOK_BUF_INIT;
    struct cook_hash source = { 1, 1 };
    cook_facts_encode(&facts, &blob);
    uint32_t id = cook_state_add_package(&f->state, name);
    f->state.packages[id].flags |= COOK_PACKAGE_PRESENT;
    assert_int_equal(
        cook_registry_set_facts(&f->state, id, "asset/1", source, blob.data, blob.size, NULL),
        COOK_OK);
    cook_buf_finish(&blob);
    return id;
}

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f)
        return -1;
    cook_state_init(&f->state);
    f->run.state = &f->state;
    f->a = add_package(f, "/Game/A");
    f->b = add_package(f, "/Game/B");
    f->c = add_package(f, "/Game/C");
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_state_finish(&f->state);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

/* Keep a result of package A with one hard and one soft edge, NULL for none. */
static void keep(struct fixture *f, const char *hard, const char *soft)
{
    struct cook_result result = {
        .hard = &hard, .hard_count = hard != NULL, .soft = &soft, .soft_count = soft != NULL
    };
    uint32_t edges = cook_edges_add(&f->run, &result); /* may move the rows */
    f->state.packages[f->a].edges = edges;
}

static void find_targets(struct fixture *f)
{
    assert_int_equal(cook_edges_targets(&f->run, f->a, &f->targets, &f->count, &f->arena),
                     COOK_OK);
}

static void targets__no_edges__is_empty(void **state)
{
    struct fixture *f = *state;
    keep(f, NULL, NULL);
    assert_int_equal(f->state.packages[f->a].edges, 0);
    find_targets(f);
    assert_int_equal(f->count, 0);
}

static void targets__hard_and_soft__are_both_led_to(void **state)
{
    struct fixture *f = *state;
    keep(f, "/Game/B.Main", "/Game/C");
    find_targets(f);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->targets[0], f->b);
    assert_int_equal(f->targets[1], f->c);
}

static void targets__missing_then_there__is_led_to(void **state)
{
    struct fixture *f = *state;
    keep(f, NULL, "/Game/D.Main");
    find_targets(f);
    assert_int_equal(f->count, 0);
    uint32_t d = add_package(f, "/Game/D");
    find_targets(f);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->targets[0], d);
}

static void targets__vanished__is_left_out(void **state)
{
    struct fixture *f = *state;
    keep(f, "/Game/B.Main", NULL);
    f->state.packages[f->b].flags &= ~(uint32_t)COOK_PACKAGE_PRESENT;
    find_targets(f);
    assert_int_equal(f->count, 0);
}

static void targets__soft_path_is_a_package_by_now__leads_there(void **state)
{
    struct fixture *f = *state;
    keep(f, NULL, "/Game/B.Main");
    uint32_t longer = add_package(f, "/Game/B.Main");
    find_targets(f);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->targets[0], longer);
}

static void add__no_memory__fails_the_state(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(0);
    keep(f, "/Game/B.Main", NULL);
    cook_alloc_fail_after(-1);
    assert_int_equal(f->state.failed, COOK_E_NO_MEMORY);
}

static void targets__damaged_bytes__end_the_list(void **state)
{
    struct fixture *f = *state;
    uint32_t edges = cook_state_add_blob(&f->state, "\2\1\3", 3);
    f->state.packages[f->a].edges = edges;
    find_targets(f);
    assert_int_equal(f->count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(targets__no_edges__is_empty),
        TEST(targets__hard_and_soft__are_both_led_to),
        TEST(targets__missing_then_there__is_led_to),
        TEST(targets__vanished__is_left_out),
        TEST(targets__soft_path_is_a_package_by_now__leads_there),
        TEST(add__no_memory__fails_the_state),
        TEST(targets__damaged_bytes__end_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
