/*
 * Registry facts of a package: what its reader's scan found, encoded as one blob that the state
 * keeps and the worker protocol carries.
 */
#ifndef COOK_REGISTRY_FACTS_H
#define COOK_REGISTRY_FACTS_H

#include <cook/reader.h>

#include "cook/base/buf.h"
#include "cook/base/error.h"

#define COOK_LABEL_CLASS "/Script/Cook.PrimaryAssetLabel"
#define COOK_LABEL_TAG "PrimaryAssetLabel:" /* followed by the label's inner path */

struct cook_fact_object {
    const char *path;       /* inner path "Outer/Mesh" */
    const char *class_name; /* "/Script/Cook.StaticMesh" */
};
struct cook_fact_reference {
    enum cook_edge edge;
    const char *path; /* as written in the source */
};
struct cook_fact_tag {
    const char *key;
    const char *value;
};
struct cook_facts {
    const struct cook_fact_object *objects; /* file order */
    size_t object_count;
    const struct cook_fact_reference *references; /* sorted by edge, path; unique */
    size_t reference_count;
    const struct cook_fact_tag *tags; /* sorted by key */
    size_t tag_count;
    const char *fault; /* "path:line: reason" when the scan failed, else NULL */
};

void cook_facts_encode(const struct cook_facts *facts, struct cook_buf *out);
/* Decode untrusted bytes; texts live in `arena`. COOK_E_MALFORMED, COOK_E_NO_MEMORY. */
enum cook_status cook_facts_decode(struct cook_facts *facts, const void *bytes, size_t size,
                                   struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;

bool cook_facts_have_tag(const struct cook_facts *facts, const char *prefix);

struct cook_registrar; /* object/types.h */
/* The types of the scanning worker, or NULL: what tells a reader which properties are saved. */
const struct cook_registrar *cook_scan_types(const struct cook_scan *scan);

/* The class of an object that a scan has named, by inner path, or of the first one for NULL; NULL
 * when there is none. */
const char *cook_scan_class(const struct cook_scan *scan, const char *inner);

/* Runs a reader's scan and collects its facts (the functions cook_scan_* of the SDK). */
enum cook_status cook_facts_scan(struct cook_facts *facts, const struct cook_reader *reader,
                                 const struct cook_source *source, struct cook_arena *arena,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* The same, with types for the reader to look at. */
enum cook_status cook_facts_scan_typed(struct cook_facts *facts, const struct cook_reader *reader,
                                       const struct cook_source *source,
                                       const struct cook_registrar *types,
                                       struct cook_arena *arena,
                                       struct cook_error *error) COOK_CHECK_RESULT;

#endif
