/* What recooks of the same inputs disagree about, by the perturbation that shows it. */
#include "validate/causes_internal.h"

struct noise {
    uint32_t bits;
    enum validate_cause_kind kind;
    const char *what;
    const char *fix;
};

static const struct noise noises[] = {
    { DETERMINISM_BIT(CLOCK), VALIDATE_CAUSE_TIME, "the time of day is part of the result",
      "leave the time out of the bytes, or take it from a declared input" },
    { DETERMINISM_BIT(SEED), VALIDATE_CAUSE_RANDOM, "random bytes are part of the result",
      "seed the generator from the package: its name, or a property" },
    { DETERMINISM_BIT(PROCESS), VALIDATE_CAUSE_PROCESS_ID,
      "the id of the process is part of the result", "leave the process id out of the bytes" },
    { DETERMINISM_BIT(DIRECTORY), VALIDATE_CAUSE_DIRECTORY_ORDER,
      "the order in which a folder is listed shapes the result",
      "list it with cook_list_folder(context, …), which sorts and declares it" },
    { DETERMINISM_BIT(TIMING), VALIDATE_CAUSE_THREAD_TIMING,
      "the order in which threads come to an end shapes the result",
      "give each job its own place in the result, and put them together in a fixed order" },
    { DETERMINISM_BIT(HEAP), VALIDATE_CAUSE_UNINITIALISED_MEMORY,
      "memory that nobody wrote is part of the result",
      "set the memory to zero (padding too) before it is written out" },
    { DETERMINISM_BIT(ASLR) | DETERMINISM_BIT(REUSE), VALIDATE_CAUSE_MEMORY_ADDRESS,
      "an address in memory is part of the result",
      "write what the pointer stands for, not the pointer" },
};

static void name_perturbations(struct causing *causing, struct validate_cause *cause,
                               uint32_t bits)
{
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++)
        if (bits & (1u << i))
            cause_say(causing, cause, "two recooks that differ in nothing but \"%s\" disagree (%s)",
                      determinism_vary_text((enum determinism_vary)i),
                      determinism_vary_does((enum determinism_vary)i));
}

static void blame(struct causing *causing, struct validate_finding *finding,
                  const struct noise *noise)
{
    enum validate_cause_kind kind = noise->kind;
    const char *what = noise->what;
    const char *fix = noise->fix;
    bool addresses = noise->bits & DETERMINISM_BIT(ASLR);
    if (addresses && finding->reordered) {
        kind = VALIDATE_CAUSE_UNORDERED_CONTAINER;
        what = "the same is written in another order: a container that goes by addresses";
        fix = "sort before writing, by something that the source says";
    }
    struct validate_cause *cause =
        cause_add(causing, finding, kind, VALIDATE_VARIES, "%s", what);
    name_perturbations(causing, cause, noise->bits & finding->noise);
    for (uint32_t i = 0; i < finding->unstable.count && i < 4; i++)
        cause_say(causing, cause, "unstable: %s", cook_intern_text(&finding->unstable, i));
    cause_write_stack(causing, cause, finding);
    cause_fix(causing, cause, "%s", fix);
}

void cause_name_noise(struct causing *causing, struct validate_finding *finding)
{
    uint32_t left = finding->noise;
    /* Memory that nobody wrote may hold an address: one cause for both. */
    if (left & DETERMINISM_BIT(HEAP))
        left &= ~(DETERMINISM_BIT(ASLR) | DETERMINISM_BIT(REUSE));
    for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++)
        if (left & noises[i].bits)
            blame(causing, finding, &noises[i]);
}
