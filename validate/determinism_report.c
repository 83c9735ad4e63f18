/* What a determinism check prints for people. */
#include <string.h>

#include "cook/cli/cli.h"
#include "cook/deps/dep.h"
#include "diffcook/print.h"
#include "validate/determinism.h"
#include "validate/noise.h"
#include "validate/validate.h"

#define MAX_SHOWN 20 /* differences of one package */

bool determinism_is_of_store(const struct determinism_finding *finding)
{
    return finding->against_store && !finding->rounds && !finding->reproduced;
}

void determinism_symbols(struct diff_symbols *symbols, const struct determinism *determinism,
                         const struct determinism_finding *finding)
{
    bool of_store = determinism_is_of_store(finding);
    symbols->old_stacks = of_store ? NULL : &finding->old.stacks;
    symbols->old_store = of_store ? determinism->run->store : NULL;
    symbols->new_stacks = &finding->new.stacks;
}

const char *determinism_verdict(const struct determinism_finding *finding)
{
    if (finding->against_store && !finding->rounds)
        return "differs_from_store";
    if (finding->parts == VALIDATE_DEPENDENCIES)
        return "unstable_dependencies";
    return finding->parts == VALIDATE_MESSAGES ? "unstable_messages" : "unstable_bytes";
}

const char *determinism_guilty_text(const struct determinism_finding *finding,
                                    struct cook_arena *arena)
{
    struct cook_buf text = COOK_BUF_INIT;
    const char *copy = "unknown";
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++)
        if (finding->guilty & (1u << i))
            cook_buf_printf(&text, "%s%s", text.size ? (finding->together ? "+" : ",") : "",
                            determinism_vary_text((enum determinism_vary)i));
    if (finding->reproduced)
        copy = text.size ? cook_arena_strdup(arena, cook_buf_text(&text)) : "none";
    cook_buf_finish(&text);
    return copy ? copy : "unknown";
}

static void print_lines(FILE *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "    %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_guilty(FILE *out, const struct determinism_finding *finding)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *text = determinism_guilty_text(finding, &arena);
    if (!finding->bisected)
        fprintf(out, "    not bisected: too many packages differ\n");
    else if (determinism_is_of_store(finding))
        fprintf(out, "    every recook agrees, and differs from the kept result; run: "
                     "cook incremental-validate\n");
    else if (!finding->reproduced)
        fprintf(out, "    it differed once, and no recook did so again\n");
    else if (!finding->guilty)
        fprintf(out, "    unstable without any perturbation\n");
    else
        fprintf(out, "    guilty: %s%s\n", text,
                finding->together                         ? " (only together)"
                : finding->guilty & (finding->guilty - 1) ? " (each by itself)"
                                                          : "");
    for (unsigned i = 0; finding->reproduced && i < DETERMINISM_VARY_COUNT; i++)
        if (finding->guilty & (1u << i))
            fprintf(out, "        %s: %s\n", determinism_vary_text((enum determinism_vary)i),
                    determinism_vary_does((enum determinism_vary)i));
    cook_arena_finish(&arena);
}

/* What the guilty perturbation means, and the read that was cached. */
static void print_causes(FILE *out, const struct determinism_finding *finding,
                         const struct diff_symbols *symbols)
{
    const struct validate_noise *noises[VALIDATE_MAX_NOISES];
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    struct cook_arena arena = COOK_ARENA_INIT;
    size_t count = finding->reproduced ? determinism_noises(noises, finding) : 0;
    for (size_t i = 0; i < count; i++)
        fprintf(out, "    cause: %s\n", noises[i]->what);
    size_t depth = 0;
    if (finding->cached)
        depth = cook_symbolizer_stack(symbols->symbolizer, &finding->old.reads.stacks,
                                      finding->cached->stack, frames, DIFF_MAX_FRAMES);
    if (depth)
        fprintf(out, "        %s %s, read once\n", cook_dep_kind_text(finding->cached->kind),
                finding->cached->args);
    for (size_t i = diff_skip_sdk_frames(frames, &depth); i < depth; i++) {
        const char *text = cook_symbol_text(&frames[i], &arena);
        if (strncmp(frames[i].module, "libcook.so", 10) == 0)
            break; /* from here on it is how the hook was called */
        fprintf(out, "        at %s\n", text ? text : "?");
    }
    if (count)
        fprintf(out, "    fix: %s\n", noises[0]->fix);
    cook_arena_finish(&arena);
}

static void print_finding(const struct determinism *determinism, const struct cook_cli *cli,
                          struct diff_print_options *print,
                          const struct determinism_finding *finding)
{
    const struct cook_state *state = determinism->run->state;
    FILE *out = cli->out;
    struct diff_symbols *symbols = print->user;
    const char *heading = "unstable bytes";
    if (strcmp(determinism_verdict(finding), "unstable_dependencies") == 0)
        heading = "unstable dependencies";
    else if (strcmp(determinism_verdict(finding), "unstable_messages") == 0)
        heading = "unstable messages";
    else if (finding->against_store && !finding->rounds)
        heading = "differs from the store";
    fprintf(out, "\n%s: %s (", heading,
            cook_state_text(state, state->packages[finding->package].name));
    for (size_t i = 0; i < finding->class_count; i++)
        fprintf(out, "%s%s", i ? ", " : "", finding->classes[i]);
    fprintf(out, ")\n");
    print_guilty(out, finding);
    print_causes(out, finding, symbols);
    determinism_symbols(symbols, determinism, finding);
    if (finding->explained && !finding->diff.identical) {
        struct diff_result shown = finding->diff;
        if (shown.count > MAX_SHOWN)
            shown.count = MAX_SHOWN;
        diff_print_text(out, &shown, print);
    }
    print_lines(out, finding->detail);
    if (finding->new.notes && * finding->new.notes) {
        fprintf(out, "    notes of the class:\n");
        print_lines(out, finding->new.notes);
    }
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *line = determinism_reproduce_text(determinism, cli, finding, &arena);
    fprintf(out, "    reproduce: %s\n", line ? line : "out of memory");
    cook_arena_finish(&arena);
}

/* The model: each try shows a fault with probability p, tries are independent. */
static void print_tries(const struct determinism *determinism, FILE *out)
{
    fprintf(out,
            "\ntried, and the chance that a fault was missed which shows in half of the tries "
            "(0.5^N):\n");
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++) {
        const char *text = determinism_vary_text((enum determinism_vary)i);
        const char *reason = determinism->machine.reasons[i];
        double missed = 1;
        for (unsigned n = 0; n < determinism->tried[i]; n++)
            missed /= 2;
        if (determinism->tried[i])
            fprintf(out, "    %-12s %u time%s, %.3g\n", text, determinism->tried[i],
                    determinism->tried[i] == 1 ? "" : "s", missed);
        else if (reason)
            fprintf(out, "    %-12s not tried: %s\n", text, reason);
        else
            fprintf(out, "    %-12s not tried: %s\n", text,
                    determinism->options.vary & (1u << i) ? "too few rounds" : "turned off");
    }
    fprintf(out, "a clean run is not proof\n");
}

static void print_failures(const struct determinism *determinism, const struct cook_cli *cli)
{
    for (size_t i = 0; i < determinism->run->warning_count; i++)
        cook_cli_message(cli, "warning", "", determinism->run->warnings[i]);
    for (size_t i = 0; i < determinism->failure_count; i++)
        cook_cli_message(cli, "error", "", determinism->failures[i]);
    for (size_t i = 0; i < determinism->roots.missing_count; i++)
        fprintf(cli->err, "cook: %s\n", determinism->roots.missing[i]);
}

static size_t count_parts(const struct determinism *determinism, bool dependencies)
{
    size_t count = 0;
    for (size_t i = 0; i < determinism->finding_count; i++) {
        uint32_t parts = determinism->findings[i]->parts;
        uint32_t wanted =
            dependencies ? (uint32_t)VALIDATE_DEPENDENCIES : ~(uint32_t)VALIDATE_DEPENDENCIES;
        count += (parts & wanted) != 0;
    }
    return count;
}

enum cook_status determinism_print_text(const struct determinism *determinism,
                                        const struct cook_cli *cli, struct cook_error *error)
{
    const char *folders[] = { determinism->run->plugin_folder };
    struct cook_symbolizer_options options = { .folders = folders, .folder_count = 1 };
    struct diff_symbols symbols = { 0 };
    struct diff_print_options print = { diff_symbol_frames, &symbols, 4 };
    print_failures(determinism, cli);
    enum cook_status status = cook_symbolizer_create(&symbols.symbolizer, &options, error);
    if (status != COOK_OK)
        return status;
    for (size_t i = 0; i < determinism->finding_count; i++)
        print_finding(determinism, cli, &print, determinism->findings[i]);
    cook_symbolizer_destroy(symbols.symbolizer);
    if (!cli->quiet)
        print_tries(determinism, cli->out);
    if (determinism->declared_count && !cli->quiet)
        fprintf(cli->out,
                "%zu results differ because a declared input was perturbed: no finding\n",
                determinism->declared_count);
    if (!cli->quiet || determinism->finding_count)
        fprintf(cli->out,
                "checked %zu packages in %u rounds, deterministic %zu, unstable bytes %zu, "
                "unstable dependencies %zu, failed %zu\n",
                determinism->list_count, determinism->rounds + 1,
                determinism->list_count - determinism->finding_count,
                count_parts(determinism, false), count_parts(determinism, true),
                determinism->failed_count);
    return COOK_OK;
}
