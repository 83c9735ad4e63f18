/*
 * Write maps: a token map with the callstack of each write. It stands wherever a token map does, and
 * cook_token_map_decode() reads the token map in it; so whatever keeps, copies or collects token maps
 * does so with write maps too. The ids are of stacks in the same store (store/stacks.h).
 *
 *     u8 2, varint size + the token map as it is encoded alone,
 *     a zstd frame of: varint token count; runs of equal ids: varint length, zigzag(id - the id before)
 */
#ifndef COOK_ARCHIVE_WRITE_MAP_H
#define COOK_ARCHIVE_WRITE_MAP_H

#include "cook/archive/tokens.h"

#define COOK_WRITE_MAP_VERSION 2 /* the first byte, where a token map has another */

/* Append the write map of an encoded token map; `out->failed` when memory is short. */
void cook_write_map_encode(struct cook_buf *out, const void *tokens, size_t tokens_size,
                           const uint32_t *stacks, size_t count);
/* The token map within, borrowed from `bytes`: these themselves when it is no write map. False when it
 * is malformed. */
bool cook_write_map_tokens(const uint8_t **tokens, size_t *tokens_size, const void *bytes,
                           size_t size);
/*
 * The stack of each token, owned by the caller (cook_free); NULL and 0 for a plain token map. Untrusted:
 * COOK_E_MALFORMED, COOK_E_LIMIT, COOK_E_NO_MEMORY.
 */
enum cook_status cook_write_map_stacks(uint32_t **stacks, size_t *count, const void *bytes,
                                       size_t size, struct cook_error *error) COOK_CHECK_RESULT;

#endif
