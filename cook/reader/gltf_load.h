/*
 * Loading a checked glTF document into objects. Private to cook/reader.
 */
#ifndef COOK_READER_GLTF_LOAD_H
#define COOK_READER_GLTF_LOAD_H

#include <cook/context.h>
#include <cook/reader.h>

#include "cook/reader/gltf.h"

struct cook_gltf_load {
    struct cook_context *context;
    struct cook_loader *loader;
    const struct cook_source *source;
    struct cook_gltf *doc;
    struct cook_arena *arena; /* ends with the load */
};

/*
 * Read or decode the buffers that meshes and embedded images use; others are no input of the
 * package. Faults are logged.
 */
enum cook_status cook_gltf_load_buffers(const struct cook_gltf_load *load) COOK_CHECK_RESULT;

/* Create and fill the objects in the document's order. Faults are logged. */
enum cook_status cook_gltf_load_objects(const struct cook_gltf_load *load) COOK_CHECK_RESULT;

/* Make and fill one StaticMesh. */
enum cook_status cook_gltf_load_mesh(const struct cook_gltf_load *load,
                                     const struct cook_gltf_object *object) COOK_CHECK_RESULT;

/* A reference to an object of this package, or null for a NULL name. */
struct cook_ref cook_gltf_inner_ref(const struct cook_gltf_load *load, const char *name);

/* Log a fault without memory or line as it is due; returns the status to return. */
enum cook_status cook_gltf_load_fault(const struct cook_gltf_load *load, uint32_t line,
                                      enum cook_status status, const struct cook_error *error);

#endif
