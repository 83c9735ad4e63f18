#include "cook/classes/image.h"

#include <spng.h>

#include "cook/base/alloc.h"

#define PNG_CHUNK_MAX_BYTES ((size_t)256 << 20)
#define PNG_CACHE_MAX_BYTES                                                                    \
    PNG_CHUNK_MAX_BYTES /* ancillary chunks together; not below the other */

const char *cook_image_png_version(void)
{
    return spng_version_string();
}

static enum cook_status png_fail(struct cook_error *error, int code)
{
    if (code == SPNG_EMEM)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory while decoding a PNG");
    return cook_error_set(error, COOK_E_MALFORMED, "PNG: %s", spng_strerror(code));
}

static enum cook_status png_read(struct cook_image *out, spng_ctx *png, const uint8_t *bytes,
                                 size_t size, struct cook_error *error)
{
    struct spng_ihdr header = { 0 };
    int code = spng_set_png_buffer(png, bytes, size);

    if (code == 0)
        code = spng_set_chunk_limits(png, PNG_CHUNK_MAX_BYTES, PNG_CACHE_MAX_BYTES);
    if (code == 0)
        code = spng_get_ihdr(png, &header);
    if (code != 0)
        return png_fail(error, code);

    enum cook_status status = cook_image_init(out, header.width, header.height, error);
    if (status != COOK_OK)
        return status;
    code = spng_decode_image(png, out->pixels, cook_image_bytes(out), SPNG_FMT_RGBA8,
                             SPNG_DECODE_TRNS);
    if (code == 0)
        code =
            spng_decode_chunks(png); /* to the end: else a file cut after its pixels passes */
    return code == 0 ? COOK_OK : png_fail(error, code);
}

enum cook_status cook_image_decode_png(struct cook_image *out, const uint8_t *bytes,
                                       size_t size, struct cook_error *error)
{
    struct spng_alloc memory = { cook_malloc, cook_realloc, cook_calloc, cook_free };
    spng_ctx *png = spng_ctx_new2(&memory, 0);

    *out = (struct cook_image){ 0 };
    if (png == NULL)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory while decoding a PNG");
    enum cook_status status = png_read(out, png, bytes, size, error);
    spng_ctx_free(png);
    if (status != COOK_OK)
        cook_image_finish(out);
    return status;
}
