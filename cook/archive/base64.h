/* Base64 (RFC 4648, standard alphabet, padded) of bytes properties and data URIs. */
#ifndef COOK_ARCHIVE_BASE64_H
#define COOK_ARCHIVE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode untrusted text; `out` holds at least length / 4 * 3 bytes. False when malformed. */
bool cook_base64_decode(uint8_t *out, size_t *size, const char *text, size_t length);

#endif
