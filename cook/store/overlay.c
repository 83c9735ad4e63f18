#include "cook/store/overlay.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"

#define FOLDER "Saved/History/overlays"
#define LAST   "facts.json" /* written last: its time is the overlay's */

static bool is_id(const char *text)
{
    size_t length = strspn(text, "0123456789abcdef");
    return length == 16 && text[length] == '\0';
}

static enum cook_status path_of(char path[128], const char *finding_id, const char *name,
                                struct cook_error *error)
{
    if (!is_id(finding_id) || strchr(name, '/') || strlen(name) > 40 || *name == '.')
        return cook_error_set(error, COOK_E_INVALID, "'%s' has no overlay", finding_id);
    (void)snprintf(path, 128, FOLDER "/%s%s%s", finding_id, *name ? "/" : "", name);
    return COOK_OK;
}

enum cook_status cook_overlay_put(int project_fd, const char *finding_id,
                                  const struct cook_overlay_part *parts, size_t count,
                                  struct cook_error *error)
{
    char path[128];
    enum cook_status status = path_of(path, finding_id, "", error);
    if (status == COOK_OK)
        status = cook_fs_remove_tree(project_fd, path, error);
    if (status == COOK_OK)
        status = cook_fs_make_folders(project_fd, path, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        if (parts[i].size > COOK_OVERLAY_MAX_BYTES)
            continue;
        status = path_of(path, finding_id, parts[i].name, error);
        if (status == COOK_OK)
            status =
                cook_fs_write(project_fd, path, parts[i].bytes, parts[i].size, false, error);
    }
    return status;
}

enum cook_status cook_overlay_get(struct cook_buf *out, int project_fd, const char *finding_id,
                                  const char *name, struct cook_error *error)
{
    char path[128];
    enum cook_status status = path_of(path, finding_id, name, error);
    return status == COOK_OK
               ? cook_fs_read(out, NULL, project_fd, path, COOK_OVERLAY_MAX_BYTES, error)
               : status;
}

/* ---- how much is kept ---- */

struct overlay {
    const char *id;
    int64_t time_ns;
    uint64_t bytes;
};

static int newest_first(const void *a, const void *b)
{
    const struct overlay *x = a;
    const struct overlay *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns > y->time_ns ? -1 : 1;
    return strcmp(x->id, y->id);
}

static enum cook_status measure(struct overlay *overlay, int project_fd,
                                struct cook_arena *arena, struct cook_error *error)
{
    struct cook_folder_entry *entries;
    size_t count;
    char path[128];
    enum cook_status status = path_of(path, overlay->id, "", error);
    if (status == COOK_OK)
        status = cook_fs_list(&entries, &count, arena, project_fd, path, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        struct cook_file_stat stat;
        if (path_of(path, overlay->id, entries[i].name, NULL) != COOK_OK)
            continue;
        status = cook_fs_stat(&stat, project_fd, path, error);
        overlay->bytes += stat.size_bytes;
        if (strcmp(entries[i].name, LAST) == 0)
            overlay->time_ns = stat.mtime_ns;
    }
    return status;
}

static enum cook_status trim(struct overlay *overlays, size_t count, int project_fd,
                             uint64_t max_bytes, struct cook_error *error)
{
    uint64_t total = 0;
    char path[128];
    enum cook_status status = COOK_OK;
    qsort(overlays, count, sizeof(*overlays), newest_first);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        total += overlays[i].bytes;
        if (total <= max_bytes)
            continue;
        status = path_of(path, overlays[i].id, "", error);
        if (status == COOK_OK)
            status = cook_fs_remove_tree(project_fd, path, error);
    }
    return status;
}

enum cook_status cook_overlay_trim(int project_fd, uint64_t max_bytes, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_folder_entry *entries;
    struct cook_file_stat stat;
    size_t count = 0;
    size_t used = 0;
    enum cook_status status = cook_fs_stat(&stat, project_fd, FOLDER, error);
    if (status != COOK_OK || stat.kind != COOK_FILE_FOLDER || !max_bytes)
        return status;
    status = cook_fs_list(&entries, &count, &arena, project_fd, FOLDER, error);
    struct overlay *overlays = cook_arena_alloc(&arena, (count + 1) * sizeof(*overlays));
    if (status == COOK_OK && !overlays)
        status = cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        if (entries[i].kind != COOK_FILE_FOLDER || !is_id(entries[i].name))
            continue;
        overlays[used] = (struct overlay){ .id = entries[i].name };
        status = measure(&overlays[used++], project_fd, &arena, error);
    }
    if (status == COOK_OK && used)
        status = trim(overlays, used, project_fd, max_bytes, error);
    cook_arena_finish(&arena);
    return status;
}
