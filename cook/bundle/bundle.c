#include "cook/bundle/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "cook/base/fs.h"
#include "cook/base/path.h"

void cook_bundle_finish(struct cook_bundle *bundle)
{
    for (size_t i = 0; i < bundle->count; i++) {
        cook_free(bundle->entries[i].path);
        cook_buf_finish(&bundle->entries[i].bytes);
    }
    cook_free(bundle->entries);
    *bundle = (struct cook_bundle)COOK_BUNDLE_INIT;
}

/* Where a path stands, or would. */
static size_t place_of(const struct cook_bundle *bundle, const char *path, bool *found)
{
    size_t low = 0;
    size_t high = bundle->count;
    *found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(bundle->entries[middle].path, path);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum cook_status cook_bundle_add(struct cook_bundle *bundle, const char *path,
                                 const void *bytes, size_t size, struct cook_error *error)
{
    bool found;
    if (!cook_path_is_plain(path) || strcmp(path, COOK_BUNDLE_HEAD) == 0)
        return cook_error_set(error, COOK_E_INVALID, "'%s' cannot stand in a bundle", path);
    if (bundle->count >= COOK_BUNDLE_MAX_ENTRIES ||
        size > COOK_BUNDLE_MAX_BYTES - bundle->total_bytes)
        return cook_error_set(error, COOK_E_LIMIT, "the bundle becomes too large");
    size_t at = place_of(bundle, path, &found);
    if (found)
        return cook_error_set(error, COOK_E_EXISTS, "'%s' is in the bundle already", path);
    if (!cook_grow(&bundle->entries, &bundle->capacity, bundle->count + 1,
                   sizeof(*bundle->entries)))
        return cook_error_no_memory(error);
    struct cook_bundle_entry entry = { .path = cook_strdup(path), .bytes = COOK_BUF_INIT };
    cook_buf_put(&entry.bytes, bytes, size);
    if (!entry.path || entry.bytes.failed) {
        cook_free(entry.path);
        cook_buf_finish(&entry.bytes);
        return cook_error_no_memory(error);
    }
    memmove(&bundle->entries[at + 1], &bundle->entries[at],
            (bundle->count - at) * sizeof(*bundle->entries));
    bundle->entries[at] = entry;
    bundle->count++;
    bundle->total_bytes += size;
    return COOK_OK;
}

const struct cook_buf *cook_bundle_find(const struct cook_bundle *bundle, const char *path)
{
    bool found;
    size_t at = place_of(bundle, path, &found);
    return found ? &bundle->entries[at].bytes : NULL;
}

enum cook_status cook_bundle_extract(const struct cook_bundle *bundle, const char *prefix,
                                     int folder_fd, struct cook_error *error)
{
    size_t length = strlen(prefix);
    struct cook_arena arena = COOK_ARENA_INIT;
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < bundle->count; i++) {
        const struct cook_bundle_entry *entry = &bundle->entries[i];
        if (strncmp(entry->path, prefix, length) != 0)
            continue;
        const char *path = entry->path + length;
        const char *folder = cook_path_folder(&arena, path);
        if (!folder)
            status = cook_error_no_memory(error);
        else if (*folder)
            status = cook_fs_make_folders(folder_fd, folder, error);
        if (status == COOK_OK)
            status = cook_fs_write(folder_fd, path, entry->bytes.data, entry->bytes.size, false,
                                   error);
    }
    cook_arena_finish(&arena);
    return status;
}
