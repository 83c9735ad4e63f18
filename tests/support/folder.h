/*
 * A temporary folder for a test: made in the set-up, removed with all that is in it in the
 * tear-down. Header-only, since each test is one program.
 */
#ifndef COOK_TESTS_SUPPORT_FOLDER_H
#define COOK_TESTS_SUPPORT_FOLDER_H

#include <stddef.h>

#include "cook/base/fs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct test_folder {
    char path[64];
    int fd;
};

/* 0 on success, as a cmocka set-up function returns it. */
static inline int test_folder_open(struct test_folder *folder)
{
    snprintf(folder->path, sizeof(folder->path), "/tmp/cook-test-XXXXXX");
    folder->fd = -1;
    if (!mkdtemp(folder->path))
        return -1;
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder->fd < 0 ? -1 : 0;
}

static inline int test_folder_close(struct test_folder *folder)
{
    close(folder->fd);
    return cook_fs_remove_tree(AT_FDCWD, folder->path, NULL) == COOK_OK ? 0 : -1;
}

/* Write a text file and the folders above it; 0 on success. */
static inline int test_folder_write(const struct test_folder *folder, const char *path,
                                    const char *text)
{
    const char *slash = strrchr(path, '/');
    if (slash) {
        char *parent = cook_strndup(path, (size_t)(slash - path));
        enum cook_status made = cook_fs_make_folders(folder->fd, parent, NULL);
        cook_free(parent);
        if (made != COOK_OK)
            return -1;
    }
    return cook_fs_write(folder->fd, path, text, strlen(text), false, NULL) == COOK_OK ? 0 : -1;
}

#endif
