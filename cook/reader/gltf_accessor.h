/*
 * Reading accessors: typed, strided, normalised and sparse elements as plain arrays. The parser
 * has checked ranges against the declared sizes; here the buffers must be there. Values are
 * untrusted. Thread-safe over a finished document.
 */
#ifndef COOK_READER_GLTF_ACCESSOR_H
#define COOK_READER_GLTF_ACCESSOR_H

#include "cook/reader/gltf.h"

/*
 * Read all components of a vector or scalar accessor as `count * width` floats, in the arena.
 * COOK_E_MALFORMED for a value that is not finite, for sparse indices that do not ascend, and
 * for a buffer without data; COOK_E_NO_MEMORY.
 */
enum cook_status cook_gltf_read_floats(float **out, const struct cook_gltf *doc,
                                       uint32_t accessor, struct cook_arena *arena,
                                       struct cook_error *error) COOK_CHECK_RESULT;

/*
 * Read a scalar accessor of unsigned integers as `count` vertex indices, each below `limit`, in
 * the arena. Statuses as above, COOK_E_MALFORMED for a larger index.
 */
enum cook_status cook_gltf_read_indices(uint32_t **out, const struct cook_gltf *doc,
                                        uint32_t accessor, uint32_t limit,
                                        struct cook_arena *arena,
                                        struct cook_error *error) COOK_CHECK_RESULT;

/* The bytes of a whole view, borrowed; NULL when its buffer has no data. */
const uint8_t *cook_gltf_view_bytes(const struct cook_gltf *doc, uint32_t view, size_t *size);

#endif
