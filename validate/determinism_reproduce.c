/* The command line that shows a finding of a determinism check again. */
#include "cook/cli/command.h"
#include "validate/determinism.h"

static void put_varies(struct cook_buf *out, uint32_t set)
{
    struct cook_buf names = COOK_BUF_INIT;
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++)
        if (set & (1u << i))
            cook_buf_printf(&names, "%s%s", names.size ? "," : "",
                            determinism_vary_text((enum determinism_vary)i));
    if (names.size)
        cook_command_option(out, "--vary", cook_buf_text(&names));
    cook_buf_finish(&names);
}

/* What differs only among other packages needs the same ones again, in the same order. */
static void put_packages(struct cook_buf *out, const struct determinism_options *options)
{
    for (size_t i = 0; i < options->package_count; i++)
        cook_command_option(out, "--package", options->packages[i]);
    for (size_t i = 0; i < options->class_count; i++)
        cook_command_option(out, "--class", options->classes[i]);
}

/* With one perturbation on, each round is one of its: the shuffled one is as many rounds in. */
static unsigned rounds_needed(const struct determinism *determinism,
                              const struct determinism_finding *finding, uint32_t set)
{
    if (set == DETERMINISM_BIT(SHUFFLE))
        return finding->shuffle + 1;
    return finding->reproduced ? 0 : determinism->options.rounds;
}

char *determinism_reproduce_text(const struct determinism *determinism,
                                 const struct cook_cli *cli,
                                 const struct determinism_finding *finding,
                                 struct cook_arena *arena)
{
    struct cook_buf text = COOK_BUF_INIT;
    const struct cook_state *state = determinism->run->state;
    uint32_t set = finding->guilty ? finding->guilty : finding->reproduced ? 0 : finding->rounds;
    bool alone = finding->bisected && !(set & DETERMINISM_ORDERS);
    char number[16];
    cook_command_begin(&text, cli, "determinism");
    cook_command_cooking(&text, cli);
    if (alone)
        cook_command_option(&text, "--package",
                            cook_state_text(state, state->packages[finding->package].name));
    else
        put_packages(&text, &determinism->options);
    put_varies(&text, set);
    unsigned rounds = rounds_needed(determinism, finding, set);
    (void)snprintf(number, sizeof(number), "%u", rounds);
    if (rounds > 1)
        cook_command_option(&text, "--rounds", number);
    if ((set & DETERMINISM_BIT(WORKERS)) && cli->workers) {
        (void)snprintf(number, sizeof(number), "%d", cli->workers);
        cook_command_option(&text, "--workers", number);
    }
    if (finding->against_store)
        cook_command_word(&text, "--against-store");
    cook_command_tokens(&text, cli);
    char *copy = text.failed ? NULL : cook_arena_strdup(arena, cook_buf_text(&text));
    cook_buf_finish(&text);
    return copy;
}
