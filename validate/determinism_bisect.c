/*
 * Naming the guilty. The packages that differed are cooked twice as they were, then under each
 * perturbation by itself; what needs several, alone in fresh workers under all of them, taken
 * away one by one while the difference stays. What differs only among other packages is state
 * that they leave behind.
 */
#include <string.h>

#include "validate/determinism.h"
#include "validate/noise.h"
#include "validate/validate.h"

#define MAX_BISECTED 200 /* packages; the rest are counted */

/* One recook of one package, or of the wanted ones among others. */
struct recook {
    struct determinism *determinism;
    struct determinism_print print;
    struct determinism_version *version; /* NULL: the print only */
    struct determinism_version *plain;   /* takes over bytes cooked without callstacks */
    uint32_t order;                      /* of findings that are recooked among all packages */
};

static enum cook_status take_version(struct determinism *determinism,
                                     struct determinism_version *version,
                                     const struct cook_result *result, struct cook_error *error)
{
    struct cook_arena *arena = &determinism->arena;
    version->bytes = cook_malloc(result->size + 1);
    version->stack_ids = cook_arena_dup(arena, result->stack_ids,
                                        (result->stack_id_count + 1) * sizeof(uint32_t));
    version->notes = cook_arena_strdup(arena, result->notes);
    if (!version->bytes || !version->stack_ids || !version->notes)
        return cook_error_no_memory(error);
    memcpy(version->bytes, result->bytes, result->size);
    version->size = result->size;
    version->stack_id_count = result->stack_id_count;
    enum cook_status status =
        cook_token_map_decode(&version->tokens, result->tokens, result->tokens_size, error);
    if (status == COOK_OK)
        status = cook_stack_set_decode(&version->stacks, result->stacks, result->stacks_size,
                                       arena, error);
    if (status == COOK_OK)
        status =
            cook_reads_decode(&version->reads, result->reads, result->reads_size, arena, error);
    version->have = status == COOK_OK;
    return status;
}

/* The bytes of a cook without callstacks, whose capture leaves its mark on unused stack; the
 * stacks stay where the same was written. */
static enum cook_status take_plain(struct determinism_version *version,
                                   const struct cook_result *result, struct cook_error *error)
{
    size_t tokens = version->tokens.count;
    cook_free(version->bytes);
    cook_token_map_finish(&version->tokens);
    cook_token_map_init(&version->tokens);
    version->have = false;
    version->bytes = cook_malloc(result->size + 1);
    if (!version->bytes)
        return cook_error_no_memory(error);
    memcpy(version->bytes, result->bytes, result->size);
    version->size = result->size;
    enum cook_status status =
        cook_token_map_decode(&version->tokens, result->tokens, result->tokens_size, error);
    version->have = status == COOK_OK;
    if (version->tokens.count != tokens)
        version->stack_id_count = 0;
    return status;
}

static enum cook_status take_alone(void *user, uint32_t package,
                                   const struct cook_result *result,
                                   const struct determinism_print *print, const char *reason,
                                   struct cook_error *error)
{
    struct recook *recook = user;
    (void)package;
    (void)reason;
    recook->print = *print;
    if (recook->plain)
        return print->ok ? take_plain(recook->plain, result, error) : COOK_OK;
    return recook->version && print->ok && !recook->version->have
               ? take_version(recook->determinism, recook->version, result, error)
               : COOK_OK;
}

static enum cook_status cook_alone(struct determinism *determinism, uint32_t package,
                                   uint32_t set, struct determinism_print *print,
                                   struct determinism_version *version,
                                   struct cook_error *error)
{
    struct recook recook = { .determinism = determinism, .version = version };
    struct determinism_round round = { .set = set,
                                       .packages = &package,
                                       .count = 1,
                                       .capture = version != NULL,
                                       .on_result = take_alone,
                                       .user = &recook };
    enum cook_status status = determinism_cook(determinism, &round, error);
    *print = recook.print;
    return status;
}

/* ---- one finding ---- */

struct bisection {
    struct determinism *determinism;
    struct determinism_finding *finding;
    struct determinism_print reference; /* alone, as it was */
};

static enum cook_status differs_under(struct bisection *bisection, uint32_t set, bool *differs,
                                      struct cook_error *error)
{
    struct determinism_print print;
    bool declared;
    enum cook_status status = cook_alone(bisection->determinism, bisection->finding->package,
                                         set, &print, NULL, error);
    *differs =
        status == COOK_OK &&
        determinism_compare(bisection->determinism, &bisection->reference, &print, &declared);
    return status;
}

static enum cook_status try_together(struct bisection *bisection, uint32_t candidates,
                                     struct cook_error *error)
{
    uint32_t set = candidates;
    bool differs = false;
    enum cook_status status = differs_under(bisection, set, &differs, error);
    if (status != COOK_OK || !differs)
        return status;
    for (unsigned i = 0; status == COOK_OK && i < DETERMINISM_VARY_COUNT; i++) {
        if (!(set & (1u << i)))
            continue;
        status = differs_under(bisection, set & ~(1u << i), &differs, error);
        if (differs)
            set &= ~(1u << i);
    }
    bisection->finding->guilty = set;
    bisection->finding->together = bisection->finding->reproduced = true;
    return status;
}

/* Among others it differs, alone it does not: proved when all of them are recooked. */
static void suspect_order(struct bisection *bisection)
{
    struct determinism *determinism = bisection->determinism;
    struct determinism_finding *finding = bisection->finding;
    bool declared;
    uint32_t rounds = finding->rounds;
    bool as_baseline =
        !determinism_compare(determinism, &bisection->reference,
                             &determinism->baseline[finding->package], &declared);
    if (!as_baseline) /* in the reversed order it may have come first, as if alone */
        finding->guilty = DETERMINISM_BIT(RESIDENCY);
    else if (rounds & DETERMINISM_BIT(ORDER))
        finding->guilty = DETERMINISM_BIT(ORDER);
    else if (rounds & DETERMINISM_BIT(SHUFFLE))
        finding->guilty = DETERMINISM_BIT(SHUFFLE);
}

static enum cook_status bisect(struct determinism *determinism,
                               struct determinism_finding *finding,
                               const struct determinism_subject *subject,
                               struct cook_error *error)
{
    struct bisection bisection = { .determinism = determinism, .finding = finding };
    enum cook_status status = COOK_OK;
    finding->bisected = true;
    finding->guilty = subject->guilty;
    finding->reproduced = subject->unstable || subject->guilty;
    if (finding->reproduced)
        return COOK_OK;
    status = cook_alone(determinism, finding->package, 0, &bisection.reference, NULL, error);
    if (status == COOK_OK && subject->candidates)
        status = try_together(&bisection, subject->candidates, error);
    if (status == COOK_OK && !finding->reproduced)
        suspect_order(&bisection);
    return status;
}

/* Each perturbation by itself, on all findings at once. */
static enum cook_status bisect_all(struct determinism *determinism, struct cook_error *error)
{
    size_t count = determinism->finding_count;
    if (count > MAX_BISECTED) {
        determinism->not_bisected = count - MAX_BISECTED;
        count = MAX_BISECTED;
    }
    struct determinism_subject *subjects = cook_calloc(count + 1, sizeof(*subjects));
    enum cook_status status = subjects ? COOK_OK : cook_error_no_memory(error);
    for (size_t i = 0; subjects && i < count; i++) {
        const struct determinism_finding *finding = determinism->findings[i];
        uint32_t on = finding->against_store ? determinism_on(determinism) : finding->rounds;
        subjects[i].package = finding->package;
        subjects[i].candidates = on & ~DETERMINISM_ORDERS;
    }
    if (status == COOK_OK)
        status = determinism_try(determinism, subjects, count, NULL, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = bisect(determinism, determinism->findings[i], &subjects[i], error);
    cook_free(subjects);
    return status;
}

/* ---- showing the difference ---- */

static void describe(struct determinism *determinism, struct determinism_finding *finding,
                     const struct determinism_print *old, const struct determinism_print *new)
{
    struct cook_buf text = COOK_BUF_INIT;
    if (old->ok != new->ok)
        cook_buf_printf(&text, "it cooks %s, and fails otherwise\n",
                        old->ok ? "unperturbed" : "perturbed");
    if (finding->parts & VALIDATE_DEPENDENCIES) {
        if (finding->guilty & DETERMINISM_ORDERS)
            cook_buf_printf(&text,
                            "a value that is read only when the package comes first is kept "
                            "in a static variable: a cached input\n");
        determinism_name_dependencies(determinism->run->state, old->bundle, new->bundle, &text);
    }
    if (finding->parts & VALIDATE_EDGES)
        cook_buf_printf(&text, "the runtime references differ\n");
    if (finding->parts & VALIDATE_MESSAGES)
        cook_buf_printf(&text, "the warnings and errors differ\n");
    if (finding->parts & VALIDATE_FILES)
        cook_buf_printf(&text, "the additional files differ\n");
    if (finding->parts & VALIDATE_ARTIFACTS)
        cook_buf_printf(&text, "the parts of cook artifacts differ\n");
    char *copy =
        text.size ? cook_arena_strdup(&determinism->arena, cook_buf_text(&text)) : NULL;
    finding->detail = copy ? copy : "";
    cook_buf_finish(&text);
}

/* A read that only the unperturbed cook recorded: with its callstack it names the static
 * variable. */
static void find_cached(const struct determinism *determinism,
                        struct determinism_finding *finding, uint32_t old, uint32_t new)
{
    const struct cook_state *state = determinism->run->state;
    uint8_t *marks = determinism_marks(state, old, new);
    for (uint32_t i = 0; marks && i < state->deps_count && !finding->cached; i++)
        if (marks[i] == 1)
            finding->cached = cook_reads_find(&finding->old.reads, state->deps[i].kind,
                                              cook_state_text(state, state->deps[i].args));
    cook_free(marks);
}

static enum cook_status show(struct determinism *determinism,
                             struct determinism_finding *finding,
                             const struct determinism_print *old,
                             const struct determinism_print *new, struct cook_error *error)
{
    const struct determinism_version *a = &finding->old;
    const struct determinism_version *b = &finding->new;
    struct diff_options options = DIFF_OPTIONS_INIT;
    describe(determinism, finding, old, new);
    if ((finding->parts & VALIDATE_DEPENDENCIES) && (finding->guilty & DETERMINISM_ORDERS))
        find_cached(determinism, finding, old->bundle, new->bundle);
    if (!a->have || !b->have)
        return COOK_OK;
    struct diff_version versions[2] = {
        { a->bytes, a->size, &a->tokens, a->stack_ids, a->stack_id_count, &a->stacks },
        { b->bytes, b->size, &b->tokens, b->stack_ids, b->stack_id_count, &b->stacks },
    };
    enum cook_status status = diff_compare(&finding->diff, &versions[0], &versions[1], &options,
                                           &determinism->arena, error);
    finding->explained = status == COOK_OK;
    finding->reordered =
        finding->explained &&
        validate_same_writes(a->bytes, a->size, &a->tokens, b->bytes, b->size, &b->tokens);
    return status;
}

static uint32_t lowest_bit(uint32_t set)
{
    return set & (~set + 1);
}

static enum cook_status cook_plain(struct determinism *determinism, uint32_t package,
                                   uint32_t set, struct determinism_version *version,
                                   struct cook_error *error)
{
    struct recook recook = { .determinism = determinism, .plain = version };
    struct determinism_round round = {
        .set = set, .packages = &package, .count = 1, .on_result = take_alone, .user = &recook
    };
    return determinism_cook(determinism, &round, error);
}

/* The kept version, with the callstacks that its cook recorded, against a recook: all recooks
 * agree. */
static enum cook_status explain_kept(struct determinism *determinism,
                                     struct determinism_finding *finding,
                                     struct cook_error *error)
{
    struct determinism_version *kept = &finding->old;
    struct determinism_print now;
    const struct cook_run *run = determinism->run;
    uint32_t *stacks = NULL;
    struct validate_kept_bytes out = { &kept->bytes, &kept->size, &kept->tokens, &stacks,
                                       &kept->stack_id_count };
    enum cook_status status =
        validate_read_kept(&out, run->store, &run->state->results[finding->package], error);
    kept->stack_ids =
        stacks ? cook_arena_dup(&determinism->arena, stacks,
                                (kept->stack_id_count + 1) * sizeof(*stacks))
               : NULL;
    if (status == COOK_OK && stacks && !kept->stack_ids)
        status = cook_error_no_memory(error);
    cook_free(stacks);
    kept->have = status == COOK_OK;
    if (status == COOK_OK)
        status = cook_alone(determinism, finding->package, 0, &now, &finding->new, error);
    return status == COOK_OK
               ? show(determinism, finding, &determinism->kept[finding->package], &now, error)
               : status;
}

/* Once more with callstacks, unperturbed and perturbed. */
static enum cook_status explain(struct determinism *determinism,
                                struct determinism_finding *finding, struct cook_error *error)
{
    struct determinism_print old;
    struct determinism_print new;
    uint32_t set = finding->together ? finding->guilty : lowest_bit(finding->guilty);
    if (determinism_is_of_store(finding))
        return explain_kept(determinism, finding, error);
    enum cook_status status =
        cook_alone(determinism, finding->package, 0, &old, &finding->old, error);
    if (status == COOK_OK)
        status = cook_alone(determinism, finding->package, set, &new, &finding->new, error);
    if (status == COOK_OK)
        status = show(determinism, finding, &old, &new, error);
    if (status != COOK_OK || !finding->explained || !finding->diff.identical ||
        !finding->guilty)
        return status;
    status = cook_plain(determinism, finding->package, 0, &finding->old, error);
    if (status == COOK_OK)
        status = cook_plain(determinism, finding->package, set, &finding->new, error);
    return status == COOK_OK ? show(determinism, finding, &old, &new, error) : status;
}

/* ---- state of other packages ---- */

static enum cook_status take_among(void *user, uint32_t package,
                                   const struct cook_result *result,
                                   const struct determinism_print *print, const char *reason,
                                   struct cook_error *error)
{
    struct recook *recook = user;
    struct determinism *determinism = recook->determinism;
    (void)reason;
    for (size_t i = 0; i < determinism->finding_count; i++) {
        struct determinism_finding *finding = determinism->findings[i];
        if (finding->package != package || finding->reproduced ||
            finding->guilty != recook->order)
            continue;
        determinism->baseline[package] = *print; /* for explain_order, after this round */
        return print->ok ? take_version(determinism, &finding->new, result, error) : COOK_OK;
    }
    return COOK_OK;
}

/* All packages in the order that showed it, with callstacks; then each finding alone. */
static enum cook_status explain_order(struct determinism *determinism, uint32_t order,
                                      struct cook_error *error)
{
    struct recook recook = { .determinism = determinism, .order = order };
    struct determinism_round round = { .count = determinism->list_count,
                                       .capture = true,
                                       .on_result = take_among,
                                       .user = &recook };
    const struct determinism_finding *first = NULL;
    for (size_t i = 0; i < determinism->finding_count; i++)
        if (!determinism->findings[i]->reproduced && determinism->findings[i]->guilty == order)
            first = determinism->findings[i];
    if (!first)
        return COOK_OK;
    round.packages = determinism_order(determinism, order, first->shuffle, &determinism->arena);
    enum cook_status status = round.packages ? determinism_cook(determinism, &round, error)
                                             : cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < determinism->finding_count; i++) {
        struct determinism_finding *finding = determinism->findings[i];
        const struct determinism_print *among = &determinism->baseline[finding->package];
        struct determinism_print alone;
        bool declared;
        if (finding->reproduced || finding->guilty != order)
            continue;
        status = cook_alone(determinism, finding->package, 0, &alone, &finding->old, error);
        if (status != COOK_OK)
            break;
        finding->reproduced = determinism_compare(determinism, &alone, among, &declared) != 0;
        status = show(determinism, finding, &alone, among, error);
    }
    return status;
}

enum cook_status determinism_bisect(struct determinism *determinism, struct cook_error *error)
{
    enum cook_status status = bisect_all(determinism, error);
    for (size_t i = 0; status == COOK_OK && i < determinism->finding_count; i++) {
        struct determinism_finding *finding = determinism->findings[i];
        if (finding->bisected && (finding->reproduced || !finding->guilty))
            status = explain(determinism, finding, error);
    }
    static const uint32_t orders[] = { DETERMINISM_BIT(ORDER), DETERMINISM_BIT(SHUFFLE),
                                       DETERMINISM_BIT(RESIDENCY) };
    for (size_t i = 0; status == COOK_OK && i < sizeof(orders) / sizeof(orders[0]); i++)
        status = explain_order(determinism, orders[i], error);
    return status;
}
