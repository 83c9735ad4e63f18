/* A new store takes over what another target's knows of the same files. */
#include "cook/base/alloc.h"
#include "cook/registry/registry.h"

/* What is true of a package whatever it is cooked for. */
#define REGISTRY_FLAGS                                                                            \
    ((uint32_t)(COOK_PACKAGE_PRESENT | COOK_PACKAGE_SCAN_FAILED | COOK_PACKAGE_DUPLICATE |          \
                COOK_PACKAGE_SCAN_PENDING | COOK_PACKAGE_HAS_LABEL))

static uint32_t copy_blob(struct cook_state *to, const struct cook_state *from, uint32_t offset)
{
    size_t size;
    const uint8_t *bytes = cook_state_blob(from, offset, &size);
    return cook_state_add_blob(to, bytes, size);
}

/* Main files and side files; files that class code read are known when it reads them. */
static uint8_t *mark_sources(const struct cook_state *from)
{
    uint8_t *marks = cook_calloc((size_t)from->files_count + 1, 1);
    for (uint32_t i = 0; marks && i < from->files_count; i++)
        marks[i] = from->files[i].package != COOK_ID_NONE;
    for (uint32_t i = 0; marks && i < from->packages_count; i++)
        if (from->packages[i].side_file < from->files_count)
            marks[from->packages[i].side_file] = 1;
    return marks;
}

static void adopt_files(struct cook_state *to, const struct cook_state *from, const uint8_t *marks)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    for (uint32_t i = 0; i < from->folders_count; i++) {
        uint32_t id = cook_state_add_folder(to, cook_state_text(from, from->folders[i].path));
        if (id != COOK_ID_NONE) {
            uint32_t path = to->folders[id].path;
            to->folders[id] = from->folders[i];
            to->folders[id].path = path;
        }
    }
    for (uint32_t i = 0; i < from->files_count; i++) {
        const struct cook_state_file *row = &from->files[i];
        char *path = marks[i] ? cook_state_file_path(from, i, &arena) : NULL;
        uint32_t id = path ? cook_state_add_file(to, path) : COOK_ID_NONE;
        if (id == COOK_ID_NONE)
            continue;
        struct cook_state_file *copy = &to->files[id];
        const uint32_t folder = copy->folder, name = copy->name;
        *copy = *row;
        copy->folder = folder;
        copy->name = name;
        uint32_t package = COOK_ID_NONE;
        if (row->package != COOK_ID_NONE)
            package = cook_state_add_package(
                to, cook_state_text(from, from->packages[row->package].name));
        to->files[id].package = package;
    }
    cook_arena_finish(&arena);
}

static uint32_t same_file(struct cook_state *to, const struct cook_state *from, uint32_t file,
                          struct cook_arena *arena)
{
    if (file >= from->files_count)
        return COOK_ID_NONE;
    char *path = cook_state_file_path(from, file, arena);
    return path ? cook_state_find_file(to, path) : COOK_ID_NONE;
}

static void adopt_package(struct cook_state *to, const struct cook_state *from, uint32_t i)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const struct cook_state_package *row = &from->packages[i];
    uint32_t id = cook_state_find_package(to, cook_state_text(from, row->name));
    if (id != COOK_ID_NONE) {
        const struct cook_state_result *result = &from->results[i];
        uint32_t facts = copy_blob(to, from, result->facts);
        uint32_t reader = cook_state_add_text(to, cook_state_text(from, result->reader));
        to->packages[id].flags = row->flags & REGISTRY_FLAGS;
        to->packages[id].file = same_file(to, from, row->file, &arena);
        to->packages[id].side_file = same_file(to, from, row->side_file, &arena);
        to->results[id].facts = facts;
        to->results[id].reader = reader;
        to->results[id].facts_source = result->facts_source;
    }
    cook_arena_finish(&arena);
}

enum cook_status cook_registry_adopt(struct cook_state *to, const struct cook_state *from,
                                     struct cook_error *error)
{
    enum cook_status status = cook_state_thaw(to, error);
    if (status != COOK_OK)
        return status;
    uint8_t *marks = mark_sources(from);
    if (!marks)
        return cook_error_no_memory(error);
    adopt_files(to, from, marks);
    cook_free(marks);
    for (uint32_t i = 0; i < from->packages_count; i++)
        adopt_package(to, from, i);
    if (to->failed != COOK_OK)
        return cook_error_no_memory(error);
    return cook_state_sort(to, error);
}
