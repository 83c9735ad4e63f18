/*
 * Reading files: stat, hash, and the row that follows from it. Many files are read on threads,
 * in batches; rows are changed between the batches, in the order in which the files were
 * queued.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/registry/parallel.h"
#include "cook/registry/refresh.h"

#define BATCH_FILES 32768u
#define SHARE_FILES 32u /* that a thread takes at a time */

/*
 * Read until the buffer is full or the file ends; the count, or -1 with errno. Having
 * `expected` bytes (0: unknown) is taken for the end: a file that grew since then also has
 * other times.
 */
static ssize_t fill_buffer(int fd, uint8_t *buffer, size_t size, uint64_t expected)
{
    size_t have = 0;
    while (have < size) {
        ssize_t got = read(fd, buffer + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += (size_t)got;
        if (have == expected)
            break;
    }
    return (ssize_t)have;
}

static int hash_large(struct cook_hash *content, int fd, uint8_t *buffer, size_t have)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    while (have > 0) {
        cook_hasher_update(&hasher, buffer, have);
        ssize_t got = fill_buffer(fd, buffer, COOK_READING_BUFFER_BYTES, 0);
        if (got < 0)
            return errno;
        have = (size_t)got;
    }
    *content = cook_hasher_digest(&hasher);
    return 0;
}

/* Hash to the end of the file; 0 or an errno. */
static int hash_file(struct cook_hash *content, int fd, uint64_t size_bytes, uint8_t *buffer)
{
    ssize_t got = fill_buffer(fd, buffer, COOK_READING_BUFFER_BYTES, size_bytes);
    if (got < 0)
        return errno;
    if ((size_t)got == COOK_READING_BUFFER_BYTES)
        return hash_large(content, fd, buffer, (size_t)got);
    *content = cook_hash_bytes(buffer, (size_t)got);
    return 0;
}

static void set_absent(struct cook_file_reading *out)
{
    memset(out, 0, sizeof(*out));
    out->stat.kind = COOK_FILE_ABSENT;
}

/* A file that could not be opened: not there, no file at all, or there and unreadable. */
static void read_unopened(struct cook_file_reading *out, int folder_fd, const char *path,
                          int error_number)
{
    struct stat link;
    bool failed = cook_fs_stat(&out->stat, folder_fd, path, NULL) != COOK_OK;
    if (!failed && out->stat.kind != COOK_FILE_REGULAR) {
        set_absent(out);
        out->is_link = fstatat(folder_fd, path, &link, AT_SYMLINK_NOFOLLOW) == 0;
        return;
    }
    out->stat.kind = COOK_FILE_REGULAR;
    out->error_number = error_number;
}

void cook_file_read_content(struct cook_file_reading *out, int folder_fd, const char *path,
                            uint8_t *buffer)
{
    memset(out, 0, sizeof(*out));
    /* Without O_NONBLOCK, opening a pipe that stands where a file should would hang. */
    int fd = openat(folder_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        read_unopened(out, folder_fd, path, errno);
        return;
    }
    struct stat facts;
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        close(fd);
        set_absent(out);
        out->is_link = true; /* something stands there: look again next time */
        return;
    }
    out->stat.kind = COOK_FILE_REGULAR;
    out->stat.size_bytes = (uint64_t)facts.st_size;
    out->stat.mtime_ns = facts.st_mtim.tv_sec * INT64_C(1000000000) + facts.st_mtim.tv_nsec;
    out->stat.ctime_ns = facts.st_ctim.tv_sec * INT64_C(1000000000) + facts.st_ctim.tv_nsec;
    out->stat.inode = facts.st_ino;
    out->stat.device = facts.st_dev;
    out->error_number = hash_file(&out->content, fd, out->stat.size_bytes, buffer);
    close(fd);
}

struct cook_state_file cook_file_row(const struct cook_state_file *row,
                                     const struct cook_file_reading *reading, const struct cook_fs_clock *clock,
                                     bool in_content)
{
    struct cook_state_file next = *row;
    next.flags = COOK_FILE_TRACKED;
    next.size_bytes = reading->stat.size_bytes;
    next.mtime_ns = reading->stat.mtime_ns;
    next.ctime_ns = reading->stat.ctime_ns;
    next.inode = reading->stat.inode;
    next.content = reading->content;
    if (reading->stat.kind != COOK_FILE_REGULAR) {
        /* The listing of a content folder tells when a package's file comes back. */
        if (in_content && row->package != COOK_ID_NONE)
            next.flags = 0;
        else if (!in_content && reading->is_link)
            next.flags |= COOK_FILE_RACY;
        return next;
    }
    next.flags |= COOK_FILE_PRESENT;
    if (reading->error_number) {
        next.flags |= COOK_FILE_UNREADABLE;
        next.content = (struct cook_hash){ 0, 0 };
    } else if (cook_fs_is_racy(&reading->stat, clock)) {
        next.flags |= COOK_FILE_RACY;
    }
    return next;
}

/* ---- many files ---- */

struct read_batch {
    const struct cook_state *state;
    int project_fd;
    const uint32_t *ids;
    uint32_t count;
    struct cook_file_reading *readings;
    atomic_uint next;
    atomic_bool short_of_memory;
};

struct open_folder {
    uint32_t id; /* COOK_ID_NONE: none yet */
    int fd;      /* -1: cannot be opened, errno in error_number */
    int error_number;
};

static void enter_folder(struct open_folder *open, const struct read_batch *batch, uint32_t id)
{
    if (open->id == id)
        return;
    if (open->fd >= 0)
        close(open->fd);
    const char *path = cook_state_text(batch->state, batch->state->folders[id].path);
    open->id = id;
    open->fd = openat(batch->project_fd, *path ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    open->error_number = open->fd < 0 ? errno : 0;
}

static void read_file(struct cook_file_reading *out, struct open_folder *open,
                      const struct read_batch *batch, uint32_t id, uint8_t *buffer)
{
    const struct cook_state_file *row = &batch->state->files[id];
    enter_folder(open, batch, row->folder);
    if (open->fd >= 0) {
        cook_file_read_content(out, open->fd, cook_state_text(batch->state, row->name), buffer);
        return;
    }
    set_absent(out);
    if (open->error_number != ENOENT && open->error_number != ENOTDIR) {
        out->stat.kind = COOK_FILE_REGULAR;
        out->error_number = open->error_number;
    }
}

static void read_shares(void *context)
{
    struct read_batch *batch = context;
    struct open_folder open = { COOK_ID_NONE, -1, 0 };
    uint8_t *buffer = cook_malloc(COOK_READING_BUFFER_BYTES);
    if (!buffer)
        atomic_store(&batch->short_of_memory, true);
    while (buffer) {
        uint32_t first = atomic_fetch_add(&batch->next, SHARE_FILES);
        if (first >= batch->count)
            break;
        uint32_t end = batch->count - first < SHARE_FILES ? batch->count : first + SHARE_FILES;
        for (uint32_t i = first; i < end; i++)
            read_file(&batch->readings[i], &open, batch, batch->ids[i], buffer);
    }
    if (open.fd >= 0)
        close(open.fd);
    cook_free(buffer);
}

/* The package whose side file this is, or COOK_ID_NONE. */
static uint32_t side_package(struct cook_refresh *refresh, uint32_t file)
{
    struct cook_state *state = refresh->state;
    const char *name = cook_state_text(state, state->files[file].name);
    size_t stem = cook_refresh_side_stem(name);
    if (!stem)
        return COOK_ID_NONE;
    char *path = cook_state_file_path(state, file, &refresh->scratch);
    if (!path)
        return COOK_ID_NONE;
    path[strlen(path) - (strlen(name) - stem)] = '\0';
    uint32_t main_file = cook_state_find_file(state, path);
    return main_file == COOK_ID_NONE ? COOK_ID_NONE : state->files[main_file].package;
}

/* What must be looked at because a file's content, or whether it can be read, changed. */
static enum cook_status queue_consequences(struct cook_refresh *refresh, uint32_t id,
                                           uint32_t changed_flags)
{
    const struct cook_state_file *row = &refresh->state->files[id];
    uint32_t package = row->package;
    uint32_t side = side_package(refresh, id);
    enum cook_status status = COOK_OK;
    if (changed_flags & COOK_FILE_PRESENT)
        status = cook_refresh_queue(refresh, &refresh->mapped, row->folder);
    if (status == COOK_OK && package != COOK_ID_NONE)
        status = cook_refresh_queue(refresh, &refresh->packages, package);
    if (status == COOK_OK && side != COOK_ID_NONE)
        status = cook_refresh_queue(refresh, &refresh->packages, side);
    return status;
}

static enum cook_status apply_reading(struct cook_refresh *refresh, uint32_t id,
                                      const struct cook_file_reading *reading)
{
    const struct cook_state *state = refresh->state;
    struct cook_state_file old = state->files[id];
    bool in_content = state->folders[old.folder].flags & COOK_FOLDER_CONTENT;
    struct cook_state_file row = cook_file_row(&old, reading, &refresh->clock, in_content);
    enum cook_status status = cook_refresh_put_file(refresh, id, &row);
    uint32_t changed = (old.flags ^ row.flags) & (COOK_FILE_PRESENT | COOK_FILE_UNREADABLE);
    bool telling = changed || !cook_hash_equal(old.content, row.content) ||
                   (row.flags & COOK_FILE_UNREADABLE); /* the reason may be another one */
    return status == COOK_OK && telling ? queue_consequences(refresh, id, changed) : status;
}

static enum cook_status run_batch(struct cook_refresh *refresh, struct read_batch *batch)
{
    unsigned threads = batch->count > 2 * SHARE_FILES ? refresh->options->threads : 1;
    cook_parallel_run(threads, read_shares, batch);
    if (atomic_load(&batch->short_of_memory) && atomic_load(&batch->next) < batch->count)
        return cook_refresh_no_memory(refresh);
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; i < batch->count && status == COOK_OK; i++)
        status = apply_reading(refresh, batch->ids[i], &batch->readings[i]);
    cook_arena_finish(&refresh->scratch);
    return status;
}

enum cook_status cook_refresh_read(struct cook_refresh *refresh)
{
    size_t total = refresh->reads.count;
    size_t capacity = total < BATCH_FILES ? total : BATCH_FILES;
    if (total == 0)
        return COOK_OK;
    struct cook_file_reading *readings = cook_calloc(capacity, sizeof(*readings));
    if (!readings)
        return cook_refresh_no_memory(refresh);
    enum cook_status status = COOK_OK;
    for (size_t first = 0; first < total && status == COOK_OK; first += capacity) {
        size_t count = total - first < capacity ? total - first : capacity;
        struct read_batch batch = { .state = refresh->state,
                                    .project_fd = refresh->project->fd,
                                    .ids = refresh->reads.ids + first,
                                    .count = (uint32_t)count,
                                    .readings = readings };
        status = run_batch(refresh, &batch);
    }
    cook_free(readings);
    return status;
}
