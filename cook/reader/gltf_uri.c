#include "cook/reader/gltf_uri.h"

#include <string.h>
#include <strings.h>

#include "cook/base/path.h"

bool cook_gltf_is_data_uri(const char *uri)
{
    return strncasecmp(uri, "data:", 5) == 0;
}

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decode up to the padding; false when another character is met or bits are left over. */
static bool decode_base64(uint8_t *out, size_t *size, const char *text)
{
    uint32_t bits = 0;
    unsigned count = 0;
    size_t length = strlen(text);
    *size = 0;
    for (int pad = 0; pad < 2 && length > 0 && text[length - 1] == '='; pad++) {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        int value = base64_value(text[i]);
        if (value < 0) {
            return false;
        }
        bits = ((bits << 6) | (uint32_t)value) & 0xffffu;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[(*size)++] = (uint8_t)(bits >> count);
        }
    }
    return count < 6;
}

enum cook_status cook_gltf_decode_data_uri(uint8_t **bytes, size_t *size, const char *uri,
                                           struct cook_arena *arena, struct cook_error *error)
{
    static const char marker[] = ";base64";
    const char *comma = strchr(uri, ',');
    size_t head = comma != NULL ? (size_t)(comma - uri) : 0;
    *bytes = NULL;
    *size = 0;
    if (comma == NULL) {
        return cook_error_set(error, COOK_E_MALFORMED, "data URI has no ','");
    }
    if (head < sizeof(marker) - 1 ||
        strncasecmp(comma - (sizeof(marker) - 1), marker, sizeof(marker) - 1) != 0) {
        return cook_error_set(error, COOK_E_UNSUPPORTED, "data URI is not in base64");
    }
    uint8_t *out = cook_arena_alloc(arena, strlen(comma + 1) / 4 * 3 + 4);
    if (out == NULL) {
        return cook_error_no_memory(error);
    }
    if (!decode_base64(out, size, comma + 1)) {
        return cook_error_set(error, COOK_E_MALFORMED, "data URI holds malformed base64");
    }
    *bytes = out;
    return COOK_OK;
}

const char *cook_gltf_uri_package(struct cook_arena *arena, const char *package,
                                  const char *uri)
{
    const char *decoded = cook_path_from_uri(arena, uri);
    const char *inner = package[0] == '/' ? strchr(package + 1, '/') : NULL;
    if (decoded == NULL || inner == NULL) {
        return NULL;
    }
    const char *folder = cook_path_folder(arena, inner + 1);
    const char *joined = folder != NULL ? cook_path_join(arena, folder, decoded) : NULL;
    if (joined == NULL || *joined == '\0') {
        return NULL;
    }
    return cook_arena_printf(arena, "%.*s/%s", (int)(inner - package), package, joined);
}

const char *cook_gltf_uri_file(struct cook_arena *arena, const char *uri)
{
    const char *decoded = cook_path_from_uri(arena, uri);
    if (decoded == NULL || decoded[0] == '/' || decoded[0] == '\0') {
        return NULL;
    }
    return cook_arena_printf(arena, "./%s", decoded);
}
