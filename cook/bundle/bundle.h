/*
 * Bundles: all that another machine needs to reproduce a finding, as one archive (tar,
 * compressed by zstd) whose bytes depend on its contents alone. Its first entry, bundle.json,
 * describes it and lists every other entry with size and hash.
 *
 *     bundle.json             "schema": "cookproof/bundle/1", "entries": [{path, size, hash}], …
 *     finding.json            as reported
 *     facts.json              of the kept cook ("kept") and of the recook ("now")
 *     inputs.json             dependencies with their values then and now
 *     result/kept.bytes …     both results, with their token maps
 *     result/stacks.json      callstacks of what differs, by name (diffcook/saved.h)
 *     plugins/BUILD_ID.so …   of both cooks
 *     project/…               the files that the package is cooked from
 *
 * A bundle from elsewhere is untrusted as a file: nothing of it is used before sizes, hashes
 * and paths are checked. The plugins in it are code all the same, and whoever reproduces runs
 * them.
 *
 * The only adapter over libarchive beside that of cook/stage.
 */
#ifndef COOK_BUNDLE_H
#define COOK_BUNDLE_H

#include <stdint.h>

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/base/error.h"
#include "cook/base/hash.h"

struct cJSON;

#define COOK_BUNDLE_SCHEMA      "cookproof/bundle/1"
#define COOK_BUNDLE_HEAD        "bundle.json"
#define COOK_BUNDLE_MAX_ENTRIES 100000u
#define COOK_BUNDLE_MAX_BYTES   (UINT64_C(2) << 30) /* of all entries, unpacked */

struct cook_bundle_entry {
    char *path;
    struct cook_buf bytes;
};
struct cook_bundle {
    struct cook_bundle_entry *entries; /* sorted by path, each once, without the head */
    size_t count, capacity;
    uint64_t total_bytes;
};
#define COOK_BUNDLE_INIT                                                                       \
    {                                                                                          \
        NULL, 0, 0, 0                                                                          \
    }
void cook_bundle_finish(struct cook_bundle *bundle);

/* Add an entry with a copy of the bytes. COOK_E_INVALID for a path that is not plain,
 * COOK_E_EXISTS, COOK_E_LIMIT, COOK_E_NO_MEMORY. */
enum cook_status cook_bundle_add(struct cook_bundle *bundle, const char *path,
                                 const void *bytes, size_t size,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* An entry, or NULL. */
const struct cook_buf *cook_bundle_find(const struct cook_bundle *bundle, const char *path);
/* Pack; "schema" and "entries" are added to `head`. The archive is appended to `out`. */
enum cook_status cook_bundle_pack(struct cook_buf *out, const struct cook_bundle *bundle,
                                  struct cJSON *head,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Read and check a packed bundle: its head (owned by the caller) and entries. COOK_E_MALFORMED
 * with what is wrong, COOK_E_LIMIT, COOK_E_NO_MEMORY. `bundle` must be finished also after
 * failure.
 */
enum cook_status cook_bundle_unpack(struct cook_bundle *bundle, struct cJSON **head,
                                    const void *bytes, size_t size,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* Write the entries below `prefix` ("project/") into an open folder, without the prefix;
 * plugins are made executable. */
enum cook_status cook_bundle_extract(const struct cook_bundle *bundle, const char *prefix,
                                     int folder_fd, struct cook_error *error) COOK_CHECK_RESULT;

#endif
