/*
 * A token map for a cooked package that comes without one (a staged file): made of what the
 * format itself says, that is the header, the tables row by row, and each object's data as one
 * token "Outer/Object:#data". So tables are aligned by meaning and an object that grew is one
 * difference, although its properties are not known.
 */
#ifndef DIFFCOOK_FILE_TOKENS_H
#define DIFFCOOK_FILE_TOKENS_H

#include "cook/archive/tokens.h"

/*
 * Fill an initialised map. The bytes are untrusted: COOK_E_MALFORMED where they are no cooked
 * package, COOK_E_NO_MEMORY.
 */
enum cook_status diff_file_tokens(struct cook_token_map *map, const uint8_t *bytes, size_t size,
                                  struct cook_error *error) COOK_CHECK_RESULT;

#endif
