/*
 * The built-in readers: the native `.asset` format and the foreign formats that are cooked in
 * place. Each is a constant description (cook/reader.h); projects add theirs through plugins.
 * Thread-safe: nothing here has state.
 */
#ifndef COOK_READER_READERS_H
#define COOK_READER_READERS_H

#include <cook/reader.h>

extern const struct cook_reader cook_reader_asset; /* .asset */
extern const struct cook_reader cook_reader_png;   /* .png: one Texture2D */
extern const struct cook_reader cook_reader_jpeg;  /* .jpg .jpeg: one Texture2D */
extern const struct cook_reader cook_reader_tga;   /* .tga: one Texture2D */
extern const struct cook_reader
    cook_reader_gltf; /* .gltf .glb: World, meshes, materials, images */
extern const struct cook_reader cook_reader_glsl; /* .vert .frag .comp .glsl: one Shader */

/* All of them in a fixed order, NULL-terminated; the array lives as long as the process. */
const struct cook_reader *const *cook_builtin_readers(void);

#endif
