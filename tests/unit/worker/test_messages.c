#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "cook/worker/session.h"

struct fixture {
    struct cook_messages messages;
    struct cook_messages decoded;
    struct cook_buf bytes;
};

static int set_up(void **state)
{
    *state = cook_calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_messages_finish(&f->messages);
    cook_messages_finish(&f->decoded);
    cook_buf_finish(&f->bytes);
    cook_free(f);
    return 0;
}

static enum cook_status decode(struct fixture *f, size_t size)
{
    struct cook_reader_buf in = cook_read_init(f->bytes.data, size);
    cook_messages_finish(&f->decoded);
    return cook_messages_decode(&f->decoded, &in);
}

static void add_two(struct fixture *f)
{
    cook_messages_add(&f->messages, COOK_SEVERITY_WARNING, "first");
    cook_messages_add(&f->messages, COOK_SEVERITY_ERROR, "second");
    cook_messages_encode(&f->messages, &f->bytes);
}

static void add__counts_errors_only(void **state)
{
    struct fixture *f = *state;
    add_two(f);
    assert_int_equal(f->messages.count, 2);
    assert_int_equal(f->messages.errors, 1);
}

static void add__long_text__is_cut(void **state)
{
    struct fixture *f = *state;
    char text[5000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    cook_messages_add(&f->messages, COOK_SEVERITY_INFO, text);
    assert_int_equal(strlen(f->messages.items[0].text), 4096);
}

static void add__too_many__ends_with_a_warning_and_counts_on(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < 10050; i++)
        cook_messages_add(&f->messages, COOK_SEVERITY_ERROR, "again");
    assert_int_equal(f->messages.count, 10000);
    assert_int_equal(f->messages.errors, 10050);
    assert_int_equal(f->messages.items[9999].severity, COOK_SEVERITY_WARNING);
    assert_string_equal(f->messages.items[9999].text,
                        "further messages of this package were dropped");
}

static void decode__what_was_encoded__is_the_same(void **state)
{
    struct fixture *f = *state;
    add_two(f);
    assert_int_equal(decode(f, f->bytes.size), COOK_OK);
    assert_int_equal(f->decoded.count, 2);
    assert_int_equal(f->decoded.items[1].severity, COOK_SEVERITY_ERROR);
    assert_string_equal(f->decoded.items[1].text, "second");
}

static void decode__cut_anywhere__is_malformed(void **state)
{
    struct fixture *f = *state;
    add_two(f);
    for (size_t size = 0; size < f->bytes.size; size++)
        assert_int_equal(decode(f, size), COOK_E_MALFORMED);
}

static void decode__unknown_severity__is_malformed(void **state)
{
    struct fixture *f = *state;
    add_two(f);
    f->bytes.data[1] = 9;
    assert_int_equal(decode(f, f->bytes.size), COOK_E_MALFORMED);
}

static void decode__no_memory__fails(void **state)
{
    struct fixture *f = *state;
    add_two(f);
    enum cook_status status = COOK_E_FAILED;
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 100);
        cook_alloc_fail_after(after);
        status = decode(f, f->bytes.size);
        cook_alloc_fail_after(-1);
    }
    assert_int_equal(f->decoded.count, 2);
}

static void encode__after_a_failure__fails_too(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(0);
    cook_messages_add(&f->messages, COOK_SEVERITY_ERROR, "lost");
    cook_alloc_fail_after(-1);
    assert_true(f->messages.failed);
    cook_messages_encode(&f->messages, &f->bytes);
    assert_true(f->bytes.failed);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(add__counts_errors_only),
        TEST(add__long_text__is_cut),
        TEST(add__too_many__ends_with_a_warning_and_counts_on),
        TEST(decode__what_was_encoded__is_the_same),
        TEST(decode__cut_anywhere__is_malformed),
        TEST(decode__unknown_severity__is_malformed),
        TEST(decode__no_memory__fails),
        TEST(encode__after_a_failure__fails_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
