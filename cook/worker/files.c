/* Additional files: what class code writes beside its package. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/path.h"
#include "cook/worker/session.h"

static struct cook_context_file *find(struct cook_context *root, const char *name)
{
    for (size_t i = 0; i < root->file_count; i++)
        if (strcmp(root->files[i].name, name) == 0)
            return &root->files[i];
    return NULL;
}

/* A name of which another is a folder cannot be laid out on disk. */
static bool clashes(const struct cook_context *root, const char *name)
{
    for (size_t i = 0; i < root->file_count; i++)
        if (cook_path_has_prefix(name, root->files[i].name) ||
            cook_path_has_prefix(root->files[i].name, name))
            return true;
    return false;
}

static enum cook_status add(struct cook_context *root, const char *name, const void *bytes,
                            size_t size)
{
    const struct cook_context_file *known = find(root, name);
    if (known)
        return known->size == size && (size == 0 || memcmp(known->bytes, bytes, size) == 0)
                   ? COOK_OK
                   : COOK_E_EXISTS;
    if (clashes(root, name))
        return COOK_E_EXISTS;
    if (!cook_grow(&root->files, &root->file_capacity, root->file_count + 1,
                   sizeof(*root->files)))
        return COOK_E_NO_MEMORY;
    struct cook_context_file file = { cook_strdup(name), cook_malloc(size + 1), size };
    if (!file.name || !file.bytes) {
        cook_free(file.name);
        cook_free(file.bytes);
        return COOK_E_NO_MEMORY;
    }
    if (size)
        memcpy(file.bytes, bytes, size);
    root->files[root->file_count++] = file;
    return COOK_OK;
}

enum cook_status cook_write_additional_file(struct cook_context *context, const char *name,
                                            const void *bytes, size_t size)
{
    struct cook_context *root = context->root;
    enum cook_status status = COOK_E_INVALID;
    if (root->saving && name && cook_path_is_plain(name)) {
        pthread_mutex_lock(&root->lock);
        status = add(root, name, bytes, size);
        pthread_mutex_unlock(&root->lock);
    }
    if (status != COOK_OK)
        cook_log(context, COOK_SEVERITY_ERROR, "additional file '%s': %s", name ? name : "",
                 status == COOK_E_INVALID  ? "not a plain relative name, or not in a save"
                 : status == COOK_E_EXISTS ? "written already, with other bytes"
                                           : cook_status_text(status));
    return status;
}

static int compare_files(const void *a, const void *b)
{
    const struct cook_context_file *x = a;
    const struct cook_context_file *y = b;
    return strcmp(x->name, y->name);
}

/* Async jobs write in any order. */
void cook_context_sort_files(struct cook_context *context)
{
    if (context->file_count)
        qsort(context->files, context->file_count, sizeof(*context->files), compare_files);
}
