/* Recooks under perturbations, before the verdict: what they show is unstable. */
#include <string.h>

#include "validate/determinism.h"
#include "validate/noise.h"
#include "validate/validate.h"

#define MAX_SHAKEN     1000         /* packages */
#define MAX_HELD_BYTES (256u << 20) /* of unperturbed results, to compare with */

/* What a package may declare as its input: the machine around it. */
#define MACHINE                                                                                \
    (DETERMINISM_BIT(TIMEZONE) | DETERMINISM_BIT(LOCALE) | DETERMINISM_BIT(ENVIRONMENT) |      \
     DETERMINISM_BIT(HOST) | DETERMINISM_BIT(UMASK) | DETERMINISM_BIT(PROCESSORS) |            \
     DETERMINISM_BIT(FOLDER) | DETERMINISM_BIT(PROJECT))

struct held {
    uint8_t *bytes;
    size_t size;
    struct cook_token_map tokens;
};

struct shaking {
    struct validate *validate;
    struct determinism_subject *subjects;
    struct held *held; /* by subject */
    size_t held_bytes;
};

static struct validate_finding *finding_of(const struct validate *validate, uint32_t package)
{
    for (size_t i = 0; i < validate->finding_count; i++)
        if (validate->findings[i]->package == package)
            return validate->findings[i];
    return NULL;
}

static enum cook_status hold(void *user, struct determinism_subject *subject,
                             const struct cook_result *result, struct cook_error *error)
{
    struct shaking *shaking = user;
    struct held *held = &shaking->held[subject - shaking->subjects];
    if (held->bytes || shaking->held_bytes + result->size > MAX_HELD_BYTES)
        return COOK_OK;
    held->bytes = cook_malloc(result->size + 1);
    if (!held->bytes)
        return cook_error_no_memory(error);
    if (result->size)
        memcpy(held->bytes, result->bytes, result->size);
    held->size = result->size;
    shaking->held_bytes += result->size;
    return cook_token_map_decode(&held->tokens, result->tokens, result->tokens_size, error);
}

/* ---- a recook that differs ---- */

static bool differs_in(const struct validate_finding *finding, const char *property)
{
    for (uint32_t i = 0; i < finding->diff.count; i++)
        if (finding->diff.differences[i].consequence_of < 0 &&
            strcmp(finding->diff.differences[i].property_normalized, property) == 0)
            return true;
    return false;
}

static enum cook_status note(struct validate_finding *finding, const struct diff_result *diff,
                             uint32_t set, struct cook_error *error)
{
    bool machine = (set & MACHINE) != 0;
    for (uint32_t i = 0; i < diff->count; i++) {
        const char *property = diff->differences[i].property_normalized;
        if (diff->differences[i].consequence_of < 0 && machine && differs_in(finding, property))
            finding->machine |= set;
        if (!machine && cook_intern_add(&finding->unstable, property) == COOK_INTERN_NONE)
            return cook_error_no_memory(error);
    }
    if (machine)
        return COOK_OK;
    finding->noise |= set;
    finding->restless |= set == 0;
    finding->recooks_differ |= diff->count != 0;
    return COOK_OK;
}

static enum cook_status compare(void *user, struct determinism_subject *subject, uint32_t set,
                                const struct cook_result *result, struct cook_error *error)
{
    struct shaking *shaking = user;
    const struct held *held = &shaking->held[subject - shaking->subjects];
    struct validate_finding *finding = finding_of(shaking->validate, subject->package);
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_token_map tokens;
    struct diff_result diff = { 0 };
    struct diff_options options = DIFF_OPTIONS_INIT;
    if (!finding || !held->bytes)
        return COOK_OK;
    cook_token_map_init(&tokens);
    enum cook_status status =
        cook_token_map_decode(&tokens, result->tokens, result->tokens_size, error);
    struct diff_version old = { .bytes = held->bytes,
                                .size = held->size,
                                .tokens = &held->tokens };
    struct diff_version new = { .bytes = result->bytes,
                                .size = result->size,
                                .tokens = &tokens };
    if (status == COOK_OK)
        status = diff_compare(&diff, &old, &new, &options, &arena, error);
    if (status == COOK_OK && diff.count)
        finding->reordered |= validate_same_writes(held->bytes, held->size, &held->tokens,
                                                   result->bytes, result->size, &tokens);
    if (status == COOK_OK)
        status = note(finding, &diff, set, error);
    cook_token_map_finish(&tokens);
    cook_arena_finish(&arena);
    return status;
}

/* ---- all findings ---- */

static enum cook_status shake(struct shaking *shaking, struct determinism *determinism,
                              size_t count, struct cook_error *error)
{
    uint32_t set =
        determinism_on(determinism) & ~(DETERMINISM_ORDERS | DETERMINISM_BIT(WORKERS));
    struct determinism_watch watch = { hold, compare, shaking };
    enum cook_status status =
        determinism_sift(determinism, shaking->subjects, &count, set, error);
    for (size_t i = 0; i < count; i++)
        shaking->subjects[i].candidates = set;
    if (status == COOK_OK)
        status = determinism_try(determinism, shaking->subjects, count, &watch, error);
    return status;
}

enum cook_status validate_shake(struct validate *validate, struct cook_error *error)
{
    struct shaking shaking = { .validate = validate };
    struct determinism determinism = { 0 };
    size_t count = validate->finding_count < MAX_SHAKEN ? validate->finding_count : MAX_SHAKEN;
    if (!count)
        return COOK_OK;
    shaking.subjects = cook_calloc(count, sizeof(*shaking.subjects));
    shaking.held = cook_calloc(count, sizeof(*shaking.held));
    enum cook_status status =
        shaking.subjects && shaking.held ? COOK_OK : cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        shaking.subjects[i].package = validate->findings[i]->package;
        cook_token_map_init(&shaking.held[i].tokens);
    }
    determinism_prepare(&determinism, validate->run);
    determinism.tolerant = true;
    if (status == COOK_OK)
        status = shake(&shaking, &determinism, count, error);
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++)
        if (determinism.unstarted & (1u << i))
            cook_run_warn(validate->run, "no worker starts under \"%s\" (%s): not tried",
                          determinism_vary_text((enum determinism_vary)i),
                          determinism_vary_does((enum determinism_vary)i));
    for (size_t i = 0; shaking.held && i < count; i++) {
        cook_free(shaking.held[i].bytes);
        cook_token_map_finish(&shaking.held[i].tokens);
    }
    determinism_finish(&determinism);
    cook_free(shaking.subjects);
    cook_free(shaking.held);
    return status;
}
