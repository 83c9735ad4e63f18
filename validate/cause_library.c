/* A library that a plugin is linked with, changed while the plugin was not: proved by recooking
 * with the kept copy of the old one preloaded, which then stands for the new one by its name,
 * and by its symbols. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/symbols/code.h"
#include "cook/symbols/elf_file.h"
#include "validate/causes_internal.h"

#define MAX_REACHED 8 /* functions named */

static const char *library_path(const struct causing *causing, const char *name,
                                struct cook_arena *arena)
{
    const struct cook_buf *modules = cook_pool_modules(causing->validate->run->pool);
    struct cook_reader_buf in = cook_read_init(modules->data, modules->size);
    size_t count = modules->size ? cook_read_count(&in, 3) : 0;
    for (size_t i = 0; i < count && !in.failed; i++) {
        const char *module = cook_read_string(&in, arena);
        (void)cook_read_string(&in, arena);
        const char *path = cook_read_string(&in, arena);
        if (strcmp(module, name) == 0)
            return path;
    }
    return NULL;
}

/* The functions of a library that the hooks of a finding's classes, or its writes, reach. */
static size_t reached(struct causing *causing, const struct validate_finding *finding,
                      const char *library, const char **names, size_t max)
{
    struct cook_arena *arena = &causing->validate->arena;
    const char *path = library_path(causing, library, arena);
    struct cook_elf *elf;
    size_t found = 0;
    if (!path || cook_elf_open(&elf, path, NULL) != COOK_OK)
        return 0;
    for (size_t p = 0; p < causing->now.plugins.count; p++) {
        const char *id = causing->now.plugins.items[p].value;
        struct cause_builds same = { .name = "", .old_id = id, .new_id = id };
        struct cook_code_comparison comparison = { 0 };
        const char *roots[128];
        cause_open_builds(causing, &same);
        size_t count = same.reason ? 0 : cause_class_roots(finding, &same, roots, 64);
        count += same.reason ? 0 : cause_stack_roots(finding, &same, roots + count, 64);
        bool walked = count && cook_code_compare(&comparison, same.old, same.new, roots, count,
                                                 arena, NULL) == COOK_OK;
        for (size_t i = 0; walked && i < comparison.external_count && found < max; i++)
            if (cook_elf_exports(elf, comparison.externals[i]))
                names[found++] = comparison.externals[i];
        cause_close_builds(&same, 1);
    }
    cook_elf_close(elf);
    return found;
}

/* Of what is reached, what the two builds have differently, if they can be compared. */
static void say_changed(struct causing *causing, struct validate_cause *cause,
                        const char *library, const char *old_path, const char *const *names,
                        size_t count)
{
    struct cook_arena *arena = &causing->validate->arena;
    struct cook_code_comparison comparison = { 0 };
    struct cook_code *old = NULL;
    struct cook_code *new = NULL;
    const char *changed[MAX_REACHED];
    size_t used = 0;
    const char *path = library_path(causing, library, arena);
    if (path && cook_code_open(&old, old_path, NULL) == COOK_OK &&
        cook_code_open(&new, path, NULL) == COOK_OK &&
        cook_code_compare(&comparison, old, new, names, count, arena, NULL) == COOK_OK)
        for (; used < comparison.count && used < MAX_REACHED; used++)
            changed[used] = comparison.changes[used].path;
    if (used)
        cause_say(causing, cause, "changed in it: %s", cause_names(causing, changed, used));
    cook_code_close(old);
    cook_code_close(new);
}

struct library {
    const char *name;
    const char *then; /* build ids */
    const char *now;
    const char *copy; /* of the old build; NULL: it was not kept */
    bool loads;       /* and workers start with it */
};

static void blame(struct causing *causing, const struct causing_cook *cook,
                  struct validate_finding *finding, const struct library *library)
{
    const char *names[MAX_REACHED];
    size_t count = reached(causing, finding, library->name, names, MAX_REACHED);
    if (!count && !library->loads)
        return;
    struct validate_cause *cause =
        cause_add(causing, finding, VALIDATE_CAUSE_CODE_CHANGED, VALIDATE_CHANGED,
                  "the library %s was changed", library->name);
    cause_say(causing, cause, "it was build %.12s at cook %u, and is build %.12s now",
              library->then, cook->id, library->now);
    if (library->loads)
        cause_say(causing, cause, "recooked with the old library, %s is as it was kept",
                  cause_property(finding));
    if (count)
        cause_say(causing, cause, "the hooks of %s reach its %s", cause_class(causing, finding),
                  cause_names(causing, names, count));
    if (library->copy && count)
        say_changed(causing, cause, library->name, library->copy, names, count);
    if (!library->loads)
        cause_say(causing, cause, "no recook proves it: %s",
                  library->copy ? "no worker starts with the old library"
                                : "the old library is not kept");
    cause_write_stack(causing, cause, finding);
    cause_fix(causing, cause,
              "add the library's version in append_to_class_schema of %s: "
              "cook_schema_add_string(schema, …)",
              cause_class(causing, finding));
}

static enum cook_status try_library(struct causing *causing, const struct causing_cook *cook,
                                    struct library *library, struct cook_error *error)
{
    size_t count = cause_select(causing, cook, causing->list);
    const char *present = getenv("LD_PRELOAD");
    const char *load = cook_arena_printf(
        &causing->validate->arena, "LD_PRELOAD=%s%s%s", library->copy ? library->copy : "",
        present && *present ? ":" : "", present ? present : "");
    struct cook_pool_start start = { .environment = &load, .environment_count = 1 };
    if (!load)
        return cook_error_no_memory(error);
    enum cook_status status = library->copy ? cause_turn_back(causing, &start, causing->list,
                                                              count, causing->cleared, error)
                                            : COOK_OK;
    library->loads = library->copy && causing->turned;
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        if (!library->loads || causing->cleared[i])
            blame(causing, cook, causing->list[i], library);
    return status;
}

enum cook_status cause_find_libraries(struct causing *causing, const struct causing_cook *cook,
                                      struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < cook->facts.libraries.count; i++) {
        const struct cook_fact *then = &cook->facts.libraries.items[i];
        struct library library = { .name = then->name, .then = then->value };
        bool plugin = false;
        library.now = cook_fact_find(&causing->now.libraries, then->name);
        for (size_t k = 0; k < cook->facts.plugins.count; k++)
            plugin |= strcmp(cook->facts.plugins.items[k].value, then->value) == 0;
        if (plugin || !library.now || strcmp(library.now, then->value) == 0)
            continue;
        const char *copy = cause_copy_path(causing, then->value);
        library.copy = copy && access(copy, R_OK) == 0 ? copy : NULL;
        status = try_library(causing, cook, &library, error);
    }
    return status;
}
