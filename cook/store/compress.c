#include "cook/store/compress.h"

#include <zstd.h>

#include "cook/base/alloc.h"

#define LEVEL        1
#define LEAST_BYTES  ((size_t)256)      /* below, a frame's own bytes eat what it saves */
#define SAMPLE_BYTES ((size_t)64 << 10) /* tells whether a large blob is worth the time */

struct cook_compressor {
    ZSTD_CCtx *context;
    uint8_t *out;
    size_t capacity;
};

struct cook_compressor *cook_compressor_create(void)
{
    struct cook_compressor *compressor = cook_calloc(1, sizeof(*compressor));
    if (!compressor)
        return NULL;
    compressor->context = ZSTD_createCCtx();
    if (!compressor->context) {
        cook_free(compressor);
        return NULL;
    }
    return compressor;
}

void cook_compressor_destroy(struct cook_compressor *compressor)
{
    if (!compressor)
        return;
    ZSTD_freeCCtx(compressor->context);
    cook_free(compressor->out);
    cook_free(compressor);
}

/* The compressed size, or 0 unless it saves more than a tenth: zstd is given no more room. */
static size_t compress_to(struct cook_compressor *compressor, const void *bytes, size_t size)
{
    size_t result = ZSTD_compressCCtx(compressor->context, compressor->out,
                                      size - size / 10 - 1, bytes, size, LEVEL);
    return ZSTD_isError(result) ? 0 : result;
}

size_t cook_compress(const uint8_t **out, struct cook_compressor *compressor, const void *bytes,
                     size_t size)
{
    *out = NULL;
    if (size < LEAST_BYTES || !cook_grow(&compressor->out, &compressor->capacity, size, 1))
        return 0;
    if (size >= 8 * SAMPLE_BYTES) {
        const uint8_t *middle = (const uint8_t *)bytes + size / 2;
        if (!compress_to(compressor, middle, SAMPLE_BYTES))
            return 0;
    }
    size_t result = compress_to(compressor, bytes, size);
    *out = compressor->out;
    return result;
}

enum cook_status cook_decompress(void *out, size_t out_size, const void *bytes, size_t size,
                                 struct cook_error *error)
{
    size_t result = ZSTD_decompress(out, out_size, bytes, size);
    if (ZSTD_isError(result))
        return cook_error_set(error, COOK_E_DAMAGED, "cannot decompress: %s",
                              ZSTD_getErrorName(result));
    if (result != out_size)
        return cook_error_set(error, COOK_E_DAMAGED, "decompressed to a wrong size");
    return COOK_OK;
}
