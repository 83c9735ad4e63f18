/*
 * Image readers: a file becomes one Texture2D that holds the encoded bytes. Decoding, mips and
 * block compression are the class's business.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cook/context.h>
#include <cook/standard.h>

#include "cook/object/reflect.h"
#include "cook/reader/asset_scan.h"
#include "cook/reader/image_check.h"
#include "cook/reader/name.h"
#include "cook/reader/readers.h"

#define TEXTURE_CLASS "/Script/Cook.Texture2D"

static enum cook_status scan_image(struct cook_scan *scan, const struct cook_source *source,
                                   enum cook_image_kind kind)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_image_info info;
    char name[256];
    char number[16];
    if (cook_image_check(&info, source->data, source->size, kind, &error) != COOK_OK) {
        return cook_scan_fail(scan, 0, "%s", error.message);
    }
    cook_scan_object(scan, cook_file_object_name(name, source->path), TEXTURE_CLASS, NULL);
    snprintf(number, sizeof(number), "%" PRIu32, info.width_px);
    cook_scan_tag(scan, "Width", number);
    snprintf(number, sizeof(number), "%" PRIu32, info.height_px);
    cook_scan_tag(scan, "Height", number);
    cook_asset_scan_side(scan, source);
    return COOK_OK;
}

static enum cook_status load_image(struct cook_context *context, struct cook_loader *loader,
                                   const struct cook_source *source, enum cook_image_kind kind)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_image_info info;
    char name[256];
    if (cook_image_check(&info, source->data, source->size, kind, &error) != COOK_OK) {
        return cook_load_fail(loader, 0, "%s", error.message);
    }
    struct cook_texture2d *texture = cook_load_object(
        loader, TEXTURE_CLASS, cook_file_object_name(name, source->path), NULL);
    if (texture == NULL) {
        return COOK_E_FAILED;
    }
    texture->source.data = cook_alloc(context, source->size);
    if (texture->source.data == NULL) {
        return COOK_E_NO_MEMORY;
    }
    memcpy(texture->source.data, source->data, source->size);
    texture->source.size = source->size;
    return cook_reflect_load_side(loader, source);
}

static enum cook_status scan_png(struct cook_scan *scan, const struct cook_source *source)
{
    return scan_image(scan, source, COOK_IMAGE_PNG);
}

static enum cook_status load_png(struct cook_context *context, struct cook_loader *loader,
                                 const struct cook_source *source)
{
    return load_image(context, loader, source, COOK_IMAGE_PNG);
}

static enum cook_status scan_jpeg(struct cook_scan *scan, const struct cook_source *source)
{
    return scan_image(scan, source, COOK_IMAGE_JPEG);
}

static enum cook_status load_jpeg(struct cook_context *context, struct cook_loader *loader,
                                  const struct cook_source *source)
{
    return load_image(context, loader, source, COOK_IMAGE_JPEG);
}

static enum cook_status scan_tga(struct cook_scan *scan, const struct cook_source *source)
{
    return scan_image(scan, source, COOK_IMAGE_TGA);
}

static enum cook_status load_tga(struct cook_context *context, struct cook_loader *loader,
                                 const struct cook_source *source)
{
    return load_image(context, loader, source, COOK_IMAGE_TGA);
}

static const char *const png_extensions[] = { ".png", NULL };
static const char *const jpeg_extensions[] = { ".jpg", ".jpeg", NULL };
static const char *const tga_extensions[] = { ".tga", NULL };

const struct cook_reader cook_reader_png = {
    .name = "png",
    .version = 2,
    .extensions = png_extensions,
    .scan = scan_png,
    .load = load_png,
};

const struct cook_reader cook_reader_jpeg = {
    .name = "jpeg",
    .version = 2,
    .extensions = jpeg_extensions,
    .scan = scan_jpeg,
    .load = load_jpeg,
};

const struct cook_reader cook_reader_tga = {
    .name = "tga",
    .version = 2,
    .extensions = tga_extensions,
    .scan = scan_tga,
    .load = load_tga,
};
