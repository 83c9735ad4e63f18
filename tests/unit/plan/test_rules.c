#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include "cook/plan/rules.h"

#define PACKAGES 4

struct fixture {
    struct cook_run run;
    struct cook_rules rules;
    uint32_t rule_of[PACKAGES];
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){ 0 };
    f->rules.rule_of = f->rule_of;
    f->rules.package_count = PACKAGES;
    f->run.rules = &f->rules;
}

static void tear_down(struct fixture *f)
{
    cook_free(f->rules.sources);
    cook_free(f->rules.chunks);
}

static void say(struct fixture *f, enum cook_rule rule, int32_t priority, int32_t chunk)
{
    uint32_t source = cook_rules_add_source(&f->run, rule, priority, chunk, "test");
    assert_int_equal(cook_rules_say(&f->run, source, 1), COOK_OK);
}

static void say__never__beats_any_priority(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f);
    say(&f, COOK_RULE_NEVER, 0, COOK_CHUNK_NONE);
    say(&f, COOK_RULE_ALWAYS, 9, COOK_CHUNK_NONE);
    assert_int_equal(cook_rules_rule(&f.rules, 1)->rule, COOK_RULE_NEVER);
    assert_false(cook_rules_is_root(&f.rules, 1));
    tear_down(&f);
}

static void say__no_word_on_cooking__leaves_a_root_and_gives_its_chunk(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f);
    say(&f, COOK_RULE_ALWAYS, 0, COOK_CHUNK_NONE);
    say(&f, COOK_RULE_UNKNOWN, 5, 3);
    say(&f, COOK_RULE_UNKNOWN, 1, 7);
    assert_true(cook_rules_is_root(&f.rules, 1));
    assert_int_equal(f.rules.chunk_count, 2); /* both count: chunks.h weighs them */
    assert_int_equal(f.rules.sources[f.rules.chunks[0].source].chunk, 3);
    assert_int_equal(f.rules.sources[f.rules.chunks[1].source].chunk, 7);
    tear_down(&f);
}

static void say__development_only__is_never_in_a_shipping_cook(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f);
    say(&f, COOK_RULE_DEVELOPMENT, 0, COOK_CHUNK_NONE);
    assert_true(cook_rules_is_root(&f.rules, 1));
    assert_false(cook_rules_forbid(&f.rules, 1));
    f.rules.shipping = true;
    assert_false(cook_rules_is_root(&f.rules, 1));
    assert_true(cook_rules_forbid(&f.rules, 1));
    say(&f, COOK_RULE_ALWAYS, 1, COOK_CHUNK_NONE);
    assert_true(cook_rules_is_root(&f.rules, 1));
    assert_false(cook_rules_forbid(&f.rules, 1));
    tear_down(&f);
}

static void is_root__development_only__is_none_when_shipping(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f);
    say(&f, COOK_RULE_DEVELOPMENT, 0, COOK_CHUNK_NONE);
    assert_true(cook_rules_is_root(&f.rules, 1));
    f.rules.shipping = true;
    assert_false(cook_rules_is_root(&f.rules, 1));
    assert_false(cook_rules_is_root(&f.rules, 0));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(say__never__beats_any_priority),
        cmocka_unit_test(say__development_only__is_never_in_a_shipping_cook),
        cmocka_unit_test(say__no_word_on_cooking__leaves_a_root_and_gives_its_chunk),
        cmocka_unit_test(is_root__development_only__is_none_when_shipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
