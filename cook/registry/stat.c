/*
 * The question that every cook asks: which folders and files differ from their rows? Threads
 * take units of consecutive files in folder order, open each folder once, and stat relative to
 * it; nothing is allocated or joined to a path for what did not change.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/registry/parallel.h"
#include "cook/registry/refresh.h"

#define UNIT_FILES    2048u
#define STATX_MINIMUM (STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO)

struct id_list {
    uint32_t *ids; /* owned */
    size_t count;
    size_t capacity;
};

/* What one unit found to differ, in order of folder and name. */
struct stat_unit {
    struct id_list folders;
    struct id_list files;
    bool short_of_memory;
};

struct stat_pass {
    const struct cook_state *state;
    const struct cook_refresh *refresh;
    const uint32_t
        *expected; /* by folder: the signature its listing must have, 0 outside roots */
    struct stat_unit *units;
    uint32_t unit_count;
    atomic_uint next_unit;
};

static void note(struct stat_unit *unit, struct id_list *list, uint32_t id)
{
    if (list->count && list->ids[list->count - 1] == id)
        return;
    if (cook_grow(&list->ids, &list->capacity, list->count + 1, sizeof(*list->ids)))
        list->ids[list->count++] = id;
    else
        unit->short_of_memory = true;
}

static int64_t to_ns(struct statx_timestamp time)
{
    return time.tv_sec * INT64_C(1000000000) + (int64_t)time.tv_nsec;
}

static bool is_absence(int error_number)
{
    return error_number == ENOENT || error_number == ENOTDIR;
}

static bool folder_differs(const struct cook_state_folder *row, uint32_t expected, int fd)
{
    struct statx now;
    if ((row->flags & COOK_FOLDER_RACY) || !(row->flags & COOK_FOLDER_PRESENT))
        return true;
    if ((row->flags & COOK_FOLDER_CONTENT) &&
        row->flags >> COOK_FOLDER_LISTED_SHIFT != expected)
        return true;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_MINIMUM, &now) != 0)
        return true;
    return to_ns(now.stx_mtime) != row->mtime_ns || to_ns(now.stx_ctime) != row->ctime_ns ||
           now.stx_ino != row->inode;
}

/* Open a folder for what is in it and, where `check`, compare it with its row; -1: not there.
 */
static int visit_folder(const struct stat_pass *pass, struct stat_unit *unit, uint32_t id,
                        bool check)
{
    const struct cook_state_folder *row = &pass->state->folders[id];
    bool present = row->flags & COOK_FOLDER_PRESENT;
    if ((row->flags & COOK_FOLDER_CONTENT) && !present) {
        /* Its parent's listing tells when it comes back; racy: it was refused, so say so again.
         */
        if (check && (row->flags & COOK_FOLDER_RACY))
            note(unit, &unit->folders, id);
        return -1;
    }
    const char *path = cook_state_text(pass->state, row->path);
    int fd = openat(pass->refresh->project->fd, *path ? path : ".",
                    O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool differs = fd < 0 ? present || !is_absence(errno)
                          : check && folder_differs(row, pass->expected[id], fd);
    if (check && differs)
        note(unit, &unit->folders, id);
    return fd;
}

static void check_folder(const struct stat_pass *pass, struct stat_unit *unit, uint32_t id)
{
    int fd = visit_folder(pass, unit, id, true);
    if (fd >= 0)
        close(fd);
}

static bool file_differs(const struct cook_state_file *row, const struct statx *now)
{
    return now->stx_size != row->size_bytes || to_ns(now->stx_mtime) != row->mtime_ns ||
           to_ns(now->stx_ctime) != row->ctime_ns || now->stx_ino != row->inode ||
           !S_ISREG(now->stx_mode);
}

/*
 * Compare a file with its row. What is not there any more, or is no file, may be news about its
 * folder even where the folder's own times are the same (a link whose target went away).
 */
static void check_file(const struct stat_pass *pass, struct stat_unit *unit, int folder_fd,
                       uint32_t id)
{
    const struct cook_state_file *row = &pass->state->files[id];
    bool present = row->flags & COOK_FILE_PRESENT;
    bool again = row->flags & (COOK_FILE_RACY | COOK_FILE_UNREADABLE);
    if (!present && !again)
        return;
    struct statx now;
    const char *name = cook_state_text(pass->state, row->name);
    bool found = statx(folder_fd, name, 0, STATX_MINIMUM, &now) == 0;
    if (!present) {
        if (found)
            note(unit, &unit->files, id);
        return;
    }
    if (!found || !S_ISREG(now.stx_mode))
        note(unit, &unit->folders, row->folder);
    if (again || !found || !pass->refresh->options->trust_stat || file_differs(row, &now))
        note(unit, &unit->files, id);
}

/* Each folder is compared by the unit that holds its first file, or the next folder's. */
static void run_unit(const struct stat_pass *pass, uint32_t number)
{
    const struct cook_state *state = pass->state;
    struct stat_unit *unit = &pass->units[number];
    uint32_t at = number * UNIT_FILES;
    uint32_t end = at + UNIT_FILES;
    bool is_last = number + 1 == pass->unit_count;
    if (is_last)
        end = state->order_files;
    uint32_t open_folder = COOK_ID_NONE;
    uint32_t next_folder = at == 0 ? 0 : state->files[state->file_order[at - 1]].folder + 1;
    int fd = -1;
    for (; at < end; at++) {
        uint32_t id = state->file_order[at];
        uint32_t folder = state->files[id].folder;
        if (folder != open_folder) {
            if (fd >= 0)
                close(fd);
            for (; next_folder < folder; next_folder++)
                check_folder(pass, unit, next_folder);
            fd = visit_folder(pass, unit, folder, next_folder == folder);
            next_folder = folder + 1;
            open_folder = folder;
        }
        if (fd >= 0 && (state->files[id].flags & COOK_FILE_TRACKED))
            check_file(pass, unit, fd, id);
    }
    if (fd >= 0)
        close(fd);
    for (; is_last && next_folder < state->folders_count; next_folder++)
        check_folder(pass, unit, next_folder);
}

static void run_units(void *context)
{
    struct stat_pass *pass = context;
    for (;;) {
        uint32_t number = atomic_fetch_add(&pass->next_unit, 1);
        if (number >= pass->unit_count)
            return;
        run_unit(pass, number);
    }
}

static enum cook_status take_unit(struct cook_refresh *refresh, const struct stat_unit *unit)
{
    enum cook_status status = unit->short_of_memory ? cook_refresh_no_memory(refresh) : COOK_OK;
    for (size_t i = 0; i < unit->folders.count && status == COOK_OK; i++)
        status = cook_refresh_queue(refresh, &refresh->folders, unit->folders.ids[i]);
    for (size_t i = 0; i < unit->files.count && status == COOK_OK; i++)
        status = cook_refresh_queue(refresh, &refresh->reads, unit->files.ids[i]);
    return status;
}

static enum cook_status run_pass(struct cook_refresh *refresh, struct stat_pass *pass)
{
    enum cook_status status = COOK_OK;
    pass->unit_count = pass->state->order_files / UNIT_FILES + 1;
    pass->units = cook_calloc(pass->unit_count, sizeof(*pass->units));
    if (!pass->units)
        return cook_refresh_no_memory(refresh);
    unsigned threads = refresh->options->threads;
    cook_parallel_run(threads < pass->unit_count ? threads : pass->unit_count, run_units, pass);
    for (uint32_t i = 0; i < pass->unit_count; i++) {
        if (status == COOK_OK)
            status = take_unit(refresh, &pass->units[i]);
        cook_free(pass->units[i].folders.ids);
        cook_free(pass->units[i].files.ids);
    }
    cook_free(pass->units);
    return status;
}

enum cook_status cook_refresh_stat(struct cook_refresh *refresh)
{
    struct cook_state *state = refresh->state;
    uint32_t *expected = cook_calloc(state->folders_count, sizeof(*expected));
    if (!expected)
        return cook_refresh_no_memory(refresh);
    for (uint32_t i = 0; i < state->folders_count; i++) {
        const char *path = cook_state_text(state, state->folders[i].path);
        size_t root = cook_refresh_root_of(refresh->project, path);
        expected[i] = root == COOK_ROOT_NONE ? 0 : refresh->signatures[root];
    }
    struct stat_pass pass = { .state = state, .refresh = refresh, .expected = expected };
    enum cook_status status = run_pass(refresh, &pass);
    cook_free(expected);
    return status;
}
