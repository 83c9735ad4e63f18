#include "cook/artifacts/fold.h"

#include <stdlib.h>
#include <string.h>

#include "cook/base/path.h"

const void *cook_fold_state(const struct cook_fold *fold, size_t *size)
{
    *size = fold->input.size;
    return fold->input.size ? fold->input.data : NULL;
}

const char *cook_fold_target(const struct cook_fold *fold)
{
    return fold->target;
}

const char *cook_fold_config(const struct cook_fold *fold, const char *section, const char *key,
                             size_t index)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(fold->config, section, key, &values);
    return index < count ? values[index].text : NULL;
}

void cook_fold_put_state(struct cook_fold *fold, const void *bytes, size_t size)
{
    cook_buf_clear(&fold->state);
    if (size)
        cook_buf_put(&fold->state, bytes, size);
}

void cook_fold_put_file(struct cook_fold *fold, const char *name, const void *bytes,
                        size_t size)
{
    if (!name || !cook_path_is_plain(name)) {
        fold->failed = COOK_E_INVALID;
        return;
    }
    for (size_t i = 0; i < fold->file_count; i++)
        if (strcmp(fold->files[i].name, name) == 0)
            fold->failed = COOK_E_EXISTS;
    char *copy = cook_arena_strdup(&fold->arena, name);
    if (!copy || !cook_grow(&fold->files, &fold->file_capacity, fold->file_count + 1,
                            sizeof(*fold->files))) {
        fold->failed = COOK_E_NO_MEMORY;
        return;
    }
    struct cook_fold_file *file = &fold->files[fold->file_count++];
    *file = (struct cook_fold_file){ copy, COOK_BUF_INIT };
    if (size)
        cook_buf_put(&file->bytes, bytes, size);
    if (file->bytes.failed)
        fold->failed = COOK_E_NO_MEMORY;
}

enum cook_status cook_fold_run_begin(struct cook_fold *fold)
{
    fold->begun = true;
    return fold->artifact->begin(&fold->user, fold);
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct cook_fold_file *)a)->name,
                  ((const struct cook_fold_file *)b)->name);
}

enum cook_status cook_fold_run_finish(struct cook_fold *fold)
{
    enum cook_status status = fold->artifact->finish(fold->user, fold);
    if (status == COOK_OK)
        status = fold->state.failed ? COOK_E_NO_MEMORY : fold->failed;
    if (fold->file_count)
        qsort(fold->files, fold->file_count, sizeof(*fold->files), compare_files);
    return status;
}

void cook_fold_finish(struct cook_fold *fold)
{
    if (fold->begun && fold->artifact->release)
        fold->artifact->release(fold->user);
    for (size_t i = 0; i < fold->file_count; i++)
        cook_buf_finish(&fold->files[i].bytes);
    cook_free(fold->files);
    cook_buf_finish(&fold->input);
    cook_buf_finish(&fold->state);
    cook_arena_finish(&fold->arena);
    *fold = (struct cook_fold){ 0 };
}
