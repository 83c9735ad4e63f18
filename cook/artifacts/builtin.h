/*
 * The artifacts that come with Cookproof, by the interface that plugins use too.
 *
 * AssetRegistry.bin: what is in each cooked package, for the runtime. Little-endian:
 *
 *     header     u32 magic "CKAR", u32 version (1), u32 strings, u32 packages: how many
 *     strings    each u32 size + UTF-8 bytes; ascending by bytes, each once
 *     packages   ascending by name; strings by index:
 *                u32 name, u32 objects; per object, in source order:
 *                    u32 path inside the package, u32 class, u32 tags;
 *                    per tag: u32 key, u32 value
 *                u32 hard references, each u32 object path, ascending
 *                u32 soft references, alike
 *
 * Only tags that config [AssetRegistry] +Tag=GLOB lets through are in it.
 *
 * ShaderLibrary.bin: each distinct SPIR-V module once. Little-endian:
 *
 *     header     u32 magic "CKSL", u32 version (1), u32 modules, u32 packages: how many;
 *                u64 offset of the module bytes
 *     modules    ascending by hash: 16 bytes XXH3-128 (big-endian), u64 offset in the file,
 *                u64 size
 *     packages   ascending by name: u32 size + name, u32 shaders; per shader, in source order:
 *                u32 size + path inside the package, u32 stage, u32 index of its module
 *     bytes      the modules, each 16-byte aligned
 *
 * ChunkN.manifest: the files of chunk N, as text:
 *
 *     cookproof chunk N
 *     HASH SIZE PATH     per file, ascending by path: "Game/Props/Rock.cooked"
 */
#ifndef COOK_ARTIFACTS_BUILTIN_H
#define COOK_ARTIFACTS_BUILTIN_H

#include <cook/artifact.h>

#include "cook/artifacts/part_map.h"
#include "cook/store/details.h"

#define COOK_CHUNK_ARTIFACT        "Chunks"
#define COOK_CHUNK_HEAD            "cookproof chunk " /* then its number */
#define COOK_ASSET_REGISTRY_MAGIC  0x52414b43u        /* "CKAR" */
#define COOK_SHADER_LIBRARY_MAGIC  0x4c534b43u        /* "CKSL" */
#define COOK_ARTIFACT_FILE_VERSION 1u                 /* of both */

extern const struct cook_artifact cook_asset_registry_artifact;
extern const struct cook_artifact cook_shader_library_artifact;
extern const struct cook_artifact cook_chunk_artifact;
/* All three, ended by NULL. */
const struct cook_artifact *const *cook_builtin_artifacts(void);

/* The part that the plan makes for the chunk manifests. `chunks` ascending. */
struct cook_chunk_part {
    const uint32_t *chunks;
    size_t chunk_count;
    struct cook_hash bytes;
    uint64_t size_bytes;
    const struct cook_details *details;
};
void cook_chunk_part_encode(const struct cook_chunk_part *part, struct cook_buf *out);

#endif
