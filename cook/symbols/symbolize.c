#include "cook/symbols/symbolize.h"

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/intern.h"
#include "cook/symbols/dwarf_index.h"
#include "cook/symbols/elf_file.h"
#include "cook/symbols/offset_map.h"
#include "cook/symbols/stack_set.h"

#define MAX_FRAMES_PER_ADDRESS 130 /* a function and the calls inlined into it */

/* The files found for one build id, and what was already named in them. */
struct module {
    struct cook_elf *elf; /* with debug information if any has; NULL while none was found */
    struct cook_dwarf *dwarf;
    uint32_t tried_path; /* recorded path last tried in vain, in texts */
    struct cook_offset_map
        by_offset; /* to the first frame; the group ends at one not inlined */
};

/* Frames as named, without what the caller's set says about the module. */
struct named {
    struct cook_dwarf_frame frame;
    bool inlined;
};

struct cook_symbolizer {
    char **folders;
    size_t folder_count;
    struct cook_intern texts;
    struct cook_intern build_ids;
    struct module *modules; /* by build id */
    size_t module_count;
    size_t module_capacity;
    struct named *named;
    size_t named_count;
    size_t named_capacity;
};

enum cook_status cook_symbolizer_create(struct cook_symbolizer **out,
                                        const struct cook_symbolizer_options *options,
                                        struct cook_error *error)
{
    *out = NULL;
    struct cook_symbolizer *symbolizer = cook_calloc(1, sizeof(*symbolizer));
    if (!symbolizer)
        goto short_of_memory;
    symbolizer->texts = (struct cook_intern)COOK_INTERN_INIT;
    symbolizer->build_ids = (struct cook_intern)COOK_INTERN_INIT;
    symbolizer->folders = cook_calloc(options->folder_count, sizeof(*symbolizer->folders));
    if (!symbolizer->folders)
        goto short_of_memory;
    for (size_t i = 0; i < options->folder_count; i++) {
        symbolizer->folders[i] = cook_strdup(options->folders[i]);
        if (!symbolizer->folders[i])
            goto short_of_memory;
        symbolizer->folder_count++;
    }
    *out = symbolizer;
    return COOK_OK;
short_of_memory:
    cook_symbolizer_destroy(symbolizer);
    return cook_error_set(error, COOK_E_NO_MEMORY, "cannot create a symbolizer");
}

void cook_symbolizer_destroy(struct cook_symbolizer *symbolizer)
{
    if (!symbolizer)
        return;
    for (size_t i = 0; i < symbolizer->module_count; i++) {
        cook_dwarf_close(symbolizer->modules[i].dwarf);
        cook_elf_close(symbolizer->modules[i].elf);
        cook_offset_map_finish(&symbolizer->modules[i].by_offset);
    }
    for (size_t i = 0; i < symbolizer->folder_count; i++)
        cook_free(symbolizer->folders[i]);
    cook_free(symbolizer->folders);
    cook_free(symbolizer->modules);
    cook_free(symbolizer->named);
    cook_intern_finish(&symbolizer->texts);
    cook_intern_finish(&symbolizer->build_ids);
    cook_free(symbolizer);
}

/* Take `path` into `module` when it holds the build id; true once debug information is found.
 */
static bool try_file(struct cook_symbolizer *symbolizer, struct module *module,
                     const char *path, const char *build_id)
{
    struct cook_elf *elf = NULL;
    if (cook_elf_open(&elf, path, NULL) != COOK_OK)
        return false;
    bool same = strcmp(cook_elf_build_id(elf), build_id) == 0;
    if (same && cook_elf_has_debug_info(elf) &&
        cook_dwarf_open(&module->dwarf, path, elf, &symbolizer->texts, NULL) != COOK_OK)
        module->dwarf = NULL;
    if (same && (module->dwarf || !module->elf)) {
        cook_elf_close(module->elf);
        module->elf = elf;
        elf = NULL;
    }
    cook_elf_close(elf);
    return module->dwarf != NULL;
}

static void find_files(struct cook_symbolizer *symbolizer, struct module *module,
                       const struct cook_stack_module *recorded)
{
    const char *build_id = recorded->build_id;
    struct cook_arena arena = COOK_ARENA_INIT;
    bool found = false;
    for (size_t i = 0; i < symbolizer->folder_count && !found; i++) {
        const char *path =
            cook_arena_printf(&arena, "%s/%s.so", symbolizer->folders[i], build_id);
        found = path && try_file(symbolizer, module, path, build_id);
    }
    if (!found && recorded->path[0] == '/')
        found = try_file(symbolizer, module, recorded->path, build_id);
    if (!found && strlen(build_id) > 2) {
        const char *path = cook_arena_printf(&arena, "/usr/lib/debug/.build-id/%.2s/%s.debug",
                                             build_id, build_id + 2);
        found = path && try_file(symbolizer, module, path, build_id);
    }
    cook_arena_finish(&arena);
}

/*
 * The module of a build id, NULL when it cannot be known: a file without one may have been
 * replaced since, and names out of it would be plausible and wrong.
 */
static struct module *find_module(struct cook_symbolizer *symbolizer,
                                  const struct cook_stack_module *recorded)
{
    if (!recorded->build_id[0] || !cook_build_id_is_valid(recorded->build_id))
        return NULL;
    uint32_t id = cook_intern_add(&symbolizer->build_ids, recorded->build_id);
    uint32_t path = cook_intern_add(&symbolizer->texts, recorded->path);
    if (id == COOK_INTERN_NONE || path == COOK_INTERN_NONE ||
        !cook_grow(&symbolizer->modules, &symbolizer->module_capacity, (size_t)id + 1,
                   sizeof(*symbolizer->modules)))
        return NULL;
    while (symbolizer->module_count <= id)
        symbolizer->modules[symbolizer->module_count++] =
            (struct module){ .tried_path = COOK_INTERN_NONE };
    struct module *module = &symbolizer->modules[id];
    if (!module->elf && module->tried_path != path) {
        module->tried_path = path;
        find_files(symbolizer, module, recorded);
    }
    return module->elf ? module : NULL;
}

/* What the symbol table knows stands in where the debug information is silent. */
static size_t name_address(struct cook_symbolizer *symbolizer, struct module *module,
                           uint64_t offset, struct cook_dwarf_frame *frames, size_t max)
{
    size_t count = module->dwarf ? cook_dwarf_frames(module->dwarf, offset, frames, max) : 0;
    if (!count)
        frames[count++] = (struct cook_dwarf_frame){ NULL, NULL, 0 };
    struct cook_dwarf_frame *outer = &frames[count - 1];
    const char *symbol = outer->function ? NULL : cook_elf_function(module->elf, offset);
    if (symbol) {
        uint32_t id = cook_intern_add(&symbolizer->texts, symbol);
        outer->function =
            id == COOK_INTERN_NONE ? NULL : cook_intern_text(&symbolizer->texts, id);
    }
    return count;
}

/* The frames of an address, named once; the last of them is not inlined. NULL: short of memory.
 */
static const struct named *find_named(struct cook_symbolizer *symbolizer, struct module *module,
                                      uint64_t offset)
{
    struct cook_dwarf_frame frames[MAX_FRAMES_PER_ADDRESS];
    uint32_t first;
    if (cook_offset_map_get(&module->by_offset, offset, &first))
        return &symbolizer->named[first];
    size_t count = name_address(symbolizer, module, offset, frames, MAX_FRAMES_PER_ADDRESS);
    if (symbolizer->named_count > UINT32_MAX - count ||
        !cook_grow(&symbolizer->named, &symbolizer->named_capacity,
                   symbolizer->named_count + count, sizeof(*symbolizer->named)))
        return NULL;
    first = (uint32_t)symbolizer->named_count;
    if (!cook_offset_map_put(&module->by_offset, offset, first))
        return NULL;
    for (size_t i = 0; i < count; i++)
        symbolizer->named[symbolizer->named_count++] =
            (struct named){ frames[i], i + 1 < count };
    return &symbolizer->named[first];
}

/* A copy that lives as long as the symbolizer; "" when memory is short. */
static const char *keep(struct cook_symbolizer *symbolizer, const char *text)
{
    uint32_t id = cook_intern_add(&symbolizer->texts, text);
    return id == COOK_INTERN_NONE ? "" : cook_intern_text(&symbolizer->texts, id);
}

size_t cook_symbolizer_stack(struct cook_symbolizer *symbolizer,
                             const struct cook_stack_set *set, uint32_t stack,
                             struct cook_symbol_frame *frames, size_t max)
{
    size_t count = 0;
    if (stack >= set->stack_count)
        return 0;
    for (uint32_t i = 0; i < set->stacks[stack].count && count < max; i++) {
        const struct cook_stack_frame *recorded = &set->stacks[stack].frames[i];
        const struct cook_stack_module *where = &set->modules[recorded->module];
        struct module *module = find_module(symbolizer, where);
        const struct named *named =
            module ? find_named(symbolizer, module, recorded->offset) : NULL;
        struct cook_symbol_frame frame = {
            .module = keep(symbolizer, where->name),
            .build_id = keep(symbolizer, where->build_id),
            .offset = recorded->offset,
        };
        do {
            if (named) {
                frame.function = named->frame.function;
                frame.file = named->frame.file;
                frame.line = named->frame.line;
                frame.inlined = named->inlined;
                named++;
            }
            frames[count++] = frame;
        } while (frame.inlined && count < max);
    }
    return count;
}

char *cook_symbol_text(const struct cook_symbol_frame *frame, struct cook_arena *arena)
{
    if (!frame->function)
        return cook_arena_printf(arena, "%s+0x%llx", frame->module,
                                 (unsigned long long)frame->offset);
    if (frame->file && frame->line)
        return cook_arena_printf(arena, "%s (%s:%u)", frame->function, frame->file,
                                 frame->line);
    if (frame->file)
        return cook_arena_printf(arena, "%s (%s)", frame->function, frame->file);
    return cook_arena_printf(arena, "%s (%s+0x%llx)", frame->function, frame->module,
                             (unsigned long long)frame->offset);
}
