#include <inttypes.h>

#include "cook/base/alloc.h"
#include "cook/base/hash.h"
#include "cook/classes/classes.h"
#include "cook/classes/texture.h"

/* Bump when the cooked form, or what the transform makes of the same source, changes. */
#define TEXTURE2D_VERSION 1u

_Static_assert(COOK_IMAGE_MAX_MIPS <=
                   sizeof((struct cook_texture2d *)0)->mip_data / sizeof(struct cook_bytes),
               "a full mip chain fits the object");

static const struct cook_enum_entry usage_entries[] = {
    { "Auto", COOK_TEXTURE_USAGE_AUTO },
    { "Color", COOK_TEXTURE_USAGE_COLOR },
    { "Normal", COOK_TEXTURE_USAGE_NORMAL },
    { "Data", COOK_TEXTURE_USAGE_DATA },
    { NULL, 0 },
};
static const struct cook_enum usage_enum = { "TextureUsage", usage_entries };

static const struct cook_enum_entry format_entries[] = {
    { "Unknown", COOK_TEXTURE_UNKNOWN }, { "RGBA8", COOK_TEXTURE_RGBA8 },
    { "BC1", COOK_TEXTURE_BC1 },         { "BC3", COOK_TEXTURE_BC3 },
    { "BC5", COOK_TEXTURE_BC5 },         { NULL, 0 },
};
static const struct cook_enum format_enum = { "TextureFormat", format_entries };

/* The source and the options that only steer the transform never reach the cooked package. */
static const struct cook_property texture2d_properties[] = {
    COOK_PROPERTY_FLAGGED(struct cook_texture2d, source, "Source", COOK_PROPERTY_BYTES,
                          COOK_PROPERTY_EDITOR_ONLY),
    { "Usage", COOK_PROPERTY_ENUM, (uint32_t)offsetof(struct cook_texture2d, usage),
      COOK_PROPERTY_EDITOR_ONLY, "TextureUsage", COOK_PROPERTY_UNKNOWN },
    COOK_PROPERTY_FLAGGED(struct cook_texture2d, srgb, "SRGB", COOK_PROPERTY_BOOL,
                          COOK_PROPERTY_NATIVE),
    COOK_PROPERTY_FLAGGED(struct cook_texture2d, mips, "Mips", COOK_PROPERTY_BOOL,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_FLAGGED(struct cook_texture2d, max_size_px, "MaxSize", COOK_PROPERTY_U32,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};

static void texture2d_construct(void *object)
{
    struct cook_texture2d *self = object;
    self->srgb = true;
    self->mips = true;
}

/* "By name" for AUTO; by content (alpha) only the format is chosen. */
static enum cook_texture_usage texture2d_usage(const struct cook_texture2d *self)
{
    switch (self->usage) {
    case COOK_TEXTURE_USAGE_NORMAL:
        return COOK_TEXTURE_USAGE_NORMAL;
    case COOK_TEXTURE_USAGE_DATA:
        return COOK_TEXTURE_USAGE_DATA;
    case COOK_TEXTURE_USAGE_AUTO:
        if (cook_texture_name_is_normal(cook_object_name(self)))
            return COOK_TEXTURE_USAGE_NORMAL;
        return COOK_TEXTURE_USAGE_COLOR;
    default:
        return COOK_TEXTURE_USAGE_COLOR;
    }
}

/* What the runtime must know: whether the pixels are sRGB. Normals and data never are. */
static bool texture2d_effective_srgb(const struct cook_texture2d *self)
{
    return self->srgb && texture2d_usage(self) == COOK_TEXTURE_USAGE_COLOR;
}

static uint32_t texture2d_max_size(struct cook_context *context,
                                   const struct cook_texture2d *self)
{
    if (self->max_size_px != 0)
        return self->max_size_px;
    int64_t size = cook_config_int(context, "Texture", "MaxSize", 0);
    return size > 0 && size < COOK_IMAGE_MAX_SIDE_PX ? (uint32_t)size : 0;
}

static void texture2d_clear_cached(struct cook_context *context, void *object)
{
    struct cook_texture2d *self = object;

    (void)context;
    for (uint32_t i = 0; i < self->mip_count; i++) {
        cook_free(self->mip_data[i].data);
        self->mip_data[i] = (struct cook_bytes){ NULL, 0 };
    }
    self->mip_count = 0;
    self->width_px = self->height_px = 0;
    self->format = COOK_TEXTURE_UNKNOWN;
}

static enum cook_status texture2d_transform(struct cook_context *context, void *object)
{
    struct cook_texture2d *self = object;
    struct cook_texture_build build;
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_texture_options options = {
        .usage = texture2d_usage(self),
        .srgb = self->srgb,
        .mips = self->mips,
        .max_size_px = texture2d_max_size(context, self),
    };

    enum cook_status status =
        cook_texture_build(&build, self->source.data, self->source.size, &options, &error);
    if (status != COOK_OK) {
        cook_log(context, COOK_SEVERITY_ERROR, "%s: %s", cook_object_inner_path(self),
                 error.message);
        return status;
    }
    self->width_px = build.width_px;
    self->height_px = build.height_px;
    self->format = (int32_t)build.format;
    self->mip_count = build.mip_count;
    for (uint32_t i = 0; i < build.mip_count; i++)
        self->mip_data[i] = build.mips[i]; /* ownership moves; clear_cached frees */
    return COOK_OK;
}

static enum cook_status texture2d_begin_cache(struct cook_context *context, void *object)
{
    const struct cook_texture2d *self = object;

    if (self->source.size == 0) {
        cook_log(context, COOK_SEVERITY_ERROR, "%s: the texture has no source image",
                 cook_object_inner_path(object));
        return COOK_E_FAILED;
    }
    return cook_async_run(context, texture2d_transform, object);
}

static void texture2d_serialize(struct cook_archive *archive, void *object)
{
    struct cook_texture2d *self = object;
    bool srgb;
    uint32_t mip_count = self->mip_count;

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    srgb = texture2d_effective_srgb(self);
    cook_field_u32(archive, "Width", &self->width_px);
    cook_field_u32(archive, "Height", &self->height_px);
    cook_field_i32(archive, "Format", &self->format);
    cook_field_bool(archive, "SRGB", &srgb);
    cook_field_array(archive, "Mips", &mip_count);
    for (uint32_t i = 0; i < self->mip_count; i++) {
        cook_field_element(archive, i);
        cook_write_bulk(archive, "Data", self->mip_data[i].data, self->mip_data[i].size);
    }
    cook_field_array_end(archive);
}

static void texture2d_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "Cook.Texture2D", TEXTURE2D_VERSION);
    cook_schema_add_string(schema, "spng", cook_image_png_version());
    cook_schema_add_string(schema, "stb image, dxt, resize", COOK_STB_VERSIONS);
}

static void texture2d_determinism_helper(struct cook_context *context, const void *object)
{
    static const char *const usages[] = { "Auto", "Color", "Normal", "Data" };
    const struct cook_texture2d *self = object;
    char hash[COOK_HASH_TEXT_SIZE];

    cook_hash_to_text(cook_hash_bytes(self->source.data, self->source.size), hash);
    cook_note_text(context,
                   "%" PRIu32 " x %" PRIu32 " px, %" PRIu32
                   " mips, format %s, usage %s, sRGB %s, "
                   "source %zu bytes, hash %s",
                   self->width_px, self->height_px, self->mip_count,
                   self->format >= 0 && self->format <= COOK_TEXTURE_BC5
                       ? format_entries[self->format].name
                       : "?",
                   usages[texture2d_usage(self)], texture2d_effective_srgb(self) ? "yes" : "no",
                   self->source.size, hash);
}

static const struct cook_class texture2d_class = {
    .name = "Texture2D",
    .size = sizeof(struct cook_texture2d),
    .properties = texture2d_properties,
    .construct = texture2d_construct,
    .begin_cache = texture2d_begin_cache,
    .clear_cached = texture2d_clear_cached,
    .serialize = texture2d_serialize,
    .append_to_class_schema = texture2d_append_to_class_schema,
    .determinism_helper = texture2d_determinism_helper,
};

void cook_texture2d_register(struct cook_registrar *registrar)
{
    cook_register_enum(registrar, &usage_enum);
    cook_register_enum(registrar, &format_enum);
    cook_register_class(registrar, &texture2d_class);
}
