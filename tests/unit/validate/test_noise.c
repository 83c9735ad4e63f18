#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "validate/noise.h"

#define BIT DETERMINISM_BIT

static enum validate_cause_kind only_kind(uint32_t guilty, bool reordered, bool dependencies)
{
    const struct validate_noise *noises[VALIDATE_MAX_NOISES];
    assert_int_equal(validate_noises(noises, guilty, reordered, dependencies), 1);
    return noises[0]->kind;
}

static void noises__each_perturbation__has_its_kind(void **state)
{
    (void)state;
    assert_int_equal(only_kind(BIT(CLOCK), false, false), VALIDATE_CAUSE_TIME);
    assert_int_equal(only_kind(BIT(TIMEZONE), false, false), VALIDATE_CAUSE_TIME_ZONE);
    assert_int_equal(only_kind(BIT(SEED), false, false), VALIDATE_CAUSE_RANDOM);
    assert_int_equal(only_kind(BIT(DIRECTORY), false, false), VALIDATE_CAUSE_DIRECTORY_ORDER);
    assert_int_equal(only_kind(BIT(TIMING), false, false), VALIDATE_CAUSE_THREAD_TIMING);
    assert_int_equal(only_kind(BIT(PROJECT), false, false), VALIDATE_CAUSE_ABSOLUTE_PATH);
}

static void noises__all__have_a_kind_and_a_fix(void **state)
{
    const struct validate_noise *noises[VALIDATE_MAX_NOISES];
    (void)state;
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++) {
        size_t count = validate_noises(noises, 1u << i, false, false);
        assert_int_equal(count, 1);
        assert_int_not_equal(noises[0]->kind, VALIDATE_CAUSE_UNKNOWN);
        assert_true(noises[0]->fix[0] != '\0');
    }
    assert_int_equal(validate_noises(noises, 0, false, false), 0);
}

static void noises__addresses__are_a_container_when_only_the_order_differs(void **state)
{
    (void)state;
    assert_int_equal(only_kind(BIT(ASLR), false, false), VALIDATE_CAUSE_MEMORY_ADDRESS);
    assert_int_equal(only_kind(BIT(ASLR) | BIT(REUSE), true, false),
                     VALIDATE_CAUSE_UNORDERED_CONTAINER);
}

static void noises__memory__takes_what_follows_from_it(void **state)
{
    (void)state;
    assert_int_equal(only_kind(BIT(HEAP) | BIT(ASLR) | BIT(LOCALE), false, false),
                     VALIDATE_CAUSE_UNINITIALISED_MEMORY);
    assert_int_equal(only_kind(BIT(ASLR) | BIT(LOCALE) | BIT(DIRECTORY), false, false),
                     VALIDATE_CAUSE_MEMORY_ADDRESS);
}

static void noises__order__is_a_cache_when_dependencies_differ(void **state)
{
    (void)state;
    assert_int_equal(only_kind(BIT(ORDER), false, false), VALIDATE_CAUSE_LEFT_STATE);
    assert_int_equal(only_kind(BIT(ORDER), false, true), VALIDATE_CAUSE_STATIC_CACHE);
}

/* ---- the same writes in another order ---- */

struct version {
    struct cook_token_map map;
    uint8_t bytes[64];
    size_t size;
};

static void begin(struct version *version)
{
    memset(version, 0, sizeof(*version));
    cook_token_map_init(&version->map);
}

static void add(struct version *version, const char *path, enum cook_token_type type,
                const void *bytes, size_t size, uint32_t index)
{
    uint32_t id = cook_token_map_path(&version->map, path, type);
    cook_token_map_add(&version->map, id, size, &index);
    memcpy(version->bytes + version->size, bytes, size);
    version->size += size;
}

static bool same(struct version *a, struct version *b)
{
    bool result = validate_same_writes(a->bytes, a->size, &a->map, b->bytes, b->size, &b->map);
    cook_token_map_finish(&a->map);
    cook_token_map_finish(&b->map);
    return result;
}

static void same_writes__swapped_elements__are_the_same(void **state)
{
    struct version a;
    struct version b;
    uint32_t one = 1, two = 2;
    (void)state;
    begin(&a);
    begin(&b);
    add(&a, "S:Items[]", COOK_TOKEN_U32, &one, 4, 0);
    add(&a, "S:Items[]", COOK_TOKEN_U32, &two, 4, 1);
    add(&b, "S:Items[]", COOK_TOKEN_U32, &two, 4, 0);
    add(&b, "S:Items[]", COOK_TOKEN_U32, &one, 4, 1);
    assert_true(same(&a, &b));
}

static void same_writes__values_of_other_fields__are_not(void **state)
{
    struct version a;
    struct version b;
    uint32_t one = 1, two = 2;
    (void)state;
    begin(&a);
    begin(&b);
    add(&a, "S:A", COOK_TOKEN_U32, &one, 4, 0);
    add(&a, "S:B", COOK_TOKEN_U32, &two, 4, 0);
    add(&b, "S:A", COOK_TOKEN_U32, &two, 4, 0);
    add(&b, "S:B", COOK_TOKEN_U32, &one, 4, 0);
    assert_false(same(&a, &b));
}

static void same_writes__shuffled_data_of_one_write__is_the_same(void **state)
{
    struct version a;
    struct version b;
    (void)state;
    begin(&a);
    begin(&b);
    add(&a, "S:Data", COOK_TOKEN_DATA, "abcdefghijkl", 12, 0);
    add(&b, "S:Data", COOK_TOKEN_DATA, "efghabcdijkl", 12, 0);
    assert_true(same(&a, &b));
}

static void same_writes__another_value__is_not(void **state)
{
    struct version a;
    struct version b;
    uint64_t one = 1, two = 2;
    (void)state;
    begin(&a);
    begin(&b);
    add(&a, "S:A", COOK_TOKEN_U64, &one, 8, 0);
    add(&b, "S:A", COOK_TOKEN_U64, &two, 8, 0);
    assert_false(same(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noises__each_perturbation__has_its_kind),
        cmocka_unit_test(noises__all__have_a_kind_and_a_fix),
        cmocka_unit_test(noises__addresses__are_a_container_when_only_the_order_differs),
        cmocka_unit_test(noises__memory__takes_what_follows_from_it),
        cmocka_unit_test(noises__order__is_a_cache_when_dependencies_differ),
        cmocka_unit_test(same_writes__swapped_elements__are_the_same),
        cmocka_unit_test(same_writes__values_of_other_fields__are_not),
        cmocka_unit_test(same_writes__shuffled_data_of_one_write__is_the_same),
        cmocka_unit_test(same_writes__another_value__is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
