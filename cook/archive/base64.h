/* Base64 (RFC 4648, standard alphabet, padded) of bytes properties and data URIs. */
#ifndef COOK_ARCHIVE_BASE64_H
#define COOK_ARCHIVE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode untrusted text; `out` holds at least length / 4 * 3 bytes. False when malformed. */
bool cook_base64_decode(uint8_t *out, size_t *size, const char *text, size_t length);

struct cook_arena;
/* Text of `size` bytes, in `arena`; NULL when memory is short. */
char *cook_base64_encode(struct cook_arena *arena, const uint8_t *bytes, size_t size);

#endif
