/* What a scan of the native format finds in an object's properties: references by kind, and tags. */
#ifndef COOK_READER_ASSET_SCAN_H
#define COOK_READER_ASSET_SCAN_H

#include <cook/reader.h>

#include "cook/base/json.h"

/* All references below `properties` (may be NULL) of an object of a class, which need not be
 * registered: then each is an edge of its own kind. */
void cook_asset_scan_references(struct cook_scan *scan, const char *class_name,
                                const struct cook_json *properties, bool editor_only);
/*
 * All references that a side file sets (object/reflect.h), once the source's objects are named: edges
 * like any other. What it overrides in the source stays an edge too. A side file that is none fails the
 * load, with a message, not the scan.
 */
void cook_asset_scan_side(struct cook_scan *scan, const struct cook_source *source);
/* The tag of a PrimaryAssetLabel; nothing for other classes. */
void cook_asset_scan_label(struct cook_scan *scan, const char *class_name, const char *inner_path,
                           const struct cook_json *properties);
/* The "registry" member that an editor's save left: references by kind, and tags. NULL allowed. */
void cook_asset_scan_registry(struct cook_scan *scan, const struct cook_json *registry);

#endif
