#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/trace/inputs.h"

static void kinds__have_texts_that_lead_back(void **state)
{
    (void)state;
    for (unsigned kind = 1; kind < COOK_INPUT_KIND_END; kind++)
        assert_int_equal(cook_input_kind_of(cook_input_kind_text((enum cook_input_kind)kind)),
                         kind);
    assert_string_equal(cook_input_kind_text((enum cook_input_kind)99), "unknown");
    assert_int_equal(cook_input_kind_of("unknown"), COOK_INPUT_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(kinds__have_texts_that_lead_back) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
