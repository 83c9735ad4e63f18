/*
 * NavGrid: an expensive transform, run on another thread. begin_cache starts it for all objects
 * of a package before the first is saved; the save waits; clear_cached drops what it made. No
 * is_cached: the object is ready as soon as its asynchronous work has ended.
 */
#include "arena.h"

#include <stdlib.h>

#define NAV_GRID_VERSION   1u
#define NAV_GRID_MAX_CELLS (1u << 22)

struct nav_grid {
    struct cook_object object;
    struct cook_array rows; /* of struct cook_string: '#' is a wall, all else is free */
    float cell_m;
    /* From begin_cache to clear_cached. */
    uint32_t width, height;
    uint16_t *distances; /* steps to the next wall, row by row; malloc */
};

static const struct cook_property properties[] = {
    COOK_PROPERTY_ARRAY_OF(struct nav_grid, rows, "Rows", COOK_PROPERTY_STRING, NULL),
    COOK_PROPERTY(struct nav_grid, cell_m, "CellSize", COOK_PROPERTY_F32),
    COOK_PROPERTY_END,
};

static void nav_construct(void *object)
{
    struct nav_grid *self = object;

    self->cell_m = 1.0f;
}

static void lower(uint16_t *cell, uint16_t neighbour)
{
    if (neighbour + 1 < *cell)
        *cell = (uint16_t)(neighbour + 1);
}

/* Two passes, from the top left and from the bottom right, give the distance in steps. */
static void sweep(struct nav_grid *self)
{
    uint32_t width = self->width, height = self->height;
    uint16_t *d = self->distances;

    for (uint32_t i = 0; i < width * height; i++) {
        if (i % width > 0)
            lower(&d[i], d[i - 1]);
        if (i >= width)
            lower(&d[i], d[i - width]);
    }
    for (uint32_t i = width * height; i-- > 0;) {
        if (i % width + 1 < width)
            lower(&d[i], d[i + 1]);
        if (i + width < width * height)
            lower(&d[i], d[i + width]);
    }
}

/* On a thread of the worker. It may read through the context as any hook does. */
static enum cook_status nav_compute(struct cook_context *context, void *object)
{
    struct nav_grid *self = object;
    const struct cook_string *rows = self->rows.items;
    int64_t limit = cook_config_int(context, "Arena", "NavMaxDistance", 12);
    uint16_t far = (uint16_t)(limit < 1 ? 1 : limit > UINT16_MAX - 1 ? UINT16_MAX - 1 : limit);

    self->distances = calloc((size_t)self->width * self->height, sizeof(*self->distances));
    if (!self->distances)
        return COOK_E_NO_MEMORY;
    for (uint32_t y = 0; y < self->height; y++) {
        for (uint32_t x = 0; x < self->width; x++) {
            bool wall = x >= rows[y].size || rows[y].data[x] == '#';

            self->distances[y * self->width + x] = wall ? 0 : far;
        }
    }
    sweep(self);
    return COOK_OK;
}

static enum cook_status nav_begin_cache(struct cook_context *context, void *object)
{
    struct nav_grid *self = object;
    const struct cook_string *rows = self->rows.items;
    size_t width = 0;

    for (uint32_t y = 0; y < self->rows.count; y++)
        width = rows[y].size > width ? rows[y].size : width;
    if (width == 0)
        return COOK_OK; /* an empty grid is saved as one */
    if (width > NAV_GRID_MAX_CELLS / self->rows.count) {
        cook_log(context, COOK_SEVERITY_ERROR, "a grid of %zu by %u cells is too large", width,
                 self->rows.count);
        return COOK_E_LIMIT;
    }
    self->width = (uint32_t)width;
    self->height = self->rows.count;
    return cook_async_run(context, nav_compute, self);
}

static void nav_clear_cached(struct cook_context *context, void *object)
{
    struct nav_grid *self = object;

    (void)context;
    free(self->distances);
    self->distances = NULL;
    self->width = self->height = 0;
}

static void nav_serialize(struct cook_archive *archive, void *object)
{
    struct nav_grid *self = object;

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_u32(archive, "Width", &self->width);
    cook_field_u32(archive, "Height", &self->height);
    /* The bulk section: the runtime maps it without reading the rest of the object. */
    cook_write_bulk_elements(archive, "Distances", "u16", self->distances,
                             (size_t)self->width * self->height * sizeof(*self->distances));
}

/* Shown beside a difference of this class: the grid as a picture says more than hex does. */
static void nav_determinism_helper(struct cook_context *context, const void *object)
{
    const struct nav_grid *self = object;
    char line[81];

    for (uint32_t y = 0; y < self->height; y++) {
        uint32_t x;

        for (x = 0; x < self->width && x < sizeof(line) - 1; x++) {
            uint16_t distance = self->distances[y * self->width + x];

            line[x] = distance == 0 ? '#' : distance > 9 ? '+' : (char)('0' + distance);
        }
        line[x] = '\0';
        cook_note_text(context, "%s\n", line);
    }
}

static void nav_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "arena.nav-grid", NAV_GRID_VERSION);
}

static const struct cook_class nav_grid_class = {
    .name = "NavGrid",
    .size = sizeof(struct nav_grid),
    .properties = properties,
    .construct = nav_construct,
    .begin_cache = nav_begin_cache,
    .clear_cached = nav_clear_cached,
    .serialize = nav_serialize,
    .append_to_class_schema = nav_append_to_class_schema,
    .determinism_helper = nav_determinism_helper,
};

void arena_register_nav_grid(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &nav_grid_class);
}
