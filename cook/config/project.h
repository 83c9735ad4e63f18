/*
 * A project: what cook.ini says it is, checked. Immutable once opened.
 */
#ifndef COOK_CONFIG_PROJECT_H
#define COOK_CONFIG_PROJECT_H

#include "cook/base/alloc.h"
#include "cook/config/config.h"

struct cook_content_root {
    const char *mount;  /* "/Game": first part of package names */
    const char *folder; /* "Content": relative to the project, no trailing '/' */
};

struct cook_project {
    struct cook_arena arena;
    struct cook_config *config;
    int fd;             /* open project folder */
    const char *path;   /* absolute, for messages only: it never reaches an output */
    const char *name;
    const char *target;
    struct cook_content_root *roots; /* sorted by mount */
    size_t root_count;
    const char **plugins; /* shared objects found for the Plugin entries, relative or absolute */
    size_t plugin_count;
};

struct cook_project_options {
    const char *folder;           /* -C; "." by default */
    const char *target;           /* --target; NULL: config [Project] DefaultTarget, else "Desktop" */
    const char *const *overrides; /* --ini */
    size_t override_count;
};

/*
 * Open a project: loads the config, opens the folder, checks roots (each "+ContentRoot=/Mount=Folder",
 * mounts unique, folders inside the project, present, not nested) and finds plugins: an entry ending
 * in ".so" is the file; a folder FOLDER means FOLDER/build/NAME.so, then FOLDER/NAME.so, NAME being
 * its last part.
 * Errors: COOK_E_NOT_FOUND (no cook.ini: the message names `cook init`), COOK_E_CONFIG with
 * "file:line: reason", COOK_E_IO, COOK_E_NO_MEMORY. `project` must be finished also after failure.
 */
enum cook_status cook_project_open(struct cook_project *project,
                                   const struct cook_project_options *options,
                                   struct cook_error *error) COOK_CHECK_RESULT;
void cook_project_finish(struct cook_project *project);

/* The package name of a main source file ("Content/A/b.png" -> "/Game/A/b.png"; an .asset loses its
 * extension), in `arena`; NULL outside every root. */
char *cook_project_package_name(const struct cook_project *project, const char *path,
                                struct cook_arena *arena);
/* The folder path that holds the sources of a package name ("/Game/A/b" -> "Content/A"), or NULL. */
char *cook_project_package_folder(const struct cook_project *project, const char *package,
                                  struct cook_arena *arena);

#endif
