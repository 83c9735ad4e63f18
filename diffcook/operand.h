/*
 * What a comparison is given: a cook in a store, or a folder of loose files. As text it is
 *
 *     FOLDER           a project (cook.ini): the latest finished cook of the target;
 *                      a store (cook.db): its latest finished cook; else loose files
 *     FILE.zip         the loose files in it, unpacked to a temporary folder
 *     PROJECT:COOK     a cook by id, or "latest"; the project may be a store's folder too
 *
 * Opened for reading only. An operand belongs to one thread.
 */
#ifndef DIFFCOOK_OPERAND_H
#define DIFFCOOK_OPERAND_H

#include "cook/config/project.h"
#include "cook/store/store.h"

enum diff_operand_kind {
    DIFF_OPERAND_UNKNOWN = 0,
    DIFF_OPERAND_COOK,
    DIFF_OPERAND_FOLDER,
};

#define DIFF_COOK_LATEST 0u /* ids of cooks start at 1 */

struct diff_operand {
    struct cook_arena arena;
    enum diff_operand_kind kind;
    const char *text; /* as given, with the cook's id and kind; for people */
    int folder_fd;    /* of loose files; -1 for a cook */
    const char *temporary; /* folder that a zip was unpacked to, removed at the end; or NULL */
    struct cook_store *store;
    uint32_t cook;             /* id */
    struct cook_hash manifest; /* of it; zero: not kept */
    struct cook_hash outputs;  /* the same of the files of the whole cook (store/outputs.h) */
};
#define DIFF_OPERAND_INIT                                                                      \
    {                                                                                          \
        .folder_fd = -1                                                                        \
    }

/*
 * Take "PATH:COOK" apart: `*path` in `arena`, `*cook` the id or DIFF_COOK_LATEST. Text without
 * a colon, and one whose last part can be no cook, is a path alone. COOK_E_NO_MEMORY.
 */
enum cook_status diff_operand_split(const char **path, uint32_t *cook, bool *has_cook,
                                    const char *text, struct cook_arena *arena,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Open an operand; `project` gives the target and the config overrides. Finish it also after a
 * failure. COOK_E_USAGE where the text names nothing that can be compared, else as the store.
 */
enum cook_status diff_operand_open(struct diff_operand *operand, const char *text,
                                   const struct cook_project_options *project,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* The latest finished cook of the store in Saved/Cook/NAME of an open project folder. */
enum cook_status diff_operand_open_store(struct diff_operand *operand, int project_fd,
                                         const char *name,
                                         struct cook_error *error) COOK_CHECK_RESULT;
void diff_operand_finish(struct diff_operand *operand);

#endif
