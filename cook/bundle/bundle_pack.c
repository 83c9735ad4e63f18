/* The archive: tar in its portable form, all metadata fixed, compressed by zstd in one thread.
 */
#include "cook/bundle/bundle.h"

#include <archive.h>
#include <archive_entry.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

#include "cook/base/path.h"

#define HEAD_MAX_BYTES (UINT64_C(64) << 20)
#define FIXED_TIME     0 /* of every entry: 1970 */

/* ---- packing ---- */

static la_ssize_t take_bytes(struct archive *archive, void *user, const void *bytes,
                             size_t size)
{
    struct cook_buf *out = user;
    cook_buf_put(out, bytes, size);
    if (out->failed) {
        archive_set_error(archive, ENOMEM, "out of memory");
        return -1;
    }
    return (la_ssize_t)size;
}

static enum cook_status failed(struct archive *archive, enum cook_status status,
                               struct cook_error *error)
{
    const char *text = archive_error_string(archive);
    return cook_error_set(error, status, "%s", text ? text : "libarchive failed");
}

static enum cook_status put_entry(struct archive *archive, const char *path, const void *bytes,
                                  size_t size, struct cook_error *error)
{
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        return cook_error_no_memory(error);
    archive_entry_set_pathname_utf8(entry, path);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, FIXED_TIME, 0);
    bool sound = archive_write_header(archive, entry) == ARCHIVE_OK &&
                 (!size || archive_write_data(archive, bytes, size) == (la_ssize_t)size);
    archive_entry_free(entry);
    return sound ? COOK_OK : failed(archive, COOK_E_IO, error);
}

static void list_entries(cJSON *head, const struct cook_bundle *bundle)
{
    cJSON_AddStringToObject(head, "schema", COOK_BUNDLE_SCHEMA);
    cJSON *list = cJSON_AddArrayToObject(head, "entries");
    for (size_t i = 0; i < bundle->count; i++) {
        const struct cook_bundle_entry *entry = &bundle->entries[i];
        char hash[COOK_HASH_TEXT_SIZE];
        cook_hash_to_text(cook_hash_bytes(entry->bytes.data, entry->bytes.size), hash);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "path", entry->path);
        cJSON_AddNumberToObject(item, "size", (double)entry->bytes.size);
        cJSON_AddStringToObject(item, "hash", hash);
        cJSON_AddItemToArray(list, item);
    }
}

static enum cook_status put_all(struct archive *archive, struct cook_buf *out,
                                const struct cook_bundle *bundle, const char *head,
                                struct cook_error *error)
{
    if (archive_write_set_format_pax_restricted(archive) != ARCHIVE_OK ||
        archive_write_add_filter_zstd(archive) != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(archive, 1) != ARCHIVE_OK ||
        archive_write_open(archive, out, NULL, take_bytes, NULL) != ARCHIVE_OK)
        return failed(archive, COOK_E_FAILED, error);
    enum cook_status status = put_entry(archive, COOK_BUNDLE_HEAD, head, strlen(head), error);
    for (size_t i = 0; status == COOK_OK && i < bundle->count; i++)
        status = put_entry(archive, bundle->entries[i].path, bundle->entries[i].bytes.data,
                           bundle->entries[i].bytes.size, error);
    if (status == COOK_OK && archive_write_close(archive) != ARCHIVE_OK)
        status = failed(archive, COOK_E_IO, error);
    return status;
}

enum cook_status cook_bundle_pack(struct cook_buf *out, const struct cook_bundle *bundle,
                                  struct cJSON *head, struct cook_error *error)
{
    list_entries(head, bundle);
    char *text = cJSON_Print(head);
    struct archive *archive = archive_write_new();
    enum cook_status status = text && archive ? put_all(archive, out, bundle, text, error)
                                              : cook_error_no_memory(error);
    if (archive)
        (void)archive_write_free(archive);
    cJSON_free(text);
    return status;
}

/* ---- unpacking ---- */

static enum cook_status read_entry(struct cook_buf *out, struct archive *archive,
                                   struct archive_entry *entry, uint64_t max_bytes,
                                   struct cook_error *error)
{
    la_int64_t size = archive_entry_size(entry);
    const void *block;
    size_t block_size;
    la_int64_t offset;
    int code;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
        !archive_entry_size_is_set(entry) || size < 0)
        return cook_error_set(error, COOK_E_MALFORMED,
                              "the bundle holds something that is no file");
    if ((uint64_t)size > max_bytes)
        return cook_error_set(error, COOK_E_LIMIT, "the bundle is too large");
    while ((code = archive_read_data_block(archive, &block, &block_size, &offset)) ==
           ARCHIVE_OK) {
        if (offset != (la_int64_t)out->size || block_size > (uint64_t)size - out->size)
            return cook_error_set(error, COOK_E_MALFORMED, "the bundle holds a sparse file");
        cook_buf_put(out, block, block_size);
        if (out->failed)
            return cook_error_no_memory(error);
    }
    if (code != ARCHIVE_EOF || out->size != (uint64_t)size)
        return cook_error_set(error, COOK_E_MALFORMED, "the bundle is cut off or damaged");
    return COOK_OK;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static enum cook_status take_head(cJSON **head, const struct cook_buf *bytes,
                                  struct cook_error *error)
{
    *head = cJSON_ParseWithLength((const char *)bytes->data, bytes->size);
    if (!cJSON_IsObject(*head) || strcmp(text_of(*head, "schema"), COOK_BUNDLE_SCHEMA) != 0)
        return cook_error_set(error, COOK_E_MALFORMED,
                              "its " COOK_BUNDLE_HEAD
                              " is not that of a bundle of this version");
    return COOK_OK;
}

/* The entry against what the head says of it; entries come in the order of the head. */
static enum cook_status check_entry(const cJSON *listed, const char *path,
                                    const struct cook_buf *bytes, struct cook_error *error)
{
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(listed, "size");
    struct cook_hash hash;
    if (strcmp(text_of(listed, "path"), path) != 0)
        return cook_error_set(error, COOK_E_MALFORMED, "'%s' is not what its head lists here",
                              path);
    if (!cJSON_IsNumber(size) || size->valuedouble != (double)bytes->size ||
        !cook_hash_from_text(&hash, text_of(listed, "hash")) ||
        !cook_hash_equal(hash, cook_hash_bytes(bytes->data, bytes->size)))
        return cook_error_set(error, COOK_E_MALFORMED, "the size or the hash of '%s' is wrong",
                              path);
    return COOK_OK;
}

static enum cook_status read_all(struct cook_bundle *bundle, cJSON **head,
                                 struct archive *archive, struct cook_error *error)
{
    struct archive_entry *entry;
    const cJSON *listed = NULL;
    enum cook_status status = COOK_OK;
    int code;
    while (status == COOK_OK &&
           (code = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
        struct cook_buf bytes = COOK_BUF_INIT;
        const char *name = archive_entry_pathname_utf8(entry);
        bool first = *head == NULL;
        uint64_t room = first ? HEAD_MAX_BYTES : COOK_BUNDLE_MAX_BYTES - bundle->total_bytes;
        if (!name || (first && strcmp(name, COOK_BUNDLE_HEAD) != 0))
            status = cook_error_set(error, COOK_E_MALFORMED,
                                    "it does not begin with " COOK_BUNDLE_HEAD);
        if (status == COOK_OK && !first && !cook_path_is_plain(name))
            status =
                cook_error_set(error, COOK_E_MALFORMED, "an entry leads out of its folder");
        if (status == COOK_OK)
            status = read_entry(&bytes, archive, entry, room, error);
        if (status == COOK_OK && first)
            status = take_head(head, &bytes, error);
        else if (status == COOK_OK)
            status = check_entry(listed, name, &bytes, error);
        if (status == COOK_OK && !first)
            status = cook_bundle_add(bundle, name, bytes.data, bytes.size, error);
        const cJSON *entries = cJSON_GetObjectItemCaseSensitive(*head, "entries");
        listed = first ? (entries ? entries->child : NULL) : (listed ? listed->next : NULL);
        cook_buf_finish(&bytes);
    }
    if (status == COOK_OK && (code != ARCHIVE_EOF || !*head || listed))
        status = cook_error_set(error, COOK_E_MALFORMED, "it is cut off or damaged");
    return status;
}

enum cook_status cook_bundle_unpack(struct cook_bundle *bundle, struct cJSON **head,
                                    const void *bytes, size_t size, struct cook_error *error)
{
    struct archive *archive = archive_read_new();
    *bundle = (struct cook_bundle)COOK_BUNDLE_INIT;
    *head = NULL;
    if (!archive)
        return cook_error_no_memory(error);
    enum cook_status status = COOK_OK;
    if (archive_read_support_filter_zstd(archive) != ARCHIVE_OK ||
        archive_read_support_format_tar(archive) != ARCHIVE_OK ||
        archive_read_open_memory(archive, bytes, size) != ARCHIVE_OK)
        status = failed(archive, COOK_E_MALFORMED, error);
    if (status == COOK_OK)
        status = read_all(bundle, head, archive, error);
    if (status != COOK_OK) {
        cJSON_Delete(*head);
        *head = NULL;
        cook_error_prefix(error, "not a sound bundle");
    }
    (void)archive_read_free(archive);
    return status;
}
