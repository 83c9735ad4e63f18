/* What recooks of the same inputs disagree about, by the perturbation that shows it. */
#include "validate/causes_internal.h"
#include "validate/noise.h"

static void blame(struct causing *causing, struct validate_finding *finding,
                  const struct validate_noise *noise)
{
    struct validate_cause *cause =
        cause_add(causing, finding, noise->kind, VALIDATE_VARIES, "%s", noise->what);
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++)
        if (noise->bits & finding->noise & (1u << i))
            cause_say(causing, cause,
                      "two recooks that differ in nothing but \"%s\" disagree (%s)",
                      determinism_vary_text((enum determinism_vary)i),
                      determinism_vary_does((enum determinism_vary)i));
    for (uint32_t i = 0; i < finding->unstable.count && i < 4; i++)
        cause_say(causing, cause, "unstable: %s", cook_intern_text(&finding->unstable, i));
    cause_write_stack(causing, cause, finding);
    cause_fix(causing, cause, "%s", noise->fix);
}

void cause_name_noise(struct causing *causing, struct validate_finding *finding)
{
    const struct validate_noise *noises[VALIDATE_MAX_NOISES];
    size_t count = validate_noises(noises, finding->noise, finding->reordered,
                                   (finding->parts & VALIDATE_DEPENDENCIES) != 0);
    for (size_t i = 0; i < count; i++)
        blame(causing, finding, noises[i]);
}
