/*
 * Content hashes: XXH3-128 (seed 0) in canonical byte order. Only hash.c sees xxHash. Not
 * cryptographic: it guards against accidents, never against an adversary.
 */
#ifndef COOK_BASE_HASH_H
#define COOK_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cook_hash {
    uint64_t high;
    uint64_t low;
};

#define COOK_HASH_TEXT_SIZE 33 /* 32 lower-case hex digits and the NUL */

struct cook_hash cook_hash_bytes(const void *bytes, size_t size);
uint64_t cook_hash64(const void *bytes, size_t size); /* for hash tables, never stored */
bool cook_hash_equal(struct cook_hash a, struct cook_hash b);
bool cook_hash_is_zero(struct cook_hash hash); /* the reserved "absent" value */
int cook_hash_compare(struct cook_hash a, struct cook_hash b); /* -1, 0, 1 */
void cook_hash_to_text(struct cook_hash hash, char text[COOK_HASH_TEXT_SIZE]);
bool cook_hash_from_text(struct cook_hash *hash, const char *text); /* exactly 32 hex digits */

/* Streaming: init, update any number of times, digest. Owns no memory. */
struct cook_hasher {
    _Alignas(64) unsigned char state[640];
};
void cook_hasher_init(struct cook_hasher *hasher);
void cook_hasher_update(struct cook_hasher *hasher, const void *bytes, size_t size);
void cook_hasher_update_u64(struct cook_hasher *hasher, uint64_t value);
void cook_hasher_update_string(struct cook_hasher *hasher, const char *text); /* with its length */
struct cook_hash cook_hasher_digest(const struct cook_hasher *hasher);

#endif
