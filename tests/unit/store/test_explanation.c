#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/store/explanation.h"

static struct cook_explained_dep deps[] = {
    { 5, "[S] K", "1", "2", "cook.ini:3", "Config/A.ini:7" },
    { 6, "Data/x", "absent", "h", "", "" },
};
static struct cook_explained_use uses[] = { { 0, "" }, { 1, "/Game/B" } };
static struct cook_explained_package packages[] = {
    { "/Game/A", "key changed", "", "C\nD", COOK_EXPLAINED_IDENTICAL, 77, uses, 2 },
    { "/Game/B", "opted-out class", "/Script/X.Y", "", COOK_EXPLAINED_UNKNOWN, 0, NULL, 0 },
};
static const struct cook_explanation explanation = { deps, 2, packages, 2 };

static void encode__comes_back(void **state)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_explanation back;
    (void)state;
    cook_explanation_encode(&explanation, &bytes);
    assert_int_equal(cook_explanation_decode(&back, bytes.data, bytes.size, &arena), COOK_OK);
    assert_int_equal(back.dep_count, 2);
    assert_string_equal(back.deps[0].where, "cook.ini:3");
    assert_string_equal(back.deps[0].old_where, "Config/A.ini:7");
    assert_string_equal(back.deps[1].old_where, "");
    assert_int_equal(back.package_count, 2);
    assert_int_equal(back.packages[0].outcome, COOK_EXPLAINED_IDENTICAL);
    assert_int_equal(back.packages[0].duration_us, 77);
    assert_string_equal(back.packages[0].uses[1].through, "/Game/B");
    assert_string_equal(back.packages[1].opted_out, "/Script/X.Y");
    cook_arena_finish(&arena);
    cook_buf_finish(&bytes);
}

static void decode__refuses_what_is_cut_or_wrong(void **state)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_explanation back;
    (void)state;
    cook_explanation_encode(&explanation, &bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        assert_int_equal(cook_explanation_decode(&back, bytes.data, size, &arena),
                         COOK_E_MALFORMED);
        cook_arena_finish(&arena);
    }
    struct cook_explained_use beyond = { 2, "" };
    struct cook_explained_package wrong = packages[0];
    struct cook_arena arena = COOK_ARENA_INIT;
    wrong.uses = &beyond;
    wrong.use_count = 1;
    const struct cook_explanation bad = { deps, 2, &wrong, 1 };
    cook_buf_clear(&bytes);
    cook_explanation_encode(&bad, &bytes);
    assert_int_equal(cook_explanation_decode(&back, bytes.data, bytes.size, &arena),
                     COOK_E_MALFORMED);
    cook_arena_finish(&arena);
    cook_buf_finish(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encode__comes_back),
        cmocka_unit_test(decode__refuses_what_is_cut_or_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
