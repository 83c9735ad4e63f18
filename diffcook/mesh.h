/*
 * Cooked meshes, compared as shapes: the vertices of the standard StaticMesh (cook/classes/mesh.h) are read
 * back to positions on both sides, which tells how far they moved instead of how many bytes differ. Bytes
 * are untrusted.
 */
#ifndef DIFFCOOK_MESH_H
#define DIFFCOOK_MESH_H

#include "diff.h"

/*
 * "12 of 128 vertices moved, the farthest by 0.25; other normals 3, …" of a changed difference, in units of
 * the source, in `arena`; a vertex counts as moved when it is farther away than a step of the positions'
 * grid. NULL when it is of no mesh, or when memory is short.
 */
const char *diff_mesh_text(const struct diff_difference *difference, const struct diff_version *old,
                           const struct diff_version *new, struct cook_arena *arena);

#endif
