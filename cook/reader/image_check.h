/*
 * Cheap checks of encoded images: structure, dimensions and completeness, without decoding a
 * pixel. A file cut short fails here, long before a transform decodes it. The bytes are
 * untrusted. Thread-safe; allocates nothing.
 *
 * Formats: PNG (W3C PNG, third edition), JPEG (ITU-T T.81), TGA (Truevision 2.0).
 */
#ifndef COOK_READER_IMAGE_CHECK_H
#define COOK_READER_IMAGE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "cook/base/error.h"

/* What the texture class can decode: 15 mips, 512 MiB as RGBA8. */
#define COOK_IMAGE_CHECK_MAX_SIDE_PX 16384u
#define COOK_IMAGE_CHECK_MAX_PIXELS  (1u << 27)

enum cook_image_kind {
    COOK_IMAGE_UNKNOWN = 0,
    COOK_IMAGE_PNG,
    COOK_IMAGE_JPEG,
    COOK_IMAGE_TGA,
};

struct cook_image_info {
    enum cook_image_kind kind;
    uint32_t width_px, height_px;
};

/* By signature; TGA has none and is COOK_IMAGE_UNKNOWN. */
enum cook_image_kind cook_image_sniff(const uint8_t *data, size_t size);

/*
 * Check an image. The signature decides between PNG and JPEG, whatever `expected` says (a wrong
 * extension is common and harmless); without a known signature it must be of the `expected`
 * kind. COOK_E_MALFORMED, COOK_E_UNSUPPORTED (a valid variant that is not decoded),
 * COOK_E_LIMIT.
 */
enum cook_status cook_image_check(struct cook_image_info *out, const uint8_t *data, size_t size,
                                  enum cook_image_kind expected,
                                  struct cook_error *error) COOK_CHECK_RESULT;

/* The checks behind it, one a format. */
enum cook_status cook_image_check_png(struct cook_image_info *out, const uint8_t *data,
                                      size_t size, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_image_check_jpeg(struct cook_image_info *out, const uint8_t *data,
                                       size_t size, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_image_check_tga(struct cook_image_info *out, const uint8_t *data,
                                      size_t size, struct cook_error *error) COOK_CHECK_RESULT;

/* Zero or too large dimensions; used by each format. */
enum cook_status cook_image_check_size(const struct cook_image_info *info,
                                       struct cook_error *error) COOK_CHECK_RESULT;

#endif
