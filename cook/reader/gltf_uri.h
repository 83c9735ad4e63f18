/*
 * URIs in glTF files: data embedded in the document, and files beside it. All text is
 * untrusted. Thread-safe.
 */
#ifndef COOK_READER_GLTF_URI_H
#define COOK_READER_GLTF_URI_H

#include <stdbool.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

bool cook_gltf_is_data_uri(const char *uri);

/*
 * Decode a base64 data: URI (RFC 2397) into the arena. COOK_E_MALFORMED, COOK_E_UNSUPPORTED for
 * another encoding, COOK_E_NO_MEMORY. `*bytes` is not NULL on success, also when empty.
 */
enum cook_status cook_gltf_decode_data_uri(uint8_t **bytes, size_t *size, const char *uri,
                                           struct cook_arena *arena,
                                           struct cook_error *error) COOK_CHECK_RESULT;

/*
 * The package of the file that a relative URI of `package` means: "../b%20c.png" of
 * "/Game/A/x.gltf" gives "/Game/b c.png", in the arena. Package names mirror folders, so it
 * needs no disk. NULL for another scheme, a bad escape, an absolute path, a path that leaves
 * the content root, or when memory is short.
 */
const char *cook_gltf_uri_package(struct cook_arena *arena, const char *package,
                                  const char *uri);

/*
 * The same URI as a path for cook_read_file, relative to the source file's folder:
 * "./rock.bin". NULL as above (but ".." may leave the content root: cook_read_file guards the
 * project's).
 */
const char *cook_gltf_uri_file(struct cook_arena *arena, const char *uri);

#endif
