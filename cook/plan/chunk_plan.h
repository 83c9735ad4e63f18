/*
 * The chunks of a cook: rules and edges of its packages, brought into the form that chunks.h
 * takes.
 *
 *     [Chunks]
 *     +Rule=GLOB:CHUNK:PRIORITY      packages that match are primary assets of this chunk
 *     +Parent=CHILD:PARENT           the tree of chunks
 *     +Single=GLOB                   one copy must serve
 *
 * beside what PrimaryAssetLabel objects and the root set's rules say (rules.h).
 */
#ifndef COOK_PLAN_CHUNK_PLAN_H
#define COOK_PLAN_CHUNK_PLAN_H

#include "cook/plan/chunks.h"
#include "cook/plan/run.h"

/* Assign the packages of a cook; package i of the assignment is packages[i]. COOK_E_CONFIG
 * with the place of a rule that is none. */
enum cook_status cook_chunk_plan(struct cook_chunk_assignment *out, struct cook_run *run,
                                 const uint32_t *packages, uint32_t count,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* Hash of all rules that bear on these packages. */
enum cook_status cook_chunk_rules_hash(struct cook_hash *hash, struct cook_run *run,
                                       const uint32_t *packages, uint32_t count,
                                       struct cook_error *error) COOK_CHECK_RESULT;

#endif
