/*
 * Questions to an encoded facts blob that need not decode all of it. Blobs are untrusted.
 */
#ifndef COOK_REGISTRY_FACTS_INTERNAL_H
#define COOK_REGISTRY_FACTS_INTERNAL_H

#include "cook/registry/facts.h"

/* Whether the blob says that the scan failed (a blob that is no facts also failed). */
bool cook_facts_has_fault(const void *bytes, size_t size);
/*
 * The object with this inner path, or the first one where `inner` is NULL; `*object` holds
 * copies in `arena`. COOK_E_NOT_FOUND where there is none (or the blob is damaged),
 * COOK_E_NO_MEMORY.
 */
enum cook_status cook_facts_find_object(struct cook_fact_object *object, const void *bytes,
                                        size_t size, const char *inner,
                                        struct cook_arena *arena) COOK_CHECK_RESULT;

#endif
