/* A project in a temporary folder, for the tests of the store. */
#ifndef TEST_STORE_FIXTURE_H
#define TEST_STORE_FIXTURE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/store/store.h"

#define FIXTURE_FOLDER "Saved/Cook/Desktop/"

struct fixture {
    char path[64];
    int project_fd;
    struct cook_error error;
    struct cook_arena arena;
};

static inline int fixture_set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    *context = fixture;
    snprintf(fixture->path, sizeof(fixture->path), "/tmp/cook-store-XXXXXX");
    if (!mkdtemp(fixture->path))
        return -1;
    fixture->project_fd = open(fixture->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fixture->project_fd < 0;
}

static inline int fixture_tear_down(void **context)
{
    struct fixture *fixture = *context;
    enum cook_status status = cook_fs_remove_tree(AT_FDCWD, fixture->path, NULL);
    close(fixture->project_fd);
    cook_arena_finish(&fixture->arena);
    free(fixture);
    return status != COOK_OK;
}

static inline struct cook_store *fixture_open(struct fixture *fixture,
                                              enum cook_store_mode mode)
{
    struct cook_store *store;
    enum cook_status status =
        cook_store_open(&store, fixture->project_fd, "Desktop", mode, &fixture->error);
    if (status != COOK_OK)
        print_message("open: %s\n", fixture->error.message);
    assert_int_equal(status, COOK_OK);
    return store;
}

/* A package with a file, a dependency and a result, and its oplog record. */
static inline uint32_t fixture_add_package(struct cook_store *store, const char *name,
                                           const char *bytes)
{
    struct cook_state *state = cook_store_state(store);
    char path[128];
    snprintf(path, sizeof(path), "Content/%s.asset", strrchr(name, '/') + 1);
    uint32_t file = cook_state_add_file(state, path);
    uint32_t id = cook_state_add_package(state, name);
    uint32_t dep = cook_state_add_dep(state, 1, name);
    uint32_t set = cook_state_add_set(state, &dep, 1, NULL, 0);
    uint32_t bundle = cook_state_add_bundle(state, &set, 1);
    assert_int_not_equal(bundle, COOK_ID_NONE);
    struct cook_hash hash;
    assert_int_equal(cook_store_put_blob(store, &hash, bytes, strlen(bytes), NULL), COOK_OK);
    cook_state_touch(state, COOK_TABLE_packages, id);
    cook_state_touch(state, COOK_TABLE_files, file);
    state->files[file].package = id;
    state->packages[id].file = file;
    state->packages[id].bundle = bundle;
    state->packages[id].flags = COOK_PACKAGE_PRESENT | COOK_PACKAGE_HAS_RESULT;
    state->packages[id].key = hash;
    state->packages[id].edges = cook_state_add_blob(state, "\1\2\3", 3);
    state->results[id].reader = cook_state_add_text(state, "asset/1");
    state->results[id].bytes = hash;
    state->results[id].size_bytes = strlen(bytes);
    state->results[id].cook = 1;
    assert_int_equal(cook_store_append_op(store, id, COOK_OP_COOKED, NULL), COOK_OK);
    return id;
}

static inline void fixture_patch(struct fixture *fixture, const char *path, off_t offset,
                                 const void *bytes, size_t size)
{
    int fd = openat(fixture->project_fd, path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, offset), size);
    close(fd);
}

#endif
