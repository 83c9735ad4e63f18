/* One modified package or file: both versions read, and compared. */
#include <string.h>

#include "compare.h"
#include "cook/archive/write_map.h"
#include "cook/base/fs.h"
#include "file_tokens.h"

#define FILE_BYTES ((uint64_t)1 << 30) /* of a loose file that is compared structurally */

static enum cook_status read_blobs(struct diff_content *content, struct cook_store *store,
                                   const struct cook_manifest_entry *entry,
                                   struct cook_error *error)
{
    struct cook_buf tokens = COOK_BUF_INIT;
    enum cook_status status = COOK_OK;
    if (!cook_hash_is_zero(entry->bytes))
        status = cook_store_get_blob(store, &content->bytes, entry->bytes, error);
    if (status == COOK_OK && !cook_hash_is_zero(entry->tokens)) {
        status = cook_store_get_blob(store, &tokens, entry->tokens, error);
        if (status == COOK_OK)
            status = cook_token_map_decode(&content->tokens, tokens.data, tokens.size, error);
        if (status == COOK_OK)
            status = cook_write_map_stacks(&content->stacks, &content->stack_count,
                                           tokens.data, tokens.size, error);
        content->has_tokens = status == COOK_OK;
    }
    cook_buf_finish(&tokens);
    return status;
}

static enum cook_status read_file(struct diff_content *content,
                                  const struct diff_operand *operand, const char *path,
                                  struct cook_error *error)
{
    return cook_fs_read(&content->bytes, NULL, operand->folder_fd, path, FILE_BYTES, error);
}

struct diff_version diff_content_version(const struct diff_content *content)
{
    return (struct diff_version){ .bytes = content->bytes.data,
                                  .size = content->bytes.size,
                                  .tokens = content->has_tokens ? &content->tokens : NULL,
                                  .stacks = content->stacks,
                                  .stack_count = content->stack_count };
}

/* Whether it is a package; then it has tokens, as far as the format itself tells them. */
static enum cook_status find_tokens(bool *is_package, struct diff_content *content,
                                    struct cook_error *error)
{
    enum cook_status status =
        diff_file_tokens(&content->tokens, content->bytes.data, content->bytes.size, error);
    *is_package = status == COOK_OK;
    content->has_tokens = status == COOK_OK;
    return status == COOK_E_NO_MEMORY ? status : COOK_OK;
}

/* Of files that are no packages only that they differ is told: their bytes mean nothing. */
static enum cook_status compare_files(struct diff_package *package, struct cook_error *error)
{
    struct diff_options options = DIFF_OPTIONS_INIT;
    bool are_packages[2] = { false, false };
    enum cook_status status = find_tokens(&are_packages[0], &package->old, error);
    if (status == COOK_OK)
        status = find_tokens(&are_packages[1], &package->new, error);
    if (status != COOK_OK || !are_packages[0] || !are_packages[1])
        return status;
    struct diff_version old = diff_content_version(&package->old);
    struct diff_version new = diff_content_version(&package->new);
    return diff_compare(&package->result, &old, &new, &options, &package->arena, error);
}

static enum cook_status read_both(struct diff_package *package,
                                  const struct diff_comparison *comparison,
                                  const struct diff_entry *entry, struct cook_error *error)
{
    enum cook_status status;
    if (!entry->old || !entry->new) {
        status = read_file(&package->old, comparison->operands[0], entry->name, error);
        return status == COOK_OK
                   ? read_file(&package->new, comparison->operands[1], entry->name, error)
                   : status;
    }
    status = read_blobs(&package->old, comparison->cooks[0].store, entry->old, error);
    return status == COOK_OK
               ? read_blobs(&package->new, comparison->cooks[1].store, entry->new, error)
               : status;
}

static enum cook_status compare_bytes(struct diff_package *package,
                                      const struct diff_version *replacement,
                                      struct cook_error *error)
{
    struct diff_options options = DIFF_OPTIONS_INIT;
    options.max_disassembled = DIFF_DISASSEMBLED;
    struct diff_version old = diff_content_version(&package->old);
    struct diff_version new = diff_content_version(&package->new);
    if (replacement &&
        replacement->size == new.size &&memcmp(replacement->bytes, new.bytes, new.size) == 0)
        new = *replacement;
    return diff_compare(&package->result, &old, &new, &options, &package->arena, error);
}

static bool has_references(const struct diff_package *package)
{
    for (size_t i = 0; i < package->detail_count; i++)
        if (package->details[i].part == DIFF_PART_REFERENCES)
            return true;
    return false;
}

static bool find_references(struct diff_package *package)
{
    return diff_references_find(package->details, package->detail_count, DIFF_DELETED, &package->old,
                                &package->arena) &&
           diff_references_find(package->details, package->detail_count, DIFF_ADDED, &package->new,
                                &package->arena);
}

enum cook_status diff_package_open(struct diff_package *package,
                                   const struct diff_comparison *comparison,
                                   const struct diff_entry *entry,
                                   const struct diff_version *replacement,
                                   struct cook_error *error)
{
    struct cook_error problem = COOK_ERROR_INIT;
    enum cook_status status = COOK_OK;
    *package = (struct diff_package){ 0 };
    cook_token_map_init(&package->old.tokens);
    cook_token_map_init(&package->new.tokens);
    if (entry->old_row != COOK_ID_NONE && entry->new_row != COOK_ID_NONE)
        status = diff_parts_list(&package->details, &package->detail_count, comparison,
                                 entry->old_row, entry->new_row, &package->arena);
    if (status != COOK_OK)
        return cook_error_no_memory(error);
    bool references = has_references(package);
    if (!(entry->parts & DIFF_PART_BYTES) && !references)
        return COOK_OK;
    status = read_both(package, comparison, entry, &problem);
    if (status == COOK_E_NO_MEMORY)
        return cook_error_no_memory(error);
    if (status != COOK_OK) {
        package->problem = cook_arena_strdup(&package->arena, problem.message);
        return package->problem ? COOK_OK : cook_error_no_memory(error);
    }
    if (references && !find_references(package))
        return cook_error_no_memory(error);
    if (!(entry->parts & DIFF_PART_BYTES))
        return COOK_OK;
    return entry->old && entry->new ? compare_bytes(package, replacement, error)
                                    : compare_files(package, error);
}

void diff_package_finish(struct diff_package *package)
{
    cook_token_map_finish(&package->old.tokens);
    cook_token_map_finish(&package->new.tokens);
    cook_free(package->old.stacks);
    cook_free(package->new.stacks);
    cook_buf_finish(&package->old.bytes);
    cook_buf_finish(&package->new.bytes);
    cook_arena_finish(&package->arena);
    *package = (struct diff_package){ 0 };
}
