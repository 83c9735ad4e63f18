/*
 * What a perturbation that makes results differ says about their cause, for findings of a
 * validation and of a determinism check alike.
 */
#ifndef VALIDATE_NOISE_H
#define VALIDATE_NOISE_H

#include "cook/archive/tokens.h"
#include "validate/causes.h"
#include "validate/determinism.h"

struct validate_noise {
    uint32_t bits; /* perturbations that show it */
    enum validate_cause_kind kind;
    const char *what;
    const char *fix;
};
#define VALIDATE_MAX_NOISES 24

/*
 * The causes that guilty perturbations stand for, best evidence first; the number. `reordered`:
 * the same is written in another order. `dependencies`: other dependencies are recorded too.
 */
size_t validate_noises(const struct validate_noise *out[VALIDATE_MAX_NOISES], uint32_t guilty,
                       bool reordered, bool dependencies);

/* The same for a finding of a determinism check. */
size_t determinism_noises(const struct validate_noise *out[VALIDATE_MAX_NOISES],
                          const struct determinism_finding *finding);

/* Whether two versions are the same writes in another order, or one write of the same bytes in
 * another order. False when memory is short. */
bool validate_same_writes(const uint8_t *old, size_t old_size,
                          const struct cook_token_map *old_tokens, const uint8_t *new,
                          size_t new_size, const struct cook_token_map *new_tokens);

#endif
