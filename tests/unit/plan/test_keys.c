#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/base/alloc.h"
#include "cook/deps/dep.h"
#include "cook/plan/run.h"

struct fixture {
    struct cook_state state;
    struct cook_run run;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f)
        return -1;
    cook_state_init(&f->state);
    f->run.state = &f->state;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_free(f->run.keys);
    cook_free(f->run.set_hashes);
    cook_state_finish(&f->state);
    cook_free(f);
    return 0;
}

static uint32_t add_file_dep(struct fixture *f, const char *path, uint64_t value)
{
    uint32_t dep = cook_state_add_dep(&f->state, COOK_DEP_FILE, path);
    f->state.deps[dep].value = (struct cook_hash){ 0, value };
    return dep;
}

/* A package's bundle: one set of a file and, unless NULL, of another package as a whole. */
static uint32_t add_package(struct fixture *f, const char *name, uint32_t file_dep,
                            const char *other)
{
    uint32_t ids[2] = { file_dep };
    uint32_t count = 1;
    uint32_t package = cook_state_add_package(&f->state, name);
    if (other) {
        ids[1] = cook_state_add_dep(&f->state, COOK_DEP_PACKAGE, other);
        uint32_t target = cook_state_add_package(&f->state, other);
        f->state.deps[ids[1]].target = target;
        count = 2;
    }
    uint32_t set = cook_state_add_set(&f->state, ids, count, NULL, 0);
    uint32_t bundle = cook_state_add_bundle(&f->state, &set, 1);
    f->state.packages[package].bundle = bundle;
    return bundle;
}

static struct cook_hash key_of(struct fixture *f, uint32_t bundle)
{
    assert_int_equal(cook_run_evaluate_keys(&f->run, NULL), COOK_OK);
    assert_true(bundle < f->run.key_count);
    assert_false(cook_hash_is_zero(f->run.keys[bundle]));
    return f->run.keys[bundle];
}

static void key__is_the_sum_over_sets_over_deps(void **state)
{
    struct fixture *f = *state;
    struct cook_hash none = { 0, 0 };
    struct cook_hash value = { 0, 5 };
    uint32_t bundle = add_package(f, "/Game/A", add_file_dep(f, "a", 5), NULL);
    struct cook_hash set =
        cook_key_finish(cook_key_sum(none, cook_dep_hash(COOK_DEP_FILE, "a", value)));
    assert_true(cook_hash_equal(key_of(f, bundle), cook_key_finish(cook_key_sum(none, set))));
}

static void key__changed_value__changes_it(void **state)
{
    struct fixture *f = *state;
    uint32_t dep = add_file_dep(f, "a", 5);
    uint32_t bundle = add_package(f, "/Game/A", dep, NULL);
    struct cook_hash before = key_of(f, bundle);
    assert_true(cook_hash_equal(key_of(f, bundle), before));
    f->state.deps[dep].value.low = 6;
    assert_false(cook_hash_equal(key_of(f, bundle), before));
}

static void key__package_dependency__follows_the_other_key(void **state)
{
    struct fixture *f = *state;
    uint32_t dep_of_b = add_file_dep(f, "b", 1);
    uint32_t a = add_package(f, "/Game/A", add_file_dep(f, "a", 1), "/Game/B");
    (void)add_package(f, "/Game/B", dep_of_b, NULL);
    struct cook_hash before = key_of(f, a);
    f->state.deps[dep_of_b].value.low = 2;
    assert_false(cook_hash_equal(key_of(f, a), before));
    f->state.deps[dep_of_b].value.low = 1;
    assert_true(cook_hash_equal(key_of(f, a), before));
}

static void key__ring_of_packages__ends_and_is_stable(void **state)
{
    struct fixture *f = *state;
    uint32_t a = add_package(f, "/Game/A", add_file_dep(f, "a", 1), "/Game/B");
    uint32_t b = add_package(f, "/Game/B", add_file_dep(f, "b", 1), "/Game/A");
    struct cook_hash first = key_of(f, a);
    struct cook_hash second = key_of(f, b);
    assert_true(cook_hash_equal(key_of(f, a), first));
    assert_true(cook_hash_equal(key_of(f, b), second));
}

static void key__package_that_has_no_result__is_absent(void **state)
{
    struct fixture *f = *state;
    uint32_t a = add_package(f, "/Game/A", add_file_dep(f, "a", 1), "/Game/B");
    struct cook_hash before = key_of(f, a);
    uint32_t dep = cook_state_find_dep(&f->state, COOK_DEP_PACKAGE, "/Game/B");
    assert_true(cook_hash_is_zero(f->state.deps[dep].value));
    (void)add_package(f, "/Game/B", add_file_dep(f, "b", 1), NULL);
    assert_false(cook_hash_equal(key_of(f, a), before));
}

static void keys__no_memory__fails(void **state)
{
    struct fixture *f = *state;
    (void)add_package(f, "/Game/A", add_file_dep(f, "a", 1), NULL);
    enum cook_status status = COOK_E_FAILED;
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 50);
        cook_alloc_fail_after(after);
        status = cook_run_evaluate_keys(&f->run, NULL);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(key__is_the_sum_over_sets_over_deps),
        TEST(key__changed_value__changes_it),
        TEST(key__package_dependency__follows_the_other_key),
        TEST(key__ring_of_packages__ends_and_is_stable),
        TEST(key__package_that_has_no_result__is_absent),
        TEST(keys__no_memory__fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
