/*
 * Which chunks a package goes to. A pure function over arrays, so that every rule can be tried.
 *
 * Primary assets own what they lead to, by runtime and by build edges. Where several lead to a
 * package, the highest priority wins; all negative priorities rank equal; owners of equal
 * rank each put a copy into their chunk. What nobody owns goes to chunk 0, and so do startup
 * packages. Chunks form a tree: who installs one has its ancestors too, so that a copy in an
 * ancestor is enough. Chunk 0 is the root, and the parent of each chunk that names none.
 * Where one copy must serve, it goes to the nearest chunk that all who want it have.
 */
#ifndef COOK_PLAN_CHUNKS_H
#define COOK_PLAN_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"

struct cook_chunk_root {
    uint32_t package;
    int32_t chunk; /* negative: it owns, but names no chunk */
    int32_t priority;
};
struct cook_chunk_parent {
    uint32_t child;
    uint32_t parent;
};
struct cook_chunk_input {
    uint32_t package_count;
    const uint32_t *edge_first; /* package_count + 1 offsets into `edges` */
    const uint32_t *edges;      /* packages */
    const struct cook_chunk_root *roots;
    size_t root_count;
    const uint32_t *startup; /* packages */
    size_t startup_count;
    const uint8_t *single; /* by package: one copy must serve; NULL for none */
    const struct cook_chunk_parent *parents;
    size_t parent_count;
};
/* The chunks of package p are chunks[first[p]] to chunks[first[p + 1] - 1], ascending, at
 * least one. */
struct cook_chunk_assignment {
    uint32_t *first;
    uint32_t *chunks;
};

/* COOK_E_CONFIG when the tree is none: a cycle, two parents of a chunk, a parent of chunk 0. */
enum cook_status cook_chunks_assign(struct cook_chunk_assignment *out,
                                    const struct cook_chunk_input *input,
                                    struct cook_error *error) COOK_CHECK_RESULT;
void cook_chunk_assignment_finish(struct cook_chunk_assignment *assignment);

#endif
