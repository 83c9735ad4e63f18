/*
 * Trying perturbations on several packages at once: all are cooked in one worker, in the same
 * order each time, so that what one leaves behind for the next is the same and only the
 * perturbation differs.
 */
#include <string.h>

#include "validate/determinism.h"

struct trying {
    struct determinism *determinism;
    struct determinism_subject *subjects;
    size_t count;
    const struct determinism_watch *watch;
    struct determinism_print *prints; /* of the session at hand, by subject */
    bool reference;                   /* the session is the reference */
    uint32_t set;
    bool telling; /* differences are told to the watch */
    bool lost;    /* no worker started in the session at hand */
};

/* A plugin may not load among the things that a perturbation changes. */
static bool is_lost(const struct trying *trying, enum cook_status status)
{
    return trying->determinism->tolerant && trying->set &&
           (status == COOK_E_CRASHED || status == COOK_E_TIMEOUT || status == COOK_E_CONFIG ||
            status == COOK_E_FAILED || status == COOK_E_PROTOCOL);
}

static struct determinism_subject *find(const struct trying *trying, uint32_t package)
{
    for (size_t i = 0; i < trying->count; i++)
        if (trying->subjects[i].package == package)
            return &trying->subjects[i];
    return NULL;
}

bool determinism_differs(const struct determinism *determinism,
                         const struct determinism_print *a, const struct determinism_print *b)
{
    bool declared;
    return determinism_compare(determinism, a, b, &declared) != 0;
}

static enum cook_status take(void *user, uint32_t package, const struct cook_result *result,
                             const struct determinism_print *print, const char *reason,
                             struct cook_error *error)
{
    struct trying *trying = user;
    struct determinism_subject *subject = find(trying, package);
    const struct determinism_watch *watch = trying->watch;
    (void)reason;
    if (!subject)
        return COOK_OK;
    trying->prints[subject - trying->subjects] = *print;
    if (trying->reference) {
        subject->reference = *print;
        return watch && watch->on_reference && print->ok
                   ? watch->on_reference(watch->user, subject, result, error)
                   : COOK_OK;
    }
    /* What differs from itself says nothing about a perturbation. */
    if (!trying->telling || !watch || !print->ok || subject->unstable ||
        (subject->walks && (trying->set & DETERMINISM_TOLD)) ||
        !determinism_differs(trying->determinism, &subject->reference, print))
        return COOK_OK;
    return watch->on_difference(watch->user, subject, trying->set, result, error);
}

static enum cook_status cook_session(struct trying *trying, uint32_t set,
                                     struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct determinism_round round = {
        .set = set, .count = trying->count, .on_result = take, .user = trying
    };
    uint32_t *packages = cook_arena_alloc(&arena, (trying->count + 1) * sizeof(*packages));
    enum cook_status status = packages ? COOK_OK : cook_error_no_memory(error);
    for (size_t i = 0; packages && i < trying->count; i++)
        packages[i] = trying->subjects[i].package;
    round.packages = packages;
    trying->set = set;
    memset(trying->prints, 0, trying->count * sizeof(*trying->prints));
    trying->lost = false;
    if (status == COOK_OK)
        status = determinism_cook(trying->determinism, &round, error);
    if (is_lost(trying, status)) {
        trying->lost = true;
        status = COOK_OK;
    }
    cook_arena_finish(&arena);
    return status;
}

/* As it was, twice: what differs then needs no perturbation. */
static enum cook_status try_still(struct trying *trying, struct cook_error *error)
{
    trying->reference = true;
    enum cook_status status = cook_session(trying, 0, error);
    trying->reference = false;
    trying->telling = true;
    if (status == COOK_OK)
        status = cook_session(trying, 0, error);
    trying->telling = false;
    for (size_t i = 0; status == COOK_OK && i < trying->count; i++)
        trying->subjects[i].unstable = determinism_differs(
            trying->determinism, &trying->subjects[i].reference, &trying->prints[i]);
    return status;
}

/* Who walks through the environment finds what perturbations are told there. */
static enum cook_status try_control(struct trying *trying, uint32_t candidates,
                                    struct cook_error *error)
{
    if (!(candidates & DETERMINISM_TOLD))
        return COOK_OK;
    enum cook_status status = cook_session(trying, DETERMINISM_CONTROL, error);
    for (size_t i = 0; status == COOK_OK && !trying->lost && i < trying->count; i++) {
        struct determinism_subject *subject = &trying->subjects[i];
        subject->walks =
            !subject->unstable &&
            determinism_differs(trying->determinism, &subject->reference, &trying->prints[i]);
        if (subject->walks)
            subject->candidates &= ~DETERMINISM_TOLD;
    }
    return status;
}

static enum cook_status try_each(struct trying *trying, struct cook_error *error)
{
    uint32_t all = 0;
    for (size_t i = 0; i < trying->count; i++)
        all |= trying->subjects[i].unstable ? 0 : trying->subjects[i].candidates;
    enum cook_status status = try_control(trying, all, error);
    trying->telling = true;
    for (unsigned vary = 0; status == COOK_OK && vary < DETERMINISM_VARY_COUNT; vary++) {
        if (!(all & (1u << vary)))
            continue;
        status = cook_session(trying, 1u << vary, error);
        if (trying->lost)
            trying->determinism->unstarted |= 1u << vary;
        for (size_t i = 0; status == COOK_OK && !trying->lost && i < trying->count; i++) {
            struct determinism_subject *subject = &trying->subjects[i];
            if (!subject->unstable && (subject->candidates & (1u << vary)) &&
                determinism_differs(trying->determinism, &subject->reference,
                                    &trying->prints[i]))
                subject->guilty |= 1u << vary;
        }
    }
    trying->telling = false;
    return status;
}

enum cook_status determinism_try(struct determinism *determinism,
                                 struct determinism_subject *subjects, size_t count,
                                 const struct determinism_watch *watch,
                                 struct cook_error *error)
{
    struct trying trying = {
        .determinism = determinism, .subjects = subjects, .count = count, .watch = watch
    };
    if (!count)
        return COOK_OK;
    trying.prints = cook_calloc(count, sizeof(*trying.prints));
    enum cook_status status = trying.prints ? COOK_OK : cook_error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        subjects[i].unstable = subjects[i].walks = false;
        subjects[i].guilty = 0;
    }
    if (status == COOK_OK)
        status = try_still(&trying, error);
    if (status == COOK_OK)
        status = try_each(&trying, error);
    cook_free(trying.prints);
    return status;
}

/* Most of many packages do not mind: one session under everything at once finds those that do.
 */
enum cook_status determinism_sift(struct determinism *determinism,
                                  struct determinism_subject *subjects, size_t *count,
                                  uint32_t set, struct cook_error *error)
{
    struct trying trying = { .determinism = determinism,
                             .subjects = subjects,
                             .count = *count };
    size_t kept = 0;
    if (!*count)
        return COOK_OK;
    trying.prints = cook_calloc(*count, sizeof(*trying.prints));
    enum cook_status status = trying.prints ? COOK_OK : cook_error_no_memory(error);
    if (status == COOK_OK)
        status = try_still(&trying, error);
    if (status == COOK_OK)
        status = cook_session(&trying, set, error);
    for (size_t i = 0; status == COOK_OK && i < *count; i++)
        if (subjects[i].unstable || trying.lost ||
            determinism_differs(determinism, &subjects[i].reference, &trying.prints[i]))
            subjects[kept++] = subjects[i];
    *count = kept;
    cook_free(trying.prints);
    return status;
}
