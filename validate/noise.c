#include "validate/noise.h"

#include <stdlib.h>
#include <string.h>

#define BIT DETERMINISM_BIT

static const struct validate_noise noises[] = {
    { BIT(HEAP), VALIDATE_CAUSE_UNINITIALISED_MEMORY,
      "memory that nobody wrote is part of the result",
      "set the memory to zero (padding too) before it is written out" },
    { BIT(ASLR) | BIT(REUSE), VALIDATE_CAUSE_MEMORY_ADDRESS,
      "an address in memory is part of the result",
      "write what the pointer stands for, not the pointer" },
    { BIT(CLOCK), VALIDATE_CAUSE_TIME, "the time of day is part of the result",
      "leave the time out of the bytes, or take it from a declared input" },
    { BIT(SEED), VALIDATE_CAUSE_RANDOM, "random bytes are part of the result",
      "seed the generator from the package: its name, or a property" },
    { BIT(PROCESS), VALIDATE_CAUSE_PROCESS_ID, "the id of the process is part of the result",
      "leave the process id out of the bytes" },
    { BIT(DIRECTORY), VALIDATE_CAUSE_DIRECTORY_ORDER,
      "the order in which a folder is listed shapes the result",
      "list it with cook_list_folder(context, …), which sorts and declares it" },
    { BIT(TIMING), VALIDATE_CAUSE_THREAD_TIMING,
      "the order in which threads come to an end shapes the result",
      "give each job its own place in the result, and put them together in a fixed order" },
    { BIT(TIMEZONE), VALIDATE_CAUSE_TIME_ZONE, "the time zone shapes the result",
      "use gmtime_r() instead of localtime_r()" },
    { BIT(LOCALE), VALIDATE_CAUSE_LOCALE, "the locale shapes the result",
      "use functions that do not look at the locale" },
    { BIT(ENVIRONMENT), VALIDATE_CAUSE_ENVIRONMENT, "an environment variable shapes the result",
      "read it with cook_environment(context, NAME)" },
    { BIT(HOST), VALIDATE_CAUSE_HOST, "the host's name shapes the result",
      "leave the host's name out of the result" },
    { BIT(UMASK), VALIDATE_CAUSE_UMASK, "the umask shapes the result",
      "leave file modes out of the result" },
    { BIT(PROCESSORS), VALIDATE_CAUSE_PROCESSORS, "the number of processors shapes the result",
      "cut work by its size, not by the number of processors" },
    { BIT(PROJECT) | BIT(FOLDER), VALIDATE_CAUSE_ABSOLUTE_PATH,
      "the folder that the project lies in shapes the result",
      "write paths relative to the project: cook_source_path(context)" },
    { DETERMINISM_ORDERS | BIT(WORKERS), VALIDATE_CAUSE_LEFT_STATE,
      "what was cooked before in the same process shapes the result",
      "keep what belongs to a package in its objects, not in a static variable or a "
      "singleton" },
};

static const struct validate_noise unordered = {
    BIT(ASLR) | BIT(REUSE), VALIDATE_CAUSE_UNORDERED_CONTAINER,
    "the same is written in another order: a container that goes by addresses",
    "sort before writing, by something that the source says"
};

static const struct validate_noise cached = {
    DETERMINISM_ORDERS | BIT(WORKERS), VALIDATE_CAUSE_STATIC_CACHE,
    "a value is read once and kept for all packages of a process",
    "read it for each package, and keep nothing of it in a static variable"
};

size_t validate_noises(const struct validate_noise *out[VALIDATE_MAX_NOISES], uint32_t guilty,
                       bool reordered, bool dependencies)
{
    size_t count = 0;
    /* Memory that nobody wrote may hold anything, and whatever allocates moves addresses: one
     * cause for all of these. */
    if (guilty & BIT(HEAP))
        guilty = BIT(HEAP);
    else if (guilty & BIT(ASLR))
        guilty &= BIT(ASLR) | BIT(REUSE) | BIT(CLOCK) | BIT(SEED) | BIT(PROCESS) | BIT(TIMING) |
                  DETERMINISM_ORDERS;
    for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++) {
        if (!(guilty & noises[i].bits))
            continue;
        bool by_address = noises[i].kind == VALIDATE_CAUSE_MEMORY_ADDRESS && reordered;
        bool by_cache = noises[i].kind == VALIDATE_CAUSE_LEFT_STATE && dependencies;
        out[count++] = by_address ? &unordered : by_cache ? &cached : &noises[i];
    }
    return count;
}

size_t determinism_noises(const struct validate_noise *out[VALIDATE_MAX_NOISES],
                          const struct determinism_finding *finding)
{
    return validate_noises(out, finding->guilty, finding->reordered, finding->cached != NULL);
}

/* ---- the same writes in another order ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* A hash per write of its path without indices and its bytes, sorted. `loose`: of a long write
 * only which bytes it holds, since a container may be written as a whole. */
static uint64_t *writes_of(const uint8_t *bytes, size_t size, const struct cook_token_map *map,
                           bool loose)
{
    uint64_t *hashes = cook_malloc((map->count + 1) * sizeof(*hashes));
    size_t offset = 0;
    for (size_t i = 0; hashes && i < map->count; i++) {
        const struct cook_token *token = &map->tokens[i];
        if (token->size > size - offset) {
            cook_free(hashes);
            return NULL;
        }
        const char *path = cook_intern_text(&map->paths, token->path);
        hashes[i] = cook_hash64(path, strlen(path)) * UINT64_C(0x9e3779b97f4a7c15);
        if (loose && token->size > 8) {
            for (size_t k = 0; k < token->size; k++)
                hashes[i] += cook_hash64(bytes + offset + k, 1);
        } else {
            hashes[i] += cook_hash64(bytes + offset, token->size);
        }
        offset += token->size;
    }
    if (hashes)
        qsort(hashes, map->count, sizeof(*hashes), compare_numbers);
    return hashes;
}

bool validate_same_writes(const uint8_t *old, size_t old_size,
                          const struct cook_token_map *old_tokens, const uint8_t *new,
                          size_t new_size, const struct cook_token_map *new_tokens)
{
    bool same = false;
    if (old_size != new_size || old_tokens->count != new_tokens->count || !old_tokens->count)
        return false;
    for (unsigned loose = 0; !same && loose < 2; loose++) {
        uint64_t *a = writes_of(old, old_size, old_tokens, loose);
        uint64_t *b = writes_of(new, new_size, new_tokens, loose);
        same = a && b && memcmp(a, b, new_tokens->count * sizeof(*a)) == 0;
        cook_free(a);
        cook_free(b);
    }
    return same;
}
