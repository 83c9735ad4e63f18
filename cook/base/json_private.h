/* What the files of the JSON parser share. */
#ifndef COOK_BASE_JSON_PRIVATE_H
#define COOK_BASE_JSON_PRIVATE_H

#include "cook/base/json.h"

static inline bool cook_json_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
/* Length of the leading run that needs neither decoding nor checks, as most strings do from end to end. */
size_t cook_json_plain_length(const char *text, size_t size);
/*
 * Decode what stands between the quotes into `out` of `size` + 1 bytes (an escape is never shorter than
 * its text), with a NUL behind it. NULL, or a static text: what is wrong. Untrusted text.
 */
const char *cook_json_unescape(char *out, size_t *length, const char *text, size_t size);

#endif
