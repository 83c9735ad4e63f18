/*
 * Fuzz the image checks, each as the expected format. What passes must have dimensions within
 * the limits, and every refusal must say why.
 */
#include <stdlib.h>

#include "cook/reader/image_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum cook_image_kind kinds[] = { COOK_IMAGE_UNKNOWN, COOK_IMAGE_PNG,
                                                  COOK_IMAGE_JPEG, COOK_IMAGE_TGA };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct cook_error error = COOK_ERROR_INIT;
        struct cook_image_info info;
        enum cook_status status = cook_image_check(&info, data, size, kinds[i], &error);
        if (status != COOK_OK && error.message[0] == '\0') {
            abort();
        }
        if (status == COOK_OK && (info.width_px == 0 || info.height_px == 0 ||
                                  info.width_px > COOK_IMAGE_CHECK_MAX_SIDE_PX ||
                                  info.height_px > COOK_IMAGE_CHECK_MAX_SIDE_PX ||
                                  info.kind == COOK_IMAGE_UNKNOWN)) {
            abort();
        }
    }
    return 0;
}
