/* Changing one member of an asset's text, and leaving every other byte as it was. */
#ifndef COOK_READER_ASSET_EDIT_H
#define COOK_READER_ASSET_EDIT_H

#include "cook/base/buf.h"
#include "cook/base/error.h"

/*
 * Replace the value of a member of the top object of a JSON text by `value` (JSON text; "" removes the
 * member); where there is none it is added at the end. The result is appended to `out`. Untrusted:
 * COOK_E_MALFORMED where the text is no JSON object, COOK_E_NO_MEMORY.
 */
enum cook_status cook_asset_set_member(struct cook_buf *out, const char *text, size_t size,
                                       const char *member, const char *value,
                                       struct cook_error *error) COOK_CHECK_RESULT;

#endif
