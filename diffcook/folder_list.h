/* The files of a folder tree, for comparing two trees. */
#ifndef DIFFCOOK_FOLDER_LIST_H
#define DIFFCOOK_FOLDER_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

struct diff_file {
    const char *path; /* relative to the tree, '/' separated */
    uint64_t size_bytes;
};
struct diff_file_list {
    struct cook_arena arena;
    struct diff_file *files; /* ascending by path (bytes) */
    size_t count, capacity;
    size_t other_count; /* links to folders, sockets and the like: not listed */
};

/*
 * List all files below an open folder. Links to files count as files; links to folders are not
 * followed, so that a loop ends. The list that staging keeps of its files is left out. Finish
 * the list also after a failure. COOK_E_LIMIT below 256 folders.
 */
enum cook_status diff_file_list_read(struct diff_file_list *list, int folder_fd,
                                     struct cook_error *error) COOK_CHECK_RESULT;
void diff_file_list_finish(struct diff_file_list *list);

#endif
