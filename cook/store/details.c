#include "cook/store/details.h"

#include <string.h>

#include "cook/base/alloc.h"

#define FILE_BYTES 18u /* at least */

void cook_details_encode(const struct cook_details *details, struct cook_buf *out)
{
    if (details->file_count == 0 && cook_hash_is_zero(details->parts))
        return;
    cook_buf_put_varint(out, details->file_count);
    for (size_t i = 0; i < details->file_count; i++) {
        cook_buf_put_string(out, details->files[i].name);
        cook_buf_put_hash(out, details->files[i].hash);
        cook_buf_put_varint(out, details->files[i].size_bytes);
    }
    cook_buf_put_hash(out, details->parts);
}

enum cook_status cook_details_decode(struct cook_details *details, const void *bytes,
                                     size_t size, struct cook_arena *arena)
{
    *details = (struct cook_details){ 0 };
    if (size == 0)
        return COOK_OK;
    struct cook_reader_buf in = cook_read_init(bytes, size);
    size_t count = cook_read_count(&in, FILE_BYTES);
    details->files = cook_arena_alloc(arena, (count + 1) * sizeof(*details->files));
    if (!details->files)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        details->files[i].name = cook_read_string(&in, arena);
        details->files[i].hash = cook_read_hash(&in);
        details->files[i].size_bytes = cook_read_varint(&in);
    }
    details->file_count = count;
    details->parts = cook_read_hash(&in);
    return cook_read_at_end(&in) ? COOK_OK : COOK_E_MALFORMED;
}

enum cook_status cook_details_of(struct cook_details *details, const struct cook_state *state,
                                 uint32_t package, struct cook_arena *arena)
{
    size_t size = 0;
    const uint8_t *bytes = NULL;
    if (state->results[package].details)
        bytes = cook_state_blob(state, state->results[package].details, &size);
    return cook_details_decode(details, bytes, size, arena);
}

const uint8_t *cook_parts_find(const void *parts, size_t parts_size, const char *artifact,
                               size_t *size)
{
    struct cook_reader_buf in = cook_read_init(parts, parts_size);
    size_t count = parts_size ? cook_read_count(&in, 2) : 0;
    size_t wanted = strlen(artifact);
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const uint8_t *name = cook_read_bytes(&in, &length);
        const uint8_t *bytes = cook_read_bytes(&in, size);
        if (in.failed)
            break;
        if (name && length == wanted && memcmp(name, artifact, length) == 0)
            return bytes;
    }
    *size = 0;
    return NULL;
}
