#include "cook/reader/name.h"

#include <string.h>

#include <cook/reader.h>

#include "cook/base/path.h"

const char *cook_file_object_name(char buffer[256], const char *path)
{
    char stem[256];
    const char *name = cook_path_name(path);
    size_t length = strlen(name) - strlen(cook_path_extension(name));
    if (length >= sizeof(stem)) {
        length = sizeof(stem) - 1;
    }
    memcpy(stem, name, length);
    stem[length] = '\0';
    return cook_make_object_name(buffer, stem, "Main");
}
