/*
 * Why an incremental cook cooked what it cooked, and what came of it: one blob, named by the row of the cook,
 * and kept as long as its manifest. Values are kept as text, so that yesterday's explanation can be read
 * today.
 *
 *     explanation   varint count of changed dependencies; per dependency: varint kind, key, old text, new
 *                   text, where the new value comes from (and, behind a 0x1f, the old one). Varint count of packages; per package: name,
 *                   reason, class that opts it out, classes (one a line), u8 outcome, varint duration in
 *                   microseconds, varint count of uses; per use: varint dependency, the package through
 *                   whose load it came ("" for none)
 */
#ifndef COOK_STORE_EXPLANATION_H
#define COOK_STORE_EXPLANATION_H

#include "cook/store/store.h"

enum cook_explained_outcome {
    COOK_EXPLAINED_UNKNOWN = 0, /* not cooked before, or failed */
    COOK_EXPLAINED_CHANGED,
    COOK_EXPLAINED_IDENTICAL,   /* a false recook: the whole result is as it was */
    COOK_EXPLAINED_OUTCOME_COUNT
};
const char *cook_explained_outcome_text(enum cook_explained_outcome outcome);

struct cook_explained_dep {
    uint32_t kind; /* enum cook_dep_kind */
    const char *key;
    const char *old_text, *new_text; /* values for people, or hashes, or "absent" */
    const char *where;     /* "Config/DefaultGame.ini:3": where a config value comes from; "" */
    const char *old_where; /* the same of the old one; "" */
};
struct cook_explained_use {
    uint32_t dep;        /* index */
    const char *through; /* "" when the package itself read it */
};
struct cook_explained_package {
    const char *name;
    const char *reason;    /* as cook_reason_text() says it */
    const char *opted_out; /* class, or "" */
    const char *classes;   /* of its objects, sorted, one a line */
    enum cook_explained_outcome outcome;
    uint64_t duration_us;
    struct cook_explained_use *uses; /* by dependency */
    size_t use_count;
};
struct cook_explanation {
    struct cook_explained_dep *deps;
    size_t dep_count;
    struct cook_explained_package *packages; /* ascending by name */
    size_t package_count;
};

void cook_explanation_encode(const struct cook_explanation *explanation, struct cook_buf *out);
/* Untrusted. COOK_E_MALFORMED, COOK_E_NO_MEMORY. Texts and arrays are in `arena`. */
enum cook_status cook_explanation_decode(struct cook_explanation *explanation, const void *bytes,
                                         size_t size, struct cook_arena *arena) COOK_CHECK_RESULT;
/*
 * That of a cook; 0 means the newest incremental one that has some, and `*cook` says which.
 * COOK_E_NOT_FOUND where it is not kept, or the cook was no incremental one.
 */
enum cook_status cook_store_explanation(struct cook_store *store,
                                        struct cook_explanation *explanation, uint32_t *cook,
                                        struct cook_arena *arena,
                                        struct cook_error *error) COOK_CHECK_RESULT;

#endif
