/*
 * The loaded modules of this process, as dl_iterate_phdr tells them: where their code lies,
 * what they are called, and the build id read from memory. A snapshot is taken outside any
 * signal handler; looking an address up in it is async-signal-safe.
 */
#ifndef COOK_SYMBOLS_MODULES_H
#define COOK_SYMBOLS_MODULES_H

#include <limits.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

#define COOK_BUILD_ID_MAX_BYTES 32
#define COOK_BUILD_ID_TEXT_SIZE (2 * COOK_BUILD_ID_MAX_BYTES + 1)

struct cook_module {
    uintptr_t start; /* of the executable segments */
    uintptr_t end;
    uintptr_t base;       /* load address: pc - base is the address in the file's own terms */
    const char *name;     /* DT_SONAME, else the file name */
    const char *path;     /* absolute where it could be; links may be left in it; "" for none */
    const char *build_id; /* lower-case hex, "" when it has none */
};

struct cook_modules {
    struct cook_module *items; /* by start; owned */
    size_t count;
    size_t capacity;
    struct cook_arena arena; /* the texts */
};
#define COOK_MODULES_INIT                                                                      \
    {                                                                                          \
        NULL, 0, 0, COOK_ARENA_INIT                                                            \
    }

enum cook_status cook_modules_snapshot(struct cook_modules *out,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/*
 * The same without asking the file system where each path leads, which takes most of the time: paths are as
 * loaded, and cook_module_resolve() gives the absolute one of those that matter, in `resolved` or borrowed
 * from the module.
 */
enum cook_status cook_modules_snapshot_as_loaded(struct cook_modules *out,
                                                 struct cook_error *error) COOK_CHECK_RESULT;
const char *cook_module_resolve(const struct cook_module *module, char resolved[PATH_MAX]);
void cook_modules_finish(struct cook_modules *modules);
/* The module whose code holds `pc`, or NULL; borrowed. Async-signal-safe. */
const struct cook_module *cook_modules_find(const struct cook_modules *modules, uintptr_t pc);

/*
 * The build id in ELF notes, which may be untrusted, as text; "" when there is none.
 * `alignment` is p_align or sh_addralign: notes are padded to 4 bytes, or to 8 where that
 * says 8.
 */
void cook_build_id_from_notes(char text[COOK_BUILD_ID_TEXT_SIZE], const void *notes,
                              size_t size, size_t alignment);

#endif
