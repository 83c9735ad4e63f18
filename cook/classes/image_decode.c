#include "cook/classes/image.h"

#include <string.h>

#include "cook/base/alloc.h"

#define TGA_HEADER_BYTES 18u

void cook_image_finish(struct cook_image *image)
{
    cook_free(image->pixels);
    *image = (struct cook_image){ 0 };
}

size_t cook_image_bytes(const struct cook_image *image)
{
    return (size_t)image->width_px * image->height_px * 4;
}

enum cook_status cook_image_init(struct cook_image *out, uint32_t width_px, uint32_t height_px,
                                 struct cook_error *error)
{
    *out = (struct cook_image){ 0 };
    if (width_px == 0 || height_px == 0 || width_px > COOK_IMAGE_MAX_SIDE_PX ||
        height_px > COOK_IMAGE_MAX_SIDE_PX ||
        (uint64_t)width_px * height_px * 4 > COOK_IMAGE_MAX_BYTES)
        return cook_error_set(error, COOK_E_LIMIT, "image of %u x %u pixels is too large",
                              width_px, height_px);
    uint8_t *pixels = cook_calloc((size_t)width_px * height_px, 4);
    if (pixels == NULL)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for an image");
    *out = (struct cook_image){ pixels, width_px, height_px };
    return COOK_OK;
}

/* stb_image reads zeros past the end of a TGA: ask for the bytes that its pixels take at best.
 */
static bool tga_is_plausible(const uint8_t *bytes, size_t size)
{
    if (size < TGA_HEADER_BYTES)
        return false;
    uint64_t pixels =
        (uint64_t)(bytes[12] | bytes[13] << 8) * (uint64_t)(bytes[14] | bytes[15] << 8);
    uint64_t pixel_bytes = ((uint64_t)bytes[16] + 7) / 8;
    bool runs = (bytes[2] & 8) != 0; /* a run of 128 pixels takes one byte and one pixel */
    uint64_t least = runs ? (pixels + 127) / 128 * (1 + pixel_bytes) : pixels * pixel_bytes;
    return size - TGA_HEADER_BYTES >= least;
}

enum cook_status cook_image_decode(struct cook_image *out, const uint8_t *bytes, size_t size,
                                   struct cook_error *error)
{
    static const uint8_t png_signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n' };

    *out = (struct cook_image){ 0 };
    if (size >= sizeof(png_signature) &&
        memcmp(bytes, png_signature, sizeof(png_signature)) == 0)
        return cook_image_decode_png(out, bytes, size, error);
    if (size >= 4 && bytes[0] == 0xFF && bytes[1] == 0xD8) {
        if (!cook_image_jpeg_is_sound(bytes, size))
            return cook_error_set(error, COOK_E_MALFORMED,
                                  "JPEG: the file is damaged or cut short");
        return cook_image_decode_stb(out, bytes, size, error);
    }
    if (!tga_is_plausible(bytes, size))
        return cook_error_set(error, COOK_E_MALFORMED, "not a whole PNG, JPEG or TGA image");
    return cook_image_decode_stb(out, bytes, size, error);
}
