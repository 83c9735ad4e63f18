/*
 * Folders that differ from their rows: list them, match the listing with the file rows, and
 * find new folders below. A folder's times are taken before it is listed, so that what comes
 * while it is being listed shows as a change next time.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/registry/refresh.h"

/* A folder at hand. */
struct visit {
    struct cook_refresh *refresh;
    uint32_t id;
    size_t root;      /* content root, or COOK_ROOT_NONE */
    const char *path; /* in scratch */
    struct cook_file_stat stat;
    struct cook_folder_entry *entries; /* in scratch, sorted */
    size_t entry_count;
    bool again; /* something here must be looked at next time too, whatever the times say */
};

static struct cook_state_folder folder_row(const struct visit *visit)
{
    return visit->refresh->state->folders[visit->id];
}

/* Queue the files of the folder whose presence is as given. */
static enum cook_status queue_files(const struct visit *visit, bool present)
{
    struct cook_refresh *refresh = visit->refresh;
    const struct cook_state *state = refresh->state;
    struct cook_file_range range = cook_refresh_files(state, visit->id);
    enum cook_status status = COOK_OK;
    for (uint32_t i = range.first; i < range.end && status == COOK_OK; i++) {
        uint32_t id = state->file_order[i];
        bool is_present = state->files[id].flags & COOK_FILE_PRESENT;
        if (is_present == present)
            status = cook_refresh_queue(refresh, &refresh->reads, id);
    }
    return status;
}

/* List the parent again: where a link led here, its own times do not tell that the target went.
 */
static enum cook_status queue_parent(const struct visit *visit)
{
    struct cook_refresh *refresh = visit->refresh;
    const char *slash = strrchr(visit->path, '/');
    char *path = cook_arena_strndup(&refresh->scratch, visit->path,
                                    slash ? (size_t)(slash - visit->path) : 0);
    if (!path)
        return cook_refresh_no_memory(refresh);
    uint32_t parent = cook_state_find_folder(refresh->state, path);
    if (parent == COOK_ID_NONE)
        return COOK_OK;
    return cook_refresh_queue(refresh, &refresh->folders, parent);
}

/* Nothing is in the folder any more; `again` is COOK_FOLDER_RACY or 0. */
static enum cook_status empty_folder(const struct visit *visit, uint32_t again)
{
    struct cook_state_folder row = folder_row(visit);
    row.flags = (row.flags & COOK_FOLDER_CONTENT) | again;
    row.mtime_ns = row.ctime_ns = 0;
    row.inode = 0;
    enum cook_status status = cook_refresh_put_folder(visit->refresh, visit->id, &row);
    return status == COOK_OK ? queue_files(visit, true) : status;
}

static enum cook_status folder_gone(const struct visit *visit)
{
    enum cook_status status = empty_folder(visit, 0);
    return status == COOK_OK && visit->root != COOK_ROOT_NONE ? queue_parent(visit) : status;
}

/*
 * A folder that must not be entered is asked about, and warned of, at each refresh. So are
 * files in it that were read as dependencies, since no listing speaks for them.
 */
static enum cook_status refuse(const struct visit *visit, const char *reason)
{
    enum cook_status status = empty_folder(visit, COOK_FOLDER_RACY);
    if (status == COOK_OK)
        status = queue_files(visit, false);
    return status == COOK_OK ? cook_refresh_warn(visit->refresh, visit->path, reason) : status;
}

/* So is one that cannot be listed, but what is known of it stays. */
static enum cook_status keep_trying(const struct visit *visit, const char *reason)
{
    struct cook_state_folder row = folder_row(visit);
    row.flags |= COOK_FOLDER_RACY;
    enum cook_status status = cook_refresh_put_folder(visit->refresh, visit->id, &row);
    if (status == COOK_OK)
        status = queue_files(visit, true);
    return status == COOK_OK ? cook_refresh_warn(visit->refresh, visit->path, reason) : status;
}

static void set_times(struct cook_state_folder *row, const struct visit *visit)
{
    const struct cook_file_stat *stat = &visit->stat;
    row->flags |= COOK_FOLDER_PRESENT;
    row->flags &= ~(uint32_t)COOK_FOLDER_RACY;
    if (visit->again || cook_fs_is_racy(stat, &visit->refresh->clock))
        row->flags |= COOK_FOLDER_RACY;
    row->mtime_ns = stat->mtime_ns;
    row->ctime_ns = stat->ctime_ns;
    row->inode = stat->inode;
}

/* ---- what a new folder may be refused for ---- */

static bool is_too_deep(const char *path)
{
    int depth = 1;
    for (; *path; path++)
        depth += *path == '/';
    return depth > COOK_REGISTRY_MAX_DEPTH;
}

/*
 * Whether the folder is one that its own path leads through. Links alone can do that, and the
 * folders above were asked the same when they were met.
 */
static enum cook_status is_loop(bool *out, const struct visit *visit)
{
    struct cook_refresh *refresh = visit->refresh;
    int project_fd = refresh->project->fd;
    struct stat facts;
    *out = false;
    if (fstatat(project_fd, visit->path, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISLNK(facts.st_mode))
        return COOK_OK;
    char *above = cook_arena_strdup(&refresh->scratch, visit->path);
    if (!above)
        return cook_refresh_no_memory(refresh);
    for (char *slash = strrchr(above, '/'); slash && !*out; slash = strrchr(above, '/')) {
        struct cook_file_stat stat;
        *slash = '\0';
        if (cook_fs_stat(&stat, project_fd, above, NULL) == COOK_OK)
            *out = stat.device == visit->stat.device && stat.inode == visit->stat.inode;
    }
    return COOK_OK;
}

/* ---- matching a listing with the rows ---- */

static enum cook_status warn_entry(struct visit *visit, const char *name, const char *reason)
{
    struct cook_refresh *refresh = visit->refresh;
    visit->again = true;
    char *path = cook_arena_printf(&refresh->scratch, "%s/%s", visit->path, name);
    if (!path)
        return cook_refresh_no_memory(refresh);
    for (char *c = path; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    return cook_refresh_warn(refresh, path, reason);
}

/* Queue a folder of content, unless it is known as that and was compared by itself already. */
static enum cook_status enter_content(struct cook_refresh *refresh, const char *path)
{
    uint32_t id = cook_state_find_folder(refresh->state, path);
    if (id == COOK_ID_NONE)
        id = cook_state_add_folder(refresh->state, path);
    if (id == COOK_ID_NONE)
        return cook_refresh_no_memory(refresh);
    struct cook_state_folder row = refresh->state->folders[id];
    bool was_content = row.flags & COOK_FOLDER_CONTENT;
    if (was_content && (row.flags & COOK_FOLDER_PRESENT))
        return COOK_OK;
    if (!was_content) {
        /* A row that a file dependency made: check it as a new one, even if it was visited. */
        row.flags |= COOK_FOLDER_CONTENT;
        row.inode = 0;
        cook_id_queue_forget(&refresh->folders, id);
    }
    enum cook_status status = cook_refresh_put_folder(refresh, id, &row);
    return status == COOK_OK ? cook_refresh_queue(refresh, &refresh->folders, id) : status;
}

static enum cook_status meet_folder(struct visit *visit, const char *name)
{
    struct cook_refresh *refresh = visit->refresh;
    if (cook_refresh_is_hidden(name))
        return COOK_OK;
    if (!cook_refresh_is_valid_name(name))
        return warn_entry(visit, name,
                          "folder skipped: its name holds a character that package "
                          "names must not");
    char *path = cook_arena_printf(&refresh->scratch, "%s/%s", visit->path, name);
    if (!path)
        return cook_refresh_no_memory(refresh);
    return enter_content(refresh, path);
}

static bool lists_source(const struct visit *visit, const char *name, size_t length)
{
    size_t low = 0;
    size_t high = visit->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct cook_folder_entry *entry = &visit->entries[middle];
        int order = strncmp(entry->name, name, length);
        if (order == 0 && entry->name[length])
            order = 1;
        if (order == 0)
            return entry->kind == COOK_FILE_REGULAR &&
                   cook_refresh_reader(visit->refresh->options, entry->name);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Whether a file that has no row yet belongs to a package. */
static bool is_wanted(const struct visit *visit, const char *name)
{
    if (cook_refresh_is_hidden(name))
        return false;
    size_t stem = cook_refresh_side_stem(name);
    if (stem && lists_source(visit, name, stem))
        return true;
    return cook_refresh_reader(visit->refresh->options, name) != NULL;
}

static enum cook_status meet_new_file(struct visit *visit, const char *name)
{
    struct cook_refresh *refresh = visit->refresh;
    if (!is_wanted(visit, name))
        return COOK_OK;
    if (!cook_refresh_is_valid_name(name))
        return warn_entry(visit, name,
                          "file skipped: its name holds a character that package "
                          "names must not");
    char *path = cook_arena_printf(&refresh->scratch, "%s/%s", visit->path, name);
    uint32_t id = path ? cook_state_add_file(refresh->state, path) : COOK_ID_NONE;
    if (id == COOK_ID_NONE)
        return cook_refresh_no_memory(refresh);
    return cook_refresh_queue(refresh, &refresh->reads, id);
}

/* An entry that has a file row. Its content was compared already, its presence is news. */
static enum cook_status meet_known_file(struct visit *visit,
                                        const struct cook_folder_entry *entry, uint32_t id)
{
    struct cook_refresh *refresh = visit->refresh;
    bool present = refresh->state->files[id].flags & COOK_FILE_PRESENT;
    if (entry->kind != COOK_FILE_REGULAR && entry->kind != COOK_FILE_FOLDER)
        visit->again = true;
    if (present == (entry->kind == COOK_FILE_REGULAR))
        return COOK_OK;
    return cook_refresh_queue(refresh, &refresh->reads, id);
}

static enum cook_status meet_entry(struct visit *visit, const struct cook_folder_entry *entry,
                                   uint32_t known)
{
    enum cook_status status = COOK_OK;
    if (known != COOK_ID_NONE)
        status = meet_known_file(visit, entry, known);
    else if (entry->kind == COOK_FILE_REGULAR)
        status = meet_new_file(visit, entry->name);
    else if (entry->kind != COOK_FILE_FOLDER && !cook_refresh_is_hidden(entry->name))
        visit->again = true; /* a link to nowhere: its target may come without a trace here */
    if (entry->kind == COOK_FILE_FOLDER && status == COOK_OK)
        status = meet_folder(visit, entry->name);
    return status;
}

/* Walk listing and rows together; both are sorted by name. */
static enum cook_status match_entries(struct visit *visit)
{
    struct cook_refresh *refresh = visit->refresh;
    struct cook_state *state = refresh->state;
    struct cook_file_range range = cook_refresh_files(state, visit->id);
    enum cook_status status = COOK_OK;
    uint32_t at = range.first;
    size_t entry = 0;
    while ((at < range.end || entry < visit->entry_count) && status == COOK_OK) {
        uint32_t id = at < range.end ? state->file_order[at] : COOK_ID_NONE;
        int order = 1;
        if (id != COOK_ID_NONE && entry < visit->entry_count)
            order = strcmp(cook_state_text(state, state->files[id].name),
                           visit->entries[entry].name);
        else if (id != COOK_ID_NONE)
            order = -1;
        if (order < 0 && (state->files[id].flags & COOK_FILE_PRESENT))
            status = cook_refresh_queue(refresh, &refresh->reads, id);
        if (order >= 0)
            status = meet_entry(visit, &visit->entries[entry], order == 0 ? id : COOK_ID_NONE);
        at += order <= 0;
        entry += order >= 0;
    }
    return status;
}

/* ---- folders ---- */

static enum cook_status sync_listing(struct visit *visit)
{
    struct cook_refresh *refresh = visit->refresh;
    enum cook_status status = match_entries(visit);
    if (status != COOK_OK)
        return status;
    struct cook_state_folder row = folder_row(visit);
    row.flags = COOK_FOLDER_CONTENT | refresh->signatures[visit->root]
                                          << COOK_FOLDER_LISTED_SHIFT;
    set_times(&row, visit);
    status = cook_refresh_put_folder(refresh, visit->id, &row);
    return status == COOK_OK ? cook_refresh_queue(refresh, &refresh->mapped, visit->id)
                             : status;
}

/* A content root must be there; any other folder that cannot be listed is only warned of. */
static enum cook_status cannot_list(struct visit *visit, enum cook_status status,
                                    int error_number)
{
    struct cook_refresh *refresh = visit->refresh;
    struct cook_error why = COOK_ERROR_INIT;
    bool is_root = strcmp(refresh->project->roots[visit->root].folder, visit->path) == 0;
    if (status == COOK_E_NO_MEMORY)
        return cook_refresh_no_memory(refresh);
    errno = error_number;
    if (is_root)
        return cook_error_set_errno(refresh->error, "cannot list content root '%s'",
                                    visit->path);
    if (error_number == ENOENT || error_number == ENOTDIR)
        return folder_gone(visit);
    (void)cook_error_set_errno(&why, "cannot list the folder");
    return keep_trying(visit, why.message);
}

static enum cook_status list_open_folder(struct visit *visit, int fd)
{
    struct cook_refresh *refresh = visit->refresh;
    struct cook_error why = COOK_ERROR_INIT;
    enum cook_status status = cook_fs_stat(&visit->stat, fd, ".", &why);
    if (status != COOK_OK)
        return cannot_list(visit, status, why.sys_errno);
    if (visit->stat.inode != folder_row(visit).inode) {
        bool loop;
        status = is_loop(&loop, visit);
        if (status != COOK_OK)
            return status;
        if (loop)
            return refuse(visit, "folder skipped: it leads back to a folder above it");
        if (is_too_deep(visit->path))
            return refuse(visit, "folder skipped: nested too deeply");
    }
    status =
        cook_fs_list(&visit->entries, &visit->entry_count, &refresh->scratch, fd, ".", &why);
    return status == COOK_OK ? sync_listing(visit) : cannot_list(visit, status, why.sys_errno);
}

static enum cook_status visit_content(struct visit *visit)
{
    int fd =
        openat(visit->refresh->project->fd, visit->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return cannot_list(visit, COOK_E_IO, errno);
    enum cook_status status = list_open_folder(visit, fd);
    close(fd);
    return status;
}

/* A folder outside of content is not listed: only the files that were asked for matter. */
static enum cook_status visit_other(struct visit *visit)
{
    struct cook_refresh *refresh = visit->refresh;
    const char *path = *visit->path ? visit->path : ".";
    enum cook_status status = cook_fs_stat(&visit->stat, refresh->project->fd, path, NULL);
    if (status == COOK_OK && visit->stat.kind != COOK_FILE_FOLDER)
        return folder_gone(visit);
    struct cook_state_folder row = folder_row(visit);
    row.flags &= COOK_FOLDER_PRESENT | COOK_FOLDER_RACY;
    if (status == COOK_OK)
        set_times(&row, visit);
    else
        row.flags |= COOK_FOLDER_RACY;
    enum cook_status failed = cook_refresh_put_folder(refresh, visit->id, &row);
    return failed == COOK_OK ? queue_files(visit, status != COOK_OK) : failed;
}

/* The content root that held this folder was taken out of the project. */
static enum cook_status leave_content(struct visit *visit)
{
    struct cook_refresh *refresh = visit->refresh;
    struct cook_file_range range = cook_refresh_files(refresh->state, visit->id);
    enum cook_status status = COOK_OK;
    for (uint32_t i = range.first; i < range.end && status == COOK_OK; i++) {
        uint32_t id = refresh->state->file_order[i];
        struct cook_state_file row = refresh->state->files[id];
        row.flags |= COOK_FILE_TRACKED; /* no listing stands in for probing it any more */
        status = cook_refresh_put_file(refresh, id, &row);
    }
    if (status == COOK_OK)
        status = cook_refresh_queue(refresh, &refresh->mapped, visit->id);
    return status == COOK_OK ? visit_other(visit) : status;
}

static enum cook_status visit_folder(struct cook_refresh *refresh, uint32_t id)
{
    const char *path = cook_state_text(refresh->state, refresh->state->folders[id].path);
    struct visit visit = { .refresh = refresh, .id = id };
    visit.root = cook_refresh_root_of(refresh->project, path);
    visit.path = cook_arena_strdup(&refresh->scratch, path);
    if (!visit.path)
        return cook_refresh_no_memory(refresh);
    if (!(refresh->state->folders[id].flags & COOK_FOLDER_CONTENT))
        return visit_other(&visit);
    return visit.root == COOK_ROOT_NONE ? leave_content(&visit) : visit_content(&visit);
}

/* Roots that have no row yet, or whose row was made by a mere file dependency. */
static enum cook_status queue_roots(struct cook_refresh *refresh)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < refresh->project->root_count && status == COOK_OK; i++)
        status = enter_content(refresh, refresh->project->roots[i].folder);
    return status;
}

enum cook_status cook_refresh_walk(struct cook_refresh *refresh)
{
    enum cook_status status = queue_roots(refresh);
    for (size_t i = 0; i < refresh->folders.count && status == COOK_OK; i++) {
        status = visit_folder(refresh, refresh->folders.ids[i]);
        cook_arena_finish(&refresh->scratch);
    }
    return status;
}
