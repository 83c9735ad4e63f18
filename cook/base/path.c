#include "cook/base/path.h"

#include <string.h>

#define PATH_LIMIT_BYTES ((size_t)4096)

static bool is_plain(const char *path)
{
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        if (c < 0x20 || c == 0x7f || c == '\\')
            return false;
    }
    return true;
}

/* Remove the last part of the `length` bytes at `out`; false when there is none. */
static bool pop_part(const char *out, size_t *length)
{
    if (*length == 0)
        return false;
    while (*length > 0 && out[*length - 1] != '/')
        (*length)--;
    if (*length > 0)
        (*length)--; /* the separator */
    return true;
}

static void push_part(char *out, size_t *length, const char *part, size_t size)
{
    if (*length > 0)
        out[(*length)++] = '/';
    memcpy(out + *length, part, size);
    *length += size;
}

/* Append the parts of `path` to `out`, resolving dots; false when that leaves the root. */
static bool append_parts(char *out, size_t *length, const char *path)
{
    while (*path) {
        size_t size = strcspn(path, "/");
        if (size == 2 && path[0] == '.' && path[1] == '.') {
            if (!pop_part(out, length))
                return false;
        } else if (size > 0 && !(size == 1 && path[0] == '.')) {
            push_part(out, length, path, size);
        }
        path += size;
        path += *path == '/';
    }
    return true;
}

char *cook_path_join(struct cook_arena *arena, const char *base, const char *relative)
{
    size_t base_length = strlen(base);
    size_t relative_length = strlen(relative);
    if (base_length > PATH_LIMIT_BYTES || relative_length > PATH_LIMIT_BYTES)
        return NULL;
    if (base[0] == '/' || relative[0] == '/' || !is_plain(base) || !is_plain(relative))
        return NULL;
    char *out = cook_arena_alloc(arena, base_length + relative_length + 2);
    size_t length = 0;
    if (!out || !append_parts(out, &length, base) || !append_parts(out, &length, relative))
        return NULL;
    if (length > PATH_LIMIT_BYTES)
        return NULL;
    out[length] = '\0';
    return out;
}

char *cook_path_folder(struct cook_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return cook_arena_strndup(arena, path, slash ? (size_t)(slash - path) : 0);
}

const char *cook_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A leading dot hides a file and a trailing one ends a sentence: neither starts an extension.
 */
const char *cook_path_extension(const char *path)
{
    const char *name = cook_path_name(path);
    const char *dot = strrchr(name, '.');
    return dot && dot != name && dot[1] ? dot : name + strlen(name);
}

bool cook_path_has_prefix(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (length == 0)
        return true;
    if (strncmp(path, folder, length) != 0)
        return false;
    return path[length] == '\0' || path[length] == '/' || folder[length - 1] == '/';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* RFC 3986, 3.1: a letter, then letters, digits, "+", "-", "."; it ends at the first ':'. */
static bool has_scheme(const char *uri)
{
    if (!is_letter(*uri))
        return false;
    while (is_letter(*uri) || (*uri && strchr("0123456789+-.", *uri)))
        uri++;
    return *uri == ':';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The byte that "%XX" at `escape` stands for, or -1 when it is malformed or a NUL. */
static int decode_escape(const char *escape)
{
    int high = hex_digit(escape[1]);
    int low = high < 0 ? -1 : hex_digit(escape[2]);
    int byte = low < 0 ? -1 : high * 16 + low;
    return byte > 0 ? byte : -1;
}

char *cook_path_from_uri(struct cook_arena *arena, const char *uri)
{
    if (has_scheme(uri))
        return NULL;
    char *out = cook_arena_alloc(arena, strlen(uri) + 1);
    if (!out)
        return NULL;
    char *to = out;
    while (*uri) {
        int byte = *uri == '%' ? decode_escape(uri) : (unsigned char)*uri;
        if (byte < 0)
            return NULL;
        uri += *uri == '%' ? 3 : 1;
        *to++ = (char)byte;
    }
    *to = '\0';
    return out;
}

/* The text after its first character, which may be several bytes of UTF-8. */
static const char *skip_character(const char *text)
{
    text++;
    while (((unsigned char)*text & 0xC0) == 0x80)
        text++;
    return text;
}

/* Linear in practice: only the last '*' is ever retried, so patterns cannot explode. */
bool cook_glob_match(const char *pattern, const char *text)
{
    const char *star = NULL;
    const char *retry = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern == '?') {
            pattern++;
            text = skip_character(text);
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = retry = skip_character(retry);
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool cook_path_is_plain(const char *path)
{
    size_t length = strlen(path);
    if (length == 0 || length > 200)
        return false;
    for (const char *part = path; *part;) {
        size_t size = strcspn(part, "/");
        bool dots = (size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.');
        if (size == 0 || dots || (part[size] == '/' && !part[size + 1]))
            return false;
        for (size_t i = 0; i < size; i++)
            if ((unsigned char)part[i] < 0x20 || part[i] == 0x7f || part[i] == '\\')
                return false;
        part += size + (part[size] == '/');
    }
    return true;
}
