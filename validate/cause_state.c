/* State that outlives a package: values read once and kept, and what one package leaves behind
 * for the next. */
#include <string.h>

#include "cook/deps/dep.h"
#include "validate/causes_internal.h"

#define MAX_TWICE    200  /* findings that are cooked twice in one worker */
#define MAX_SEARCHED 20   /* findings whose predecessors are searched */
#define MAX_BEFORE   4096 /* predecessors */
#define MAX_CACHED   8    /* dependencies named */

/* ---- twice in one process ---- */

struct twice {
    struct causing *causing;
    uint32_t package;
    unsigned count;
    struct determinism_print prints[2];
    struct cook_read_set reads; /* of the first */
};

static enum cook_status take_twice(void *user, uint32_t package,
                                   const struct cook_result *result,
                                   const struct determinism_print *print, const char *reason,
                                   struct cook_error *error)
{
    struct twice *twice = user;
    (void)reason;
    if (package != twice->package || twice->count == 2)
        return COOK_OK;
    twice->prints[twice->count++] = *print;
    return twice->count == 1 && print->ok
               ? cook_reads_decode(&twice->reads, result->reads, result->reads_size,
                                   &twice->causing->validate->arena, error)
               : COOK_OK;
}

static enum cook_status cook_twice(struct twice *twice, struct cook_error *error)
{
    uint32_t packages[2] = { twice->package, twice->package };
    struct determinism_round round = { .packages = packages,
                                       .count = 2,
                                       .capture = true,
                                       .on_result = take_twice,
                                       .user = twice };
    return determinism_cook(&twice->causing->determinism, &round, error);
}

/* Dependencies of one bundle that another does not hold. */
static size_t only_in(const struct cook_state *state, uint32_t bundle, uint32_t other,
                      uint32_t *out, size_t max)
{
    uint8_t *marks = determinism_marks(state, bundle, other);
    size_t count = 0;
    for (uint32_t i = 0; marks && i < state->deps_count && count < max; i++)
        if (marks[i] == 1)
            out[count++] = i;
    cook_free(marks);
    return count;
}

static bool holds(const struct cook_state *state, uint32_t bundle, uint32_t dep)
{
    uint8_t *marks = determinism_marks(state, bundle, COOK_ID_NONE);
    bool found = marks && marks[dep] == 1;
    cook_free(marks);
    return found;
}

static void blame_cached(struct causing *causing, struct validate_finding *finding,
                         const struct twice *twice, uint32_t dep)
{
    const struct cook_state *state = causing->validate->run->state;
    uint32_t kind = state->deps[dep].kind;
    const char *args = cook_state_text(state, state->deps[dep].args);
    struct validate_cause *cause =
        cause_add(causing, finding, VALIDATE_CAUSE_STATIC_CACHE, VALIDATE_CHANGED,
                  "%s %s is read once and kept for all packages of a process",
                  cook_dep_kind_text(kind), args);
    cause_say(causing, cause,
              "cooked twice in one worker, the first cook reads it and the second does not");
    cause_say(causing, cause,
              "the kept result does not record it: another package had read it before");
    cause_input(causing, cause, kind, args);
    const struct cook_read *read = cook_reads_find(&twice->reads, kind, args);
    if (read)
        cause_stack(causing, cause, &twice->reads.stacks, read->stack);
    cause_fix(causing, cause,
              "call %s for each package, and keep nothing of it in a static variable",
              cause_call(causing, kind, args));
}

/* ---- packages cooked before ---- */

struct after {
    const struct validate_finding *finding;
    struct determinism_print print;
    bool differs; /* from a cook alone */
    bool as_kept;
};

static enum cook_status take_after(void *user, uint32_t package,
                                   const struct cook_result *result,
                                   const struct determinism_print *print, const char *reason,
                                   struct cook_error *error)
{
    struct after *after = user;
    (void)reason;
    (void)error;
    if (package != after->finding->package)
        return COOK_OK;
    after->print = *print; /* the last one counts */
    after->as_kept = print->ok && cook_hash_equal(cook_hash_bytes(result->bytes, result->size),
                                                  after->finding->kept.result.bytes);
    return COOK_OK;
}

/* Whether the package, cooked after `before`, differs from `alone`, and is what was kept. */
static enum cook_status cook_after(struct causing *causing, struct after *after,
                                   const struct validate_finding *finding,
                                   const uint32_t *before, size_t count,
                                   const struct determinism_print *alone,
                                   struct cook_error *error)
{
    struct determinism_round round = { .count = count + 1,
                                       .on_result = take_after,
                                       .user = after };
    uint32_t *packages = cook_calloc(count + 1, sizeof(*packages));
    *after = (struct after){ .finding = finding };
    if (!packages)
        return cook_error_no_memory(error);
    if (count)
        memcpy(packages, before, count * sizeof(*packages));
    packages[count] = finding->package;
    round.packages = packages;
    enum cook_status status = determinism_cook(&causing->determinism, &round, error);
    after->differs = status == COOK_OK && after->print.have &&
                     determinism_differs(&causing->determinism, alone, &after->print);
    cook_free(packages);
    return status;
}

/* What is kept came about so: that is why it is a false skip. */
static enum validate_confidence confidence(const struct validate_finding *finding, bool as_kept)
{
    return as_kept && cause_wants_stable(finding) ? VALIDATE_CHANGED : VALIDATE_VARIES;
}

static void blame_left(struct causing *causing, struct validate_finding *finding,
                       const uint32_t *before, size_t count, bool alone_suffices, bool as_kept)
{
    const struct cook_state *state = causing->validate->run->state;
    uint32_t guilty = before[count - 1];
    const char *name = cook_state_text(state, state->packages[guilty].name);
    bool itself = guilty == finding->package;
    struct validate_cause *cause = cause_add(
        causing, finding, VALIDATE_CAUSE_LEFT_STATE, confidence(finding, as_kept),
        itself ? "%s leaves something behind in the process that changes its next cook"
               : "%s leaves something behind in the process that changes this package",
        name);
    cause_say(causing, cause, "cooked after %s in one worker it differs from a cook alone%s",
              itself ? "itself" : name,
              alone_suffices ? "" : ", together with what was cooked before that");
    if (as_kept)
        cause_say(causing, cause, "so cooked, it is as it was kept");
    cause_write_stack(causing, cause, finding);
    cause_fix(causing, cause,
              "keep what belongs to a package in its objects, not in a static variable or a "
              "singleton");
}

/* The shortest run of packages, from the front, after which it differs; then whether its last
 * one does it by itself. */
static enum cook_status search_before(struct causing *causing, struct validate_finding *finding,
                                      const uint32_t *before, size_t count,
                                      const struct determinism_print *alone, bool *found,
                                      struct cook_error *error)
{
    struct after after;
    enum cook_status status = cook_after(causing, &after, finding, before, count, alone, error);
    *found = status == COOK_OK && after.differs;
    if (!*found)
        return status;
    size_t low = 0;      /* does not differ after so many */
    size_t high = count; /* differs */
    while (status == COOK_OK && high - low > 1) {
        size_t middle = low + (high - low) / 2;
        status = cook_after(causing, &after, finding, before, middle, alone, error);
        if (after.differs)
            high = middle;
        else
            low = middle;
    }
    if (status == COOK_OK)
        status = cook_after(causing, &after, finding, before + high - 1, 1, alone, error);
    if (status == COOK_OK)
        blame_left(causing, finding, before, high, after.differs, after.as_kept);
    return status;
}

/* Everything else, then the other way round: what one package sets, a later one may set back.
 */
static enum cook_status search_others(struct causing *causing, struct validate_finding *finding,
                                      const struct determinism_print *alone, bool *found,
                                      struct cook_error *error)
{
    const struct validate *validate = causing->validate;
    uint32_t *others = cook_calloc(MAX_BEFORE, sizeof(*others));
    size_t count = 0;
    for (size_t i = 0; others && i < validate->lane_count; i++)
        for (size_t k = 0; k < validate->lanes[i].count && count < MAX_BEFORE; k++)
            if (validate->lanes[i].packages[k] != finding->package)
                others[count++] = validate->lanes[i].packages[k];
    enum cook_status status = others ? COOK_OK : cook_error_no_memory(error);
    if (status == COOK_OK && count)
        status = search_before(causing, finding, others, count, alone, found, error);
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t other = others[i];
        others[i] = others[count - 1 - i];
        others[count - 1 - i] = other;
    }
    if (status == COOK_OK && !*found && count > 1)
        status = search_before(causing, finding, others, count, alone, found, error);
    cook_free(others);
    return status;
}

/* What the worker of the first pass had cooked before, and then everything else. */
static enum cook_status find_left(struct causing *causing, struct validate_finding *finding,
                                  struct cook_error *error)
{
    struct validate *validate = causing->validate;
    const struct validate_lane *lane = &validate->lanes[finding->lane];
    struct twice twice = { .causing = causing, .package = finding->package };
    bool found = false;
    enum cook_status status = cook_twice(&twice, error);
    if (status != COOK_OK || twice.count != 2 || !twice.prints[0].ok)
        return status;
    if (finding->position && finding->position <= MAX_BEFORE)
        status = search_before(causing, finding, lane->packages, finding->position,
                               &twice.prints[0], &found, error);
    if (status == COOK_OK && !found)
        status = search_others(causing, finding, &twice.prints[0], &found, error);
    if (status == COOK_OK && !found && twice.prints[1].ok &&
        determinism_differs(&causing->determinism, &twice.prints[0], &twice.prints[1]))
        blame_left(causing, finding, &finding->package, 1, true, false);
    return status;
}

/* ---- all findings ---- */

enum cook_status cause_find_cached(struct causing *causing, struct cook_error *error)
{
    const struct cook_state *state = causing->validate->run->state;
    size_t count = cause_select(causing, NULL, causing->list);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count && i < MAX_TWICE; i++) {
        struct validate_finding *finding = causing->list[i];
        struct twice twice = { .causing = causing, .package = finding->package };
        uint32_t deps[MAX_CACHED];
        status = cook_twice(&twice, error);
        if (status != COOK_OK || twice.count != 2 || !twice.prints[0].ok || !twice.prints[1].ok)
            continue;
        size_t lost =
            only_in(state, twice.prints[0].bundle, twice.prints[1].bundle, deps, MAX_CACHED);
        for (size_t k = 0; k < lost; k++)
            if (!holds(state, finding->kept.package.bundle, deps[k]))
                blame_cached(causing, finding, &twice, deps[k]);
    }
    return status;
}

enum cook_status cause_find_left(struct causing *causing, struct cook_error *error)
{
    struct validate *validate = causing->validate;
    enum cook_status status = COOK_OK;
    size_t searched = 0;
    for (size_t i = 0; status == COOK_OK && i < validate->finding_count; i++) {
        struct validate_finding *finding = validate->findings[i];
        /* What differs from itself would do so after any other package too. */
        if (finding->cause_count || finding->restless || searched++ >= MAX_SEARCHED)
            continue;
        status = find_left(causing, finding, error);
    }
    return status;
}
