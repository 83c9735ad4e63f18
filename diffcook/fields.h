/*
 * What standard classes wrote around a write: for printing textures, meshes and shaders by what they are.
 * Bytes and token maps are untrusted.
 */
#ifndef DIFFCOOK_FIELDS_H
#define DIFFCOOK_FIELDS_H

#include "diff.h"

/* Whether a token is the write of this property, indices as "[]", of an object: "Mips[].Data#bulk"; and lies
 * within the version, whose bytes it begins at `offset` of. */
bool diff_is_write(const struct diff_version *version, size_t token, uint64_t offset,
                   const char *property);
/* A 32-bit field, "BoundsMin.X", of the object that `path` ("Object:…") is of; false when it has none. */
bool diff_object_u32(uint32_t *value, const struct diff_version *version, const char *path,
                     const char *field);

#endif
