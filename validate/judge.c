/*
 * Verdicts. A difference from the kept result is a false skip only when recooks agree with each other
 * about it; what they disagree about is unstable, and would differ however well inputs are declared.
 */
#include "validate/validate.h"

const char *validate_verdict_text(enum validate_verdict verdict)
{
    switch (verdict) {
    case VALIDATE_FALSE_SKIP:
        return "false_skip";
    case VALIDATE_INDETERMINATE:
        return "indeterminate";
    case VALIDATE_BOTH:
        return "both";
    case VALIDATE_VANISHED_REPLAY:
        return "vanished_replay";
    case VALIDATE_VERDICT_UNKNOWN:
    case VALIDATE_VERDICT_COUNT:
        break;
    }
    return "unknown";
}

bool validate_is_unstable(const struct validate_finding *finding,
                          const struct diff_difference *difference)
{
    return cook_intern_find(&finding->unstable, difference->property_normalized) !=
           COOK_INTERN_NONE;
}

/* Differences from the kept result that stand on their own and that recooks agree about. */
static uint32_t count_stable(const struct validate_finding *finding)
{
    uint32_t stable = 0;
    for (uint32_t i = 0; i < finding->diff.count; i++) {
        const struct diff_difference *difference = &finding->diff.differences[i];
        stable += difference->consequence_of < 0 && !validate_is_unstable(finding, difference);
    }
    return stable;
}

void validate_judge(struct validate_finding *finding)
{
    bool other_parts = (finding->parts & ~(uint32_t)VALIDATE_BYTES) != 0;
    finding->verdict = finding->parts == VALIDATE_MESSAGES ? VALIDATE_VANISHED_REPLAY
                                                           : VALIDATE_FALSE_SKIP;
    if (!finding->explained)
        return;
    bool stable = other_parts || (!finding->diff.identical && count_stable(finding) > 0);
    if (finding->diff.identical || finding->recooks_differ)
        finding->verdict = stable ? VALIDATE_BOTH : VALIDATE_INDETERMINATE;
}
