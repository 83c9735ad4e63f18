/*
 * The plain (uncompressed) form of an encoded token map, apart from tokens.c so that tests and
 * fuzzers can reach it without a valid zstd frame around it.
 *
 *     varint path count; per path: varint bytes shared with the path before, varint size + the
 *                        rest of the text, u8 type
 *     varint key count;  per key: varint size + text
 *     varint token count, then three columns, each as varint size + bytes:
 *       paths    per token: zigzag(path - previous path) * 2 + (a size follows in the next
 * column) sizes    where not as the path's token before (at first: as the type's fixed size)
 *       indices  per "[]" of the path: zigzag(value - the same of the path's token before)
 *
 * Columns of like values compress far better than tokens one after another.
 */
#ifndef COOK_ARCHIVE_TOKEN_CODEC_H
#define COOK_ARCHIVE_TOKEN_CODEC_H

#include "cook/archive/tokens.h"

#define COOK_TOKEN_LIMIT       ((size_t)1 << 26)
#define COOK_TOKEN_DEPTH_LIMIT UINT8_MAX

/* The number of "[]" in a normalised path; beyond COOK_TOKEN_DEPTH_LIMIT it cannot be added. */
size_t cook_token_codec_depth(const char *path);

/* Append the plain form; `out->failed` when memory is short. */
void cook_token_codec_pack(const struct cook_token_map *map, struct cook_buf *out);
/*
 * Read the plain form into an initialised, empty map. The bytes are untrusted:
 * COOK_E_MALFORMED, COOK_E_LIMIT (more than COOK_TOKEN_LIMIT tokens) or COOK_E_NO_MEMORY.
 */
enum cook_status cook_token_codec_unpack(struct cook_token_map *map, const void *bytes,
                                         size_t size,
                                         struct cook_error *error) COOK_CHECK_RESULT;

#endif
