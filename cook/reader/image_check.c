#include "cook/reader/image_check.h"

#include <string.h>

enum cook_image_kind cook_image_sniff(const uint8_t *data, size_t size)
{
    static const uint8_t png[4] = { 0x89, 'P', 'N', 'G' };
    if (size >= sizeof(png) && memcmp(data, png, sizeof(png)) == 0) {
        return COOK_IMAGE_PNG;
    }
    if (size >= 3 && data[0] == 0xff && data[1] == 0xd8 && data[2] == 0xff) {
        return COOK_IMAGE_JPEG;
    }
    return COOK_IMAGE_UNKNOWN;
}

enum cook_status cook_image_check_size(const struct cook_image_info *info,
                                       struct cook_error *error)
{
    if (info->width_px == 0 || info->height_px == 0) {
        return cook_error_set(error, COOK_E_MALFORMED, "image of %u x %u pixels is empty",
                              info->width_px, info->height_px);
    }
    if (info->width_px > COOK_IMAGE_CHECK_MAX_SIDE_PX ||
        info->height_px > COOK_IMAGE_CHECK_MAX_SIDE_PX ||
        (uint64_t)info->width_px * info->height_px > COOK_IMAGE_CHECK_MAX_PIXELS) {
        return cook_error_set(error, COOK_E_LIMIT,
                              "image of %u x %u pixels is too large: at most %u a side and %u"
                              " in all",
                              info->width_px, info->height_px, COOK_IMAGE_CHECK_MAX_SIDE_PX,
                              COOK_IMAGE_CHECK_MAX_PIXELS);
    }
    return COOK_OK;
}

enum cook_status cook_image_check(struct cook_image_info *out, const uint8_t *data, size_t size,
                                  enum cook_image_kind expected, struct cook_error *error)
{
    *out = (struct cook_image_info){ COOK_IMAGE_UNKNOWN, 0, 0 };
    if (size == 0) {
        return cook_error_set(error, COOK_E_MALFORMED, "image is empty");
    }
    enum cook_image_kind kind = cook_image_sniff(data, size);
    if (kind == COOK_IMAGE_UNKNOWN) {
        kind = expected;
    }
    switch (kind) {
    case COOK_IMAGE_PNG:
        return cook_image_check_png(out, data, size, error);
    case COOK_IMAGE_JPEG:
        return cook_image_check_jpeg(out, data, size, error);
    case COOK_IMAGE_TGA:
        return cook_image_check_tga(out, data, size, error);
    case COOK_IMAGE_UNKNOWN:
        break;
    }
    return cook_error_set(error, COOK_E_MALFORMED, "image is neither PNG nor JPEG");
}
