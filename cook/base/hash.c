#include "cook/base/hash.h"

#include <string.h>

/* Header-only: the hash is on the hot path, and the library's own build flags do not matter. */
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(((struct cook_hasher *)NULL)->state),
               "the hasher must hold an XXH3 state");
_Static_assert(_Alignof(struct cook_hasher) >= _Alignof(XXH3_state_t),
               "the hasher must be aligned as an XXH3 state");

static struct cook_hash from_xxh(XXH128_hash_t hash)
{
    return (struct cook_hash){ .high = hash.high64, .low = hash.low64 };
}

struct cook_hash cook_hash_bytes(const void *bytes, size_t size)
{
    return from_xxh(XXH3_128bits(size ? bytes : "", size));
}

uint64_t cook_hash64(const void *bytes, size_t size)
{
    return XXH3_64bits(size ? bytes : "", size);
}

bool cook_hash_equal(struct cook_hash a, struct cook_hash b)
{
    return a.high == b.high && a.low == b.low;
}

bool cook_hash_is_zero(struct cook_hash hash)
{
    return hash.high == 0 && hash.low == 0;
}

int cook_hash_compare(struct cook_hash a, struct cook_hash b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    if (a.low != b.low)
        return a.low < b.low ? -1 : 1;
    return 0;
}

static void word_to_text(uint64_t word, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++)
        text[i] = digits[(word >> (60 - 4 * i)) & 15];
}

void cook_hash_to_text(struct cook_hash hash, char text[COOK_HASH_TEXT_SIZE])
{
    word_to_text(hash.high, text);
    word_to_text(hash.low, text + 16);
    text[32] = '\0';
}

static bool word_from_text(uint64_t *word, const char *text)
{
    uint64_t value = 0;
    for (int i = 0; i < 16; i++) {
        char c = text[i];
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = (unsigned)(c - 'A') + 10;
        else
            return false; /* also the NUL of a text that is too short */
        value = value << 4 | digit;
    }
    *word = value;
    return true;
}

bool cook_hash_from_text(struct cook_hash *hash, const char *text)
{
    struct cook_hash parsed;
    if (!word_from_text(&parsed.high, text) || !word_from_text(&parsed.low, text + 16))
        return false;
    if (text[32] != '\0')
        return false;
    *hash = parsed;
    return true;
}

static XXH3_state_t *state_of(struct cook_hasher *hasher)
{
    return (XXH3_state_t *)(void *)hasher->state;
}

void cook_hasher_init(struct cook_hasher *hasher)
{
    XXH3_128bits_reset(state_of(hasher));
}

void cook_hasher_update(struct cook_hasher *hasher, const void *bytes, size_t size)
{
    if (size)
        XXH3_128bits_update(state_of(hasher), bytes, size);
}

void cook_hasher_update_u64(struct cook_hasher *hasher, uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    cook_hasher_update(hasher, bytes, sizeof(bytes));
}

void cook_hasher_update_string(struct cook_hasher *hasher, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    cook_hasher_update_u64(hasher, length);
    cook_hasher_update(hasher, text, length);
}

struct cook_hash cook_hasher_digest(const struct cook_hasher *hasher)
{
    return from_xxh(XXH3_128bits_digest((const XXH3_state_t *)(const void *)hasher->state));
}
