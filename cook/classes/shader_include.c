#include "cook/classes/shader_compile.h"

#include <string.h>

#include "cook/base/path.h"

#define INCLUDE_PATH_MAX_BYTES 4096u

static bool is_source_relative(const char *path)
{
    return strncmp(path, "./", 2) == 0 || strncmp(path, "../", 3) == 0;
}

static bool is_acceptable(const char *requested)
{
    size_t length = strlen(requested);

    if (length == 0 || length > INCLUDE_PATH_MAX_BYTES || requested[0] == '/')
        return false;
    for (size_t i = 0; i < length; i++) {
        if (requested[i] == '\\' || (unsigned char)requested[i] < 0x20)
            return false;
    }
    return true;
}

/* Drop the last part of `path` unless there is none, or it is ".."; false then. */
static bool drop_last_part(char *path, size_t *length)
{
    char *slash = memrchr(path, '/', *length);
    const char *part = slash != NULL ? slash + 1 : path;

    if (*length == 0 || strcmp(part, "..") == 0)
        return false;
    *length = slash != NULL ? (size_t)(slash - path) : 0;
    path[*length] = '\0';
    return true;
}

static void add_part(char *path, size_t *length, const char *part, size_t part_length)
{
    if (*length != 0)
        path[(*length)++] = '/';
    memcpy(path + *length, part, part_length);
    *length += part_length;
    path[*length] = '\0';
}

/* Append the parts of `text` to `path`, resolving "." and ".."; leading ".." parts may stay. */
static void add_parts(char *path, size_t *length, const char *text)
{
    while (*text != '\0') {
        size_t part_length = strcspn(text, "/");
        bool up = part_length == 2 && memcmp(text, "..", 2) == 0;
        bool same = part_length == 0 || (part_length == 1 && text[0] == '.');
        if (!same && !(up && drop_last_part(path, length)))
            add_part(path, length, text, part_length);
        text += part_length;
        text += *text == '/';
    }
}

char *cook_shader_include_path(struct cook_arena *arena, const char *from,
                               const char *requested)
{
    if (!is_acceptable(requested))
        return NULL;
    char *folder = cook_path_folder(arena, from);
    if (folder == NULL)
        return NULL;
    if (!is_source_relative(from))
        return cook_path_join(arena, folder, requested);

    /* Room for "./", both texts, a '/' and the NUL. */
    char *path = cook_arena_alloc(arena, strlen(folder) + strlen(requested) + 4);
    if (path == NULL)
        return NULL;
    size_t length = 0;
    add_parts(path, &length, folder);
    add_parts(path, &length, requested);
    if (is_source_relative(path))
        return path;
    memmove(path + 2, path, length + 1);
    memcpy(path, "./", 2);
    return path;
}

char *cook_shader_display_path(struct cook_arena *arena, const char *source, const char *path)
{
    if (!is_source_relative(path))
        return cook_arena_strdup(arena, path);
    size_t room = strlen(source) + strlen(path) + 2;
    char *shown = cook_arena_alloc(arena, room);
    char *folder = cook_path_folder(arena, source);
    if (shown == NULL || folder == NULL)
        return NULL;
    size_t length = 0;
    add_parts(shown, &length, folder);
    add_parts(shown, &length, path);
    return shown;
}
