#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cook/config/owners.h"

static const char *owner(const char *text, const char *package, const char *class)
{
    static char out[128];
    struct cook_owners owners;
    assert_int_equal(cook_owners_parse(&owners, text, strlen(text), NULL), COOK_OK);
    (void)snprintf(out, sizeof(out), "%s", cook_owners_of(&owners, package, &class, class ? 1 : 0));
    cook_owners_finish(&owners);
    return out;
}

static void of__the_last_match_decides(void **state)
{
    const char *text = "# all\n* @all\n/Game/Weapons/ @weapons  ada@x # theirs\n/Script/A.B @code\n"
                       "/Game/Weapons/Free\n";
    (void)state;
    assert_string_equal(owner(text, "/Game/X", NULL), "@all");
    assert_string_equal(owner(text, "/Game/Weapons/Sword", NULL), "@weapons ada@x");
    assert_string_equal(owner(text, "/Game/Weapons/Sword", "/Script/A.B"), "@code");
    assert_string_equal(owner(text, "/Game/Weapons/Free", NULL), "");
    assert_string_equal(owner("", "/Game/X", NULL), "");
}

static void parse__says_where_it_is_wrong(void **state)
{
    struct cook_owners owners;
    struct cook_error error = COOK_ERROR_INIT;
    const char *text = "* @a\n!/Game/X @b\n";
    (void)state;
    assert_int_equal(cook_owners_parse(&owners, text, strlen(text), &error), COOK_E_MALFORMED);
    assert_non_null(strstr(error.message, "Config/CODEOWNERS:2: "));
    cook_owners_finish(&owners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of__the_last_match_decides),
        cmocka_unit_test(parse__says_where_it_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
