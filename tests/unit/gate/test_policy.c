#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "report/gate/gate.h"
#include "support/folder.h"

#define NOW INT64_C(1796083200) /* 2026-12-01 */

struct fixture {
    struct test_folder folder;
    struct gate_policy policy;
    struct cook_error error;
    char path[128];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    *state = f;
    int failed = test_folder_open(&f->folder);
    (void)snprintf(f->path, sizeof(f->path), "%s/gate.ini", f->folder.path);
    return failed;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gate_policy_finish(&f->policy);
    int failed = test_folder_close(&f->folder);
    free(f);
    return failed;
}

static enum cook_status load(struct fixture *f, const char *text)
{
    gate_policy_finish(&f->policy);
    f->policy = (struct gate_policy){ 0 };
    assert_int_equal(test_folder_write(&f->folder, "gate.ini", text), 0);
    return gate_policy_load(&f->policy, f->path, NOW, &f->error);
}

static void load__nothing_said__has_the_defaults(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, ""), COOK_OK);
    assert_int_equal(f->policy.severities[GATE_FalseSkips], GATE_ERROR);
    assert_int_equal(f->policy.severities[GATE_ReleaseIsFullCook], GATE_OFF);
    assert_true(f->policy.limits[GATE_FullCookAge] == 7 * 86400.0);
    assert_true(f->policy.limits[GATE_FalseRecookShare] == 25);
}

static void load__limits__are_read_in_their_units(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, "[Rules]\nFullCookAge = warning 1.5h\nFalseRecookShare = error 12.5%\n"
                             "KnownFindings = off\nReleaseIsFullCook = error no\n"),
                     COOK_OK);
    assert_true(f->policy.limits[GATE_FullCookAge] == 5400);
    assert_int_equal(f->policy.severities[GATE_FullCookAge], GATE_WARNING);
    assert_true(f->policy.limits[GATE_FalseRecookShare] == 12.5);
    assert_int_equal(f->policy.severities[GATE_KnownFindings], GATE_OFF);
    assert_true(f->policy.limits[GATE_KnownFindings] == 20); /* its default */
    assert_true(f->policy.limits[GATE_ReleaseIsFullCook] == 0);
}

static void load__mistakes__name_file_and_line(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "[Rules]\nFalseSkips = fatal 0\n", ":2: a rule begins with error, warning or off: fatal 0" },
        { "[Rules]\n\nFalseSkips = error -1\n", ":3: a number as limit: -1" },
        { "[Rules]\nFalseSkips = error 1e3\n", ":2: a number as limit: 1e3" },
        { "[Rules]\nFullCookAge = error 7\n", ":2: a limit in m, h, d or w, as in 7d: 7" },
        { "[Rules]\nFalseRecookShare = error 101%\n", ":2: a limit in percent, as in 25%: 101%" },
        { "[Rules]\nReleaseIsFullCook = error maybe\n", ":2: a limit of yes or no: maybe" },
        { "[Rules]\nFalseSkip = error 0\n", ":2: no rule is named: FalseSkip" },
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(load(f, cases[i].text), COOK_E_CONFIG);
        assert_non_null(strstr(f->error.message, cases[i].says));
    }
}

static void load__waivers__expire_after_their_last_day(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, "[Waiver 89d9e401b6e7002b]\nReason = r\nOwner = @o\nExpires = 2026-11-30\n"
                             "[Waiver loot]\nPackage = /Game/Loot/*\nReason = r\nOwner = @o\n"
                             "Expires = 2026-12-01\n"),
                     COOK_OK);
    assert_int_equal(f->policy.waiver_count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(f->policy.waivers[i].expired,
                         strcmp(f->policy.waivers[i].expires, "2026-11-30") == 0);
}

static void load__waiver_without_owner_or_pattern__is_refused(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, "[Waiver 89d9e401b6e7002b]\nReason = r\nExpires = 2026-12-31\n"), COOK_E_CONFIG);
    assert_int_equal(load(f, "[Waiver loot]\nReason = r\nOwner = @o\nExpires = 2026-12-31\n"),
                     COOK_E_CONFIG);
    assert_int_equal(load(f, "[Waiver 89d9e401b6e7002b]\nReason = r\nOwner = @o\nExpires = soon\n"),
                     COOK_E_CONFIG);
}

static void write__the_defaults__read_back_as_they_are(void **state)
{
    struct fixture *f = *state;
    struct cook_buf text = COOK_BUF_INIT;
    gate_policy_write(&text);
    assert_int_equal(load(f, cook_buf_text(&text)), COOK_OK);
    for (size_t i = 0; i < GATE_RULE_COUNT; i++)
        assert_string_equal(f->policy.limit_texts[i], gate_rules[i].limit);
    cook_buf_finish(&text);
}

static void waive__what_was_written__reads_back(void **state)
{
    struct fixture *f = *state;
    struct gate_waiver waiver = { .name = "89d9e401b6e7002b", .reason = "next week", .owner = "@loot",
                                  .expires = "2026-12-31" };
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "[Rules]\nFalseSkips = error 1");
    assert_int_equal(load(f, cook_buf_text(&text)), COOK_OK);
    assert_int_equal(gate_policy_waive(&text, &waiver, &f->policy, &f->error), COOK_OK);
    assert_int_equal(load(f, cook_buf_text(&text)), COOK_OK);
    assert_int_equal(f->policy.waiver_count, 1);
    assert_string_equal(f->policy.waivers[0].reason, "next week");
    assert_string_equal(f->policy.waivers[0].owner, "@loot");
    assert_true(f->policy.limits[GATE_FalseSkips] == 1);
    assert_int_equal(gate_policy_waive(&text, &waiver, &f->policy, &f->error), COOK_E_EXISTS);
    waiver.name = "89d9e401b6e7002c";
    waiver.reason = "two\nlines";
    assert_int_equal(gate_policy_waive(&text, &waiver, &f->policy, &f->error), COOK_E_USAGE);
    waiver.reason = "a ; comment";
    assert_int_equal(gate_policy_waive(&text, &waiver, &f->policy, &f->error), COOK_E_USAGE);
    waiver.reason = "r";
    waiver.name = "loot";
    assert_int_equal(gate_policy_waive(&text, &waiver, &f->policy, &f->error), COOK_E_USAGE);
    cook_buf_finish(&text);
}

static void read_time__days_and_instants__and_nothing_else(void **state)
{
    (void)state;
    assert_int_equal(gate_read_time("2026-12-01"), NOW);
    assert_int_equal(gate_read_time("2026-12-01T01:00:00Z"), NOW + 3600);
    static const char *const wrong[] = { "", "2026", "2026-13-01", "2026-12-01 ", "2026-12-01T01:00:00",
                                         "1960-01-01", "tomorrow" };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(gate_read_time(wrong[i]), -1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(load__nothing_said__has_the_defaults),
        CASE(load__limits__are_read_in_their_units),
        CASE(load__mistakes__name_file_and_line),
        CASE(load__waivers__expire_after_their_last_day),
        CASE(load__waiver_without_owner_or_pattern__is_refused),
        CASE(write__the_defaults__read_back_as_they_are),
        CASE(waive__what_was_written__reads_back),
        CASE(read_time__days_and_instants__and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
