/*
 * The details of a kept result: what its cook made beside the cooked bytes. Kept in the state's
 * pool, where the null path never looks; the bytes themselves are blobs of the store.
 *
 *     details   varint count of additional files; per file: name, hash, varint size in bytes;
 *               hash of the parts blob (zero: none). Nothing at all is the empty blob.
 *     parts     varint count; per part: artifact name, bytes; ascending by name
 */
#ifndef COOK_STORE_DETAILS_H
#define COOK_STORE_DETAILS_H

#include "cook/base/buf.h"
#include "cook/store/state.h"

struct cook_details_file {
    const char *name; /* relative, as the class gave it: "bank.bnk", "streams/7.wem" */
    struct cook_hash hash;
    uint64_t size_bytes;
};
struct cook_details {
    struct cook_details_file *files; /* ascending by name, in the arena */
    size_t file_count;
    struct cook_hash parts;
};

/* Append the encoding; nothing for empty details. */
void cook_details_encode(const struct cook_details *details, struct cook_buf *out);
/* Decode bytes of the pool. COOK_E_MALFORMED, COOK_E_NO_MEMORY. */
enum cook_status cook_details_decode(struct cook_details *details, const void *bytes,
                                     size_t size, struct cook_arena *arena) COOK_CHECK_RESULT;
/* Those of a package's kept result. */
enum cook_status cook_details_of(struct cook_details *details, const struct cook_state *state,
                                 uint32_t package, struct cook_arena *arena) COOK_CHECK_RESULT;

/* One artifact's part in a parts blob, borrowed; NULL and size 0 when it holds none. */
const uint8_t *cook_parts_find(const void *parts, size_t parts_size, const char *artifact,
                               size_t *size);

#endif
