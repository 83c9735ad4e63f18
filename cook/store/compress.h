/*
 * The one adapter over zstd: blobs are kept compressed where that saves enough. A compressor
 * holds its work memory; one thread uses it at a time.
 */
#ifndef COOK_STORE_COMPRESS_H
#define COOK_STORE_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"

struct cook_compressor;

struct cook_compressor *cook_compressor_create(void); /* NULL when memory is short */
void cook_compressor_destroy(struct cook_compressor *compressor); /* NULL allowed */
/*
 * Compress, when more than a tenth is saved. Returns the size and sets `*out`, borrowed until
 * the next call; or 0, when the bytes are better kept as they are (also when memory is short).
 */
size_t cook_compress(const uint8_t **out, struct cook_compressor *compressor, const void *bytes,
                     size_t size);
/* Decompress untrusted bytes to exactly `out_size` bytes; COOK_E_DAMAGED for anything else. */
enum cook_status cook_decompress(void *out, size_t out_size, const void *bytes, size_t size,
                                 struct cook_error *error) COOK_CHECK_RESULT;

#endif
