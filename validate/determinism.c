#include "validate/determinism.h"

#include <stdlib.h>
#include <string.h>

#include "cook/plan/rules.h"
#include "cook/registry/facts.h"
#include "cook/worker/session.h"
#include "validate/validate.h"

#define MAX_ALONE 64 /* packages up to which each gets a worker of its own unasked */

static const char *name_of(const struct determinism *determinism, uint32_t package)
{
    const struct cook_state *state = determinism->run->state;
    return cook_state_text(state, state->packages[package].name);
}

/* ---- the baseline ---- */

static enum cook_status add_failure(struct determinism *determinism, uint32_t package,
                                    const char *text, struct cook_error *error)
{
    char *line =
        cook_arena_printf(&determinism->arena, "%s: %s", name_of(determinism, package), text);
    if (!line || !cook_grow(&determinism->failures, &determinism->failure_capacity,
                            determinism->failure_count + 1, sizeof(char *)))
        return cook_error_no_memory(error);
    determinism->failures[determinism->failure_count++] = line;
    return COOK_OK;
}

static enum cook_status take_failure(struct determinism *determinism, uint32_t package,
                                     const struct cook_result *result, const char *reason,
                                     struct cook_error *error)
{
    struct cook_messages messages = { 0 };
    enum cook_status status = COOK_OK;
    determinism->failed_count++;
    if (result) {
        struct cook_reader_buf in = cook_read_init(result->messages, result->messages_size);
        status = cook_messages_decode(&messages, &in);
    }
    for (size_t i = 0; status == COOK_OK && i < messages.count; i++)
        if (messages.items[i].severity == COOK_SEVERITY_ERROR)
            status = add_failure(determinism, package, messages.items[i].text, error);
    if (status == COOK_OK && reason)
        status = add_failure(determinism, package, reason, error);
    cook_messages_finish(&messages);
    return status;
}

static enum cook_status take_baseline(void *user, uint32_t package,
                                      const struct cook_result *result,
                                      const struct determinism_print *print, const char *reason,
                                      struct cook_error *error)
{
    struct determinism *determinism = user;
    determinism->baseline[package] = *print;
    if (!print->ok)
        return take_failure(determinism, package, result, reason, error);
    if (!cook_grow(&determinism->list, &determinism->list_capacity, determinism->list_count + 1,
                   sizeof(uint32_t)))
        return cook_error_no_memory(error);
    determinism->list[determinism->list_count++] = package;
    return COOK_OK;
}

static bool holds_class(const struct determinism_finding *finding, const char *name)
{
    for (size_t i = 0; i < finding->class_count; i++) {
        const char *dot = strrchr(finding->classes[i], '.');
        if (strcmp(finding->classes[i], name) == 0 || (dot && strcmp(dot + 1, name) == 0))
            return true;
    }
    return false;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void collect_classes(struct determinism *determinism,
                            struct determinism_finding *finding)
{
    const struct cook_state *state = determinism->run->state;
    struct cook_facts facts = { 0 };
    size_t size;
    const uint8_t *blob = cook_state_blob(state, state->results[finding->package].facts, &size);
    if (cook_facts_decode(&facts, blob, size, &determinism->arena, NULL) != COOK_OK)
        return;
    finding->classes =
        cook_arena_alloc(&determinism->arena, (facts.object_count + 1) * sizeof(char *));
    for (size_t i = 0; finding->classes && i < facts.object_count; i++)
        finding->classes[i] = facts.objects[i].class_name;
    if (!finding->classes || !facts.object_count)
        return;
    qsort(finding->classes, facts.object_count, sizeof(char *), compare_texts);
    for (size_t i = 0; i < facts.object_count; i++)
        if (i == 0 || strcmp(finding->classes[i], finding->classes[i - 1]) != 0)
            finding->classes[finding->class_count++] = finding->classes[i];
}

/* --class: what is left of the baseline's packages. */
static void keep_classes(struct determinism *determinism)
{
    size_t kept = 0;
    for (size_t i = 0; determinism->options.class_count && i < determinism->list_count; i++) {
        struct determinism_finding probe = { .package = determinism->list[i] };
        bool wanted = false;
        collect_classes(determinism, &probe);
        for (size_t k = 0; k < determinism->options.class_count; k++)
            wanted |= holds_class(&probe, determinism->options.classes[k]);
        if (wanted)
            determinism->list[kept++] = determinism->list[i];
    }
    if (determinism->options.class_count)
        determinism->list_count = kept;
}

static enum cook_status begin(struct determinism *determinism, struct cook_error *error)
{
    struct cook_run *run = determinism->run;
    const struct determinism_options *options = &determinism->options;
    enum cook_status status = cook_run_roots(run, &determinism->roots, error);
    determinism->package_limit = run->state->packages_count;
    determinism->baseline =
        cook_calloc((size_t)determinism->package_limit + 1, sizeof(*determinism->baseline));
    if (status == COOK_OK && !determinism->baseline)
        status = cook_error_no_memory(error);
    if (status == COOK_OK)
        status = cook_search_init(&determinism->search, run, error);
    struct cook_roots only = { .count = options->package_count };
    only.packages = cook_arena_alloc(&determinism->arena,
                                     (options->package_count + 1) * sizeof(*only.packages));
    if (status == COOK_OK && !only.packages)
        status = cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < options->package_count; i++) {
        only.packages[i] = cook_state_find_package(run->state, options->packages[i]);
        if (only.packages[i] == COOK_ID_NONE)
            status = cook_error_set(error, COOK_E_USAGE, "no package is named %s",
                                    options->packages[i]);
    }
    if (status == COOK_OK)
        status = cook_search_push_roots(
            &determinism->search, options->package_count ? &only : &determinism->roots, error);
    return status == COOK_OK ? cook_run_share_registry(run, error) : status;
}

/* The kept results, before the search puts other edges into their rows. */
static enum cook_status remember_kept(struct determinism *determinism, struct cook_error *error)
{
    const struct cook_state *state = determinism->run->state;
    if (!determinism->options.against_store)
        return COOK_OK;
    determinism->kept =
        cook_calloc((size_t)determinism->package_limit + 1, sizeof(*determinism->kept));
    if (!determinism->kept)
        return cook_error_no_memory(error);
    for (uint32_t i = 0; i < determinism->package_limit; i++) {
        const struct cook_state_package *row = &state->packages[i];
        size_t size = 0;
        const void *messages = "";
        enum cook_reason reason = cook_run_decide(determinism->run, i);
        bool usable = reason == COOK_REASON_SKIP || (reason == COOK_REASON_OPTED_OUT &&
                                                     (row->flags & COOK_PACKAGE_HAS_RESULT));
        if (!usable)
            continue;
        if (state->results[i].messages)
            messages = cook_state_blob(state, state->results[i].messages, &size);
        determinism->kept[i] =
            (struct determinism_print){ .have = true,
                                        .ok = true,
                                        .bytes = state->results[i].bytes,
                                        .messages = cook_hash_bytes(messages, size),
                                        .bundle = row->bundle };
    }
    return COOK_OK;
}

/* ---- rounds ---- */

static struct determinism_finding *find(const struct determinism *determinism, uint32_t package)
{
    for (size_t i = 0; i < determinism->finding_count; i++)
        if (determinism->findings[i]->package == package)
            return determinism->findings[i];
    return NULL;
}

static enum cook_status add_finding(struct determinism *determinism, uint32_t package,
                                    struct determinism_finding **out, struct cook_error *error)
{
    *out = find(determinism, package);
    if (*out)
        return COOK_OK;
    *out = cook_arena_alloc(&determinism->arena, sizeof(**out));
    if (!*out || !cook_grow(&determinism->findings, &determinism->finding_capacity,
                            determinism->finding_count + 1, sizeof(*out)))
        return cook_error_no_memory(error);
    (*out)->package = package;
    (*out)->detail = "";
    cook_token_map_init(&(*out)->old.tokens);
    cook_token_map_init(&(*out)->new.tokens);
    collect_classes(determinism, *out);
    determinism->findings[determinism->finding_count++] = *out;
    return COOK_OK;
}

struct rounding {
    struct determinism *determinism;
    uint32_t set;
    unsigned number;
};

static enum cook_status take_round(void *user, uint32_t package,
                                   const struct cook_result *result,
                                   const struct determinism_print *print, const char *reason,
                                   struct cook_error *error)
{
    struct rounding *rounding = user;
    struct determinism *determinism = rounding->determinism;
    bool declared;
    (void)result;
    (void)reason;
    uint32_t parts =
        determinism_compare(determinism, &determinism->baseline[package], print, &declared);
    determinism->declared_count += declared;
    if (!parts)
        return COOK_OK;
    struct determinism_finding *finding;
    enum cook_status status = add_finding(determinism, package, &finding, error);
    if (status == COOK_OK) {
        finding->parts |= parts;
        finding->rounds |= rounding->set;
        if (rounding->set & DETERMINISM_BIT(SHUFFLE))
            finding->shuffle = rounding->number;
    }
    return status;
}

/* Bytes, dependencies and messages; what a kept result holds beside them is validate's to
 * compare. */
static enum cook_status compare_with_store(struct determinism *determinism,
                                           struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && determinism->kept && i < determinism->list_count;
         i++) {
        uint32_t package = determinism->list[i];
        struct determinism_print kept = determinism->kept[package];
        const struct determinism_print *now = &determinism->baseline[package];
        bool declared;
        kept.edges = now->edges;
        kept.files = now->files;
        kept.parts = now->parts;
        kept.key = now->key;
        uint32_t parts =
            kept.have ? determinism_compare(determinism, &kept, now, &declared) : 0;
        struct determinism_finding *finding;
        if (!parts)
            continue;
        status = add_finding(determinism, package, &finding, error);
        if (status == COOK_OK) {
            finding->parts |= parts;
            finding->against_store = true;
        }
    }
    return status;
}

uint32_t *determinism_order(const struct determinism *determinism, uint32_t set, unsigned round,
                            struct cook_arena *arena)
{
    size_t count = determinism->list_count;
    uint32_t *order = cook_arena_alloc(arena, (count + 1) * sizeof(*order));
    uint64_t x = UINT64_C(0x9e3779b97f4a7c15) + round;
    for (size_t i = 0; order && i < count; i++)
        order[i] = determinism->list[set & DETERMINISM_BIT(ORDER) ? count - 1 - i : i];
    for (size_t i = count; order && (set & DETERMINISM_BIT(SHUFFLE)) && i > 1; i--) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        size_t other = (size_t)(x % i);
        uint32_t moved = order[i - 1];
        order[i - 1] = order[other];
        order[other] = moved;
    }
    return order;
}

static enum cook_status run_set(struct determinism *determinism, uint32_t set, unsigned number,
                                struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct rounding rounding = { determinism, set, number };
    struct determinism_round round = { .set = set,
                                       .packages =
                                           determinism_order(determinism, set, number, &arena),
                                       .count = determinism->list_count,
                                       .alone = (set & DETERMINISM_BIT(RESIDENCY)) != 0,
                                       .on_result = take_round,
                                       .user = &rounding };
    enum cook_status status =
        round.packages ? determinism_cook(determinism, &round, error)
                       : cook_error_no_memory(error);
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++)
        determinism->tried[i] += (set >> i) & 1;
    determinism->rounds++;
    cook_arena_finish(&arena);
    return status;
}

uint32_t determinism_on(const struct determinism *determinism)
{
    uint32_t on = 0;
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++)
        if (!determinism->machine.reasons[i])
            on |= determinism->options.vary & (1u << i);
    return on;
}

/* What the machine can do, together; each order of packages apart. */
static unsigned make_sets(struct determinism *determinism, uint32_t sets[4])
{
    unsigned count = 0;
    if (determinism->list_count > MAX_ALONE && !determinism->options.vary_given &&
        !determinism->machine.reasons[DETERMINISM_RESIDENCY])
        determinism->machine.reasons[DETERMINISM_RESIDENCY] =
            "a worker for each of many packages; ask for it: --vary residency";
    uint32_t on = determinism_on(determinism);
    static const uint32_t orders[] = { DETERMINISM_BIT(ORDER), DETERMINISM_BIT(SHUFFLE),
                                       DETERMINISM_BIT(RESIDENCY) };
    if (on & ~DETERMINISM_ORDERS)
        sets[count++] = on & ~DETERMINISM_ORDERS;
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (on & orders[i])
            sets[count++] = orders[i];
    return count;
}

static int compare_findings(const void *a, const void *b, void *user)
{
    const struct determinism_finding *const *x = a;
    const struct determinism_finding *const *y = b;
    return strcmp(name_of(user, (*x)->package), name_of(user, (*y)->package));
}

void determinism_prepare(struct determinism *determinism, struct cook_run *run)
{
    *determinism = (struct determinism){ .run = run,
                                         .options.vary = (1u << DETERMINISM_VARY_COUNT) - 1 };
    determinism_probe(&determinism->machine, run->project.path, cook_pool_count(run->pool),
                      &determinism->arena);
}

enum cook_status determinism_run(struct determinism *determinism, struct cook_run *run,
                                 const struct determinism_options *options,
                                 struct cook_error *error)
{
    *determinism = (struct determinism){ .run = run, .options = *options };
    uint32_t sets[4];
    determinism_probe(&determinism->machine, run->project.path, cook_pool_count(run->pool),
                      &determinism->arena);
    struct determinism_round baseline = { .on_result = take_baseline, .user = determinism };
    enum cook_status status = begin(determinism, error);
    if (status == COOK_OK)
        status = remember_kept(determinism, error);
    if (status == COOK_OK)
        status = determinism_cook(determinism, &baseline, error);
    if (status == COOK_OK) {
        keep_classes(determinism);
        status = compare_with_store(determinism, error);
    }
    unsigned count = make_sets(determinism, sets);
    unsigned rounds = options->rounds ? options->rounds : count;
    for (unsigned i = 0; status == COOK_OK && count && determinism->list_count && i < rounds;
         i++)
        status = run_set(determinism, sets[i % count], i, error);
    if (status == COOK_OK && determinism->finding_count)
        qsort_r(determinism->findings, determinism->finding_count,
                sizeof(*determinism->findings), compare_findings, determinism);
    if (status == COOK_OK)
        status = determinism_bisect(determinism, error);
    determinism->seconds = cook_run_seconds(run);
    return status;
}

void determinism_finish(struct determinism *determinism)
{
    for (size_t i = 0; i < determinism->finding_count; i++) {
        cook_free(determinism->findings[i]->old.bytes);
        cook_free(determinism->findings[i]->new.bytes);
        cook_token_map_finish(&determinism->findings[i]->old.tokens);
        cook_token_map_finish(&determinism->findings[i]->new.tokens);
    }
    determinism_forget(&determinism->machine);
    cook_intake_finish(&determinism->intake);
    cook_search_finish(&determinism->search);
    cook_free(determinism->baseline);
    cook_free(determinism->kept);
    cook_free(determinism->list);
    cook_free(determinism->findings);
    cook_free(determinism->failures);
    cook_arena_finish(&determinism->arena);
    *determinism = (struct determinism){ 0 };
}
