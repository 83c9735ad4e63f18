/*
 * determinism_helper: text of the class's own that is shown beside a difference of an object.
 * Here the bytes are bits of a map; hex says little, a picture shows which door was moved. It
 * is asked for only when differences are studied, and is no part of the cooked bytes.
 */
#include "mechanisms.h"

struct tile_map {
    struct exhibit exhibit;
    struct cook_string walls; /* "#..#" */
    uint32_t bits;            /* derived */
};

static const struct cook_property properties[] = {
    COOK_PROPERTY_FLAGGED(struct tile_map, walls, "Walls", COOK_PROPERTY_STRING,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};

static enum cook_status pre_save(struct cook_context *context, void *object)
{
    struct tile_map *self = object;

    (void)context;
    for (uint32_t i = 0; i < 32 && i < self->walls.size; i++)
        self->bits |= (uint32_t)(self->walls.data[i] == '#') << i;
    return COOK_OK;
}

static void serialize(struct cook_archive *archive, void *object)
{
    struct tile_map *self = object;

    if (cook_archive_phase(archive) != COOK_PHASE_LOAD)
        cook_field_u32(archive, "Bits", &self->bits);
}

static void determinism_helper(struct cook_context *context, const void *object)
{
    const struct tile_map *self = object;
    char line[33] = "";

    for (uint32_t i = 0; i < 32 && i < self->walls.size; i++)
        line[i] = self->bits >> i & 1 ? '#' : '.';
    cook_note_text(context, "%s", line);
}

static const struct cook_class tile_map_class = {
    .name = "TileMap",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct tile_map),
    .properties = properties,
    .pre_save = pre_save,
    .serialize = serialize,
    .determinism_helper = determinism_helper,
};

void mechanisms_register_helper(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &tile_map_class);
}
