#include "cook/symbols/modules.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/path.h"

struct snapshot {
    struct cook_modules *modules;
    bool as_loaded; /* paths are not resolved */
    bool seen_main; /* the first object is the program itself */
    bool failed;
};

static void bytes_to_hex(char *text, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = '\0';
}

/* The length with its padding; false when that leaves the `left` bytes that remain. */
static bool padded(size_t *out, size_t length, size_t alignment, size_t left)
{
    *out = (length + alignment - 1) & ~(alignment - 1);
    return length <= left && *out <= left;
}

void cook_build_id_from_notes(char text[COOK_BUILD_ID_TEXT_SIZE], const void *notes,
                              size_t size, size_t alignment)
{
    const unsigned char *at = notes;
    size_t left = size;
    alignment = alignment == 8 ? 8 : 4;
    text[0] = '\0';
    while (left >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        size_t head, desc;
        memcpy(&note, at, sizeof(note));
        if (!padded(&head, sizeof(note) + note.n_namesz, alignment, left))
            return;
        bool found = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                     memcmp(at + sizeof(note), "GNU", 4) == 0;
        if (found && note.n_descsz <= COOK_BUILD_ID_MAX_BYTES && note.n_descsz <= left - head) {
            bytes_to_hex(text, at + head, note.n_descsz);
            return;
        }
        if (!padded(&desc, note.n_descsz, alignment, left - head))
            return;
        at += head + desc;
        left -= head + desc;
    }
}

static void find_build_id(char text[COOK_BUILD_ID_TEXT_SIZE], const struct dl_phdr_info *info)
{
    text[0] = '\0';
    for (ElfW(Half) i = 0; i < info->dlpi_phnum && !text[0]; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE)
            cook_build_id_from_notes(text, (const void *)(info->dlpi_addr + segment->p_vaddr),
                                     segment->p_memsz, segment->p_align);
    }
}

/* The lowest and highest executable address; false when the object holds no code. */
static bool find_code(struct cook_module *module, const struct dl_phdr_info *info)
{
    module->start = UINTPTR_MAX;
    module->end = 0;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        uintptr_t end = start + segment->p_memsz;
        module->start = start < module->start ? start : module->start;
        module->end = end > module->end ? end : module->end;
    }
    return module->start < module->end;
}

/* A plugin is loaded from a copy named by its build id; its soname still says what it is. */
static const char *find_soname(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *entry = NULL;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    const char *strings = NULL;
    const ElfW(Dyn) *soname = NULL;
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            strings = (const char *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_SONAME)
            soname = entry;
    }
    /* The loader relocates DT_STRTAB in place, but not that of the vDSO (read-only). */
    if (strings && (uintptr_t)strings < info->dlpi_addr)
        strings += info->dlpi_addr;
    return strings && soname ? strings + soname->d_un.d_val : NULL;
}

/* Absolute, and through no folder twice: what the loader found by its search paths. Links are
 * left: to ask where each part of each path leads are a hundred calls, which a traced worker
 * stops at. */
static bool is_plain(const char *path)
{
    return *path == '/' && !strstr(path, "/./") && !strstr(path, "/../");
}

/* The kernel says where the program itself is in one call. */
static const char *program_path(char out[PATH_MAX])
{
    ssize_t size = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (size <= 0)
        return NULL;
    out[size] = '\0';
    return out;
}

static bool set_texts(struct cook_module *module, struct cook_arena *arena,
                      const struct dl_phdr_info *info, bool is_main, bool resolve)
{
    char resolved[PATH_MAX];
    char build_id[COOK_BUILD_ID_TEXT_SIZE];
    const char *loaded = info->dlpi_name;
    const char *path = NULL;
    if (is_main)
        path = program_path(resolved);
    else if (resolve && strchr(loaded, '/') && !is_plain(loaded))
        path = realpath(loaded, resolved);
    const char *soname = is_main ? NULL : find_soname(info);
    if (!path)
        path = is_main ? "" : loaded;
    const char *name = soname && *soname ? soname : cook_path_name(is_main ? path : loaded);
    find_build_id(build_id, info);
    module->path = cook_arena_strdup(arena, path);
    module->name = cook_arena_strdup(arena, *name ? name : "?");
    module->build_id = cook_arena_strdup(arena, build_id);
    return module->path && module->name && module->build_id;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct snapshot *snapshot = data;
    struct cook_modules *modules = snapshot->modules;
    struct cook_module module = { .base = info->dlpi_addr };
    bool is_main = !snapshot->seen_main;
    snapshot->seen_main = true;
    if (!find_code(&module, info))
        return 0;
    snapshot->failed =
        !set_texts(&module, &modules->arena, info, is_main, !snapshot->as_loaded) ||
        !cook_grow(&modules->items, &modules->capacity, modules->count + 1, sizeof(module));
    if (!snapshot->failed)
        modules->items[modules->count++] = module;
    return snapshot->failed;
}

static int compare_modules(const void *a, const void *b)
{
    const struct cook_module *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

static enum cook_status take_snapshot(struct cook_modules *out, bool as_loaded,
                                      struct cook_error *error)
{
    struct snapshot snapshot = { .modules = out, .as_loaded = as_loaded };
    *out = (struct cook_modules)COOK_MODULES_INIT;
    dl_iterate_phdr(add_module, &snapshot);
    if (snapshot.failed) {
        cook_modules_finish(out);
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot list the loaded modules");
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof(*out->items), compare_modules);
    return COOK_OK;
}

enum cook_status cook_modules_snapshot(struct cook_modules *out, struct cook_error *error)
{
    return take_snapshot(out, false, error);
}

enum cook_status cook_modules_snapshot_as_loaded(struct cook_modules *out,
                                                 struct cook_error *error)
{
    return take_snapshot(out, true, error);
}

const char *cook_module_resolve(const struct cook_module *module, char resolved[PATH_MAX])
{
    const char *path = strchr(module->path, '/') ? realpath(module->path, resolved) : NULL;
    return path ? path : module->path;
}

void cook_modules_finish(struct cook_modules *modules)
{
    cook_free(modules->items);
    cook_arena_finish(&modules->arena);
    *modules = (struct cook_modules)COOK_MODULES_INIT;
}

const struct cook_module *cook_modules_find(const struct cook_modules *modules, uintptr_t pc)
{
    size_t low = 0, high = modules->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (modules->items[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || pc >= modules->items[low - 1].end)
        return NULL;
    return &modules->items[low - 1];
}
