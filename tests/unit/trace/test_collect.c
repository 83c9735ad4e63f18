#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/trace/inputs.h"
#include "unit/trace/traced_fixture.h"

static void take(struct cook_traced *traced, struct cook_buf *payload)
{
    assert_int_equal(cook_traced_take(traced, 0, payload, NULL), COOK_OK);
    cook_buf_finish(payload);
}

static struct cook_traced *create(void)
{
    struct cook_traced *traced;
    assert_int_equal(cook_traced_create(&traced, NULL), COOK_OK);
    return traced;
}

static void take__sorts_inputs_and_lists_packages(void **state)
{
    struct cook_traced *traced = create();
    struct cook_buf payload = COOK_BUF_INIT;
    size_t count;
    (void)state;
    put_head(&payload, "", 3);
    put_package(&payload, "/Game/B", false, 2);
    put_input(&payload, COOK_INPUT_ENVIRONMENT, "HOME", "/root", false);
    put_input(&payload, COOK_INPUT_FILE, "a.txt", "text", true);
    put_uses(&payload, "/Game/A");
    put_package(&payload, "/Game/A", true, 1);
    put_input(&payload, COOK_INPUT_FILE, "b.txt", NULL, false);
    put_uses(&payload, NULL);
    put_package(&payload, "/Game/C", false, 0);
    put_uses(&payload, NULL);
    take(traced, &payload);
    const struct cook_traced_input *inputs = cook_traced_inputs(traced, "/Game/B", &count);
    assert_int_equal(count, 2);
    assert_string_equal(inputs[0].key, "a.txt");
    assert_true(inputs[0].declared);
    assert_string_equal(inputs[1].key, "HOME");
    inputs = cook_traced_inputs(traced, "/Game/A", &count);
    assert_int_equal(count, 1);
    assert_true(inputs[0].loading && inputs[0].absent);
    const char *const *names = cook_traced_packages(traced, &count);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "/Game/A");
    assert_string_equal(names[2], "/Game/C");
    assert_true(cook_traced_has(traced, "/Game/C"));
    assert_false(cook_traced_has(traced, "/Game/A")); /* loaded only */
    assert_string_equal(cook_traced_uses(traced, "/Game/B", &count)[0], "/Game/A");
    cook_traced_destroy(traced);
}

static void take__gives_a_known_input_its_new_value(void **state)
{
    struct cook_traced *traced = create();
    size_t count;
    (void)state;
    static const char *const contents[] = { "old", "new" };
    for (size_t i = 0; i < 2; i++) {
        struct cook_buf payload = COOK_BUF_INIT;
        put_head(&payload, i ? "later" : "first", 1);
        put_package(&payload, "/Game/A", false, 1);
        put_input(&payload, COOK_INPUT_FILE, "a.txt", contents[i], false);
        put_uses(&payload, NULL);
        take(traced, &payload);
    }
    const struct cook_traced_input *inputs = cook_traced_inputs(traced, "/Game/A", &count);
    assert_int_equal(count, 1);
    assert_string_equal(inputs[0].text, "new");
    assert_string_equal(cook_traced_partial(traced), "first");
    cook_traced_clear(traced);
    assert_null(cook_traced_inputs(traced, "/Game/A", &count));
    cook_traced_destroy(traced);
}

/* Whatever is cut off or flipped: refused or taken, never trusted. */
static void take__withstands_damaged_bytes(void **state)
{
    struct cook_buf payload = COOK_BUF_INIT;
    (void)state;
    put_head(&payload, "", 1);
    put_package(&payload, "/Game/A", false, 1);
    put_input(&payload, COOK_INPUT_FILE, "a.txt", "text", false);
    put_uses(&payload, "/Game/B");
    for (size_t size = 0; size < payload.size; size++) {
        struct cook_traced *traced = create();
        struct cook_buf cut = { payload.data, size, size, false };
        assert_int_equal(cook_traced_take(traced, 0, &cut, NULL), COOK_E_PROTOCOL);
        cook_traced_destroy(traced);
    }
    for (size_t bit = 0; bit < payload.size * 8; bit++) {
        struct cook_traced *traced = create();
        payload.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        (void)!cook_traced_take(traced, 0, &payload, NULL);
        payload.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cook_traced_destroy(traced);
    }
    cook_buf_finish(&payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take__sorts_inputs_and_lists_packages),
        cmocka_unit_test(take__gives_a_known_input_its_new_value),
        cmocka_unit_test(take__withstands_damaged_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
