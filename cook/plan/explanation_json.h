/*
 * The document of an explanation ("cookproof/explain-modified/1"): summary, causes most expensive first, and
 * packages by name. What explain prints, reports draw and gates measure.
 */
#ifndef COOK_PLAN_EXPLANATION_JSON_H
#define COOK_PLAN_EXPLANATION_JSON_H

#include <cjson/cJSON.h>

#include "cook/store/explanation.h"

/*
 * `causes` [{what, kind, key, old, new, where, packages, direct, through, classes {name: packages}, seconds,
 * identical, wasted_seconds}]: one changed thing each, or a reason without one. A package with several causes
 * counts for each of them. `packages` [{name, reason, opted_out, classes, dependencies [{kind, key, old, new,
 * where, through}], outcome, seconds}]. NULL when memory is short.
 */
cJSON *cook_explanation_json(const struct cook_explanation *explanation, uint32_t cook);
/* "config [Game] Tax: 1 -> 2 (cook.ini:7)"; in `arena`. */
const char *cook_explained_dep_text(const struct cook_explained_dep *dep, struct cook_arena *arena);

#endif
