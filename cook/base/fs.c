#include "cook/base/fs.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_CHUNK_BYTES     ((size_t)65536)
#define REMOVE_DEPTH_LIMIT   200 /* one descriptor a level */
#define TEMPORARY_NAME_BYTES 64
#define TEMPORARY_ATTEMPTS   1000

static enum cook_status out_of_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "%s", cook_status_text(COOK_E_NO_MEMORY));
}

static void close_quietly(int fd)
{
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
}

static int64_t to_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static enum cook_file_kind kind_of(mode_t mode)
{
    if (S_ISREG(mode))
        return COOK_FILE_REGULAR;
    return S_ISDIR(mode) ? COOK_FILE_FOLDER : COOK_FILE_OTHER;
}

static void take_facts(struct cook_file_stat *out, const struct stat *facts)
{
    out->kind = kind_of(facts->st_mode);
    out->size_bytes = (uint64_t)facts->st_size;
    out->mtime_ns = to_ns(facts->st_mtim);
    out->ctime_ns = to_ns(facts->st_ctim);
    out->inode = facts->st_ino;
    out->device = facts->st_dev;
}

enum cook_status cook_fs_stat(struct cook_file_stat *out, int folder_fd, const char *path,
                              struct cook_error *error)
{
    struct stat facts;
    memset(out, 0, sizeof(*out));
    if (fstatat(folder_fd, path, &facts, 0) == 0) {
        take_facts(out, &facts);
        return COOK_OK;
    }
    if (errno != ENOENT && errno != ENOTDIR)
        return cook_error_set_errno(error, "cannot stat '%s'", path);
    out->kind = COOK_FILE_ABSENT;
    return COOK_OK;
}

static enum cook_status too_large(const char *path, uint64_t max_bytes,
                                  struct cook_error *error)
{
    return cook_error_set(error, COOK_E_LIMIT, "'%s' is larger than %llu bytes", path,
                          (unsigned long long)max_bytes);
}

/* Reads on to the real end: a file may grow, and some special ones claim to be empty. */
static enum cook_status read_to_end(struct cook_buf *out, int fd, size_t expected,
                                    const char *path, uint64_t max_bytes,
                                    struct cook_error *error)
{
    size_t start = out->size;
    size_t wanted = expected + 1; /* so that the read which fills it also sees the end */
    for (;;) {
        size_t needed;
        if (__builtin_add_overflow(out->size, wanted, &needed) ||
            !cook_grow(&out->data, &out->capacity, needed, 1))
            return out_of_memory(error);
        ssize_t got = read(fd, out->data + out->size, wanted);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cook_error_set_errno(error, "cannot read '%s'", path);
        if (got == 0)
            return COOK_OK;
        out->size += (size_t)got;
        if (out->size - start > max_bytes)
            return too_large(path, max_bytes, error);
        wanted = (size_t)got < wanted ? wanted - (size_t)got : READ_CHUNK_BYTES;
    }
}

static enum cook_status read_open_file(struct cook_buf *out, struct cook_file_stat *stat_out,
                                       int fd, const char *path, uint64_t max_bytes,
                                       struct cook_error *error)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return cook_error_set_errno(error, "cannot stat '%s'", path);
    if (!S_ISREG(facts.st_mode))
        return cook_error_set(error, COOK_E_INVALID, "'%s' is not a regular file", path);
    if ((uint64_t)facts.st_size > max_bytes)
        return too_large(path, max_bytes, error);
    if (out->failed)
        return out_of_memory(error);
    size_t start = out->size;
    enum cook_status status =
        read_to_end(out, fd, (size_t)facts.st_size, path, max_bytes, error);
    if (status != COOK_OK)
        out->size = start;
    else if (stat_out)
        take_facts(stat_out, &facts);
    return status;
}

enum cook_status cook_fs_read(struct cook_buf *out, struct cook_file_stat *stat_out,
                              int folder_fd, const char *path, uint64_t max_bytes,
                              struct cook_error *error)
{
    if (stat_out)
        memset(stat_out, 0, sizeof(*stat_out));
    /* Without O_NONBLOCK, opening a pipe that stands where a file should would hang. */
    int fd = openat(folder_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot open '%s'", path);
    enum cook_status status = read_open_file(out, stat_out, fd, path, max_bytes, error);
    close(fd);
    return status;
}

enum cook_status cook_fs_write_all(int fd, const void *bytes, size_t size,
                                   struct cook_error *error)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t put = write(fd, from, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cook_error_set_errno(error, "cannot write");
        from += put;
        size -= (size_t)put;
    }
    return COOK_OK;
}

/*
 * Create a file with a name of its own in the open folder: process and thread make it unique
 * among the living, the attempt steps over what a killed process with the same ids left behind.
 */
static int create_temporary(char name[TEMPORARY_NAME_BYTES], int parent_fd)
{
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        snprintf(name, TEMPORARY_NAME_BYTES, ".cook-tmp-%ld-%ld-%d", (long)getpid(),
                 (long)gettid(), attempt);
        int fd = openat(parent_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Open the folder that `path` lies in. */
static int open_parent(int folder_fd, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t length = slash == path ? 1 : (size_t)(slash - path); /* keep the root's own slash */
    char *parent = cook_strndup(path, length);
    if (!parent) {
        errno = ENOMEM;
        return -1;
    }
    int fd = openat(folder_fd, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int saved = errno;
    cook_free(parent);
    errno = saved;
    return fd;
}

static enum cook_status fill_temporary(int fd, const void *bytes, size_t size, bool durable,
                                       struct cook_error *error)
{
    enum cook_status status = cook_fs_write_all(fd, bytes, size, error);
    if (status != COOK_OK)
        return status;
    if (durable && fsync(fd) != 0)
        return cook_error_set_errno(error, "cannot sync");
    return COOK_OK;
}

static enum cook_status replace_file(int parent_fd, const char *name, const char *temporary,
                                     bool durable, struct cook_error *error)
{
    if (renameat(parent_fd, temporary, parent_fd, name) != 0)
        return cook_error_set_errno(error, "cannot rename the temporary file");
    /* The new name is durable only with its folder; some file systems cannot sync folders. */
    if (durable && fsync(parent_fd) != 0 && errno != EINVAL)
        return cook_error_set_errno(error, "cannot sync the folder");
    return COOK_OK;
}

static enum cook_status write_in_folder(int parent_fd, const char *name, const void *bytes,
                                        size_t size, bool durable, struct cook_error *error)
{
    char temporary[TEMPORARY_NAME_BYTES];
    int fd = create_temporary(temporary, parent_fd);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot create a temporary file");
    enum cook_status status = fill_temporary(fd, bytes, size, durable, error);
    if (close(fd) != 0 && status == COOK_OK)
        status = cook_error_set_errno(error, "cannot close");
    if (status == COOK_OK)
        status = replace_file(parent_fd, name, temporary, durable, error);
    if (status != COOK_OK)
        unlinkat(parent_fd, temporary, 0);
    return status;
}

enum cook_status cook_fs_write(int folder_fd, const char *path, const void *bytes, size_t size,
                               bool durable, struct cook_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (!*name)
        return cook_error_set(error, COOK_E_INVALID, "'%s' names no file", path);
    int parent_fd = open_parent(folder_fd, path);
    if (parent_fd < 0)
        return cook_error_set_errno(error, "cannot open the folder of '%s'", path);
    enum cook_status status = write_in_folder(parent_fd, name, bytes, size, durable, error);
    if (status != COOK_OK)
        cook_error_prefix(error, "cannot write '%s'", path);
    close(parent_fd);
    return status;
}

enum cook_status cook_fs_write_output(const char *path, const void *bytes, size_t size,
                                      struct cook_error *error)
{
    struct stat facts;
    if (lstat(path, &facts) != 0 || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode))
        return cook_fs_write(AT_FDCWD, path, bytes, size, false, error);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot write '%s'", path);
    enum cook_status status = cook_fs_write_all(fd, bytes, size, error);
    if (status != COOK_OK)
        cook_error_prefix(error, "cannot write '%s'", path);
    close(fd);
    return status;
}

static bool is_folder(int folder_fd, const char *path)
{
    struct stat facts;
    return fstatat(folder_fd, path, &facts, 0) == 0 && S_ISDIR(facts.st_mode);
}

/* Make every folder that ends before a '/' of `path`, which is changed back before return. */
static enum cook_status make_parents(int folder_fd, char *path, struct cook_error *error)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdirat(folder_fd, path, 0777) != 0 && errno != EEXIST;
        enum cook_status status = COOK_OK;
        if (failed)
            status = cook_error_set_errno(error, "cannot create folder '%s'", path);
        *slash = '/';
        if (failed)
            return status;
    }
    return COOK_OK;
}

enum cook_status cook_fs_make_folders(int folder_fd, const char *path, struct cook_error *error)
{
    /* Mostly only the last folder is missing, or none is. */
    if (!*path || mkdirat(folder_fd, path, 0777) == 0)
        return COOK_OK;
    if (errno == EEXIST && is_folder(folder_fd, path))
        return COOK_OK;
    if (errno != ENOENT)
        return cook_error_set_errno(error, "cannot create folder '%s'", path);

    char *copy = cook_strdup(path);
    if (!copy)
        return out_of_memory(error);
    enum cook_status status = make_parents(folder_fd, copy, error);
    if (status == COOK_OK && mkdirat(folder_fd, path, 0777) != 0 && !is_folder(folder_fd, path))
        status = cook_error_set_errno(error, "cannot create folder '%s'", path);
    cook_free(copy);
    return status;
}

/* A nameless file tells the time without touching the folder's own; not all systems have it. */
static int create_clock_file(char name[TEMPORARY_NAME_BYTES], int folder_fd)
{
    name[0] = '\0';
    int fd = openat(folder_fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : create_temporary(name, folder_fd);
}

enum cook_status cook_fs_read_clock(struct cook_fs_clock *clock, int folder_fd,
                                    struct cook_error *error)
{
    char name[TEMPORARY_NAME_BYTES];
    struct stat facts;
    *clock = (struct cook_fs_clock){ 0 };
    int fd = create_clock_file(name, folder_fd);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot create a file to read the clock");
    enum cook_status status = COOK_OK;
    if (fstat(fd, &facts) == 0)
        *clock = (struct cook_fs_clock){ to_ns(facts.st_mtim), facts.st_dev };
    else
        status = cook_error_set_errno(error, "cannot read the file system's clock");
    close(fd);
    if (name[0])
        unlinkat(folder_fd, name, 0);
    return status;
}

enum cook_status cook_fs_now(int64_t *now_ns, int folder_fd, struct cook_error *error)
{
    struct cook_fs_clock clock;
    enum cook_status status = cook_fs_read_clock(&clock, folder_fd, error);
    *now_ns = clock.now_ns;
    return status;
}

bool cook_fs_is_racy(const struct cook_file_stat *stat, const struct cook_fs_clock *clock)
{
    int64_t newest = stat->mtime_ns > stat->ctime_ns ? stat->mtime_ns : stat->ctime_ns;
    bool elsewhere = stat->device != clock->device;
    return newest >=
           clock->now_ns - (elsewhere ? COOK_RACY_WINDOW_ELSEWHERE_NS : COOK_RACY_WINDOW_NS);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static enum cook_file_kind entry_kind(int fd, const struct dirent *entry)
{
    struct stat facts;
    switch (entry->d_type) {
    case DT_REG:
        return COOK_FILE_REGULAR;
    case DT_DIR:
        return COOK_FILE_FOLDER;
    case DT_LNK:
    case DT_UNKNOWN:
        /* A link to nowhere can be neither read nor entered: absent. */
        return fstatat(fd, entry->d_name, &facts, 0) == 0 ? kind_of(facts.st_mode)
                                                          : COOK_FILE_ABSENT;
    default:
        return COOK_FILE_OTHER;
    }
}

struct listing {
    struct cook_folder_entry *entries; /* owned */
    size_t count;
    size_t capacity;
};

/* The next entry that is not a dot name; NULL at the end or, with errno set, on failure. */
static struct dirent *next_entry(DIR *folder)
{
    struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(folder);
    } while (entry && is_dots(entry->d_name));
    return entry;
}

static enum cook_status fill_listing(struct listing *listing, struct cook_arena *arena,
                                     DIR *folder, const char *path, struct cook_error *error)
{
    struct dirent *entry;
    while ((entry = next_entry(folder))) {
        if (!cook_grow(&listing->entries, &listing->capacity, listing->count + 1,
                       sizeof(*listing->entries)))
            return out_of_memory(error);
        struct cook_folder_entry *to = &listing->entries[listing->count++];
        to->kind = entry_kind(dirfd(folder), entry);
        to->name = cook_arena_strdup(arena, entry->d_name);
        if (!to->name)
            return out_of_memory(error);
    }
    if (errno)
        return cook_error_set_errno(error, "cannot list folder '%s'", path);
    return COOK_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const struct cook_folder_entry *left = a;
    const struct cook_folder_entry *right = b;
    return strcmp(left->name, right->name);
}

static DIR *open_folder(int folder_fd, const char *path, int flags)
{
    int fd = openat(folder_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder)
        close_quietly(fd);
    return folder;
}

enum cook_status cook_fs_list(struct cook_folder_entry **entries, size_t *count,
                              struct cook_arena *arena, int folder_fd, const char *path,
                              struct cook_error *error)
{
    struct listing listing = { NULL, 0, 0 };
    *entries = NULL;
    *count = 0;
    DIR *folder = open_folder(folder_fd, *path ? path : ".", 0);
    if (!folder)
        return cook_error_set_errno(error, "cannot open folder '%s'", path);
    enum cook_status status = fill_listing(&listing, arena, folder, path, error);
    closedir(folder);
    if (status != COOK_OK)
        goto done;
    if (listing.count > 1)
        qsort(listing.entries, listing.count, sizeof(*listing.entries), compare_entries);
    *entries = cook_arena_dup(arena, listing.entries, listing.count * sizeof(**entries));
    if (*entries)
        *count = listing.count;
    else
        status = out_of_memory(error);
done:
    cook_free(listing.entries);
    return status;
}

static enum cook_status remove_entry(int folder_fd, const char *name, int depth,
                                     struct cook_error *error);

static enum cook_status remove_contents(int folder_fd, const char *name, int depth,
                                        struct cook_error *error)
{
    DIR *folder = open_folder(folder_fd, name, O_NOFOLLOW);
    if (!folder)
        return cook_error_set_errno(error, "cannot open folder '%s'", name);
    enum cook_status status = COOK_OK;
    struct dirent *entry = NULL;
    while (status == COOK_OK && (entry = next_entry(folder)))
        status = remove_entry(dirfd(folder), entry->d_name, depth + 1, error);
    if (status == COOK_OK && errno)
        status = cook_error_set_errno(error, "cannot list folder '%s'", name);
    closedir(folder);
    return status;
}

static enum cook_status remove_entry(int folder_fd, const char *name, int depth,
                                     struct cook_error *error)
{
    if (unlinkat(folder_fd, name, 0) == 0 || errno == ENOENT || errno == ENOTDIR)
        return COOK_OK;
    if (errno != EISDIR)
        return cook_error_set_errno(error, "cannot remove '%s'", name);
    if (depth >= REMOVE_DEPTH_LIMIT)
        return cook_error_set(error, COOK_E_LIMIT, "cannot remove '%s': nested too deeply",
                              name);
    enum cook_status status = remove_contents(folder_fd, name, depth, error);
    if (status != COOK_OK)
        return status;
    if (unlinkat(folder_fd, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        return cook_error_set_errno(error, "cannot remove folder '%s'", name);
    return COOK_OK;
}

enum cook_status cook_fs_remove_tree(int folder_fd, const char *path, struct cook_error *error)
{
    /* The kernel follows a link that is written with a slash behind it. */
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return cook_error_set(error, COOK_E_INVALID, "'%s' names nothing to remove", path);
    enum cook_status status = remove_entry(folder_fd, path, 0, error);
    if (status != COOK_OK)
        cook_error_prefix(error, "cannot remove '%s'", path);
    return status;
}
