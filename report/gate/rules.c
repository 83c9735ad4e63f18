/* The rules: each measures one thing, and says so where it cannot. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/intern.h"
#include "cook/base/path.h"
#include "report/gate/gate.h"
#include "report/report.h"

struct measure {
    struct gate_policy *policy;
    const struct gate_facts *facts;
    int64_t now;
    struct gate_result *result;
    double value;
};

static void missing(struct measure *m, const char *why)
{
    m->result->outcome = GATE_MISSING;
    m->result->measured = why;
}

static const char *format(struct measure *m, const char *unit, double value)
{
    const char *text = cook_arena_printf(&m->policy->arena, unit, value);
    return text ? text : "";
}

/* ---- findings ---- */

static bool matches(const char *pattern, const char *text)
{
    return !pattern || cook_glob_match(pattern, text);
}

static bool matches_class(const char *pattern, const cJSON *classes)
{
    const cJSON *class;
    if (!pattern)
        return true;
    cJSON_ArrayForEach(class, classes)
        if (cJSON_IsString(class) && cook_glob_match(pattern, class->valuestring))
            return true;
    return false;
}

/* The waiver that lets a finding pass. One that has expired is used too, but lets nothing pass. */
static bool is_waived(struct gate_policy *policy, const cJSON *finding)
{
    bool waived = false;
    for (size_t i = 0; i < policy->waiver_count; i++) {
        struct gate_waiver *waiver = &policy->waivers[i];
        if (!matches(waiver->finding, report_text(finding, "id")) ||
            !matches(waiver->package, report_text(finding, "package")) ||
            !matches(waiver->verdict, report_text(finding, "verdict")) ||
            !matches_class(waiver->class_name, cJSON_GetObjectItemCaseSensitive(finding, "classes")))
            continue;
        waiver->used++;
        waived |= !waiver->expired;
    }
    return waived;
}

static bool is_one_of(const char *text, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(text, *names) == 0)
            return true;
    return false;
}

static void count_findings(struct measure *m, const char *const *verdicts,
                           const char *const *states)
{
    const cJSON *finding;
    if (!m->facts->validation) {
        missing(m, "nothing was validated; run: cook incremental-validate");
        return;
    }
    cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(m->facts->validation, "findings")) {
        if (!is_one_of(report_text(finding, "verdict"), verdicts) ||
            !is_one_of(report_text(finding, "state"), states))
            continue;
        if (is_waived(m->policy, finding))
            m->result->waived++;
        else
            m->value++;
    }
    m->result->more = "cook report html --output report.html";
}

static const char *const all_verdicts[] = { "false_skip", "indeterminate", "both", "vanished_replay",
                                            NULL };

static void false_skips(struct measure *m)
{
    static const char *const verdicts[] = { "false_skip", "both", NULL };
    static const char *const states[] = { "new", "known", NULL };
    count_findings(m, verdicts, states);
}

static void new_indeterminism(struct measure *m)
{
    static const char *const verdicts[] = { "indeterminate", "both", NULL };
    static const char *const states[] = { "new", NULL };
    count_findings(m, verdicts, states);
}

static void known_findings(struct measure *m)
{
    static const char *const states[] = { "known", NULL };
    count_findings(m, all_verdicts, states);
}

static void masked_findings(struct measure *m)
{
    static const char *const states[] = { "masked", NULL };
    count_findings(m, all_verdicts, states);
}

/* ---- cooks ---- */

static void false_recook_share(struct measure *m)
{
    double recooked = 0, identical = 0;
    const cJSON *package;
    m->result->more = "cook explain audit";
    if (!m->facts->outcomes) {
        missing(m, "no incremental cook is explained; run: cook incremental");
        return;
    }
    cJSON_ArrayForEach(package, cJSON_GetObjectItemCaseSensitive(m->facts->outcomes, "packages")) {
        const char *outcome = report_text(package, "outcome");
        recooked += strcmp(outcome, "identical") == 0 || strcmp(outcome, "changed") == 0;
        identical += strcmp(outcome, "identical") == 0;
    }
    m->value = recooked > 0 ? 100 * identical / recooked : 0;
}

static void failed_packages(struct measure *m)
{
    m->result->more = "cook incremental -v";
    if (!m->facts->cook)
        missing(m, "the history has no cook; run: cook incremental");
    else
        m->value =
            report_number(cJSON_GetObjectItemCaseSensitive(m->facts->cook, "summary"), "failed");
}

static void replayed_errors(struct measure *m)
{
    m->result->more = "cook incremental -v";
    if (m->facts->replayed_errors < 0)
        missing(m, "there is no store; run: cook full");
    else
        m->value = (double)m->facts->replayed_errors;
}

static void full_cook_age(struct measure *m)
{
    m->result->more = "cook full";
    if (m->facts->full_ns <= 0)
        missing(m, "no full cook is kept; run: cook full");
    else
        m->value = (double)(m->now - m->facts->full_ns / 1000000000);
}

static void release_is_full_cook(struct measure *m)
{
    m->result->more = "cook full";
    if (!m->facts->newest_cook)
        missing(m, "no cook has finished; run: cook full");
    else
        m->value = strcmp(m->facts->newest_kind, "full") == 0;
}

/* A validation of an older cook says nothing about the newest one, however young it is. */
static void validation_age(struct measure *m)
{
    m->result->more = "cook incremental-validate";
    if (!m->facts->validation)
        missing(m, "nothing was validated; run: cook incremental-validate");
    else if (m->facts->newest_cook && m->facts->validation_ns < m->facts->newest_ns)
        missing(m, cook_arena_printf(&m->policy->arena,
                                     "cook %u is newer than the last validation; run: "
                                     "cook incremental-validate", m->facts->newest_cook));
    else
        m->value = (double)(m->now - m->facts->validation_ns / 1000000000);
}

static void validation_coverage(struct measure *m)
{
    const cJSON *classes = cJSON_GetObjectItemCaseSensitive(m->facts->validation, "classes");
    const cJSON *class;
    const char *lowest = NULL;
    m->value = 100;
    m->result->more = "cook incremental-validate";
    if (!m->facts->validation) {
        missing(m, "nothing was validated; run: cook incremental-validate");
        return;
    }
    if (!cJSON_IsArray(classes)) {
        missing(m, "the last validation does not say what it covered; run: cook incremental-validate");
        return;
    }
    cJSON_ArrayForEach(class, classes) {
        double skippable = report_number(class, "skippable");
        double share = skippable > 0 ? 100 * report_number(class, "validated") / skippable : 100;
        if (share < m->value) {
            m->value = share;
            lowest = report_text(class, "name");
        }
    }
    if (lowest)
        m->result->measured =
            cook_arena_printf(&m->policy->arena, "%.0f%% of %s", m->value, lowest);
}

#define OPTED_OUT "opted-out class "

static bool is_listed(const struct gate_policy *policy, const char *class)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(policy->config, "OptOuts", "Class", &values);
    for (size_t i = 0; i < count; i++)
        if (cook_glob_match(values[i].text, class))
            return true;
    return false;
}

static void unlisted_opt_outs(struct measure *m)
{
    struct cook_intern seen = { 0 };
    const cJSON *package;
    m->result->more = "cook incremental --dry-run";
    if (!m->facts->cook) {
        missing(m, "the history has no cook; run: cook incremental");
        return;
    }
    cJSON_ArrayForEach(package, cJSON_GetObjectItemCaseSensitive(m->facts->cook, "packages")) {
        const char *reason = report_text(package, "reason");
        if (strncmp(reason, OPTED_OUT, strlen(OPTED_OUT)) != 0 ||
            is_listed(m->policy, reason + strlen(OPTED_OUT)))
            continue;
        if (seen.count == 0)
            m->result->measured = cook_arena_strdup(&m->policy->arena, reason + strlen(OPTED_OUT));
        (void)cook_intern_add(&seen, reason + strlen(OPTED_OUT));
    }
    m->value = (double)seen.count;
    if (seen.count > 1)
        m->result->measured = cook_arena_printf(&m->policy->arena, "%s and %zu more",
                                                m->result->measured, seen.count - 1);
    cook_intern_finish(&seen);
}

/* ---- all of them ---- */

static const char *age_text(struct measure *m, double seconds)
{
    double days = seconds / 86400, hours = seconds / 3600;
    if (days >= 1)
        return format(m, "%.1f d", days);
    return hours >= 1 ? format(m, "%.1f h", hours) : format(m, "%.0f min", seconds / 60);
}

static void finish(struct measure *m)
{
    struct gate_result *result = m->result;
    double limit = m->policy->limits[result->rule];
    enum gate_unit unit = gate_rules[result->rule].unit;
    if (result->outcome == GATE_MISSING)
        return;
    /* A share of what is covered must reach its limit; everything else must stay within it. */
    bool least = result->rule == GATE_ValidationCoverage || result->rule == GATE_ReleaseIsFullCook;
    bool passed = least ? m->value >= limit : m->value <= limit;
    /* A time ahead of the clock is no age. */
    if (unit == GATE_UNIT_AGE && m->value < -300) {
        missing(m, "its time lies ahead of the clock");
        return;
    }
    if (!result->measured)
        result->measured = unit == GATE_UNIT_AGE       ? age_text(m, m->value < 0 ? 0 : m->value)
                           : unit == GATE_UNIT_PERCENT ? format(m, "%.0f%%", m->value)
                           : unit == GATE_UNIT_FLAG    ? (m->value > 0 ? "yes" : "no")
                                                       : format(m, "%.0f", m->value);
    result->outcome = !passed           ? GATE_FAILED
                      : result->waived ? GATE_WAIVED
                                       : GATE_PASSED;
}

void gate_measure(struct gate_result results[GATE_RULE_COUNT], struct gate_policy *policy,
                  const struct gate_facts *facts, int64_t now)
{
    static void (*const measures[GATE_RULE_COUNT])(struct measure *) = {
        [GATE_FalseSkips] = false_skips,
        [GATE_NewIndeterminism] = new_indeterminism,
        [GATE_KnownFindings] = known_findings,
        [GATE_MaskedFindings] = masked_findings,
        [GATE_FalseRecookShare] = false_recook_share,
        [GATE_FailedPackages] = failed_packages,
        [GATE_ReplayedErrors] = replayed_errors,
        [GATE_FullCookAge] = full_cook_age,
        [GATE_ReleaseIsFullCook] = release_is_full_cook,
        [GATE_ValidationAge] = validation_age,
        [GATE_ValidationCoverage] = validation_coverage,
        [GATE_UnlistedOptOuts] = unlisted_opt_outs,
    };
    for (size_t i = 0; i < GATE_RULE_COUNT; i++) {
        struct measure m = { policy, facts, now, &results[i], 0 };
        results[i] = (struct gate_result){ .rule = (enum gate_rule_id)i,
                                           .severity = policy->severities[i],
                                           .limit = policy->limit_texts[i],
                                           .more = "" };
        if (policy->severities[i] == GATE_OFF) {
            results[i].outcome = GATE_SKIPPED;
            results[i].measured = "";
            continue;
        }
        measures[i](&m);
        finish(&m);
    }
}
