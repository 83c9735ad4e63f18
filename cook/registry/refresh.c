#include "cook/registry/refresh.h"

#include <string.h>

#include "cook/base/path.h"

bool cook_id_queue_add(struct cook_id_queue *queue, uint32_t id)
{
    if (id < queue->mark_count && queue->marks[id])
        return true;
    size_t known = queue->mark_count;
    if (!cook_grow(&queue->marks, &queue->mark_count, (size_t)id + 1, 1))
        return false;
    memset(queue->marks + known, 0, queue->mark_count - known);
    if (!cook_grow(&queue->ids, &queue->capacity, queue->count + 1, sizeof(*queue->ids)))
        return false;
    queue->ids[queue->count++] = id;
    queue->marks[id] = 1;
    return true;
}

void cook_id_queue_forget(struct cook_id_queue *queue, uint32_t id)
{
    if (id < queue->mark_count)
        queue->marks[id] = 0;
}

void cook_id_queue_finish(struct cook_id_queue *queue)
{
    cook_free(queue->ids);
    cook_free(queue->marks);
    memset(queue, 0, sizeof(*queue));
}

enum cook_status cook_refresh_no_memory(struct cook_refresh *refresh)
{
    return cook_error_set(refresh->error, COOK_E_NO_MEMORY, "out of memory for the registry");
}

enum cook_status cook_refresh_warn(struct cook_refresh *refresh, const char *path,
                                   const char *reason)
{
    struct cook_registry_changes *changes = refresh->changes;
    size_t size = strlen(path) + strlen(reason) + 3;
    char *text = cook_malloc(size);
    if (!text || !cook_grow(&changes->warnings, &refresh->warning_capacity,
                            changes->warning_count + 1, sizeof(*changes->warnings))) {
        cook_free(text);
        return cook_refresh_no_memory(refresh);
    }
    size_t length = strlen(path);
    memcpy(text, path, length);
    memcpy(text + length, ": ", 2);
    memcpy(text + length + 2, reason, size - length - 2);
    changes->warnings[changes->warning_count++] = text;
    return COOK_OK;
}

enum cook_status cook_refresh_queue(struct cook_refresh *refresh, struct cook_id_queue *queue,
                                    uint32_t id)
{
    return cook_id_queue_add(queue, id) ? COOK_OK : cook_refresh_no_memory(refresh);
}

static enum cook_status begin_change(struct cook_refresh *refresh, enum cook_state_table table,
                                     uint32_t id)
{
    enum cook_status status = cook_state_thaw(refresh->state, refresh->error);
    if (status != COOK_OK)
        return status;
    cook_state_touch(refresh->state, table, id);
    refresh->changes->stat_changed = true;
    return COOK_OK;
}

enum cook_status cook_refresh_put_folder(struct cook_refresh *refresh, uint32_t id,
                                         const struct cook_state_folder *row)
{
    if (memcmp(&refresh->state->folders[id], row, sizeof(*row)) == 0)
        return COOK_OK;
    enum cook_status status = begin_change(refresh, COOK_TABLE_folders, id);
    if (status == COOK_OK)
        refresh->state->folders[id] = *row;
    return status;
}

enum cook_status cook_refresh_put_file(struct cook_refresh *refresh, uint32_t id,
                                       const struct cook_state_file *row)
{
    const struct cook_state_file *old = &refresh->state->files[id];
    uint32_t telling = COOK_FILE_PRESENT | COOK_FILE_UNREADABLE;
    if (memcmp(old, row, sizeof(*row)) == 0)
        return COOK_OK;
    if (!cook_hash_equal(old->content, row->content) || ((old->flags ^ row->flags) & telling))
        refresh->changes->content_changed = true;
    enum cook_status status = begin_change(refresh, COOK_TABLE_files, id);
    if (status == COOK_OK)
        refresh->state->files[id] = *row;
    return status;
}

enum cook_status cook_refresh_put_package(struct cook_refresh *refresh, uint32_t id,
                                          const struct cook_state_package *row)
{
    const struct cook_state_package *old = &refresh->state->packages[id];
    uint32_t telling = COOK_PACKAGE_PRESENT | COOK_PACKAGE_DUPLICATE;
    if (memcmp(old, row, sizeof(*row)) == 0)
        return COOK_OK;
    if (old->file != row->file || old->side_file != row->side_file ||
        ((old->flags ^ row->flags) & telling))
        refresh->changes->content_changed = true;
    enum cook_status status = begin_change(refresh, COOK_TABLE_packages, id);
    if (status == COOK_OK)
        refresh->state->packages[id] = *row;
    return status;
}

enum cook_status cook_refresh_put_result(struct cook_refresh *refresh, uint32_t id,
                                         const struct cook_state_result *row)
{
    if (memcmp(&refresh->state->results[id], row, sizeof(*row)) == 0)
        return COOK_OK;
    enum cook_status status = begin_change(refresh, COOK_TABLE_results, id);
    if (status == COOK_OK)
        refresh->state->results[id] = *row;
    return status;
}

/* The first place in file_order whose folder is `folder` or a later one. */
static uint32_t lower_bound(const struct cook_state *state, uint32_t folder)
{
    uint32_t low = 0;
    uint32_t high = state->order_files;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (state->files[state->file_order[middle]].folder < folder)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cook_file_range cook_refresh_files(const struct cook_state *state, uint32_t folder)
{
    struct cook_file_range range = { lower_bound(state, folder), 0 };
    range.end = range.first;
    while (range.end < state->order_files &&
           state->files[state->file_order[range.end]].folder == folder)
        range.end++;
    return range;
}

size_t cook_refresh_root_of(const struct cook_project *project, const char *folder)
{
    for (size_t i = 0; i < project->root_count; i++) {
        if (cook_path_has_prefix(folder, project->roots[i].folder))
            return i;
    }
    return COOK_ROOT_NONE;
}

bool cook_refresh_is_hidden(const char *name)
{
    return name[0] == '.';
}

bool cook_refresh_is_valid_name(const char *name)
{
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c < 0x20 || c == 0x7f || c == '\\')
            return false;
    }
    return true;
}

/* `lower` is lower case already; ASCII rules whatever the locale. */
static bool is_extension(const char *extension, const char *lower)
{
    for (; *extension && *lower; extension++, lower++) {
        bool is_upper = *extension >= 'A' && *extension <= 'Z';
        if ((is_upper ? *extension - 'A' + 'a' : *extension) != *lower)
            return false;
    }
    return *extension == *lower;
}

const struct cook_reader_info *cook_refresh_reader(const struct cook_registry_options *options,
                                                   const char *name)
{
    const char *extension = cook_path_extension(name);
    if (!*extension)
        return NULL;
    for (size_t i = 0; i < options->reader_count; i++) {
        const struct cook_reader_info *reader = &options->readers[i];
        for (const char *const *known = reader->extensions; *known; known++) {
            if (is_extension(extension, *known))
                return reader;
        }
    }
    return NULL;
}

size_t cook_refresh_side_stem(const char *name)
{
    size_t length = strlen(name);
    size_t extension = sizeof(COOK_SIDE_EXTENSION) - 1;
    if (length <= extension || strcmp(name + length - extension, COOK_SIDE_EXTENSION) != 0)
        return 0;
    return length - extension;
}
