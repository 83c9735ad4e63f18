#include "cook/deps/value.h"

#include <string.h>

#include "cook/deps/dep.h"

enum cook_status cook_directory_list(const char ***names, size_t *count, int project_fd,
                                     const char *path, struct cook_arena *arena,
                                     struct cook_error *error)
{
    struct cook_folder_entry *entries;
    size_t entry_count;
    struct cook_file_stat stat;
    *count = 0;
    *names = NULL;
    const char *folder = *path ? path : ".";
    enum cook_status status = cook_fs_stat(&stat, project_fd, folder, error);
    if (status == COOK_OK && stat.kind != COOK_FILE_FOLDER)
        return cook_error_set(error, COOK_E_NOT_FOUND, "'%s' is no folder", path);
    if (status == COOK_OK)
        status = cook_fs_list(&entries, &entry_count, arena, project_fd, folder, error);
    if (status != COOK_OK)
        return status;
    *names = cook_arena_alloc(arena, (entry_count + 1) * sizeof(**names));
    for (size_t i = 0; *names && i < entry_count; i++) {
        if (entries[i].name[0] == '.')
            continue;
        bool is_folder = entries[i].kind == COOK_FILE_FOLDER;
        const char *name =
            is_folder ? cook_arena_printf(arena, "%s/", entries[i].name) : entries[i].name;
        if (!name)
            return cook_error_no_memory(error);
        (*names)[(*count)++] = name;
    }
    return *names ? COOK_OK : cook_error_no_memory(error);
}

struct cook_hash cook_directory_hash(const char *const *names, size_t count)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    cook_hasher_update_u64(&hasher, count);
    for (size_t i = 0; i < count; i++)
        cook_hasher_update_string(&hasher, names[i]);
    return cook_hasher_digest(&hasher);
}

struct cook_hash cook_directory_value(int project_fd, const char *path)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hash value = { 0, 0 };
    const char **names;
    size_t count;
    if (cook_directory_list(&names, &count, project_fd, path, &arena, NULL) == COOK_OK)
        value = cook_directory_hash(names, count);
    cook_arena_finish(&arena);
    return value;
}

const char *cook_argument_find(const char *const *arguments, size_t count, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = count; i-- > 0;) {
        const char *argument = arguments[i];
        while (*argument == '-')
            argument++;
        if (argument == arguments[i] || strncmp(argument, name, length) != 0)
            continue;
        if (argument[length] == '\0')
            return "";
        if (argument[length] == '=')
            return argument + length + 1;
    }
    return NULL;
}

struct cook_hash cook_text_value(const char *text)
{
    struct cook_hash absent = { 0, 0 };
    return text ? cook_hash_bytes(text, strlen(text)) : absent;
}

bool cook_dep_has_place(uint32_t kind)
{
    return kind == COOK_DEP_CONFIG || kind == COOK_DEP_CVAR;
}

char *cook_value_alone(const char *text, struct cook_arena *arena)
{
    return cook_arena_strndup(arena, text, strcspn(text, COOK_VALUE_PLACE));
}

const char *cook_value_place(const char *text)
{
    const char *mark = strchr(text, COOK_VALUE_PLACE[0]);
    return mark ? mark + 1 : "";
}
