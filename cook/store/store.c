#include "cook/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/store/store_private.h"

#define TARGET_BYTES 64 /* of a target's name */
#define PATH_BYTES   (TARGET_BYTES + 32)

/* A target names a folder, so it may hold nothing that leads elsewhere. */
static bool target_is_valid(const char *target)
{
    size_t size = strlen(target);
    if (!size || size > TARGET_BYTES || target[0] == '.' || target[0] == '-')
        return false;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)target[i];
        if (c < 0x21 || c == 0x7f || c == '/' || c == '\\')
            return false;
    }
    return true;
}

/* Once per store: its folders are named by others that must be on the disk too. */
static enum cook_status create_folder(int project_fd, const char *path,
                                      struct cook_error *error)
{
    enum cook_status status = cook_fs_make_folders(project_fd, path, error);
    if (status != COOK_OK)
        return status;
    int fd = openat(project_fd, "Saved/Cook", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        status = cook_error_set_errno(error, "cannot write the folder Saved/Cook");
    if (fd >= 0)
        close(fd);
    return status;
}

static enum cook_status no_store(const char *target, struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NOT_FOUND,
                          "target %s has no store; run 'cook full --target %s' first", target,
                          target);
}

static enum cook_status open_folder(struct cook_store *store, int project_fd,
                                    const char *target, struct cook_error *error)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "Saved/Cook/%s", target);
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    store->folder_fd = openat(project_fd, path, flags);
    if (store->folder_fd < 0 && errno == ENOENT && store->write) {
        enum cook_status status = create_folder(project_fd, path, error);
        if (status != COOK_OK)
            return status;
        store->folder_fd = openat(project_fd, path, flags);
    }
    if (store->folder_fd < 0 && errno == ENOENT)
        return no_store(target, error);
    if (store->folder_fd < 0)
        return cook_error_set_errno(error, "cannot open the folder %s", path);
    if (store->write && mkdirat(store->folder_fd, "blobs", 0777) != 0 && errno != EEXIST)
        return cook_error_set_errno(error, "cannot create the folder %s/blobs", path);
    return COOK_OK;
}

/*
 * Whatever is wrong with the index, the database has the state. Reading goes on within one
 * transaction, lest a writer commits in the middle; the stamp is read again there.
 */
static enum cook_status load_from_database(struct cook_store *store, struct cook_error *error)
{
    enum cook_status status = cook_sql_begin_read(store->sql, error);
    if (status != COOK_OK)
        return status;
    status = cook_store_read_meta(store, error);
    if (status == COOK_OK)
        status = cook_store_load_state(&store->state, store, error);
    cook_sql_rollback(store->sql);
    store->pool_base = store->state.pool_count;
    return status;
}

static enum cook_status load_state(struct cook_store *store, struct cook_error *error)
{
    enum cook_status status = cook_index_map(&store->state, &store->pool_base, store->folder_fd,
                                             &store->stamp, store->write, error);
    if (status == COOK_E_NO_MEMORY)
        return status;
    store->index_used = status == COOK_OK;
    store->has_index = store->index_used;
    store->index_stamp = store->stamp;
    if (!store->index_used)
        status = load_from_database(store, error);
    store->saved_deps = store->state.deps_count;
    return status;
}

static struct cook_store *create_store(bool write)
{
    struct cook_store *store = cook_calloc(1, sizeof(*store));
    if (!store)
        return NULL;
    store->write = write;
    store->folder_fd = -1;
    store->lock_fd = -1;
    return store;
}

/* The end of both ways to open: the store moves to the caller, or is closed. */
static enum cook_status finish_open(struct cook_store **out, struct cook_store *store,
                                    enum cook_status status)
{
    if (status == COOK_OK)
        *out = store;
    else
        cook_store_close(store);
    return status;
}

enum cook_status cook_store_open(struct cook_store **out, int project_fd, const char *target,
                                 enum cook_store_mode mode, struct cook_error *error)
{
    *out = NULL;
    if (!target_is_valid(target))
        return cook_error_set(error, COOK_E_INVALID, "'%s' cannot be the name of a target",
                              target);
    struct cook_store *store = create_store(mode == COOK_STORE_WRITE);
    if (!store)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory opening the store");
    snprintf(store->advice, sizeof(store->advice),
             "move Saved/Cook/%s away and run 'cook full --target %s'", target, target);

    enum cook_status status = open_folder(store, project_fd, target, error);
    if (status == COOK_OK && store->write)
        status = cook_store_lock(&store->lock_fd, store->folder_fd, target, error);
    if (status == COOK_OK)
        status = cook_store_open_sql(store, error);
    if (status == COOK_E_NOT_FOUND && !store->write)
        status = no_store(target, error);
    if (status == COOK_OK)
        status = load_state(store, error);
    if (status == COOK_E_NOT_FOUND && mode == COOK_STORE_READ_OR_EMPTY) {
        cook_state_init(&store->state);
        status = COOK_OK;
    }
    return finish_open(out, store, status);
}

enum cook_status cook_store_open_folder(struct cook_store **out, int folder_fd,
                                        struct cook_error *error)
{
    *out = NULL;
    struct cook_store *store = create_store(false);
    if (!store)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory opening the store");
    snprintf(store->advice, sizeof(store->advice), "make that store again");

    enum cook_status status = COOK_OK;
    store->folder_fd = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
    if (store->folder_fd < 0)
        status = cook_error_set_errno(error, "cannot open the store's folder");
    if (status == COOK_OK)
        status = cook_store_open_sql(store, error);
    if (status == COOK_OK)
        status = load_state(store, error);
    return finish_open(out, store, status);
}

void cook_store_close(struct cook_store *store)
{
    if (!store)
        return;
    cook_state_finish(&store->state);
    cook_segments_close(store->segments);
    cook_store_free_stacks(store);
    cook_sql_close(store->sql);
    cook_free(store->ops);
    cook_free(store->blobs);
    cook_free(store->blob_slots);
    if (store->lock_fd >= 0)
        close(store->lock_fd); /* gives up the lock */
    if (store->folder_fd >= 0)
        close(store->folder_fd);
    cook_free(store);
}

struct cook_state *cook_store_state(struct cook_store *store)
{
    return &store->state;
}

int cook_store_folder(const struct cook_store *store)
{
    return store->folder_fd;
}

bool cook_store_index_was_used(const struct cook_store *store)
{
    return store->index_used;
}

enum cook_status cook_store_check_writable(const struct cook_store *store,
                                           struct cook_error *error)
{
    if (store->write)
        return COOK_OK;
    return cook_error_set(error, COOK_E_INVALID, "the store was opened for reading");
}
